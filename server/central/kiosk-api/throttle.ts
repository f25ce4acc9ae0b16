/** Who guesses enrolment codes is slowed down: failures of an address within a minute, counted by each instance. */
const WINDOW_MS = 60_000
/** Twenty kiosks of one branch, each with a code mistyped. */
const MOST_FAILURES = 20
const MOST_ADDRESSES = 10_000

export class Throttle {
  readonly #failures = new Map<string, number[]>()

  isOver(address: string, nowMs: number): boolean {
    const recent = (this.#failures.get(address) ?? []).filter((at) => at > nowMs - WINDOW_MS)
    if (recent.length === 0) this.#failures.delete(address)
    else this.#failures.set(address, recent)
    return recent.length >= MOST_FAILURES
  }

  failed(address: string, nowMs: number): void {
    // Full of addresses: the one that failed first is forgotten. Codes have 80 random bits; this only spares work.
    if (this.#failures.size >= MOST_ADDRESSES) {
      const [oldest] = this.#failures.keys()
      if (oldest !== undefined) this.#failures.delete(oldest)
    }
    this.#failures.set(address, [...(this.#failures.get(address) ?? []), nowMs])
  }
}
