/** Answers the GET calls. Changes nothing. */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { findCurrent, type EvidenceFamily } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Caller } from '../../proofing/types.ts'
import { evidenceInCases } from '../adjudication/find-adjudication.ts'
import { requireIdentity, requirePictured, getScope } from '../access/reach.ts'
import { viewGlobalStatus, viewIdentity, viewPortrait, singleStatus, viewOptions } from './view.ts'

/** A user agent sees states and advice for a better picture, but never which check failed. */
export const mustRedact = (caller: Caller): boolean => caller.role === 'USER_AGENT'

export async function getIdentity(ctx: Context, caller: Caller, id: string, options: { detailed: boolean }) {
  const identity = requireIdentity(ctx, caller, id, 'READ')
  return viewIdentity(ctx, identity, { ...options, redacted: mustRedact(caller) })
}

export async function findIdentity(
  ctx: Context,
  caller: Caller,
  correlationId: string,
  options: { detailed: boolean },
) {
  const identity = correlated(ctx, caller, correlationId)
  return viewIdentity(ctx, identity, { ...options, redacted: mustRedact(caller) })
}

/**
 * Returns the caller's own identity, else the only shared one. Throws `not_found`, and `validation_failed` if
 * several visible applications have used this correlation id, so that persons are never confused.
 */
function correlated(ctx: Context, caller: Caller, correlationId: string): Identity {
  const found = ctx.store.identities.findByCorrelation(getScope(ctx, caller, 'READ'), correlationId)
  const own = found.find(({ applicationId }) => applicationId === caller.applicationId)
  if (!own && found.length > 1) {
    const message = 'is used by several applications that this key may see; ask by the id of the identity'
    throw fieldProblem('ambiguous', 'correlationID', message)
  }
  const identity = own ?? found.at(0)
  if (!identity) throw new AppError('not_found', { resource: 'identity' })
  return identity
}

export async function getIdentityStatus(ctx: Context, caller: Caller, id: string) {
  return { globalStatus: viewGlobalStatus(ctx, requireIdentity(ctx, caller, id, 'READ')) }
}

export async function getEvidenceStatus(ctx: Context, caller: Caller, id: string, evidenceId: string) {
  const identity = requireIdentity(ctx, caller, id, 'READ')
  return singleStatus(ctx.store.evidences.get(identity.id, evidenceId))
}

export async function getPortrait(ctx: Context, caller: Caller, id: string, options: { detailed: boolean }) {
  const identity = requireIdentity(ctx, caller, id, 'READ')
  const evidence = currentEvidence(ctx, identity.id, 'PORTRAIT')
  if (!evidence) throw new AppError('not_found', { resource: 'portrait' })
  const shown = viewOptions(ctx, identity, { ...options, redacted: mustRedact(caller) })
  return { globalStatus: viewGlobalStatus(ctx, identity), portrait: viewPortrait(evidence, shown(evidence)) }
}

export async function getPortraitImage(ctx: Context, caller: Caller, id: string) {
  const identity = requirePictured(ctx, caller, id, (found) => {
    const portrait = currentEvidence(ctx, found.id, 'PORTRAIT')
    return portrait !== undefined && evidenceInCases(ctx, found).includes(portrait.id)
  })
  const evidence = currentEvidence(ctx, identity.id, 'PORTRAIT')
  const image =
    evidence && ctx.store.images.listByEvidence(evidence.id).find((item) => item.kind === 'PORTRAIT')
  if (!image) throw new AppError('not_found', { resource: 'portrait' })
  return { bytes: ctx.store.images.read(image), mediaType: image.mediaType }
}

export async function getDocumentImage(ctx: Context, caller: Caller, id: string, evidenceId: string) {
  const identity = requirePictured(ctx, caller, id, (found) =>
    evidenceInCases(ctx, found).includes(evidenceId),
  )
  const evidence = ctx.store.evidences.get(identity.id, evidenceId)
  if (evidence.family !== 'IDDOCUMENT') throw new AppError('not_found', { resource: 'evidence' })
  const pictures = ctx.store.images
    .listByEvidence(evidence.id)
    .flatMap((image) =>
      image.kind === 'FRONT' || image.kind === 'BACK'
        ? [{ side: image.kind, bytes: ctx.store.images.read(image), mediaType: image.mediaType }]
        : [],
    )
  if (pictures.length === 0) throw new AppError('not_found', { resource: 'image' })
  return pictures
}

/** Lists the identities that the caller's application has begun and no proof has closed. */
export async function openIdentities(ctx: Context, caller: Caller) {
  return ctx.store.identities.listOpen(caller.applicationId).map(({ id, createdAt }) => ({
    id,
    createdAt,
    hasPortrait: hasPortrait(ctx, id),
  }))
}

/** True for a submitted portrait: an open session alone has brought none. */
function hasPortrait(ctx: Context, identityId: string): boolean {
  const portrait = currentEvidence(ctx, identityId, 'PORTRAIT')
  return portrait !== undefined && ctx.store.images.listByEvidence(portrait.id).length > 0
}

export function currentEvidence(ctx: Context, identityId: string, family: EvidenceFamily) {
  return findCurrent(ctx.store.evidences.list(identityId), family)
}
