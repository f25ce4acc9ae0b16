/** Whether the face of an identity is that of another identity of its tenant, as far as their templates can be compared. */
import { currentOf } from '../proofing/evidence.ts'
import type { Identity } from '../proofing/identity.ts'
import { makeFaceTemplate, type FaceContext } from './face-templates.ts'
import { templateTurner } from './turn-template.ts'

export interface FaceSearch {
  /** UNKNOWN: switched off, no template, or entries that could not be compared and may be the same face. */
  readonly outcome: 'NONE' | 'FOUND' | 'UNKNOWN'
  /** Whose template was looked for. */
  readonly evidenceId: string | null
}

/** Templates that the worker compares in one call: about 300 kB. Between two calls others get their turn. */
const BATCH = 256

/** Slow, and with no transaction open. */
export async function findDuplicateFaces(
  ctx: FaceContext,
  { id: identityId, tenantId }: Identity,
): Promise<FaceSearch> {
  const portrait = currentOf(ctx.store.evidences.list(identityId), 'PORTRAIT')
  if (!ctx.config.antifraud.duplicateFace.enabled || !portrait)
    return { outcome: 'UNKNOWN', evidenceId: null }
  const evidenceId = portrait.id
  // Asked for before its job has run.
  if (!ctx.store.faceTemplates.has(evidenceId)) await makeFaceTemplate(ctx, identityId, evidenceId)
  const template = ctx.store.faceTemplates.find(evidenceId)
  if (!template) return { outcome: 'UNKNOWN', evidenceId }

  const probe = templateTurner(ctx.store.faceIndex.tenantKey(tenantId))(template)
  let outcome: FaceSearch['outcome'] = 'NONE'
  let after: string | null = ''
  while (after !== null && outcome !== 'FOUND') {
    const batch = ctx.store.faceIndex.others({
      tenantId,
      identityId,
      at: ctx.clock.now(),
      after,
      limit: BATCH,
    })
    after = batch.next
    if (batch.entries.length === 0) continue
    const compared = await compare(
      ctx,
      probe,
      batch.entries.map((entry) => entry.template),
    )
    if (compared !== 'NONE') outcome = compared
  }
  return { outcome, evidenceId }
}

async function compare(
  ctx: FaceContext,
  probe: Uint8Array,
  candidates: readonly Uint8Array[],
): Promise<FaceSearch['outcome']> {
  const { scores, measure, operatingPoint } = await ctx.vision.compareTemplates({ probe, candidates })
  const { threshold } = operatingPoint
  const isSame = (score: number | null): boolean =>
    score !== null && (measure === 'euclidean-distance' ? score <= threshold : score >= threshold)
  if (scores.some(isSame)) return 'FOUND'
  // Made by other models than those of today: nobody can say whose face it is.
  const areAllCompared = scores.length === candidates.length && scores.every((score) => score !== null)
  return areAllCompared ? 'NONE' : 'UNKNOWN'
}
