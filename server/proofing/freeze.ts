/**
 * When nothing new may begin: before a proof could be lost for want of room, of a line or of a clock. What was begun goes
 * on to its end. A reason stays until there is some air again, so that the screen does not flicker at the limit.
 */

/** In the order in which they are told. */
export const FREEZE_REASONS = [
  'disk_low',
  'clock_unsure',
  'restore_not_settled', // after a backup was restored, nobody has said yet which numbers the central service has taken
  'backlog_full', // proofs that wait for the central service
  'oldest_too_old', // of those proofs
  'proofs_parked', // proofs that the central service has refused
] as const
export type FreezeReason = (typeof FREEZE_REASONS)[number]

export interface FreezeFacts {
  /** Null: the disk does not say, which is as bad as full. */
  readonly freeBytes: number | null
  /** Half of what lies between the earliest and the latest it can be. */
  readonly clockUncertaintyMs: number
  /** Null: the kiosk has joined no central service. */
  readonly waiting: {
    readonly backlog: number
    /** Null: nothing waits. */
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

/** A limit that was passed holds until the value is this far on the right side of it. */
const AIR = 0.1

/** @param before the reasons that held a moment ago */
export function freezeReasons(
  facts: FreezeFacts,
  limits: FreezeLimits,
  before: readonly FreezeReason[],
): readonly FreezeReason[] {
  const { freeBytes, clockUncertaintyMs, waiting } = facts
  const atMost = (reason: FreezeReason) => (before.includes(reason) ? 1 - AIR : 1)
  const atLeast = (reason: FreezeReason) => (before.includes(reason) ? 1 + AIR : 1)
  const isBeyond: Readonly<Record<FreezeReason, boolean>> = {
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
