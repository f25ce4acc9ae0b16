/**
 * Alarms of kiosks: one row per problem, raised once, counted again at each observation, resolved when the
 * problem is over.
 */
import { v7 as uuidv7 } from 'uuid'
import { AppError } from '../../errors.ts'
import { decidedBefore } from '../decided-before.ts'
import type { Queries } from '../db/db.ts'
import { enqueueEvent } from '../head-office/index.ts'

export const ALARM_KINDS = [
  'GAP', // sequence numbers are missing
  'CHAIN_BROKEN', // an entry of the kiosk's outbox does not continue the one before it
  'CONFLICT', // a proof was announced again with different facts
  'REFUSED', // a proof that does not verify
  'LOST', // a kiosk has lost the key of an identity, and with it the proof
  'CLONE', // two proofs claim one sequence number
  'AUDIT_ROLLBACK', // the kiosk's audit log is shorter than before, or another one; or a backup was restored
  'CLOCK', // the kiosk's clock is wrong, or was changed
  'OFFLINE', // no status for too long
  'UPDATE', // a release was not installed, or was rolled back
] as const
type AlarmKind = (typeof ALARM_KINDS)[number]

/** Ids, numbers and codes. */
type AlarmDetails = Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>

export interface KioskRef {
  readonly id: string
  readonly tenantId: string
}

/** @param subject the subject within the kiosk: a proof id, a sequence number, or '' */
export async function raiseAlarm(
  queries: Queries,
  kiosk: KioskRef,
  kind: AlarmKind,
  subject: string,
  details: AlarmDetails,
  at: Date,
): Promise<void> {
  const [row] = await queries.query<{ id: string; is_new: boolean }>(
    `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $7)
     ON CONFLICT (kiosk_id, kind, subject) WHERE resolved_at IS NULL
     DO UPDATE SET seen_at = excluded.seen_at, details = excluded.details, times = alarms.times + 1
     RETURNING id, times = 1 AS is_new`,
    [uuidv7(), kiosk.tenantId, kiosk.id, kind, subject, JSON.stringify(details), at],
  )
  if (!row?.is_new) return
  const data = { alarmId: row.id, kioskId: kiosk.id, kind }
  await enqueueEvent(queries, { tenantId: kiosk.tenantId, type: 'alarm.raised', at, data })
  if (kind === 'OFFLINE') {
    await enqueueEvent(queries, {
      tenantId: kiosk.tenantId,
      type: 'kiosk.offline',
      at,
      data: { kioskId: kiosk.id },
    })
  }
}

/**
 * Resolves an alarm on the decision of a person. `isNew` is false if the same person gave
 * the same reason before, as in a repeated request. Throws `not_found`, and `transition_refused` after another decision, or
 * for CLONE while both machines are frozen: the choice of a line resolves it.
 * @param tenantId null: any, for the operator
 */
export async function resolveAlarm(
  queries: Queries,
  tenantId: string | null,
  alarmId: string,
  { actor, reason, at }: { readonly actor: string; readonly reason: string; readonly at: Date },
): Promise<{ readonly tenantId: string; readonly resolvedAt: Date; readonly isNew: boolean }> {
  const [row] = await queries.query<{
    tenantId: string
    resolvedAt: Date | null
    resolvedBy: string | null
    resolution: string | null
    isFrozen: boolean
  }>(
    `SELECT a.tenant_id AS "tenantId", a.resolved_at AS "resolvedAt", a.resolved_by AS "resolvedBy",
       a.resolution, a.kind = 'CLONE' AND k.frozen_at IS NOT NULL AS "isFrozen"
     FROM alarms a JOIN kiosks k ON k.id = a.kiosk_id
     WHERE a.id = $1 AND ($2::text IS NULL OR a.tenant_id = $2) FOR UPDATE OF a`,
    [alarmId, tenantId],
  )
  if (!row) throw new AppError('not_found', { kind: 'alarm' })
  const { resolvedAt, resolvedBy } = row
  if (resolvedAt !== null) {
    if (resolvedBy !== actor || row.resolution !== reason)
      throw decidedBefore('alarm', 'resolved', resolvedAt, resolvedBy)
    return { tenantId: row.tenantId, resolvedAt, isNew: false }
  }
  if (row.isFrozen) {
    throw new AppError('transition_refused', {
      kind: 'alarm',
      reason: 'both machines are frozen; choose a line first (central lines choose)',
    })
  }
  await queries.query('UPDATE alarms SET resolved_at = $2, resolved_by = $3, resolution = $4 WHERE id = $1', [
    alarmId,
    at,
    actor,
    reason,
  ])
  return { tenantId: row.tenantId, resolvedAt: at, isNew: true }
}

/**
 * Resolves the alarms of this kind, or the one about this subject; it is no error if there is none.
 * @param decision of a person; without it, the service resolves them
 */
export async function resolveAlarms(
  queries: Queries,
  kioskId: string,
  kind: AlarmKind,
  at: Date,
  subject: string | null = null,
  decision: { readonly actor: string; readonly reason: string } | null = null,
): Promise<void> {
  await queries.query(
    `UPDATE alarms SET resolved_at = $3, resolved_by = $5, resolution = $6
     WHERE kiosk_id = $1 AND kind = $2 AND resolved_at IS NULL AND ($4::text IS NULL OR subject = $4)`,
    [kioskId, kind, at, subject, decision?.actor ?? null, decision?.reason ?? null],
  )
}
