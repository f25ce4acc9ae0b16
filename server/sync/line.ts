/** Decides when to try the central service again: one pause for all requests, longer after each failure. */
import { pauseAfter } from './back-off.ts'
import type { CentralTroubleError } from './transport.ts'

export interface Line {
  /** Milliseconds until the next try; 0: now. */
  pauseMs(): number
  worked(): void
  failed(error: CentralTroubleError): void
  /** An operator asked to try immediately. */
  tryNow(): void
}

/**
 * @param nowMs a monotonic clock, so that changes of the time do not matter @param random 0 (inclusive) to 1
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
      // Simultaneous requests fail for the same reason: count them once.
      if (until > nowMs()) return
      failures++
      until = nowMs() + Math.max(pauseAfter(failures, random()), retryAfterMs ?? 0)
    },
    tryNow: () => {
      until = 0
    },
  }
}
