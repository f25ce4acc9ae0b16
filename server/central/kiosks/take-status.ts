/**
 * Stores a kiosk's status; answers the time, the newest bundle and the kiosk's last known number, or that the machine must
 * take no new proofings because another one uses the identity of the kiosk.
 */
import { fieldProblem } from '../../errors.ts'
import { signStatement } from '../../protocol/statements.ts'
import type { KioskStatus, RevokedAnswer, StatusAnswer } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { findLastDeletion } from '../deletion/receipts.ts'
import { newestVersion } from '../head-office/index.ts'
import { raiseAlarm, resolveAlarms } from './alarms.ts'
import { LATEST_MOMENT } from './announce.ts'
import { findMissing, settleGap } from './ledger.ts'
import { lockKiosk, type Kiosk } from './kiosk.ts'
import { findMachineLine } from './lines.ts'
import { noteKeys, readProofKeys } from './proof-keys.ts'
import { getOnlineMs } from '../rollouts/judge.ts'
import { noteUpdates, type Offer } from '../rollouts/progress.ts'

/** Throws `validation_failed`, and `unauthorized` for a kiosk that was revoked meanwhile. */
export async function takeStatus(
  ctx: CentralContext,
  kioskId: string,
  status: KioskStatus,
): Promise<StatusAnswer | RevokedAnswer> {
  const moments = { at: status.at, oldestPendingAt: status.oldestPendingAt, restoredAt: status.restoredAt }
  for (const [field, moment] of Object.entries(moments)) {
    if ((moment ?? 0) > LATEST_MOMENT) throw fieldProblem('too_large', field, 'a time before the year 10000')
  }
  const told = {
    keys: status.proofKeys.keys.length === 0 ? [] : readProofKeys(status.proofKeys),
    revoked: status.revokedKeys ?? [],
  }
  const at = ctx.clock.now()
  const answer = await ctx.db.transaction(SYSTEM, async (queries) => {
    const kiosk = await lockKiosk(queries, kioskId)
    const line = status.head ? await findMachineLine(queries, kioskId, status.head) : null
    if (mustStop(kiosk, line, status)) {
      await noteStopped(queries, kiosk, line, status, at)
      // A proof under a key that is not known here would be refused.
      await noteKeys(queries, kiosk, told, at)
      return kiosk.frozenAt ?? at
    }
    // Reads the earlier state: the kiosk need not be told its own present claims.
    const lastSequence = await highestKnown(queries, kiosk)
    const isRestored =
      status.restoredAt !== null &&
      status.restoredAt > (kiosk.restoredAt?.getTime() ?? Number.NEGATIVE_INFINITY)
    let offer: Offer | null = null
    // A late or repeated older status changes nothing; after a restore the kiosk counts again.
    if (status.counter > kiosk.statusCounter || isRestored) {
      await save(queries, kiosk, status, at)
      await noteKeys(queries, kiosk, told, at)
      await watch(ctx, queries, kiosk, status, isRestored, at)
      offer = await noteUpdates(queries, kiosk, status, at, getOnlineMs(ctx.config))
    }
    const missing = await findMissing(queries, kiosk, Math.max(kiosk.lastSequence, status.lastSequence))
    const bundleVersion = await newestVersion(queries, kiosk.tenantId)
    return {
      bundleVersion,
      lastSequence,
      missing,
      offer,
      lastDeletion: await findLastDeletion(queries, kiosk.id),
    }
  })
  if (answer instanceof Date) return stateStop(ctx, kioskId, answer, status, 'CLONE')
  const { bundleVersion, lastSequence, lastDeletion, offer } = answer
  const { trust, statementKey } = ctx.keys.current()
  const serverTime = await signStatement(
    'server-time',
    { kioskId, nonce: status.nonce, at: ctx.clock.now().getTime() },
    statementKey,
  )
  const missing = await signMissing(ctx, kioskId, status.nonce, answer.missing)
  const update =
    offer &&
    (await signStatement(
      'update',
      { kioskId, nonce: status.nonce, at: ctx.clock.now().getTime(), ...offer },
      statementKey,
    ))
  return {
    bundleVersion,
    lastSequence,
    serverTime,
    trust,
    ...(missing === null ? {} : { missing }),
    ...(lastDeletion === null ? {} : { lastDeletion }),
    ...(update === null ? {} : { update }),
  }
}

/** Null: nothing is missing. @param nonce of the status; empty on a USB stick */
export async function signMissing(
  { keys, clock }: Pick<CentralContext, 'keys' | 'clock'>,
  kioskId: string,
  nonce: string,
  ranges: [first: number, last: number][],
): Promise<string | null> {
  if (ranges.length === 0) return null
  const statement = { kioskId, nonce, at: clock.now().getTime(), ranges }
  return signStatement('missing-proofs', statement, keys.current().statementKey)
}

/**
 * Until an operator has chosen a line, every machine of the kiosk stops. Afterwards the machines of other lines stay stopped;
 * one that is stopped continues when its newest entry is on line 0. Pure.
 * @param line of the machine; null: its newest entry is not known here
 */
export function mustStop(
  kiosk: Pick<Kiosk, 'frozenAt' | 'lines'>,
  line: number | null,
  { head, frozen }: Pick<KioskStatus, 'head' | 'frozen'>,
): boolean {
  if (kiosk.frozenAt !== null) return true
  if (kiosk.lines === 0) return false
  if (line !== null) return line > 0
  // An empty outbox is the beginning of every line.
  return head !== null && frozen.includes('kiosk_cloned')
}

/** Keeps what tells the machines apart. Numbers and audit log of two machines are no history of one kiosk. */
async function noteStopped(
  queries: Queries,
  kiosk: Kiosk,
  line: number | null,
  { productVersion, backlog }: KioskStatus,
  at: Date,
): Promise<void> {
  await queries.query('UPDATE kiosks SET status_at = $2 WHERE id = $1', [kiosk.id, at])
  await resolveAlarms(queries, kiosk.id, 'OFFLINE', at)
  if (line === null) return
  const machine = { seenAt: at.toISOString(), productVersion, backlog }
  await queries.query('UPDATE kiosks SET machines = machines || $2::jsonb WHERE id = $1', [
    kiosk.id,
    JSON.stringify({ [line]: machine }),
  ])
}

/** Answers a kiosk that freezes by this statement: it was revoked, or another machine uses its identity. */
export async function stateStop(
  { keys }: Pick<CentralContext, 'keys'>,
  kioskId: string,
  since: Date,
  { nonce }: Pick<KioskStatus, 'nonce'>,
  reason?: 'CLONE',
): Promise<RevokedAnswer> {
  const { trust, statementKey } = keys.current()
  const statement = {
    kioskId,
    nonce,
    revokedAt: since.getTime(),
    ...(reason === undefined ? {} : { reason }),
  }
  return { revoked: await signStatement('kiosk-revoked', statement, statementKey), trust }
}

async function highestKnown(queries: Queries, kiosk: Kiosk): Promise<number> {
  const [row] = await queries.query<{ announced: number }>(
    'SELECT coalesce(max(sequence), 0) AS announced FROM uploads WHERE kiosk_id = $1',
    [kiosk.id],
  )
  return Math.max(kiosk.lastSequence, kiosk.claimedSequence, row?.announced ?? 0)
}

async function save(queries: Queries, kiosk: Kiosk, status: KioskStatus, at: Date): Promise<void> {
  // Keys and updates have their own columns, and a nonce ends with its answer.
  const kept = {
    ...status,
    proofKeys: undefined,
    revokedKeys: undefined,
    updates: undefined,
    nonce: undefined,
  }
  await queries.query(
    `UPDATE kiosks SET status = $2::jsonb, status_counter = $3, status_at = $4, restored_at = $5, audit_sequence = $6,
       audit_hash = $7, claimed_sequence = greatest(claimed_sequence, $8), updates = $9::jsonb
     WHERE id = $1`,
    [
      kiosk.id,
      JSON.stringify(kept),
      status.counter,
      at,
      status.restoredAt === null ? kiosk.restoredAt : new Date(status.restoredAt),
      status.audit.seq,
      status.audit.hash,
      status.lastSequence,
      status.updates === undefined ? null : JSON.stringify(status.updates),
    ],
  )
}

/** Raises or resolves alarms about clock, audit log and missing numbers. */
async function watch(
  ctx: CentralContext,
  queries: Queries,
  kiosk: Kiosk,
  status: KioskStatus,
  isRestored: boolean,
  at: Date,
): Promise<void> {
  const { config } = ctx
  await resolveAlarms(queries, kiosk.id, 'OFFLINE', at)

  const offMs = Math.abs(status.at - at.getTime())
  if (offMs > config.clockToleranceSeconds * 1000 || status.clock.source === 'UNSURE') {
    const details = { offMs, source: status.clock.source, steps: status.clock.steps }
    await raiseAlarm(queries, kiosk, 'CLOCK', '', details, at)
  } else await resolveAlarms(queries, kiosk.id, 'CLOCK', at)

  const { seq, hash } = status.audit
  const wentBack =
    seq < kiosk.auditSequence ||
    (seq === kiosk.auditSequence && kiosk.auditHash !== null && hash !== kiosk.auditHash)
  if (wentBack || isRestored) {
    const details = { from: kiosk.auditSequence, to: seq, restoredAt: status.restoredAt }
    await raiseAlarm(queries, kiosk, 'AUDIT_ROLLBACK', String(status.restoredAt ?? ''), details, at)
  }

  // While proofs wait at the kiosk, missing numbers are a backlog and not a gap.
  const owedSequence =
    status.backlog === 0 ? Math.max(kiosk.owedSequence, status.lastSequence) : kiosk.owedSequence
  const moved = { ...kiosk, owedSequence }
  await settleGap(queries, moved, at, config.gapGraceSeconds * 1000)
}
