/**
 * Moves the rollouts of all tenants: begins planned ones, opens the next ring, pauses by itself. Every instance runs it; the
 * row of a rollout is locked while it is judged, so that each ring begins once.
 */
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { raiseAlarm } from '../kiosks/alarms.ts'
import { findReleases } from './releases.ts'
import {
  readKioskFacts,
  ROLLOUT_COLUMNS,
  saveRollout,
  toRollout,
  type Rollout,
  type RolloutRow,
} from './rollouts.ts'
import { judgeRollout, type Present, type Verdict } from './rules.ts'

type JudgeContext = Pick<CentralContext, 'db' | 'clock' | 'config' | 'log'>

export async function moveRollouts(ctx: JudgeContext): Promise<void> {
  const at = ctx.clock.now()
  const due = await ctx.db.query<{ id: string }>(
    SYSTEM,
    `SELECT id FROM rollouts WHERE state = 'RUNNING' OR (state = 'PLANNED' AND starts_at <= $1) ORDER BY id`,
    [at],
  )
  for (const { id } of due) {
    const moved = await ctx.db.transaction(SYSTEM, (queries) => moveRollout(ctx, queries, id, at))
    if (moved !== null) ctx.log.info(moved, 'a rollout has changed')
  }
}

/** Null: nothing changed, or another instance judges it. */
async function moveRollout(
  ctx: JudgeContext,
  queries: Queries,
  rolloutId: string,
  at: Date,
): Promise<{ rolloutId: string; state: string; ring: number } | null> {
  const [row] = await queries.query<RolloutRow>(
    `SELECT ${ROLLOUT_COLUMNS} FROM rollouts WHERE id = $1 AND state IN ('PLANNED', 'RUNNING') FOR UPDATE SKIP LOCKED`,
    [rolloutId],
  )
  if (!row) return null
  const rollout = toRollout(row)
  const own = { judgedFrom: null, actor: null, reason: null, at }
  if (rollout.state === 'PLANNED') {
    await saveRollout(queries, rolloutId, { ...own, state: 'RUNNING' })
    return { rolloutId, state: 'RUNNING', ring: rollout.ring }
  }
  const verdict = await judgeNow(ctx, queries, rollout, at)
  if (verdict.act === 'WAIT') return null
  const state = ({ ADVANCE: 'RUNNING', FINISH: 'DONE', PAUSE: 'PAUSED' } as const)[verdict.act]
  const ring = verdict.act === 'ADVANCE' ? rollout.ring + 1 : rollout.ring
  await saveRollout(queries, rolloutId, { ...own, state, ring })
  if (verdict.act === 'PAUSE') await raisePaused(queries, rollout, verdict.failed, at)
  return { rolloutId, state, ring }
}

async function judgeNow(
  { config }: Pick<JudgeContext, 'config'>,
  queries: Queries,
  rollout: Rollout,
  at: Date,
): Promise<Verdict> {
  const releases = await findReleases(queries, rollout.version)
  const kiosks = await readKioskFacts(queries, rollout)
  return judgeRollout(rollout, releases, kiosks, { now: at.getTime(), onlineMs: getOnlineMs(config) })
}

export function getPresent({ clock, config }: Pick<JudgeContext, 'clock' | 'config'>): Present {
  return { now: clock.now().getTime(), onlineMs: getOnlineMs(config) }
}

/** Time without a status after which a kiosk is offline, here as on the fleet page. */
export function getOnlineMs({ headOffice }: Pick<CentralContext['config'], 'headOffice'>): number {
  return headOffice.notSeenAfterMinutes * 60_000
}

/** The alarms of the kiosks whose failures paused the rollout say so. */
async function raisePaused(
  queries: Queries,
  { rolloutId, tenantId, version, ring }: Rollout,
  kioskIds: readonly string[],
  at: Date,
): Promise<void> {
  const failed = await queries.query<{ kiosk_id: string; state: string; reason: string | null }>(
    'SELECT kiosk_id, state, reason FROM rollout_kiosks WHERE rollout_id = $1 AND kiosk_id = ANY ($2::uuid[])',
    [rolloutId, kioskIds],
  )
  for (const { kiosk_id: id, state, reason } of failed) {
    const details = { version, state, reason, ring: ring + 1, paused: true }
    await raiseAlarm(queries, { id, tenantId }, 'UPDATE', rolloutId, details, at)
  }
}
