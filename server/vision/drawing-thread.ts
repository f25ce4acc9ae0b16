/**
 * A thread in which a library draws what others have sent: a file that draws without end is ended with it, and takes its memory
 * along. Owns the thread, its limits and the order of the files. Never looks into a file.
 */
import { Worker } from 'node:worker_threads'

export interface DrawingLimits {
  readonly timeMs: number
  readonly memoryBytes: number
}

/** `trapped`: the library lost its own order, and nothing more is drawn with it. */
type Faulty = { readonly fault: string }

export interface DrawingThread<Request, Reply> {
  /** Null where time or memory ran out, or the thread ended by itself. */
  draw(request: Request, limits: DrawingLimits): Promise<Reply | null>
}

const MEMORY_LOOK_MS = 50
/** WebAssembly's memory never shrinks: a thread that left the process so much larger is not used again. */
const KEPT_BYTES = 200_000_000

/** `script` answers each message with one message. */
export function drawingThread<Request, Reply extends object | Faulty>(
  script: URL,
): DrawingThread<Request, Reply> {
  let worker: Worker | null = null
  /** One file after the other: a second one would be counted against the first one's limits. */
  let last: Promise<unknown> = Promise.resolve()

  const start = (): Worker => {
    const started = new Worker(script)
    // While nobody waits for it, its end is no news; the next file starts another.
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
