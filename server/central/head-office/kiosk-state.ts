/**
 * Derives the state of a kiosk from its last report and its alarms: one word, and all reasons for attention. The rules are SQL,
 * so that the database filters and sorts by the state, and no list loads every kiosk.
 */
import type { Parameter } from '../db/db.ts'
import type { KioskReason, KioskState } from './contract.ts'
import type { HeadOfficeOptions } from './options.ts'

type Limits = Pick<HeadOfficeOptions, 'notSeenAfterMinutes' | 'backlogLateAfterHours'>

/**
 * Alarms that put the identity or the history of a kiosk in doubt: two machines may use its key, or its records were changed.
 * An acknowledgement does not end the doubt; the person who resolves the alarm does.
 */
const INTEGRITY_ALARMS = ['CLONE', 'CONFLICT', 'CHAIN_BROKEN', 'AUDIT_ROLLBACK']

/** Conditions on a kiosk `k` with its unresolved alarms `o`. */
const REASONS: Readonly<Record<KioskReason, string>> = {
  revoked: 'k.revoked_at IS NOT NULL',
  frozen: `k.status->'frozen' <> '[]'`,
  not_seen: 'coalesce(k.status_at, k.enrolled_at) < $1',
  backlog_old: `(k.status->>'oldestPendingAt')::numeric < $2`,
  health_down: `jsonb_path_exists(k.status, '$.health.* ? (@ == "DOWN")')`,
  bundle_refused: `k.status->'bundleProblems' <> '[]'`,
  bundle_behind: `(k.status->>'bundleVersion')::numeric < $3`,
  alarm_integrity: `o.kinds && ARRAY[${INTEGRITY_ALARMS.map((kind) => `'${kind}'`).join(', ')}]`,
  alarm_open: 'o.open > 0',
  newest_is_test:
    '(SELECT p.test FROM proofs p WHERE p.kiosk_id = k.id AND p.line = 0 ORDER BY p.sequence DESC LIMIT 1)',
}
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
/** The most urgent first. */
const URGENCY: readonly KioskState[] = ['ALARM', 'FROZEN', 'LATE', 'ATTENTION', 'OK', 'REVOKED']

const STATE = `CASE ${STATE_OF.map(([reason, state]) => `WHEN ${REASONS[reason]} THEN '${state}'`).join(' ')} ELSE 'OK' END`
/** A revoked kiosk is expected to do nothing. */
const REASON_LIST = `CASE WHEN ${REASONS.revoked} THEN ARRAY['revoked']
  ELSE array_remove(ARRAY[${Object.entries(REASONS)
    .map(([reason, condition]) => `CASE WHEN ${condition} THEN '${reason}' END`)
    .join(', ')}], NULL) END`

/** Numbers of lines are given once, so the highest one counts no lines. */
const OTHER_LINES = `CASE WHEN k.lines = 0 THEN 0 ELSE (SELECT count(DISTINCT line)::int FROM (
  ${['proofs', 'quarantined', 'withdrawn', 'uploads']
    .map((table) => `SELECT line FROM ${table} WHERE kiosk_id = k.id AND line > 0`)
    .join(' UNION ALL ')}) AS others) END`

/** SELECT of the kiosks with `state`, `reasons` and the columns that lists sort by. Its values are those of `stateValues`. */
export const SELECT_KIOSKS = `
  SELECT k.id, k.name, k.enrolled_at, k.revoked_at, k.status, k.status_at, k.last_sequence, ${OTHER_LINES} AS lines, k.updates,
    coalesce(o.open, 0) AS alarms_open, coalesce(o.kinds, '{}') AS alarm_kinds,
    ${STATE} AS state, ${REASON_LIST} AS reasons,
    array_position(ARRAY[${URGENCY.map((state) => `'${state}'`).join(', ')}], ${STATE}) AS urgency,
    coalesce((k.status->>'backlog')::numeric, -1) AS backlog,
    coalesce((k.status->>'oldestPendingAt')::numeric, 1e15) AS oldest,
    coalesce(k.status_at, '1970-01-01Z') AS seen, coalesce(k.status->>'productVersion', '') AS version
  FROM kiosks k LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE a.acknowledged_at IS NULL)::int AS open, array_agg(DISTINCT a.kind ORDER BY a.kind) AS kinds
    FROM alarms a WHERE a.kiosk_id = k.id AND a.resolved_at IS NULL
  ) AS o ON true`

export function stateValues(limits: Limits, newestBundle: number, now: Date): readonly Parameter[] {
  return [
    new Date(now.getTime() - limits.notSeenAfterMinutes * 60_000),
    now.getTime() - limits.backlogLateAfterHours * 3_600_000,
    newestBundle,
  ]
}
