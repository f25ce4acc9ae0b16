/**
 * Describes the content of evidence (spec "EvidenceDetails"): the capture device and what was read or typed. A member without
 * a source (originLanguageData) is omitted.
 */
import type { Context } from '../../context.ts'
import {
  captureSource,
  type AddressData,
  type Evidence,
  type IdDocumentData,
  type PersonalAttributes,
} from '../../proofing/evidence.ts'
import type { KnownData } from '../../proofing/judged-step.ts'
import type { KeyValue } from '../../proofing/types.ts'
import { markAttributes } from '../../proofing/verified-values.ts'
import type { VerificationRecord } from '../../proofing/verification-record.ts'
import type { StoredImage } from '../../store/images.ts'

/** The media of an identity. */
interface ProofMedia {
  readonly images: readonly StoredImage[]
}

/** `known`: the data at the time of the step; null: the present data. */
export function evidenceDetails(
  ctx: Context,
  evidence: Evidence,
  { images }: ProofMedia,
  known: KnownData | null = null,
) {
  const { id, family, matchedReferenceId, content } = evidence
  const own = images.filter((image) => image.evidenceId === id)
  const captures = listCaptures(own)
  const crops = own.filter(({ kind }) => kind === 'DOCUMENT_CROP' || kind === 'CHIP_PORTRAIT')
  const compared = family === 'ATTRIBUTES' ? matchedReferenceId : null
  const referenceId = content.referenceIds?.[0]
  const now = pickData(ctx, evidence)
  const data = known && now ? asKnown(now, known) : now
  const video = ctx.config.proof.videos ? ctx.store.videos.listByEvidence(id).at(-1) : undefined
  return {
    ...(compared ? { attributesReferenceId: compared } : {}),
    ...(referenceId ? { addressReferenceId: referenceId } : {}),
    ...(captures.length > 0 ? { captureImages: captures.map((image) => captureImage(evidence, image)) } : {}),
    ...(crops.length > 0 ? { photoCrops: photoCrops(ctx, evidence, captures, crops) } : {}),
    ...(video ? { video: { id: video.id } } : {}),
    ...deviceDetails(evidence),
    ...(data ? { data } : {}),
  }
}

/** Spec `deviceInfo` and `sdkInfo`. */
export function deviceDetails(evidence: Evidence) {
  const deviceInfo = describeDevice(evidence)
  const sdkInfo = evidence.content.captureDetails?.sdkInfo
  return { ...(deviceInfo ? { deviceInfo } : {}), ...(sdkInfo ? { sdkInfo } : {}) }
}

/**
 * Our own member, by id of the image: the number of bytes by which the received file was longer than the
 * stored picture, whose hash is in the proof.
 */
export function listCutBytes({ id }: Evidence, { images }: ProofMedia): Readonly<Record<string, number>> {
  const own = images.filter((image) => image.evidenceId === id)
  return Object.fromEntries(
    listCaptures(own).flatMap(({ id, cutBytes }) => (cutBytes ? [[id, cutBytes]] : [])),
  )
}

/**
 * Our own member: what was read of the chip and how it was judged, so that a verifier can repeat it. `fileId`: id of the file in the
 * archive. Null if there are no files of a chip.
 */
export function describeChip({ id, content: { chip } }: Evidence, { images }: ProofMedia) {
  const file = images.find(({ kind, evidenceId }) => kind === 'CHIP_FILES' && evidenceId === id)
  return chip && file ? { fileId: file.id, ...chip } : null
}

/** Sorted in the order of verification: front, back. */
function listCaptures(own: readonly StoredImage[]): readonly StoredImage[] {
  const order: readonly StoredImage['kind'][] = ['FRONT', 'BACK', 'PORTRAIT']
  return order.flatMap((kind) => own.filter((image) => image.kind === kind))
}

function captureImage(evidence: Evidence, { id, kind }: StoredImage) {
  const { captureDetails, portrait } = evidence.content
  const channel = captureDetails?.channel ?? portrait?.channel
  return {
    id,
    source: captureSource(captureDetails?.source ?? portrait?.source),
    ...(channel ? { channel } : {}),
    ...describeDevice(evidence),
    ...(kind === 'PORTRAIT' ? {} : { side: kind }),
  }
}

/** As reported by the sender; undefined if it reported nothing. */
function describeDevice({ content: { captureDetails = {} } }: Evidence) {
  const { deviceModel, osType, osVersion } = captureDetails
  const device = {
    ...(deviceModel ? { deviceModel } : {}),
    ...(osType ? { osType } : {}),
    ...(osVersion ? { osVersion } : {}),
  }
  return Object.keys(device).length > 0 ? device : undefined
}

/** The printed portrait was cut from the picture that the step recorded, or from the only one; that of a chip from none. */
function photoCrops(
  ctx: Context,
  evidence: Evidence,
  captures: readonly StoredImage[],
  crops: readonly StoredImage[],
) {
  const measured = ctx.store.evidences
    .verification(evidence)
    .flatMap(({ measurements }: VerificationRecord) => measurements)
    .find(({ check }) => check === 'DOCUMENT_PORTRAIT')?.measured
  const index = captures.length === 1 ? 0 : measured?.captureIndex
  const original = typeof index === 'number' ? captures[index] : undefined
  return crops.map(({ id, kind }) => ({
    id,
    ...(original && kind === 'DOCUMENT_CROP' ? { originalCaptureId: original.id } : {}),
  }))
}

/** Returns what a step states about the data: whether there were any, and which values were verified then. */
export function describeKnownData(ctx: Context, evidence: Evidence): KnownData {
  const data = pickData(ctx, evidence)
  const [holder = {}] = listHolders(data)
  const isVerified = (value: unknown): boolean =>
    [value].flat().every((one) => (one as { readonly verified?: unknown } | undefined)?.verified === true)
  const verified = Object.entries(holder).flatMap(([name, value]) => (isVerified(value) ? [name] : []))
  return { isThere: data !== undefined, verified }
}

/** Omits later values, and shows values that were verified later as unverified. */
function asKnown(data: NonNullable<ReturnType<typeof pickData>>, { isThere, verified }: KnownData) {
  if (!isThere) return undefined
  const holders = listHolders(data)
  if (holders.length === 0) return data
  const [first, ...others] = holders
  return { ...data, holderInformation: [markAttributes(first, verified), ...others] }
}

const listHolders = (data: ReturnType<typeof pickData>): readonly PersonalAttributes[] =>
  (data && 'holderInformation' in data ? data.holderInformation : null) ?? []

/** Spec `data`: undefined if nothing was read or typed. */
function pickData(ctx: Context, { content, family }: Evidence) {
  const { document, portrait, attributes, address, claim, trustedClaim } = content
  if (document) return documentData(document)
  if (portrait && portrait.metadata.length > 0) return { metadata: portrait.metadata }
  if (attributes) return { holderInformation: [attributes] }
  if (address) return { holderInformation: [{ address }] }
  // Claim data may be hidden from every caller.
  if (claim && !ctx.config.tenant.hideClaimData) return holder(claim.attributesData, claim.addressesData)
  const shared = family === 'TRUSTED_ID_CLAIM' ? trustedClaim?.shared : undefined
  if (!shared) return undefined
  const { idDocumentNumber, issuingDate, expiryDate, personalAttributes } = shared
  return {
    ...(idDocumentNumber ? { documentNumber: idDocumentNumber } : {}),
    ...(issuingDate ? { issuingDate } : {}),
    ...(expiryDate ? { expiryDate } : {}),
    ...holder(personalAttributes, shared.address),
  }
}

function holder(attributes: PersonalAttributes | undefined, address: AddressData | undefined) {
  if (!attributes && !address) return undefined
  return { holderInformation: [{ ...attributes, ...(address ? { address } : {}) }] }
}

/** Values without their own field in the spec are in `metadata`. */
function documentData(document: IdDocumentData) {
  const { idDocumentNumber, issuingCountry, issuingDate, expiryDate, mrz, medicare, address } = document
  const metadata: KeyValue[] = Object.entries({
    issuingState: document.issuingState,
    cardNumber: document.cardNumber,
    cardType: medicare?.cardType,
    individualReferenceNumber: medicare?.individualReferenceNumber?.toString(),
  }).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
  const others = medicare?.furtherNames.map((value) => ({ fullname: { value, verified: false } })) ?? []
  return {
    ...(idDocumentNumber ? { documentNumber: idDocumentNumber } : {}),
    ...(issuingCountry ? { issuingCountry } : {}),
    ...(issuingDate ? { issuingDate } : {}),
    ...(expiryDate ? { expiryDate } : {}),
    holderInformation: [{ ...document.personalAttributes, ...(address ? { address } : {}) }, ...others],
    ...(metadata.length > 0 ? { metadata } : {}),
    ...(mrz ? { mrz } : {}),
  }
}
