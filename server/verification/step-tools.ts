/** Measurements that the steps of one run share. The vision worker makes each once. Gives no verdicts. */
import { parseDg2 } from '../chip/files/dg2.ts'
import { ChipFault } from '../chip/outcome.ts'
import { trustCertificates } from '../chip/passive/chip-trust.ts'
import type { Clock, TrustedTime } from '../clock.ts'
import type { ChipFiles } from '../proofing/chip-files.ts'
import type { LivenessLimits } from '../proofing/liveness/limits.ts'
import type { AddressFormats } from '../proofing/address-form.ts'
import type { AddressAnswer, Resident } from '../proofing/address-register.ts'
import type { ClaimAnswer, KnownBureaus } from '../proofing/claim-source.ts'
import type { AddressData, ClaimData, IdDocumentData } from '../proofing/evidence.ts'
import type { IssuerAnswer } from '../proofing/issuer-answer.ts'
import type { IssuerReply } from '../proofing/issuer-question.ts'
import type { AskedSource, SourceReason, SourceReply, Unasked } from '../proofing/source-reply.ts'
import type { CheckOutcome } from '../proofing/judge.ts'
import { isAcceptableReading } from '../proofing/mrz/acceptance.ts'
import type { PageKnowledge } from '../proofing/visual-zone/knowledge.ts'
import {
  ImageFaultError,
  type DocumentMeasurement,
  type FaceComparison,
  type SideHints,
  type Vision,
} from '../vision/protocol.ts'
import type { MeasuredSides } from './measured-sides.ts'
import { authenticateChip, type TrustOfChips } from './authenticate-chip.ts'
import { readWholeDocument } from './read-whole-document.ts'
import type { DocumentSubject, StepTools, Subject } from './subject.ts'
import type { QualityThresholds } from './thresholds.ts'

/** The connected issuing sources. */
export interface Issuers {
  judgeEligibility(document: IdDocumentData): CheckOutcome
  /** Never rejects. */
  ask(evidenceId: string, document: IdDocumentData, known?: AskedSource<IssuerAnswer>): Promise<IssuerReply>
}

/** The connected sources of attributes. */
interface AskableBureaus {
  /** Never rejects. */
  ask(
    evidenceId: string,
    claim: ClaimData,
    known?: KnownBureaus,
  ): Promise<readonly SourceReply<ClaimAnswer>[] | Unasked>
}

/** The connected registers of addresses. */
interface AskableAddressRegisters {
  findObstacle(address: AddressData): SourceReason | null
  /** Never rejects. */
  ask(
    evidenceId: string,
    address: AddressData,
    resident: Resident | null,
    known?: AskedSource<AddressAnswer>,
  ): Promise<SourceReply<AddressAnswer> | Unasked>
}

export interface ToolParts {
  readonly vision: Vision
  readonly thresholds: QualityThresholds
  readonly liveness: LivenessLimits
  readonly knowledge: PageKnowledge
  readonly addressFormats: AddressFormats
  /** Measurements that a capture component requested before submission. */
  readonly measured: MeasuredSides
  /** Absent: none is connected. */
  readonly issuers?: Issuers
  readonly bureaus?: AskableBureaus
  readonly addressRegisters?: AskableAddressRegisters
  /** Absent: no authority is trusted. */
  readonly getChipTrust?: TrustOfChips
  /** If `statement` is absent, `now` is trusted. */
  readonly clock: Clock & Partial<Pick<TrustedTime, 'statement'>>
}

const NOT_CONNECTED = { unasked: 'CONFIGURATION' } as const

/** Makes each measurement when a step first requests it, and only once. */
export function createStepTools(subject: Subject, parts: ToolParts): StepTools {
  const { vision, thresholds, liveness, knowledge, measured: known, issuers, bureaus, clock } = parts
  const { addressFormats, addressRegisters, getChipTrust = () => trustCertificates([]) } = parts
  const once = <T>(measure: () => Promise<T>): (() => Promise<T>) => {
    let result: Promise<T> | undefined
    return () => (result ??= measure())
  }
  const now = clock.now()
  const measureSide = async (image: Uint8Array, frames: readonly Uint8Array[]) => {
    const before = known.take(subject.evidenceId, image)
    // Further frames are measured only if the MRZ of the picture is doubtful.
    const needsFrames = frames.length > 0 && (before?.mrz ? !isAcceptableReading(before.mrz) : true)
    return before !== null && !needsFrames
      ? before
      : vision.measureDocument({ image, frames, readsNext: true })
  }
  const sides = once(() =>
    Promise.all(
      listImages(subject).map((image, side) =>
        measureSide(image, requireDocument(subject).frames[side] ?? []),
      ),
    ),
  )
  const rest = once(async () => {
    const measured = await sides()
    return Promise.all(
      listImages(subject).map((image, side) => vision.readSide({ image, ...toHints(measured[side]) })),
    )
  })
  const barcodes = once(async () => (await rest()).map(({ barcode }) => barcode))
  const authenticity = once(async () => (await rest()).map((side) => side.authenticity))
  const reading = once(async () =>
    readWholeDocument(
      {
        sides: await sides(),
        barcodes: await barcodes(),
        pages: (await rest()).map(({ page }) => page),
        scannedBarcode: requireDocument(subject).scannedBarcode,
        now,
        knowledge,
      },
      listImages(subject),
      vision,
    ),
  )
  const isMirrored = once(async () => {
    for (const image of listImages(subject))
      if ((await vision.measureDocument({ image, mirrored: true })).mrz !== null) return true
    return false
  })
  const pages = once(async () => (await reading()).pages)
  const document = once(async () => (await reading()).document)
  const comparison = once(async (): Promise<FaceComparison | null> => {
    if (subject.family !== 'PORTRAIT' || !subject.image || !subject.reference) return null
    const { image: probe, frames, reference } = subject
    return vision.compareFaces({ probe, frames, reference: reference.image })
  })
  const furtherComparisons = once(async (): Promise<readonly FaceComparison[]> => {
    if (subject.family !== 'PORTRAIT' || !subject.image) return []
    const { image: probe, frames, further = [] } = subject
    return Promise.all(further.map(({ image }) => vision.compareFaces({ probe, frames, reference: image })))
  })
  return {
    thresholds,
    liveness,
    addressFormats,
    now,
    span: clock.statement?.() ?? { earliest: now, latest: now },
    sides,
    barcodes,
    pages,
    authenticity,
    isMirrored,
    document,
    // A comparison also measures the portrait, so its measurement is reused.
    portrait: once(
      async () => (await comparison())?.probe ?? vision.measurePortrait({ image: requirePortrait(subject) }),
    ),
    comparison,
    furtherComparisons,
    compareFaces: (probe, reference) => vision.compareFaces({ probe, frames: [], reference }),
    authenticateChip: (files, readAt) => authenticateChip(files, readAt, getChipTrust),
    chipPortrait: (files) => decodePortrait(files, vision),
    judgeEligibility: (asked) => issuers?.judgeEligibility(asked) ?? 'inconclusive',
    askIssuer: async (asked) =>
      (await issuers?.ask(subject.evidenceId, asked, findAsked(subject))) ?? {
        ...NOT_CONNECTED,
        missing: [],
      },
    askBureaus: async (claim) =>
      (await bureaus?.ask(subject.evidenceId, claim, findKnownBureaus(subject))) ?? NOT_CONNECTED,
    findAddressObstacle: (address) =>
      addressRegisters ? addressRegisters.findObstacle(address) : NOT_CONNECTED.unasked,
    askAddressRegister: async (address, resident) => {
      const known = subject.family === 'DATA' ? subject.content.addressRegister : undefined
      return (await addressRegisters?.ask(subject.evidenceId, address, resident, known)) ?? NOT_CONNECTED
    },
  }
}

/** Null if DG2 is absent or malformed, or its first portrait is no picture. */
async function decodePortrait({ dataGroups }: ChipFiles, vision: Vision): Promise<Uint8Array | null> {
  const file = dataGroups.get(2)
  if (file === undefined) return null
  try {
    const [portrait] = parseDg2(file)
    return await vision.decodeChipPortrait({ image: portrait.bytes })
  } catch (error) {
    if (error instanceof ChipFault || error instanceof ImageFaultError) return null
    throw error
  }
}

export function toHints({ outline, rotationDeg, portrait, mrz }: DocumentMeasurement): SideHints {
  return {
    quad: outline?.quad ?? null,
    rotationDeg,
    portrait: portrait?.box ?? null,
    // The band of an MRZ that was read on a further frame has that frame's coordinates.
    mrz: mrz?.frame === 0 ? { band: mrz.band, lines: mrz.lines, format: mrz.format } : null,
  }
}

function findKnownBureaus(subject: Subject): KnownBureaus {
  if (subject.family !== 'DATA') return {}
  const { content, bureausAsked: asksNone = false } = subject
  return { ...(content.bureaus ? { replies: content.bureaus } : {}), asksNone }
}

function findAsked(subject: Subject): AskedSource<IssuerAnswer> | undefined {
  if (subject.family === 'DATA') return subject.content.issuer
  return subject.family === 'IDDOCUMENT' ? subject.askedIssuer : undefined
}

function requireDocument(subject: Subject): DocumentSubject {
  if (subject.family !== 'IDDOCUMENT') throw new TypeError('only a document has sides')
  return subject
}

function requirePortrait(subject: Subject): Uint8Array {
  if (subject.family !== 'PORTRAIT' || !subject.image) throw new TypeError('only a portrait is measured so')
  return subject.image
}

function listImages(subject: Subject): readonly Uint8Array[] {
  const { front, back } = requireDocument(subject)
  return back ? [front, back] : [front]
}
