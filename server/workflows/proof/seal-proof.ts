/**
 * GET proof: closes the identity, writes its proof, and returns the same bytes within the retention window. Streams the
 * archive into an encrypted file outside the transaction. If the identity changed meanwhile, it builds the archive again.
 */
import { createHash, type Hash } from 'node:crypto'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { HOUR_MS } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { StoredProof } from '../../store/proofs.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { toActor } from '../access/author.ts'
import { endOpenAdjudications } from '../adjudication/request-adjudication.ts'
import { evaluateToday, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { buildArchive } from './build-archive.ts'
import { refuseToSeal } from '../health/freeze.ts'
import { noteSteps } from './note-steps.ts'
import { requireIdentity, requireWithin, getScope } from '../access/reach.ts'
import { isGraceOver, requireProofKept, startRetention } from '../retention/apply-retention.ts'

const ATTEMPTS = 3

/** A sealed proof with its content. */
export interface ReadyProof {
  /** `<identity_id>_<yyyyMMddHHmmssSSS>.zip` */
  readonly fileName: string
  /** SHA-256 of the archive, lower-case hex. */
  readonly sha256: string
  readonly size: number
  /**
   * Reads the archive from its encrypted file, chunk by chunk. The first time, the log records who retrieved
   * it.
   */
  open(): AsyncIterable<Uint8Array>
}

/**
 * Throws `identity_processing`, `identity_paused`, `proof_not_found` after the window, `proof_not_stored` if
 * the disk refuses it, `timestamp_unavailable` if a token is required, and `proofings_frozen` while a
 * restored backup is not settled with the central service; then the identity stays open.
 */
export async function sealProof(ctx: Context, caller: Caller, identityId: string): Promise<ReadyProof> {
  for (let attempt = 1; ; attempt++) {
    requireProofKept(ctx, caller, identityId)
    const found = requireIdentity(ctx, caller, identityId, 'READ')
    if (found.status === 'CLOSED') return repeat(ctx, caller, found)
    // Sealing closes the transaction, so a caller who may only read cannot do it.
    requireWithin(ctx, caller, found, 'ACT')
    const identity = prepare(ctx, found)
    try {
      return ready(ctx, caller, await sealNow(ctx, caller, identity))
    } catch (error) {
      // A missing file may have been withdrawn while the archive was written.
      const overtaken = ctx.store.identities.find(APPLIANCE, identity.id)?.revision !== identity.revision
      if (!overtaken) throw error
      if (attempt === ATTEMPTS) throw new AppError('revision_conflict', {}, { cause: error })
    }
  }
}

/** Prepares the identity for the seal: ends open waits, and records the judgements of each step. */
function prepare(ctx: Context, found: Identity): Identity {
  try {
    const identity = evaluateToday(ctx, endingWaits(ctx, found))
    if (identity.status === 'PAUSED') throw new AppError('identity_paused')
    if (identity.status === 'PROCESSING') throw new AppError('identity_processing')
    // Results of a run without a verdict, or of evidence of an earlier version.
    ctx.store.transaction(() => {
      noteSteps(ctx, identity.id)
    })
    return identity
  } catch (error) {
    throw notStored(error)
  }
}

/** A refused write on the way to a proof is reported as a proof that was not stored. */
function notStored(error: unknown): unknown {
  const isRefused = error instanceof AppError && error.code === 'status_not_stored'
  return isRefused ? new AppError('proof_not_stored', error.details, { cause: error }) : error
}

/** Ends open cases: evidence that waits for an adjudicator ends undecided, and the proof says so. */
function endingWaits(ctx: Context, identity: Identity): Identity {
  if (identity.status !== 'EXPECTING_INPUT') return identity
  refuseToSeal(ctx)
  ctx.store.transaction(() => {
    if (endOpenAdjudications(ctx, identity.id)) evaluateIdentity(ctx, identity.id)
  })
  return ctx.store.identities.get(APPLIANCE, identity.id)
}

async function repeat(ctx: Context, caller: Caller, identity: Identity): Promise<ReadyProof> {
  const proof = ctx.store.proofs.find(identity.id)
  if (!proof || isGraceOver(ctx, proof)) throw new AppError('proof_not_found')
  return ready(ctx, caller, proof.bytes > 0 ? proof : await withSize(ctx, proof))
}

/** A version before 0.3 did not record the size of an archive, and encrypted it in one piece. */
async function withSize(ctx: Context, proof: StoredProof): Promise<StoredProof> {
  let bytes = 0
  for await (const piece of ctx.store.proofs.read(proof)) bytes += piece.length
  return { ...proof, bytes }
}

function ready(ctx: Context, caller: Caller, proof: StoredProof): ReadyProof {
  const { fileName, sha256, bytes: size } = proof
  return { fileName, sha256, size, open: () => handOut(ctx, caller, proof) }
}

/** Sends nothing before the log records the retrieval, and nothing more once the identity is erased. */
async function* handOut(ctx: Context, caller: Caller, proof: StoredProof): AsyncGenerator<Uint8Array> {
  const note = retrievalNote(ctx, caller, proof)
  for await (const piece of ctx.store.proofs.read(proof)) {
    if (!ctx.store.identities.find(APPLIANCE, proof.identityId)) throw new AppError('proof_not_found')
    note()
    yield piece
  }
}

/**
 * Returns the record to write before the first chunk is sent. A caller who may only read has not retrieved
 * the proof: its owner's time continues.
 */
function retrievalNote(ctx: Context, caller: Caller, proof: StoredProof): () => void {
  const identity = ctx.store.identities.find(getScope(ctx, caller, 'ACT'), proof.identityId)
  if (identity) return () => noteRetrieval(ctx, caller, proof)
  let isNoted = false
  return () => {
    if (isNoted) return
    isNoted = true
    const { id: proofId, identityId } = proof
    ctx.store.events.append('proof.read', identityId, { proofId }, ctx.clock.now(), toActor(caller))
  }
}

/** Once. A repeated retrieval works even if the disk refuses writes. */
function noteRetrieval(ctx: Context, caller: Caller, { id, identityId }: StoredProof): void {
  if (ctx.store.proofs.retrievedAt(id)) return
  ctx.store.transaction(() => {
    const now = ctx.clock.now()
    if (!ctx.store.proofs.markRetrieved(id, now)) return
    ctx.store.events.append('proof.retrieved', identityId, { proofId: id }, now, toActor(caller))
  })
}

async function sealNow(ctx: Context, caller: Caller, identity: Identity): Promise<StoredProof> {
  refuseToSeal(ctx)
  const now = ctx.clock.now()
  const id = ctx.newId()
  const calls: OutsideCall[] = []
  const archive = await buildArchive(ctx, identity, id, now, (call) => calls.push(call)).catch(
    (error: unknown) => {
      ctx.store.transaction(() => noteCalls(ctx, identity.id, null, calls))
      throw error
    },
  )
  if (archive.timestamp === 'unavailable') {
    ctx.log.warn({ identityId: identity.id, proofId: id }, 'a proof was sealed without its time stamp')
  }
  try {
    const hash = createHash('sha256')
    await ctx.store.proofs.put({ id, identityId: identity.id }, hashed(archive.read(), hash))
    const proof: StoredProof = {
      id,
      identityId: identity.id,
      fileName: archive.fileName,
      sha256: hash.digest('hex'),
      bytes: archive.size,
      levelOfAssurance: identity.levelOfAssurance,
      sealedAt: now,
      expiresAt: new Date(now.getTime() + ctx.config.retention.proofRepeatHours * HOUR_MS),
    }
    commit(ctx, caller, identity, proof, { test: archive.test, calls })
    return proof
  } catch (error) {
    throw notStored(error)
  }
}

/** Saves proof, closed identity, events and, with a central service, the outbox row: all or nothing. */
function commit(
  ctx: Context,
  caller: Caller,
  identity: Identity,
  proof: StoredProof,
  { test, calls }: { readonly test: boolean; readonly calls: readonly OutsideCall[] },
): void {
  const { id: proofId, sha256, bytes, levelOfAssurance, sealedAt } = proof
  const expiresAt = proof.expiresAt.getTime()
  try {
    ctx.store.transaction(() => {
      // Throws `revision_conflict` if anything was submitted while the archive was built.
      ctx.store.identities.save({ ...identity, status: 'CLOSED' })
      ctx.store.proofs.addRow(proof)
      noteCalls(ctx, identity.id, null, calls)
      ctx.store.userAgentTokens.revokeByIdentity(identity.id)
      const body = { proofId, sha256, bytes, levelOfAssurance, test, expiresAt }
      ctx.store.events.append('proof.sealed', identity.id, body, sealedAt, toActor(caller))
      queueForCentralService(ctx, identity, proof)
      startRetention(ctx, identity.id, proof)
    })
  } catch (error) {
    ctx.store.proofs.unlink(proof)
    throw error
  }
  ctx.wakeSync()
}

/**
 * Must run inside the transaction that saves the proof; does nothing if the kiosk has joined no central
 * service.
 */
function queueForCentralService(
  ctx: Context,
  identity: Identity,
  { id: proofId, sha256, sealedAt }: StoredProof,
): void {
  if (!ctx.store.enrolments.find()?.membership) return
  // Check again inside the transaction: a central service may have been joined while the archive was built.
  refuseToSeal(ctx)
  const { id: identityId, tenantId } = identity
  const sequence = ctx.store.outbox.add({ proofId, identityId, tenantId, sha256, sealedAt })
  ctx.store.events.append('outbox.queued', identityId, { proofId, sequence, sha256 }, sealedAt)
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}
