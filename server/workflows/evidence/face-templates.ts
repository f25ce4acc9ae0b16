/**
 * Creates face templates of portraits with sufficient quality and stores them encrypted under the key of the identity. If the
 * tenant enabled it, adds them to the index of duplicate faces. The verdict does not wait for them. They are deleted with
 * their evidence, their identity and the consent PORTRAIT. Their values are in no log, event or proof.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { deservesTemplate, indexedUntil } from '../../proofing/face-template.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Deadline } from '../../store/deadlines.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { createTemplateProtection } from './protect-template.ts'
import { createConsentFilter } from './consent-filter.ts'

/**
 * The part of the context that templates and their search need: it has no connection out of the appliance.
 */
export type FaceContext = Pick<Context, 'config' | 'store' | 'vision' | 'clock'> & {
  readonly time: Pick<Context['time'], 'statement'>
}

/** Call it inside the transaction that decides an evidence. */
export function makeTemplateLater(ctx: Context, evidence: Evidence): void {
  if (!deservesTemplate(evidence) || ctx.store.faceTemplates.has(evidence.id)) return
  const { id: evidenceId, identityId } = evidence
  ctx.store.jobs.add('make-face-template', identityId, { evidenceId }, ctx.clock.now())
}

/**
 * Job `make-face-template`. Skipped: the portrait or the consent was deleted, or picture or model is missing.
 */
export async function makeFaceTemplate(
  ctx: FaceContext,
  identityId: string,
  evidenceId: string,
): Promise<'done' | 'skipped'> {
  if (!findEnrollable(ctx, identityId, evidenceId)) return 'skipped'
  const { images } = ctx.store
  const pictures = [...images.listByEvidence(evidenceId), ...images.listFrames(evidenceId)]
    .filter(({ kind }) => kind === 'PORTRAIT')
    .map((image) => images.read(image))
  const made = await catchRefusedModel(ctx.vision.makeTemplate({ images: pictures }))
  const template = made?.template
  // The job tries again; a refused file stays refused.
  if (made?.failure && made.failure.trouble !== 'refused')
    throw new AppError('vision_unavailable', { call: 'makeTemplate', reason: 'engine_unavailable' })
  return ctx.store.transaction(() => {
    // The evidence was replaced, withdrawn or erased while the networks ran.
    const identity = findEnrollable(ctx, identityId, evidenceId)
    if (!identity || !template) return 'skipped'
    const madeAt = ctx.clock.now()
    ctx.store.faceTemplates.put({ identityId, evidenceId }, template, madeAt)
    if (ctx.config.antifraud.duplicateFace.enabled) {
      const turn = createTemplateProtection(ctx.store.faceIndex.tenantKey(identity.tenantId))
      enterInIndex(ctx, identity, evidenceId, turn(template), madeAt)
    }
    return 'done'
  })
}

/** Null if the worker refused the required model because its file has another hash: no retry helps. */
export async function catchRefusedModel<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof AppError && error.details.reason === 'model_refused') return null
    throw error
  }
}

/** Returns the identity, while a template of this portrait is allowed. */
function findEnrollable(ctx: FaceContext, identityId: string, evidenceId: string): Identity | null {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || !evidence || !deservesTemplate(evidence)) return null
  return createConsentFilter(ctx, identityId)(evidence) ? identity : null
}

/** Must run inside a transaction. */
function enterInIndex(
  ctx: FaceContext,
  { id: identityId, tenantId }: Identity,
  evidenceId: string,
  turned: Uint8Array,
  madeAt: Date,
): void {
  const dueAt = indexedUntil(madeAt, ctx.config.antifraud.duplicateFace.retentionDays)
  ctx.store.faceIndex.put({ tenantId, identityId, evidenceId }, turned, dueAt)
  ctx.store.deadlines.set({ kind: 'face-index', subjectId: evidenceId, identityId, dueAt })
}

/** Must run inside a transaction: the portrait, or its consent, was deleted. */
export function dropFaceTemplate(ctx: Context, evidenceId: string): void {
  ctx.store.faceTemplates.drop(evidenceId)
  ctx.store.faceIndex.drop(evidenceId)
  ctx.store.deadlines.clear('face-index', evidenceId)
}

/**
 * Must run inside a transaction: the retention of an index entry is over. The template stays with its
 * identity.
 */
export function indexEntryExpired(ctx: Context, { subjectId }: Pick<Deadline, 'subjectId'>): void {
  ctx.store.faceIndex.drop(subjectId)
}

/**
 * Runs at start: empties a disabled index. An enabled one gets the earlier templates, for the rest of their
 * time.
 */
export function settleFaceIndex(ctx: Context): void {
  const { enabled, retentionDays } = ctx.config.antifraud.duplicateFace
  ctx.store.transaction(() => {
    if (!enabled) {
      const dropped = ctx.store.faceIndex.clear()
      if (dropped > 0) ctx.log.info({ entries: dropped }, 'the index of duplicate faces was erased')
      return
    }
    const turners = new Map<string, ReturnType<typeof createTemplateProtection>>()
    for (const { identityId, evidenceId, createdAt } of ctx.store.faceTemplates.listUnindexed()) {
      const identity = ctx.store.identities.find(APPLIANCE, identityId)
      const template = ctx.store.faceTemplates.find(evidenceId)
      if (!identity || !template || indexedUntil(createdAt, retentionDays) <= ctx.clock.now()) continue
      const { tenantId } = identity
      const turn = turners.get(tenantId) ?? createTemplateProtection(ctx.store.faceIndex.tenantKey(tenantId))
      turners.set(tenantId, turn)
      enterInIndex(ctx, identity, evidenceId, turn(template), createdAt)
    }
  })
}
