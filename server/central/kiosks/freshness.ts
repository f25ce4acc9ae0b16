/** Decides whether a signed request may be a replay. */

/** Maximum error of an older kiosk's clock for its reading calls. */
const CLOCK_WINDOW_MS = 10 * 60_000

interface RequestAge {
  /**
   * `stale`: expired, or issued to another kiosk. `none`: signed with the protocol's first version, or the
   * first request.
   */
  readonly nonce: 'fresh' | 'stale' | 'none'
  /** Time of the kiosk's clock, milliseconds since 1970. */
  readonly at: number
  /** The call changes nothing and returns data of the tenant. */
  readonly isReading: boolean
}

/**
 * True if the request must be repeated with a fresh nonce. A kiosk that has used a nonce once always needs
 * one. A kiosk of an older version knows no nonces: it may continue to send proofs and statuses, whose
 * repetition changes nothing, and may read while its clock is about right.
 */
export function needsFreshNonce(
  { nonce, at, isReading }: RequestAge,
  kiosk: { readonly noncesSince: Date | null },
  now: Date,
): boolean {
  if (nonce === 'fresh') return false
  if (nonce === 'stale' || kiosk.noncesSince !== null) return true
  return isReading && Math.abs(at - now.getTime()) > CLOCK_WINDOW_MS
}
