/** Rollouts of a tenant: begins one, changes its state on the decision of a person, and reads the kiosks that the rules judge. */
import { v7 as uuidv7 } from 'uuid'
import { AppError, fieldProblem } from '../../errors.ts'
import type { Queries } from '../db/db.ts'
import { findReleases } from './releases.ts'
import {
  DEFAULT_RINGS,
  findRing,
  NEXT_STATES,
  type KioskFacts,
  type ProgressState,
  type Ring,
  type RolloutFacts,
  type RolloutState,
} from './rules.ts'

export interface Rollout extends RolloutFacts {
  readonly rolloutId: string
  readonly tenantId: string
  readonly version: string
  readonly soakMinutes: number
  readonly startsAt: Date
  readonly changedAt: Date
  readonly changedBy: string | null
  readonly reason: string | null
}

export interface RolloutAct {
  readonly actor: string
  readonly reason: string
  readonly at: Date
}

export interface RolloutOrder {
  readonly tenantId: string
  readonly version: string
  readonly soakMinutes: number
  readonly maxFailedPercent: number
  /** Absent: now. */
  readonly startsAt?: Date | undefined
}

export interface RolloutRow {
  readonly id: string
  readonly tenant_id: string
  readonly version: string
  readonly state: RolloutState
  readonly rings: readonly Ring[]
  readonly ring: number
  readonly soak_minutes: number
  readonly max_failed_percent: number
  readonly starts_at: Date
  readonly judged_from: Date
  readonly changed_at: Date
  readonly changed_by: string | null
  readonly reason: string | null
}

export const ROLLOUT_COLUMNS = `id, tenant_id, version, state, rings, ring, soak_minutes, max_failed_percent, starts_at,
  judged_from, changed_at, changed_by, reason`

/** A person types the time and then sends the command. */
const LATE_MS = 60_000

/** A ring without a share and without a named kiosk stays empty, and the rollout would wait for it without end. */
async function requireFilledRings(queries: Queries, tenantId: string, rings: readonly Ring[]): Promise<void> {
  const named = await queries.query<{ ring: string }>('SELECT ring FROM ring_kiosks WHERE tenant_id = $1', [
    tenantId,
  ])
  const empty = rings.find(
    ({ name, share }, at) =>
      share === (rings[at - 1]?.share ?? 0) && !named.some(({ ring }) => ring === name),
  )
  if (!empty) return
  const reason = `the ring ${empty.name} has no kiosk: give it a share (rings set) or a kiosk (rings assign)`
  throw new AppError('transition_refused', { kind: 'ring', reason })
}

/**
 * Begins a rollout; with a later start it is PLANNED until then. Throws `not_found` for an unknown tenant or version, and
 * `transition_refused` while another rollout of the tenant is open.
 */
export async function startRollout(
  queries: Queries,
  { startsAt, ...order }: RolloutOrder,
  { actor, reason, at }: RolloutAct,
): Promise<Rollout> {
  const { tenantId, version } = order
  const [tenant] = await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1 FOR UPDATE', [tenantId])
  if (!tenant) throw new AppError('not_found', { kind: 'tenant' })
  if ((await findReleases(queries, version)).length === 0)
    throw new AppError('not_found', { kind: 'release' })
  const [open] = await queries.query<{ id: string }>(
    `SELECT id FROM rollouts WHERE tenant_id = $1 AND state IN ('PLANNED', 'RUNNING', 'PAUSED')`,
    [tenantId],
  )
  if (open) {
    const details = { kind: 'rollout', rolloutId: open.id, reason: 'another rollout is open; stop it first' }
    throw new AppError('transition_refused', details)
  }
  if (startsAt && startsAt.getTime() < at.getTime() - LATE_MS)
    throw fieldProblem('past', 'startsAt', 'this time is over; leave it away to start now')
  const rings = await readRings(queries, tenantId)
  await requireFilledRings(queries, tenantId, rings)
  const start = startsAt ?? at
  const [row] = await queries.query<RolloutRow>(
    `INSERT INTO rollouts (id, tenant_id, version, state, rings, soak_minutes, max_failed_percent, starts_at, judged_from,
       changed_at, changed_by, reason)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $8, $9, $10, $11) RETURNING ${ROLLOUT_COLUMNS}`,
    [
      uuidv7(),
      tenantId,
      version,
      start > at ? 'PLANNED' : 'RUNNING',
      JSON.stringify(rings),
      order.soakMinutes,
      order.maxFailedPercent,
      start,
      at,
      actor,
      reason,
    ],
  )
  if (!row) throw new TypeError('the database returned no rollout')
  return toRollout(row)
}

/**
 * Changes the state on the decision of a person; `isNew` is false for a repetition, which changes nothing. Throws `not_found`, and `transition_refused`
 * for a state that does not follow.
 * @param tenantId null: any, for the operator
 */
export async function changeRollout(
  queries: Queries,
  tenantId: string | null,
  rolloutId: string,
  state: 'RUNNING' | 'PAUSED' | 'STOPPED',
  { actor, reason, at }: RolloutAct,
): Promise<{ readonly rollout: Rollout; readonly isNew: boolean }> {
  const before = await lockRollout(queries, tenantId, rolloutId)
  if (before.state === state) return { rollout: before, isNew: false }
  if (!NEXT_STATES[before.state].includes(state))
    throw new AppError('transition_refused', { kind: 'rollout', from: before.state, to: state })
  const judgedFrom = state === 'RUNNING' ? at : null
  const rollout = await saveRollout(queries, rolloutId, { state, judgedFrom, actor, reason, at })
  return { rollout, isNew: true }
}

/** Throws `not_found`. */
export async function lockRollout(
  queries: Queries,
  tenantId: string | null,
  rolloutId: string,
): Promise<Rollout> {
  const [row] = await queries.query<RolloutRow>(
    `SELECT ${ROLLOUT_COLUMNS} FROM rollouts WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2) FOR UPDATE`,
    [rolloutId, tenantId],
  )
  if (!row) throw new AppError('not_found', { kind: 'rollout' })
  return toRollout(row)
}

/** The caller has locked the row. @param actor null: the service itself @param judgedFrom null: as before */
export async function saveRollout(
  queries: Queries,
  rolloutId: string,
  change: {
    readonly state: RolloutState
    readonly ring?: number
    readonly judgedFrom: Date | null
    readonly actor: string | null
    readonly reason: string | null
    readonly at: Date
  },
): Promise<Rollout> {
  const [row] = await queries.query<RolloutRow>(
    `UPDATE rollouts SET state = $2, ring = coalesce($3, ring), judged_from = coalesce($4, judged_from), changed_at = $5,
       changed_by = $6, reason = $7
     WHERE id = $1 RETURNING ${ROLLOUT_COLUMNS}`,
    [rolloutId, change.state, change.ring ?? null, change.judgedFrom, change.at, change.actor, change.reason],
  )
  if (!row) throw new TypeError('the database returned no rollout')
  return toRollout(row)
}

/** The rollout that decides about the kiosks of a tenant now: an open one, or the last one that is done. Null: none. */
export async function findCurrentRollout(queries: Queries, tenantId: string): Promise<Rollout | null> {
  const [row] = await queries.query<RolloutRow>(
    `SELECT ${ROLLOUT_COLUMNS} FROM rollouts WHERE tenant_id = $1 AND state IN ('RUNNING', 'PAUSED', 'DONE')
     ORDER BY state <> 'DONE' DESC, starts_at DESC LIMIT 1`,
    [tenantId],
  )
  return row ? toRollout(row) : null
}

export async function readRings(queries: Queries, tenantId: string): Promise<readonly Ring[]> {
  const rows = await queries.query<{ name: string; share: number }>(
    'SELECT name, share FROM rings WHERE tenant_id = $1 ORDER BY position',
    [tenantId],
  )
  return rows.length > 0 ? rows : DEFAULT_RINGS
}

/** Takes effect with the next rollout. Throws `not_found`, and `validation_failed` unless the last ring has all kiosks. */
export async function setRings(queries: Queries, tenantId: string, rings: readonly Ring[]): Promise<void> {
  const [tenant] = await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1 FOR UPDATE', [tenantId])
  if (!tenant) throw new AppError('not_found', { kind: 'tenant' })
  const isGrowing = rings.every(({ share }, at) => share >= (rings[at - 1]?.share ?? 0))
  if (!isGrowing || rings.at(-1)?.share !== 100)
    throw fieldProblem(
      'shares',
      'rings',
      'the shares do not decrease, and the last ring has 100 percent of the kiosks',
    )
  if (new Set(rings.map(({ name }) => name)).size < rings.length)
    throw fieldProblem('twice', 'rings', 'each ring has a name of its own')
  await queries.query('DELETE FROM rings WHERE tenant_id = $1', [tenantId])
  for (const [position, { name, share }] of rings.entries()) {
    await queries.query('INSERT INTO rings (tenant_id, position, name, share) VALUES ($1, $2, $3, $4)', [
      tenantId,
      position,
      name,
      share,
    ])
  }
}

/** Takes effect immediately. Throws `not_found`. @param ring null: the share decides again */
export async function assignRing(
  queries: Queries,
  kioskId: string,
  ring: string | null,
): Promise<{ readonly tenantId: string }> {
  const [kiosk] = await queries.query<{ tenant_id: string }>('SELECT tenant_id FROM kiosks WHERE id = $1', [
    kioskId,
  ])
  if (!kiosk) throw new AppError('not_found', { kind: 'kiosk' })
  const tenantId = kiosk.tenant_id
  if (ring === null) await queries.query('DELETE FROM ring_kiosks WHERE kiosk_id = $1', [kioskId])
  else {
    const rings = await readRings(queries, tenantId)
    if (!rings.some(({ name }) => name === ring)) throw new AppError('not_found', { kind: 'ring' })
    await queries.query(
      `INSERT INTO ring_kiosks (kiosk_id, tenant_id, ring) VALUES ($1, $2, $3)
       ON CONFLICT (kiosk_id) DO UPDATE SET ring = excluded.ring`,
      [kioskId, tenantId, ring],
    )
  }
  return { tenantId }
}

/** The kiosks of the tenant that are not revoked. */
export async function readKioskFacts(
  queries: Queries,
  { rolloutId, tenantId, rings }: Pick<Rollout, 'rolloutId' | 'tenantId' | 'rings'>,
): Promise<readonly KioskFacts[]> {
  const rows = await queries.query<FactsRow>(
    `SELECT k.id, k.status_at, k.updates, k.frozen_at IS NULL AND ${IS_WELL} AS is_well,
       n.ring AS named, p.state, p.changed_at, p.well_since
     FROM kiosks k LEFT JOIN ring_kiosks n ON n.kiosk_id = k.id
       LEFT JOIN rollout_kiosks p ON p.kiosk_id = k.id AND p.rollout_id = $2
     WHERE k.tenant_id = $1 AND k.revoked_at IS NULL`,
    [tenantId, rolloutId],
  )
  return rows.map((row) => ({
    kioskId: row.id,
    ring: findRing(rings, row.id, row.named),
    seenAt: row.status_at?.getTime() ?? null,
    updates: row.updates,
    isWell: row.is_well,
    progress:
      row.state === null || row.changed_at === null
        ? null
        : { state: row.state, at: row.changed_at.getTime(), wellSince: row.well_since?.getTime() ?? null },
  }))
}

/** SQL, a condition on a kiosk `k`; false if it has sent no status. */
const IS_WELL = `coalesce(k.status->'frozen' = '[]' AND NOT jsonb_path_exists(k.status, '$.health.* ? (@ == "DOWN")'), false)`

interface FactsRow {
  readonly id: string
  readonly status_at: Date | null
  readonly updates: KioskFacts['updates']
  readonly is_well: boolean
  readonly named: string | null
  readonly state: ProgressState | null
  readonly changed_at: Date | null
  readonly well_since: Date | null
}

export function toRollout(row: RolloutRow): Rollout {
  return {
    rolloutId: row.id,
    tenantId: row.tenant_id,
    version: row.version,
    state: row.state,
    rings: row.rings,
    ring: row.ring,
    soakMs: row.soak_minutes * 60_000,
    soakMinutes: row.soak_minutes,
    maxFailedPercent: row.max_failed_percent,
    judgedFrom: row.judged_from.getTime(),
    startsAt: row.starts_at,
    changedAt: row.changed_at,
    changedBy: row.changed_by,
    reason: row.reason,
  }
}
