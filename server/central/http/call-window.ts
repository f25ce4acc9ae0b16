/** A sliding window of a minute over the calls of each caller. */
export interface Standing {
  readonly isRefused: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

const WINDOW_MS = 60_000
/** About 20 MB. */
const MAX_CALLERS = 100_000

/** Calls of the last minute by caller: a key, an account, a code or an address. Each instance counts for itself. */
export class CallWindow {
  readonly #calls = new Map<string, number[]>()
  readonly #limit: number
  #purgedAt = Date.now()

  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** Counts a call. A refused call is not counted, so that a caller who waits is let in again. */
  hit(caller: string, now = Date.now()): Standing {
    this.#purge(now)
    const calls = (this.#calls.get(caller) ?? []).filter((at) => at > now - WINDOW_MS)
    const isRefused = calls.length >= this.#limit
    if (!isRefused) calls.push(now)
    this.#calls.delete(caller)
    const [longestUnseen] = this.#calls.keys()
    if (this.#calls.size >= MAX_CALLERS && longestUnseen !== undefined) this.#calls.delete(longestUnseen)
    this.#calls.set(caller, calls)
    return {
      isRefused,
      remaining: this.#limit - calls.length,
      resetSeconds: Math.ceil(((calls[0] ?? now) + WINDOW_MS - now) / 1000),
    }
  }

  #purge(now: number): void {
    if (now - this.#purgedAt < WINDOW_MS) return
    this.#purgedAt = now
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) <= now - WINDOW_MS) this.#calls.delete(caller)
    }
  }
}
