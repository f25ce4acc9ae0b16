/**
 * Loads the input of a verification run: the pictures or data of the evidence, and the evidence to compare it with. Makes no
 * decision.
 */
import type { Context } from '../../context.ts'
import { addressSource, statedAddress } from '../../proofing/address-agreement.ts'
import { toResident, type Resident } from '../../proofing/address-register.ts'
import { isWithinLimit } from '../../proofing/asked-limit.ts'
import type { Attendance } from '../../proofing/attendance.ts'
import { readChipFiles } from '../../proofing/chip-files.ts'
import { knownContact } from '../../proofing/contact.ts'
import { deriveKind, type Evidence } from '../../proofing/evidence.ts'
import { getConsentState, type Identity } from '../../proofing/identity.ts'
import { findOutcome } from '../../proofing/judge.ts'
import { isDocumentFromFile, isFaceFromFile } from '../../proofing/presence.ts'
import type { SourceAccess } from '../../proofing/source-reply.ts'
import { getToday } from '../../proofing/time.ts'
import type { StoredImage } from '../../store/images.ts'
import {
  DATA_KINDS,
  type DocumentSubject,
  type ReferencePortrait,
  type Subject,
} from '../../verification/subject.ts'
import { createConsentFilter } from './consent-filter.ts'

/** True if the session captured a picture, or a challenge sequence that can be judged. */
export function isCaptured(ctx: Pick<Context, 'store'>, { id, content }: Evidence): boolean {
  const shown = ctx.store.images.listByEvidence(id).some(({ kind }) => CAPTURED.includes(kind))
  return shown || content.liveness !== undefined
}

const CAPTURED: readonly StoredImage['kind'][] = ['FRONT', 'BACK', 'PORTRAIT']

/** "I was there" about a document's file, stated before it was refused, counts as an inspection by hand alone. */
function countedAttendance(evidence: Evidence): Attendance | null {
  const { attendance } = evidence.content
  if (!attendance) return null
  return isDocumentFromFile(evidence) ? { ...attendance, seen: 'IN_HAND' } : attendance
}

/** Null: there is nothing to verify yet. */
export function toSubject(ctx: Context, identity: Identity, evidence: Evidence): Subject | null {
  const testMode = identity.mode === 'test'
  const issuerAccess = findIssuerAccess(ctx, identity)
  const dataKind = DATA_KINDS.find((kind) => kind === deriveKind(evidence))
  if (dataKind) {
    return {
      family: 'DATA',
      kind: dataKind,
      evidenceId: evidence.id,
      content: evidence.content,
      ...collectKnown(ctx, identity, evidence),
      issuerAccess,
      ...(dataKind === 'ADDRESS'
        ? {
            addressAccess: findAddressAccess(ctx, identity, evidence),
            resident: findResident(ctx, identity),
          }
        : {}),
      testMode,
    }
  }
  const images = ctx.store.images.listByEvidence(evidence.id)
  const read = (kind: StoredImage['kind']): Uint8Array | null => {
    const image = images.find((item) => item.kind === kind)
    return image ? ctx.store.images.read(image) : null
  }
  if (evidence.family === 'IDDOCUMENT') {
    // A capture session may have requested only the back.
    const kinds = (['FRONT', 'BACK'] as const).filter((kind) => images.some((item) => item.kind === kind))
    const sides = kinds.map(read).filter((side) => side !== null)
    const further = ctx.store.images.listFrames(evidence.id)
    const readFrames = (kind: StoredImage['kind']) =>
      further.filter((item) => item.kind === kind).map((item) => ctx.store.images.read(item))
    const front = sides.at(0)
    if (!front) return null
    return {
      family: 'IDDOCUMENT',
      evidenceId: evidence.id,
      front,
      back: sides.at(1) ?? null,
      frames: kinds.map(readFrames),
      scannedBarcode: evidence.content.scannedBarcode ?? null,
      declaredType: evidence.content.captureDetails?.documentType ?? null,
      jurisdiction: evidence.content.captureDetails?.jurisdiction ?? null,
      isLive: evidence.content.sessionId !== undefined,
      sidesEnsured: evidence.content.sessionId !== undefined && evidence.content.sidesByKind === undefined,
      presentedToOthers: (document) =>
        ctx.store.documentFingerprints.countOthers(
          { tenantId: identity.tenantId, identityId: identity.id },
          document,
        ),
      attendance: countedAttendance(evidence),
      issuerAccess,
      askedIssuer: evidence.content.issuer,
      stated: evidence.content.stated,
      chip: findChip(ctx, evidence),
      testMode,
    }
  }
  const image = read('PORTRAIT')
  const liveness = evidence.content.liveness ?? null
  // A session may end without a usable picture, and still has a verdict.
  if (!image && !liveness) return null
  const further = ctx.store.images.listFrames(evidence.id).filter(({ kind }) => kind === 'PORTRAIT')
  return {
    family: 'PORTRAIT',
    evidenceId: evidence.id,
    image,
    frames: further.map((frame) => ctx.store.images.read(frame)),
    liveness,
    reference: referencePortrait(ctx, identity),
    further: furtherPortraits(ctx, identity),
    personMayDecide: ctx.config.tenant.features.adjudication,
    stillIsJudged: ctx.config.engines.attackDetection !== undefined,
    // An earlier version let an officer state it of a file.
    attendance: isFaceFromFile(evidence) ? null : (evidence.content.attendance ?? null),
    testMode,
  }
}

export function findIssuerAccess(ctx: Context, { id }: Pick<Identity, 'id'>): SourceAccess {
  if (!ctx.config.tenant.features.issuerVerification) return 'CONFIGURATION'
  const today = getToday(ctx.time.statement())
  return getConsentState(ctx.store.consents.list(id), 'GIV', today) === 'given' ? 'ALLOWED' : 'CONSENT'
}

export function consentsToAddressRegister(ctx: Context, { id }: Pick<Identity, 'id'>): boolean {
  if (ctx.addressRegisters.count === 0) return false
  const today = getToday(ctx.time.statement())
  return getConsentState(ctx.store.consents.list(id), 'ADDRESS', today) === 'given'
}

function findAddressAccess(ctx: Context, identity: Identity, evidence: Evidence): SourceAccess {
  if (!isWithinLimit(evidence, ctx.store.evidences.list(identity.id))) return 'LIMIT'
  return consentsToAddressRegister(ctx, identity) ? 'ALLOWED' : 'CONSENT'
}

/** The person about whom a register of addresses is asked; null: no evidence names one yet. */
export function findResident(
  ctx: Pick<Context, 'store'>,
  { nameReferenceId }: Pick<Identity, 'nameReferenceId'>,
): Resident | null {
  const reference = nameReferenceId === null ? undefined : ctx.store.evidences.find(nameReferenceId)
  return reference ? toResident(reference.id, reference.content) : null
}

/** Returns what other evidence of the identity says about the applicant. */
function collectKnown(ctx: Context, identity: Identity, evidence: Evidence) {
  const others = ctx.store.evidences
    .list(identity.id)
    .filter((other) => !other.deletedAt && other.id !== evidence.id)
  if (evidence.family === 'ADDRESS')
    return { reference: addressReference(ctx, evidence, others), contact: null }
  const elected = others.find((other) => other.id === identity.nameReferenceId)
  return {
    reference: elected ? { evidenceId: elected.id, document: elected.content.document ?? null } : null,
    contact: knownContact(others),
  }
}

/** Returns the evidence from which the address is said to derive. */
function addressReference(ctx: Context, { identityId, content }: Evidence, others: readonly Evidence[]) {
  const source = addressSource(others, content.referenceIds ?? [], createConsentFilter(ctx, identityId))
  const address = source && statedAddress(source)
  return source && address
    ? { evidenceId: source.id, document: source.content.document ?? null, address }
    : null
}

function referencePortrait(ctx: Context, { portraitReferenceId }: Identity): ReferencePortrait | null {
  const reference = portraitReferenceId === null ? null : ctx.store.evidences.find(portraitReferenceId)
  return reference ? readReference(ctx, reference) : null
}

/** Portraits of the applicant's verified documents other than the elected one. */
function furtherPortraits(ctx: Context, { id, portraitReferenceId }: Identity): readonly ReferencePortrait[] {
  return ctx.store.evidences.list(id).flatMap((evidence) => {
    const isFurther =
      evidence.family === 'IDDOCUMENT' &&
      evidence.status === 'VERIFIED' &&
      evidence.deletedAt === null &&
      evidence.id !== portraitReferenceId
    return (isFurther && readReference(ctx, evidence)) || []
  })
}

function readReference(ctx: Context, evidence: Evidence): ReferencePortrait | null {
  const picture = findReferencePicture(ctx, evidence)
  if (!picture) return null
  return {
    evidenceId: evidence.id,
    pictureId: picture.id,
    image: ctx.store.images.read(picture),
    isOfChip: picture.kind === 'CHIP_PORTRAIT',
  }
}

/** The portrait of a document with which the applicant is compared: that of the chip if the chip confirms the document, else the printed one. */
export function findReferencePicture(
  { store }: Pick<Context, 'store'>,
  { id, evaluation }: Evidence,
): StoredImage | undefined {
  const images = store.images.listByEvidence(id)
  const find = (wanted: StoredImage['kind']) => images.find(({ kind }) => kind === wanted)
  const isConfirmed = findOutcome(evaluation, 'NFC_PASSIVE_AUTHENTICATION') === 'passed'
  return (isConfirmed ? find('CHIP_PORTRAIT') : undefined) ?? find('DOCUMENT_CROP')
}

function findChip(ctx: Context, { id, content: { chip } }: Evidence): DocumentSubject['chip'] {
  if (!chip) return undefined
  const stored = ctx.store.images.listByEvidence(id).find(({ kind }) => kind === 'CHIP_FILES')
  return { reading: chip, files: stored ? readChipFiles(ctx.store.images.read(stored)) : null }
}

/**
 * True if a portrait has no reference yet and a document is being verified. Ignores a document that is still being
 * captured: the portrait is compared again when that document is verified.
 */
export function waitsForDocument(ctx: Context, subject: Subject, identityId: string): boolean {
  if (subject.family !== 'PORTRAIT' || subject.reference) return false
  const inCapture = (other: Evidence): boolean =>
    ctx.store.captureSessions.findByEvidence(other.id)?.state === 'OPEN'
  return ctx.store.evidences
    .list(identityId)
    .some(
      (other) =>
        deriveKind(other) === 'IDDOCUMENT' &&
        other.status === 'PROCESSING' &&
        !other.deletedAt &&
        !inCapture(other),
    )
}
