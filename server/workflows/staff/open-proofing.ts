/**
 * Opens one proofing with everything that staff may see: the person, the evidence, the findings and the outcome. Opening it
 * is an audit event, and viewing the face is another. The page supplies the words.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { plannedErasure } from '../../proofing/retention.ts'
import { toActor } from '../access/author.ts'
import type { StaffCaller } from '../adjudication/desk-review.ts'
import { isOnHold } from '../retention/legal-hold.ts'
import { countsAsTest } from '../identity/mark-test.ts'
import { evidenceCard, isPortrait } from './shown-evidence.ts'
import { explainLevel } from './explained-level.ts'
import { buildTimeline } from './timeline.ts'
import { requireIdentity } from '../access/reach.ts'
import { readRetentionFacts, isSyncOn } from '../retention/apply-retention.ts'

export type OpenedProofing = ReturnType<typeof openProofing>

/** Throws `not_found` for an identity of another tenant and for an erased one. */
export function openProofing(ctx: Context, caller: StaffCaller, identityId: string) {
  const identity = ctx.store.transaction(() => {
    const found = requireIdentity(ctx, caller, identityId, 'READ')
    ctx.store.events.append('proofing.opened', found.id, {}, ctx.clock.now(), toActor(caller))
    return found
  })
  const evidences = ctx.store.evidences.list(identity.id)
  const proof = ctx.store.proofs.find(identity.id)
  const erasedAfter = plannedErasure(readRetentionFacts(ctx, identity), ctx.config.retention)
  const legalHold = isOnHold(ctx, identity.id)
  return {
    identityId: identity.id,
    status: identity.status,
    levelOfAssurance: identity.levelOfAssurance,
    test: countsAsTest(ctx, identity),
    createdAt: identity.createdAt.toISOString(),
    evaluatedAt: identity.evaluatedAt.toISOString(),
    name: findName(evidences.find(({ id }) => id === identity.nameReferenceId)),
    consents: ctx.store.consents
      .list(identity.id)
      .map(({ type, approved, recordedAt }) => ({ type, approved, recordedAt: recordedAt.toISOString() })),
    evidences: evidences.map((evidence) => evidenceCard(ctx, evidence)),
    timeline: buildTimeline(ctx, identity, evidences),
    level: explainLevel(ctx, identity, evidences),
    seal: proof && {
      proofId: proof.id,
      sealedAt: proof.sealedAt.toISOString(),
      retrieved: ctx.store.proofs.retrievedAt(proof.id) !== null,
      handedOver: isSyncOn(ctx) ? ctx.store.outbox.findByProof(proof.id)?.state === 'ACKNOWLEDGED' : null,
    },
    retention: { erasedAfter: erasedAfter?.toISOString() ?? null, legalHold },
  }
}

/** Returns the picture if it belongs to this identity. Viewing a portrait is an event. */
export function openImage(ctx: Context, caller: StaffCaller, identityId: string, imageId: string) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const image = ctx.store.images.find(imageId)
  if (image?.identityId !== identity.id || image.evidenceId === null) throw noImage()
  const evidence = ctx.store.evidences.find(image.evidenceId)
  if (!evidence || evidence.deletedAt !== null) throw noImage()
  const { kind, mediaType } = image
  if (kind === 'CHIP_FILES') throw noImage()
  if (isPortrait(kind)) {
    const body = { evidenceId: evidence.id }
    ctx.store.events.append('proofing.portrait_seen', identity.id, body, ctx.clock.now(), toActor(caller))
  }
  return { bytes: ctx.store.images.read(image), mediaType }
}

function noImage(): AppError {
  return new AppError('not_found', { resource: 'image' })
}

/** The printed name if known, else its parts. Null: no name is known yet. */
function findName(evidence: Evidence | undefined): string | null {
  const { content } = evidence ?? {}
  const person = content?.document?.personalAttributes ?? content?.trustedClaim?.shared?.personalAttributes
  if (!person) return null
  if (person.fullname) return person.fullname.value
  const parts = [...(person.givenNames ?? []), ...(person.surname ? [person.surname] : [])]
  return parts.length > 0 ? parts.map(({ value }) => value).join(' ') : null
}
