/**
 * Stops calls to a service that keeps failing, so that applicants do not wait for its time limit one after the other. After
 * the pause one call is tried; if it succeeds, all are.
 */
export interface BreakerLimits {
  /** Failures in succession that open the breaker. */
  readonly failures: number
  readonly pauseMs: number
  /** Replaces the clock, for tests. */
  readonly now?: () => number
}

interface CircuitBreaker {
  /** True if a call may be made. After the pause, true for one caller until its result is noted. */
  mayCall(): boolean
  note(succeeded: boolean): void
}

export function createCircuitBreaker({
  failures: limit,
  pauseMs,
  now = () => performance.now(),
}: BreakerLimits): CircuitBreaker {
  let failures = 0
  let restsUntilMs = 0
  return {
    mayCall() {
      if (failures < limit) return true
      if (now() < restsUntilMs) return false
      // This caller tries; the others wait for its result.
      restsUntilMs = now() + pauseMs
      return true
    },
    note(succeeded) {
      failures = succeeded ? 0 : failures + 1
      if (failures >= limit) restsUntilMs = now() + pauseMs
    },
  }
}
