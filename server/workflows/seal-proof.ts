/**
 * GET proof: seals the identity as it stands, closes it, and repeats the same bytes within the retention window.
 * The archive is built outside the transaction; if the identity changed meanwhile, it is built again.
 */
import type { Context } from '../context.ts'
import type { Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'
import type { Identity } from '../proofing/identity.ts'
import { fileEnding } from '../proofing/media-type.ts'
import { HOUR_MS, specDateTime } from '../proofing/time.ts'
import type { Caller } from '../proofing/types.ts'
import { sealArchive, type JsonValue, type ProofFile, type SealedProof } from '../proof/archive.ts'
import type { StoredImage } from '../store/images.ts'
import type { StoredProof } from '../store/proofs.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { proofDetails } from './proof-details.ts'
import { identityView } from './view.ts'

const ATTEMPTS = 3

export async function sealProof(ctx: Context, caller: Caller, identityId: string) {
  for (let attempt = 1; ; attempt++) {
    const identity = ctx.store.identities.get(caller.tenantId, identityId)
    const kept = ctx.store.proofs.find(identity.id)
    if (kept) return repeat(ctx, kept)
    if (identity.status === 'PAUSED') throw new AppError('identity_paused')
    if (identity.status === 'PROCESSING') throw new AppError('identity_processing')
    try {
      return await sealNow(ctx, identity)
    } catch (error) {
      const overtaken = error instanceof AppError && error.code === 'revision_conflict'
      if (!overtaken || attempt === ATTEMPTS) throw error
    }
  }
}

async function repeat(ctx: Context, proof: StoredProof) {
  if (ctx.clock.now() >= proof.expiresAt) throw new AppError('proof_not_found')
  return { fileName: proof.fileName, bytes: new Uint8Array(await collect(ctx.store.proofs.read(proof))) }
}

async function sealNow(ctx: Context, identity: Identity) {
  const now = ctx.clock.now()
  const proofId = ctx.newId()
  const sealed = await buildArchive(ctx, identity, proofId, now)
  const stored: StoredProof = {
    id: proofId,
    identityId: identity.id,
    fileName: sealed.fileName,
    sha256: sealed.sha256,
    bytes: sealed.bytes.length,
    levelOfAssurance: identity.levelOfAssurance,
    sealedAt: now,
    expiresAt: new Date(now.getTime() + ctx.config.retention.proofRepeatHours * HOUR_MS),
  }
  try {
    await storeProof(ctx, identity, stored, sealed.bytes)
  } catch (error) {
    const refused = error instanceof AppError && error.code === 'status_not_stored'
    throw refused ? new AppError('proof_not_stored', error.details, { cause: error }) : error
  }
  return { fileName: sealed.fileName, bytes: sealed.bytes }
}

async function storeProof(ctx: Context, identity: Identity, proof: StoredProof, archive: Uint8Array) {
  await ctx.store.proofs.put(proof, [archive])
  try {
    ctx.store.transaction(() => {
      // Throws `revision_conflict` when anything was submitted while the archive was built.
      ctx.store.identities.save({ ...identity, status: 'CLOSED' })
      ctx.store.proofs.addRow(proof)
      const body = { proofId: proof.id, levelOfAssurance: proof.levelOfAssurance }
      ctx.store.events.append('proof.sealed', identity.id, body, proof.sealedAt)
    })
  } catch (error) {
    ctx.store.proofs.unlink(proof)
    throw error
  }
}

function buildArchive(ctx: Context, identity: Identity, proofId: string, now: Date): Promise<SealedProof> {
  const tenant = ctx.store.tenants.get(identity.tenantId)
  const closed: Identity = { ...identity, status: 'CLOSED' }
  const addresses = ctx.store.operations
    .list(identity.id)
    .flatMap((operation) => (operation.call.remoteAddress ? [operation.call.remoteAddress] : []))
  const images = ctx.store.images.listByIdentity(identity.id)
  return sealArchive(
    {
      proofId,
      identityId: identity.id,
      tenantId: tenant.id,
      tenantRole: 'RELYING_SERVICE',
      tenantUsed: tenant.name,
      transactionId: identity.id,
      ips: [...new Set(addresses)].sort(),
      startDateTime: specDateTime(identity.createdAt),
      endDateTime: specDateTime(now),
      generatedAt: specDateTime(now),
      componentVersion: PRODUCT_VERSION,
      test: tenant.mode === 'test',
      identityDetails: identityView(ctx, closed, {
        detailed: false,
        redacted: false,
      }) as unknown as JsonValue,
      verificationAndEvaluationDetails: proofDetails(ctx, closed),
      images: images
        .filter((image) => image.kind !== 'ADDITIONAL_FILE')
        .map((image) => proofFile(ctx, image)),
      videos: [],
      additionalFiles: images
        .filter((image) => image.kind === 'ADDITIONAL_FILE')
        .map((image) => proofFile(ctx, image)),
    },
    ctx.signer,
  )
}

function proofFile(ctx: Context, image: StoredImage): ProofFile {
  return {
    id: image.id,
    fileName: `${image.id}.${fileEnding(image.mediaType)}`,
    bytes: new Uint8Array(ctx.store.images.read(image)),
  }
}

async function collect(pieces: Bytes): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return Buffer.concat(parts)
}
