/**
 * Timed tasks: a database that was restored, gaps whose grace period is over, silent kiosks, abandoned uploads, proofs that
 * an operator has released from quarantine, rollouts, ended sessions of staff, retention, figures of proofs, counts of calls, partitions.
 * Every instance runs them; rows locked by another instance are skipped.
 */
import type { CentralContext } from './context.ts'
import { dropEndedCounts } from './call-counts.ts'
import { SYSTEM } from './db/db.ts'
import { continueFeed } from './db/feed-order.ts'
import { dropMonths, prepareMonths, type MonthRule } from './db/months.ts'
import { DONE, noteOperatorAct } from './head-office/access-log.ts'
import { dropEndedSessions } from './head-office/index.ts'
import { finishDeletions } from './deletion/delete.ts'
import { applyRetention } from './deletion/retention.ts'
import { raiseAlarm } from './kiosks/alarms.ts'
import { moveReleased } from './kiosks/choose-line.ts'
import { lockIfKnown } from './kiosks/kiosk.ts'
import { settleGap } from './kiosks/ledger.ts'
import { countProofs } from './proof-figures.ts'
import { moveRollouts } from './rollouts/judge.ts'
import { removeObject } from './storage/large-objects.ts'
import { describeError } from '../log.ts'

const EVERY_MS = 15_000
/** Rows per round. */
const BATCH = 100
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const RETENTION_EVERY_MS = HOUR_MS
/** An upkeep that fails for so long stops neither the access log nor the webhooks. */
const MONTHS_AHEAD = 3

export interface Upkeep {
  /** Runs one round now. */
  run(): Promise<void>
  stop(): Promise<void>
}

export function startUpkeep(ctx: CentralContext): Upkeep {
  let running: Promise<void> = Promise.resolve()
  const deleteProofs = createDeletionRound(ctx)
  const moveMonths = createMonthRound(ctx)
  const run = (): Promise<void> =>
    (running = running.then(async () => {
      await round(ctx, deleteProofs)
      await moveMonths()
    }))
  const timer = setInterval(() => {
    run().catch((error: unknown) =>
      ctx.log.warn(describeError(error), 'the upkeep failed and will be retried'),
    )
    running = running.catch(() => undefined)
  }, EVERY_MS)
  timer.unref()
  return {
    run,
    stop: async () => {
      clearInterval(timer)
      await running.catch(() => undefined)
    },
  }
}

async function round(ctx: CentralContext, deleteProofs: () => Promise<void>): Promise<void> {
  await ctx.keys.reload()
  if (await continueFeed(ctx.db)) ctx.log.warn({}, 'the feed of a restored database continues')
  await raiseGaps(ctx)
  await noticeSilence(ctx)
  await dropAbandoned(ctx)
  await continueMoves(ctx)
  await moveRollouts(ctx)
  await countProofs(ctx.db, ctx.clock.now())
  await dropEndedCounts(ctx.db)
  await dropEndedSessions(ctx.db, ctx.clock.now())
  await deleteProofs()
}

/** A search for proofs whose time is over passes over all that are on hold, so it is repeated only while it finds some. */
function createDeletionRound(ctx: CentralContext): () => Promise<void> {
  let searchAt = 0
  return async () => {
    if (performance.now() >= searchAt && (await applyRetention(ctx)) === 0) {
      searchAt = performance.now() + RETENTION_EVERY_MS
    }
    const deleted = await finishDeletions(ctx)
    if (deleted > 0) ctx.log.info({ proofs: deleted }, 'the packets of deleted proofs were removed')
  }
}

/** A drop that a long reader prevents is tried again after an hour, because each try lets callers wait a little. */
function createMonthRound(ctx: CentralContext): () => Promise<void> {
  let nextAt = 0
  const { accessLogMonths, deliveryDays } = ctx.config.retention
  return async () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + RETENTION_EVERY_MS
    await prepareMonths(ctx.db, MONTHS_AHEAD)
    const rules: MonthRule[] = [{ table: 'deliveries', keep: `${deliveryDays} days` }]
    if (accessLogMonths !== undefined) rules.push({ table: 'access_log', keep: `${accessLogMonths} months` })
    const at = ctx.clock.now()
    const act = { by: 'retention', tenantId: null, at, reason: null, result: DONE }
    for (const rule of rules) {
      const isMore = await dropMonths(ctx.db, at, rule, async (queries, operation, subject) => {
        await noteOperatorAct(queries, { ...act, operation, subject })
        ctx.log.info({ operation, subject }, 'rows whose time is over were removed')
      })
      if (isMore) nextAt = 0
    }
  }
}

async function raiseGaps(ctx: CentralContext): Promise<void> {
  const at = ctx.clock.now()
  const graceMs = ctx.config.gapGraceSeconds * 1000
  const due = await ctx.db.query<{ id: string }>(
    SYSTEM,
    `SELECT id FROM kiosks k WHERE gap_since <= $1 AND NOT EXISTS
       (SELECT FROM alarms a WHERE a.kiosk_id = k.id AND a.kind = 'GAP' AND a.resolved_at IS NULL) LIMIT ${BATCH}`,
    [new Date(at.getTime() - graceMs)],
  )
  for (const { id } of due) {
    await ctx.db.transaction(SYSTEM, async (queries) => {
      const kiosk = await lockIfKnown(queries, id)
      if (kiosk) await settleGap(queries, kiosk, at, graceMs)
    })
  }
}

async function noticeSilence(ctx: CentralContext): Promise<void> {
  const at = ctx.clock.now()
  const since = new Date(at.getTime() - ctx.config.offlineAfterHours * HOUR_MS)
  await ctx.db.transaction(SYSTEM, async (queries) => {
    const silent = await queries.query<{ id: string; tenant_id: string }>(
      `SELECT id, tenant_id FROM kiosks k
       WHERE revoked_at IS NULL AND coalesce(status_at, enrolled_at) < $1 AND NOT EXISTS
         (SELECT FROM alarms a WHERE a.kiosk_id = k.id AND a.kind = 'OFFLINE' AND a.resolved_at IS NULL)
       ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
      [since],
    )
    for (const { id, tenant_id: tenantId } of silent) {
      await raiseAlarm(queries, { id, tenantId }, 'OFFLINE', '', { since: since.toISOString() }, at)
    }
  })
}

/** The command that decided about them, or its process, has ended early. */
async function continueMoves(ctx: CentralContext): Promise<void> {
  const due = await ctx.db.query<{ kiosk_id: string }>(
    SYSTEM,
    `SELECT kiosk_id FROM quarantined WHERE released UNION SELECT kiosk_id FROM proofs WHERE mark_pending LIMIT ${BATCH}`,
  )
  for (const { kiosk_id: kioskId } of due) await moveReleased(ctx, kioskId)
}

/** Removes them with their packets: the kiosk still has the proof and starts again. */
async function dropAbandoned(ctx: CentralContext): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.abandonedUploadDays * DAY_MS)
  const dropped = await ctx.db.transaction(SYSTEM, async (queries) => {
    const rows = await queries.query<{ packet: number; location: string | null }>(
      `DELETE FROM uploads WHERE proof_id IN
         (SELECT proof_id FROM uploads WHERE touched_at < $1 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
       RETURNING packet, location`,
      [before],
    )
    for (const { packet, location } of rows) {
      await removeObject(queries, packet)
      if (location !== null) await ctx.storage.remove(location, queries)
    }
    return rows.length
  })
  if (dropped > 0) ctx.log.warn({ uploads: dropped }, 'abandoned uploads were dropped')
}
