/**
 * Decides when no new visit may begin, so that no proof is lost for lack of disk space, connection or clock. Running
 * visits continue. A reason has hysteresis, so that the screen does not flicker at the limit.
 */

/** Free bytes of the disk at which an operator must act: about 200 proofs of 5 MB. New visits are refused at a lower limit. */
export const LOW_DISK_BYTES = 1_000_000_000

/** Sorted in the order of display. */
export const FREEZE_REASONS = [
  'being_updated', // the root updater waits until no visit is under way, or has not judged the new version yet
  'kiosk_revoked', // the central service no longer accepts proofs of this kiosk
  'kiosk_cloned', // another machine uses the identity of this kiosk
  'disk_low',
  'clock_unsure',
  'restore_not_settled', // a restored backup whose numbers the central service has not confirmed
  'backlog_full', // proofs waiting for the central service
  'oldest_too_old', // age of those proofs
  'proofs_parked', // proofs that the central service rejected
] as const
export type FreezeReason = (typeof FREEZE_REASONS)[number]

export interface FreezeFacts {
  readonly isBeingUpdated: boolean
  /** Null if the free space is unknown, which counts as full. */
  readonly freeBytes: number | null
  /** Half of the difference between the latest and earliest possible time. */
  readonly clockUncertaintyMs: number
  /** The central service has stopped this kiosk: it was revoked, or another machine uses its identity. Null: it has not. */
  readonly stop: 'REVOKED' | 'CLONE' | null
  /** Null if the kiosk has not joined a central service. */
  readonly waiting: {
    readonly backlog: number
    /** Null if no proof is waiting. */
    readonly oldestAgeMs: number | null
    readonly parked: number
    readonly restoredUnheardOf: boolean
  } | null
}

export interface FreezeLimits {
  readonly backlog: number
  readonly ageHours: number
  readonly parked: number
  readonly freeMegabytes: number
  readonly clockUncertaintyMinutes: number
}

/** Hysteresis: an exceeded limit holds until the value is better by this share. */
const AIR = 0.1

/** @param before reasons that held before */
export function freezeReasons(
  facts: FreezeFacts,
  limits: FreezeLimits,
  before: readonly FreezeReason[],
): readonly FreezeReason[] {
  const { isBeingUpdated, freeBytes, clockUncertaintyMs, stop, waiting } = facts
  const atMost = (reason: FreezeReason) => (before.includes(reason) ? 1 - AIR : 1)
  const atLeast = (reason: FreezeReason) => (before.includes(reason) ? 1 + AIR : 1)
  const isBeyond: Readonly<Record<FreezeReason, boolean>> = {
    being_updated: isBeingUpdated,
    kiosk_revoked: stop === 'REVOKED',
    kiosk_cloned: stop === 'CLONE',
    disk_low: freeBytes === null || freeBytes < limits.freeMegabytes * 1e6 * atLeast('disk_low'),
    clock_unsure: clockUncertaintyMs > limits.clockUncertaintyMinutes * 60_000 * atMost('clock_unsure'),
    restore_not_settled: waiting !== null && waiting.restoredUnheardOf,
    backlog_full: waiting !== null && waiting.backlog >= limits.backlog * atMost('backlog_full'),
    oldest_too_old:
      waiting !== null && (waiting.oldestAgeMs ?? 0) > limits.ageHours * 3_600_000 * atMost('oldest_too_old'),
    proofs_parked: waiting !== null && waiting.parked >= limits.parked * atMost('proofs_parked'),
  }
  return FREEZE_REASONS.filter((reason) => isBeyond[reason])
}
