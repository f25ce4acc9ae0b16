/**
 * Runs a rendering library for foreign files in a thread, so that a file which renders without end is terminated and its
 * memory freed. Owns the thread, its limits and the order of the files. Never looks into a file.
 */
import { Worker } from 'node:worker_threads'

export interface DrawingLimits {
  readonly timeMs: number
  readonly memoryBytes: number
}

/** `trapped`: the library's state is corrupt, so it must not render again. */
type Faulty = { readonly fault: string }

interface DrawingThread<Request, Reply> {
  /** Returns null if time or memory ran out, or if the thread ended by itself. */
  draw(request: Request, limits: DrawingLimits): Promise<Reply | null>
}

const MEMORY_LOOK_MS = 50
/** WebAssembly memory never shrinks: a thread that grew the process by this much is replaced. */
const KEPT_BYTES = 200_000_000

/** `script` must answer each message with one message. */
export function drawingThread<Request, Reply extends object | Faulty>(
  script: URL,
): DrawingThread<Request, Reply> {
  let worker: Worker | null = null
  /** One file at a time, because a second one would count against the first one's limits. */
  let last: Promise<unknown> = Promise.resolve()

  const start = (): Worker => {
    const started = new Worker(script)
    // An idle thread may end; the next file starts another.
    started.on('error', () => undefined)
    started.once('exit', () => {
      if (worker === started) worker = null
    })
    return started
  }

  const ask = (request: Request, { timeMs, memoryBytes }: DrawingLimits): Promise<Reply | null> => {
    const asked = (worker ??= start())
    const before = process.memoryUsage.rss()
    return new Promise((resolve) => {
      const settle = (reply: Reply | null): void => {
        clearTimeout(late)
        clearInterval(look)
        asked.off('message', settle).off('error', lost).off('exit', lost)
        asked.unref()
        resolve(reply)
      }
      const lost = (): void => settle(null)
      const late = setTimeout(lost, timeMs)
      const look = setInterval(() => {
        if (process.memoryUsage.rss() - before > memoryBytes) lost()
      }, MEMORY_LOOK_MS)
      asked.ref()
      asked.on('message', settle).on('error', lost).on('exit', lost)
      asked.postMessage(request)
    })
  }

  const drawNow = async (request: Request, limits: DrawingLimits): Promise<Reply | null> => {
    const before = process.memoryUsage.rss()
    const reply = await ask(request, limits)
    const isTrapped = reply !== null && 'fault' in reply && reply.fault === 'trapped'
    if (reply === null || isTrapped || process.memoryUsage.rss() - before > KEPT_BYTES) {
      const ended = worker
      worker = null
      await ended?.terminate()
    }
    return reply
  }

  return {
    draw(request, limits) {
      const drawn = last.then(() => drawNow(request, limits))
      last = drawn.catch(() => undefined)
      return drawn
    },
  }
}
