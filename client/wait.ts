/**
 * Polls until a condition holds: with growing pauses, a deadline, and the pauses that the appliance requests.
 */
import { Problem } from './problem.ts'

export interface WaitOptions {
  /** Default: two minutes. */
  readonly timeoutMs?: number
  /** Aborts the wait with its reason. */
  readonly signal?: AbortSignal
}

const DEFAULT_TIMEOUT_MS = 120_000
/** A document is verified in about two seconds: the first polls follow quickly, the later ones are rare. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000
const GROWTH = 1.5
/** Random share of a pause, so that many clients do not poll in step. */
const JITTER = 0.2
/** Too many calls, busy or shutting down: the same call may succeed later. */
const RETRIED: readonly number[] = [429, 503]

export class WaitTimeout<T = unknown> extends Error {
  override readonly name = 'WaitTimeout'
  /** The last answer; undefined if there was none. */
  readonly last: T | undefined

  constructor(timeoutMs: number, last: T | undefined) {
    super(`Still not done after ${timeoutMs} ms.`)
    this.last = last
  }
}

/**
 * Returns the first answer that is done. Throws `WaitTimeout` at the deadline, `Problem` for a permanent
 * failure, and the reason of `signal`. @param read gets a signal for its call, which ends it at the deadline
 */
export async function waitUntil<T>(
  read: (signal: AbortSignal) => Promise<T>,
  isDone: (answer: T) => boolean,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: WaitOptions = {},
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline
  let last: T | undefined
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, MAX_PAUSE_MS)) {
      ends.throwIfAborted()
      let askedMs = 0
      try {
        last = await read(ends)
        if (isDone(last)) return last
      } catch (error) {
        if (!(error instanceof Problem) || !RETRIED.includes(error.status)) throw error
        askedMs = error.retryAfterMs ?? 0
      }
      await pause(Math.max(askedMs, pauseMs * (1 + JITTER * (2 * Math.random() - 1))), ends)
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (deadline.aborted) throw new WaitTimeout(timeoutMs, last)
    throw error
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
