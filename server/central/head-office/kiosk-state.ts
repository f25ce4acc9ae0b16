/** Derives a kiosk's state from its last report: one word, and all reasons for attention. Pure. */
import type { KioskStatus } from '../../protocol/wire.ts'
import type { KioskReason, KioskState } from './contract.ts'
import type { HeadOfficeOptions } from './options.ts'

export interface KioskFacts {
  readonly revokedAt: Date | null
  /** Time of its last status, or of its enrolment. */
  readonly seenAt: Date
  readonly status: Partial<KioskStatus> | null
  readonly newestBundle: number
  /** Alarms that are neither acknowledged nor resolved. */
  readonly alarmsOpen: number
  /** Kinds of the alarms that are not resolved. */
  readonly alarmKinds: readonly string[]
  /** Its proof with the highest number is marked `test`. */
  readonly newestIsTest: boolean
}

type Limits = Pick<HeadOfficeOptions, 'notSeenAfterMinutes' | 'backlogLateAfterHours'>

/** The first reason of this list that applies determines the state. */
const STATE_OF: readonly (readonly [KioskReason, KioskState])[] = [
  ['revoked', 'REVOKED'],
  ['alarm_integrity', 'ALARM'],
  ['frozen', 'FROZEN'],
  ['not_seen', 'LATE'],
  ['backlog_old', 'LATE'],
  ['alarm_open', 'ATTENTION'],
  ['health_down', 'ATTENTION'],
]
/**
 * Alarms that put the identity or the history of a kiosk in doubt: two machines may use its key, or its records were changed.
 * An acknowledgement does not end the doubt; an operator does, who resolves the alarm.
 */
const INTEGRITY_ALARMS: ReadonlySet<string> = new Set(['CLONE', 'CONFLICT', 'CHAIN_BROKEN', 'AUDIT_ROLLBACK'])

export function judgeKiosk(
  facts: KioskFacts,
  now: Date,
  limits: Limits,
): { readonly state: KioskState; readonly reasons: KioskReason[] } {
  const { status } = facts
  const oldest = status?.oldestPendingAt ?? null
  const bundle = status?.bundleVersion
  const holds: Readonly<Record<KioskReason, boolean>> = {
    revoked: facts.revokedAt !== null,
    frozen: (status?.frozen ?? []).length > 0,
    not_seen: now.getTime() - facts.seenAt.getTime() > limits.notSeenAfterMinutes * 60_000,
    backlog_old: oldest !== null && now.getTime() - oldest > limits.backlogLateAfterHours * 3_600_000,
    health_down: Object.values(status?.health ?? {}).includes('DOWN'),
    bundle_refused: (status?.bundleProblems ?? []).length > 0,
    bundle_behind: bundle !== undefined && bundle < facts.newestBundle,
    alarm_integrity: facts.alarmKinds.some((kind) => INTEGRITY_ALARMS.has(kind)),
    alarm_open: facts.alarmsOpen > 0,
    newest_is_test: facts.newestIsTest,
  }
  const all = (Object.keys(holds) as KioskReason[]).filter((reason) => holds[reason])
  // A revoked kiosk is expected to do nothing.
  const reasons: KioskReason[] = facts.revokedAt ? ['revoked'] : all
  return { state: STATE_OF.find(([reason]) => reasons.includes(reason))?.[1] ?? 'OK', reasons }
}
