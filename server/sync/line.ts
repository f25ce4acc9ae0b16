/** Whether the line to the central service is worth trying: one pause for everything that goes over it, longer after each failure. */
import { pauseAfter } from './back-off.ts'
import type { CentreTroubleError } from './transport.ts'

export interface Line {
  /** Milliseconds to wait before it is tried again; 0: now. */
  pauseMs(): number
  worked(): void
  failed(error: CentreTroubleError): void
  /** An operator does not want to wait. */
  tryNow(): void
}

/**
 * @param nowMs a clock that only goes forward: the pause does not depend on what time it is
 * @param random 0 (inclusive) to 1
 */
export function createLine(nowMs = () => performance.now(), random = Math.random): Line {
  let failures = 0
  let until = 0
  return {
    pauseMs: () => Math.max(0, until - nowMs()),
    worked: () => {
      failures = 0
      until = 0
    },
    failed: ({ retryAfterMs }) => {
      // Requests that were under way at the same time failed for the same reason: that counts once.
      if (until > nowMs()) return
      failures++
      until = nowMs() + Math.max(pauseAfter(failures, random()), retryAfterMs ?? 0)
    },
    tryNow: () => {
      until = 0
    },
  }
}
