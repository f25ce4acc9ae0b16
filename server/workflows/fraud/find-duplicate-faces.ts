/** Finds other identities of the tenant with the same face, as far as their templates can be compared. */
import { findCurrent } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import { isAtOrBeyond } from '../../proofing/match-zone.ts'
import type { IndexEntry } from '../../store/face-index.ts'
import type { TemplateOwner } from '../../store/face-templates.ts'
import { isOpaqueTemplate } from '../../vision/protocol.ts'
import { makeFaceTemplate, catchRefusedModel, type FaceContext } from '../evidence/face-templates.ts'
import { createTemplateProtection } from '../evidence/protect-template.ts'

interface FaceSearch {
  /** UNKNOWN: disabled, no template or none that can be protected, a failed engine, or entries that could not be compared and may be the same face. */
  readonly outcome: 'NONE' | 'FOUND' | 'UNKNOWN'
  /** The evidence whose template was searched. */
  readonly evidenceId: string | null
}

/** Templates per call to the worker: about 300 kB. Other work runs between two calls. */
const BATCH = 256
/** Number of outdated templates that one search creates again; a verdict that waits is delayed by them. */
const REMADE_AT_ONCE = 20

/** Slow; must run without an open transaction. */
export async function findDuplicateFaces(ctx: FaceContext, identity: Identity): Promise<FaceSearch> {
  const { id: identityId, tenantId } = identity
  const portrait = findCurrent(ctx.store.evidences.list(identityId), 'PORTRAIT')
  if (!ctx.config.antifraud.duplicateFace.enabled || !portrait)
    return { outcome: 'UNKNOWN', evidenceId: null }
  const owner = { identityId, evidenceId: portrait.id }
  const template = await templateOfToday(ctx, owner)
  // A template that only its engine reads cannot be protected, so there is no index for it.
  if (!template || isOpaqueTemplate(template)) return { outcome: 'UNKNOWN', evidenceId: portrait.id }

  const probe = createTemplateProtection(ctx.store.faceIndex.tenantKey(tenantId))(template)
  const outdated: TemplateOwner[] = []
  for (const entries of others(ctx, identity)) {
    const compared = await compare(ctx, probe, entries)
    if (compared === 'FOUND' || compared === 'UNKNOWN') return { outcome: compared, evidenceId: portrait.id }
    outdated.push(...compared)
  }
  remake(ctx, outdated)
  return { outcome: outdated.length > 0 ? 'UNKNOWN' : 'NONE', evidenceId: portrait.id }
}

/**
 * Creates the template now if its job has not run yet, or if it is of earlier models. Null if that is
 * impossible.
 */
async function templateOfToday(ctx: FaceContext, owner: TemplateOwner): Promise<Uint8Array | null> {
  const { faceTemplates } = ctx.store
  const kept = faceTemplates.find(owner.evidenceId)
  if (kept) {
    const self = await catchRefusedModel(ctx.vision.compareTemplates({ probe: kept, candidates: [kept] }))
    if (typeof self?.scores.at(0) === 'number') return kept
  }
  const made = await makeFaceTemplate(ctx, owner.identityId, owner.evidenceId)
  return made === 'done' ? faceTemplates.find(owner.evidenceId) : null
}

function* others(ctx: FaceContext, { id: identityId, tenantId }: Identity): Generator<readonly IndexEntry[]> {
  let after: string | null = ''
  while (after !== null) {
    const query = { tenantId, identityId, at: ctx.clock.now(), after, limit: BATCH }
    const { entries, next } = ctx.store.faceIndex.others(query)
    if (entries.length > 0) yield entries
    after = next
  }
}

/** FOUND, UNKNOWN if the engine gave no answer, or the entries of another engine, which cannot be compared. */
async function compare(
  ctx: FaceContext,
  probe: Uint8Array,
  entries: readonly IndexEntry[],
): Promise<'FOUND' | 'UNKNOWN' | readonly TemplateOwner[]> {
  const candidates = entries.map(({ template }) => template)
  const { scores, measure, operatingPoint, failure } = await ctx.vision.compareTemplates({
    probe,
    candidates,
  })
  if (failure) return 'UNKNOWN'
  const isSame = (score: number | null): boolean =>
    score !== null && isAtOrBeyond(measure, score, operatingPoint.threshold)
  if (scores.some(isSame)) return 'FOUND'
  return entries.filter((_, i) => typeof scores.at(i) !== 'number')
}

/** Creates them again, so that the next searches can compare them. */
function remake(ctx: FaceContext, outdated: readonly TemplateOwner[]): void {
  for (const { identityId, evidenceId } of outdated.slice(0, REMADE_AT_ONCE)) {
    // An earlier search may have requested it.
    if (ctx.store.jobs.open(identityId) > 0) continue
    ctx.store.jobs.add('make-face-template', identityId, { evidenceId }, ctx.clock.now())
  }
}
