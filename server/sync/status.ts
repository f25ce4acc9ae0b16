/**
 * Reports the kiosk's status to the central service; the answer has the time, the central service's keys, the
 * kiosk's last known number and whether there is a new bundle.
 */
import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { readStatement } from '../protocol/statements.ts'
import type { CentralTrust, KioskStatus, RevokedAnswer, Statement, StatusAnswer } from '../protocol/wire.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { readFreeBytes, updateFreeze } from '../workflows/health/freeze.ts'
import { findStop, findUnreportedRestore, noteStop, noteSyncState } from '../workflows/health/sync-state.ts'
import type { CentralClient } from './central-client.ts'
import { readMissing, sendAgain } from './missing.ts'
import { CentralTroubleError } from './transport.ts'
import { checkNewTrust, keepTrust } from './trust.ts'

type StatusContext = Pick<Context, 'store' | 'config' | 'clock' | 'time' | 'log'>
type Health = KioskStatus['health']

const COUNTER = 'sync-status-counter'
/** A longer round trip says nothing about the time. */
const MAX_ROUND_TRIP_MS = 60_000

interface StatusResult {
  readonly trust: CentralTrust
  /** The central service has a bundle that this kiosk does not have. */
  readonly hasNewBundle: boolean
  /** The proof of this kiosk that was deleted last at the central service. */
  readonly lastDeletion: string | undefined
  /** The release that the central service offers; null: none now. */
  readonly update: Statement<'update'> | null
}

/** Throws CentralTroubleError, and `statement_refused` if an answer is not the central service's. */
export async function sendStatus(
  ctx: StatusContext,
  central: { readonly client: CentralClient; readonly trust: CentralTrust },
  { health, updates }: Pick<KioskStatus, 'health' | 'updates'>,
  signal?: AbortSignal,
): Promise<StatusResult> {
  const nonce = randomBytes(16).toString('base64url')
  const status = { ...statusNow(ctx, nonce, health), updates }
  const began = performance.now()
  const askedAt = ctx.clock.now()
  const answer = await central.client.status(status, signal)
  const roundTripMs = performance.now() - began
  const trust = await acceptTrust(ctx, central.trust, answer.trust)
  if ('revoked' in answer) {
    await obeyStop(ctx, answer, nonce, trust)
    return { trust, hasNewBundle: false, lastDeletion: undefined, update: null }
  }
  await confirmTime(ctx, answer, nonce, trust, roundTripMs)
  goOn(ctx)
  skipUsedNumbers(ctx, answer.lastSequence)
  if (answer.missing !== undefined) {
    const { queued, lost, numbers } = sendAgain(
      ctx,
      await readMissing(ctx, answer.missing, nonce, trust),
      askedAt,
    )
    if (queued + lost + numbers > 0) {
      ctx.log.warn(
        { queued, lost, numbers },
        'the central service does not have proofs that it acknowledged; they are sent again',
      )
    }
  }
  const update = answer.update === undefined ? null : await readUpdate(ctx, answer.update, nonce, trust)
  noteSyncState(ctx, { lastContactAt: ctx.clock.now().getTime() })
  const hasNewBundle = answer.bundleVersion > (ctx.store.bundles.latest()?.version ?? 0)
  return { trust, hasNewBundle, lastDeletion: answer.lastDeletion, update }
}

/** The statement must be the answer to this status: an old one could start an installation that was stopped. */
async function readUpdate(
  { store }: Pick<Context, 'store'>,
  jws: string,
  nonce: string,
  trust: CentralTrust,
): Promise<Statement<'update'>> {
  const statement = await readStatement('update', jws, trust.statementKeys.keys as JWK[])
  if (statement.nonce !== nonce || statement.kioskId !== store.applianceId) {
    throw new AppError('statement_refused', { kind: 'update' })
  }
  return statement
}

/**
 * Records that this machine takes no new proofings. Throws CentralTroubleError for a revocation: the proofs wait. A machine
 * whose identity another one uses continues to send them.
 */
async function obeyStop(
  ctx: StatusContext,
  { revoked }: RevokedAnswer,
  nonce: string,
  trust: CentralTrust,
): Promise<void> {
  const statement = await readStatement('kiosk-revoked', revoked, trust.statementKeys.keys as JWK[])
  if (statement.nonce !== nonce || statement.kioskId !== ctx.store.applianceId) {
    throw new AppError('statement_refused', { kind: 'kiosk-revoked' })
  }
  const reason = statement.reason ?? 'REVOKED'
  if (findStop(ctx)?.reason !== reason) {
    noteStop(ctx, { since: statement.revokedAt, reason })
    ctx.log.error(
      { since: new Date(statement.revokedAt).toISOString() },
      reason === 'CLONE'
        ? 'another machine uses the identity of this kiosk; the head office decides which one continues'
        : 'the central service has revoked this kiosk; enrol it again or take it out of use',
    )
    updateFreeze(ctx)
  }
  if (reason === 'REVOKED') throw new CentralTroubleError('kiosk', 'kiosk_revoked')
  noteSyncState(ctx, { lastContactAt: ctx.clock.now().getTime() })
}

/** The head office has decided that this machine continues. Only a new enrolment ends a revocation. */
function goOn(ctx: StatusContext): void {
  if (findStop(ctx)?.reason !== 'CLONE') return
  noteStop(ctx, null)
  ctx.log.warn({}, 'the head office has decided that this machine continues as the kiosk')
  updateFreeze(ctx)
}

function statusNow(ctx: StatusContext, nonce: string, health: Health): KioskStatus {
  const { store, clock, time, config } = ctx
  const { backlog, oldestSealedAt } = store.outbox.summary()
  const { source, uncertaintyMs, steps } = time.statement()
  const { seq, hash } = store.events.head()
  const latest = store.bundles.latest()
  return {
    counter: nextCounter(ctx),
    productVersion: PRODUCT_VERSION,
    at: clock.now().getTime(),
    nonce,
    backlog,
    oldestPendingAt: oldestSealedAt?.getTime() ?? null,
    lastSequence: store.outbox.lastSequence(),
    audit: { seq, hash },
    bundleVersion: store.bundles.applied()?.version ?? 0,
    bundleProblems:
      latest?.state === 'REFUSED' ? [`version ${latest.version}`, ...latest.problems].slice(0, 50) : [],
    frozen: [...updateFreeze(ctx)],
    health,
    freeDiskBytes: readFreeBytes(config.dataDir),
    clock: { source, uncertaintyMs, steps },
    proofKeys: { keys: [...store.signingKeys.publicKeys()] },
    revokedKeys: store.signingKeys.revocations(),
    restoredAt: findUnreportedRestore(ctx),
    head: store.outbox.head(),
  }
}

/** Increases, also after the restore of a backup, because it is never less than the time. */
function nextCounter({ store, clock }: StatusContext): number {
  return store.transaction(() => {
    const last = (store.meta.getJson(COUNTER) as number | null) ?? 0
    const counter = Math.max(last + 1, clock.now().getTime())
    store.meta.setJson(COUNTER, counter)
    return counter
  })
}

/** Returns the keys to use: the new ones if the pinned CA has signed them. */
async function acceptTrust(
  ctx: StatusContext,
  kept: CentralTrust,
  offered: CentralTrust,
): Promise<CentralTrust> {
  if (!(await checkNewTrust(kept, offered))) return kept
  keepTrust(ctx, offered)
  ctx.log.info({ centreId: offered.centreId }, 'the central service has new keys')
  return offered
}

async function confirmTime(
  { store, time }: StatusContext,
  answer: StatusAnswer,
  nonce: string,
  trust: CentralTrust,
  roundTripMs: number,
): Promise<void> {
  const said = await readStatement('server-time', answer.serverTime, trust.statementKeys.keys as JWK[])
  if (said.nonce !== nonce || said.kioskId !== store.applianceId) {
    throw new AppError('statement_refused', { kind: 'server-time' })
  }
  if (roundTripMs <= MAX_ROUND_TRIP_MS) time.confirm(new Date(said.at), roundTripMs)
}

/** After the restore of a backup, numbers that were assigned since the backup must not be assigned twice. */
function skipUsedNumbers({ store, clock, log }: StatusContext, lastSequence: number): void {
  const after = store.outbox.lastSequence()
  if (lastSequence <= after) return
  store.transaction(() => {
    store.outbox.skipTo(lastSequence)
    store.events.append('outbox.skipped', null, { after, to: lastSequence }, clock.now(), { actor: 'centre' })
  })
  log.warn(
    { after, to: lastSequence },
    'the central service has numbers that this kiosk does not know of; they are skipped',
  )
}
