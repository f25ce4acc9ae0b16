/** Shows evidence to staff: its pictures, values, findings, and the officer who was present. */
import { staffActor } from '../access/author.ts'
import type { Context } from '../../context.ts'
import { isAwaited } from '../../proofing/adjudication.ts'
import { chooseFault } from '../../proofing/document-fault.ts'
import { deriveKind, type Evidence } from '../../proofing/evidence.ts'
import { isFaceFromFile } from '../../proofing/presence.ts'
import type { ResultError } from '../../proofing/types.ts'
import type { StoredImage } from '../../store/images.ts'
import { listValues } from './evidence-values.ts'

export function evidenceCard(ctx: Context, evidence: Evidence) {
  const { id, family, type, status, strength, score, submittedAt, deletedAt, evaluation } = evidence
  const isGone = deletedAt !== null
  return {
    evidenceId: id,
    family,
    type,
    status,
    strength,
    score,
    submittedAt: submittedAt.toISOString(),
    deleted: isGone,
    images: isGone ? [] : listImages(ctx, id).map(toShownImage),
    values: isGone ? [] : listValues(evidence),
    fault: documentFault(ctx, evidence),
    errors: isGone ? listFormerErrors(ctx, evidence) : evaluation.errors,
    findings: isGone ? [] : listFindings(ctx, evidence),
    chipLists: isGone ? [] : listChipLists(ctx, evidence),
    fromFile: isFaceWithoutSession(ctx, evidence),
    attendance: isGone ? null : viewAttendance(evidence),
    notes: isGone ? [] : listNotes(ctx, id),
  }
}

/** A face from a file. Deleting evidence deletes what it contained, and its session stays known. */
export function isFaceWithoutSession({ store }: Pick<Context, 'store'>, evidence: Evidence): boolean {
  return isFaceFromFile(evidence) && store.captureSessions.findByEvidence(evidence.id) === null
}

/** Lists why evidence was refused before it was deleted, as its step of the proof records it. */
function listFormerErrors({ store }: Context, { id, identityId }: Evidence): readonly ResultError[] {
  const own = store.operations
    .outline(identityId)
    .findLast(({ subjectId, kind }) => subjectId === id && kind === 'ADD')
  const judged = own && store.steps.find(identityId, own.id)?.evidences.find((one) => one.id === id)?.judged
  // `proofEvidence` wrote it.
  return (judged?.errors as readonly ResultError[] | undefined) ?? []
}

/** Returns the fault of a captured document, as for the relying service. */
export function documentFault({ documentFaults }: Pick<Context, 'documentFaults'>, evidence: Evidence) {
  const { status, evaluation } = evidence
  return deriveKind(evidence) === 'IDDOCUMENT'
    ? chooseFault({ status, ...evaluation }, documentFaults.rules)
    : null
}

/**
 * Notes of adjudicators, once the case is decided: a second adjudicator must not read the first one's
 * thoughts.
 */
function listNotes({ store }: Context, evidenceId: string) {
  return store.adjudications
    .ofEvidence(evidenceId)
    .filter(({ status }) => !isAwaited(status))
    .flatMap((adjudication) => store.adjudicationDecisions.notes(adjudication.id))
    .map(({ decision: { adjudicator, decidedAt, decision }, note }) => ({
      who: staffActor(adjudicator.id),
      at: `${decidedAt}Z`,
      decision,
      note,
    }))
}

/** Pictures of sides and of a portrait, then further frames. */
export function listImages({ store }: Pick<Context, 'store'>, evidenceId: string): readonly StoredImage[] {
  const images = [...store.images.listByEvidence(evidenceId), ...store.images.listFrames(evidenceId)]
  return images.filter(({ kind }) => kind !== 'CHIP_FILES')
}

const KINDS = {
  FRONT: 'FRONT',
  BACK: 'BACK',
  PORTRAIT: 'PORTRAIT',
  DOCUMENT_CROP: 'DOCUMENT_PORTRAIT',
  CHIP_PORTRAIT: 'CHIP_PORTRAIT',
  CHIP_FILES: 'FRONT',
  ADDITIONAL_FILE: 'FRONT',
} as const satisfies Record<StoredImage['kind'], string>

/** A picture of one face, whose viewing is an event. */
export function isPortrait(kind: StoredImage['kind']): boolean {
  return kind === 'PORTRAIT' || kind === 'DOCUMENT_CROP' || kind === 'CHIP_PORTRAIT'
}

export function kindOfImage({ kind, frame }: StoredImage) {
  if (!frame) return KINDS[kind]
  return kind === 'PORTRAIT' ? ('LIVE_FRAME' as const) : ('TILTED' as const)
}

function toShownImage(image: StoredImage) {
  const { id, identityId, evidenceId } = image
  const href = `proofings/${identityId}/evidences/${evidenceId ?? ''}/images/${id}`
  return { imageId: id, kind: kindOfImage(image), href }
}

export function listFindings(ctx: Context, evidence: Evidence) {
  const mitigations = evidence.evaluation.mitigations ?? []
  return ctx.store.evidences.verification(evidence).flatMap(({ measurements, models }) =>
    measurements.map(({ check, outcome, measured }) => ({
      check,
      outcome,
      measured: Object.entries(measured).map(([name, value]) => ({
        name,
        value,
      })),
      measuredBy: models.map(({ id, version }) => `${id} ${version}`),
      mitigatedBy:
        mitigations.find(({ indicator }) => indicator.replace(/_(FAILED|UNVERIFIED)$/, '') === check)
          ?.mitigatedBy ?? null,
    })),
  )
}

/** The trust store keeps a record of each file, also after another one replaced it. */
export function listChipLists({ store }: Pick<Context, 'store'>, evidence: Evidence) {
  const hashes = new Set(
    store.evidences
      .verification(evidence)
      .flatMap(({ measurements }) => measurements)
      .flatMap(({ measured }) => String(measured.chipLists ?? '').split(' ')),
  )
  return store.trust.list().flatMap(({ sha256, kind, country, signedAt, importedAt }) =>
    // The newest record of a file that was imported again.
    hashes.delete(sha256)
      ? [
          {
            sha256,
            kind,
            country,
            signedAt: signedAt?.toISOString() ?? null,
            importedAt: importedAt.toISOString(),
          },
        ]
      : [],
  )
}

export function viewAttendance({ content: { attendance } }: Evidence) {
  if (!attendance) return null
  const { staffId, at, features, exceptions, seen } = attendance
  return {
    staffId,
    at: `${at}Z`,
    seen: seen ?? ('CAPTURE' as const),
    answers: features.map(({ id, answer }) => ({ feature: id, answer })),
    exceptions,
  }
}
