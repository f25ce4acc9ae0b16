/** A sliding window over the calls of each caller. */
const DEFAULT_WINDOW_MS = 60_000
/** About 20 MB. */
const MAX_CALLERS = 100_000

/** The result of one call for its caller. */
export interface CallVerdict {
  readonly isRefused: boolean
  readonly remaining: number
  /** Time until the oldest counted call leaves the window and one more call is allowed. */
  readonly resetMs: number
}

/**
 * The moments of each caller's calls within the last window. A caller is a key, an account, a code or an address. Each
 * process counts for itself. A refused call is not counted, so that a caller who keeps calling is let in again as soon as
 * the oldest accepted call is a window old.
 */
export class CallWindow {
  readonly windowMs: number
  readonly #calls = new Map<string, number[]>()
  readonly #nowMs: () => number
  #purgedAtMs: number

  constructor(windowMs: number = DEFAULT_WINDOW_MS, nowMs: () => number = Date.now) {
    this.windowMs = windowMs
    this.#nowMs = nowMs
    this.#purgedAtMs = nowMs()
  }

  hit(caller: string, limit: number): CallVerdict {
    const now = this.#nowMs()
    this.#purge(now)
    const calls = this.#calls.get(caller) ?? []
    // Edited in place: a copy of a busy caller's window at every call is work for the garbage collector.
    const firstCounted = calls.findIndex((at) => at > now - this.windowMs)
    calls.splice(0, firstCounted < 0 ? calls.length : firstCounted)
    const isRefused = calls.length >= limit
    if (!isRefused) calls.push(now)
    this.#keep(caller, calls)
    return {
      isRefused,
      remaining: limit - calls.length,
      resetMs: (calls[0] ?? now) + this.windowMs - now,
    }
  }

  /** Removes the last call of this caller from the count. */
  forgive(caller: string): void {
    this.#calls.get(caller)?.pop()
  }

  /** Number of callers that are remembered now. */
  get size(): number {
    return this.#calls.size
  }

  /** The caller becomes the one seen last; where there is no room, the one not seen for the longest time is forgotten. */
  #keep(caller: string, calls: number[]): void {
    this.#calls.delete(caller)
    const [longestUnseen] = this.#calls.keys()
    if (this.#calls.size >= MAX_CALLERS && longestUnseen !== undefined) this.#calls.delete(longestUnseen)
    this.#calls.set(caller, calls)
  }

  /** Once per window: callers without a call in it are forgotten. */
  #purge(now: number): void {
    if (now - this.#purgedAtMs < this.windowMs) return
    this.#purgedAtMs = now
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) <= now - this.windowMs) this.#calls.delete(caller)
    }
  }
}
