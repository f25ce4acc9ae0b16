/**
 * Proofs an applicant at the counter: begun here, or taken over from a kiosk with all evidence.
 * POST assist/begin BeginBody                                   → AssistView
 * POST assist/take-over TakeOverBody                            → AssistView
 * GET  assist                                                   → { visits: ProofingRow[] } (mine, not ended)
 * GET  assist/{visitId}                                         → AssistView
 * GET  assist/features                                          → { checklists: Checklist[], exceptions: string[] }
 * POST assist/{visitId}/consent-display ConsentDisplayBody      → ConsentDisplay (a link for the applicant's display)
 * POST assist/{visitId}/document/session DocumentWish           → OpenedCapture
 * POST assist/{visitId}/document/file?country&documentType      → AssistView (multipart: front, back)
 * POST assist/{visitId}/document/photo {side}                   → CounterPhoto; GET …/document/photo/{photoId} → picture
 * POST assist/{visitId}/document/photos PhotosBody              → AssistView
 * POST assist/{visitId}/document/typed TypedDocumentBody        → AssistView
 * POST assist/{visitId}/typed TypedAttributesBody               → AssistView (both values are kept)
 * POST assist/{visitId}/details StatedAnswer                    → AssistView (a question of `sources`)
 * POST assist/{visitId}/details/check StatedAnswer              → StatedCheck (nothing is stored)
 * POST assist/{visitId}/chip ChipBody                            → AssistView (begins to read, or begins again)
 * POST assist/{visitId}/portrait/session PortraitBody           → OpenedCapture
 * POST assist/{visitId}/portrait/file?exceptions=A,B            → AssistView (body: the picture)
 * POST assist/{visitId}/evidences/{evidenceId}/attendance AttendanceBody → AssistView
 * POST assist/{visitId}/finish FinishBody                       → AssistView with `result`
 * POST assist/{visitId}/stop {reason}                           → 204: erased unless the proof is sealed
 * GET  assist/{visitId}/images/{imageId}                        → picture, no-store
 *
 * The applicant's display calls without the officer's cookie (fetch credentials 'omit'), only with the token; a request with an
 * officer's session is refused. The token works once.
 * GET  display/consent   (Authorization: Bearer {token})        → ConsentQuestion
 * POST display/consent   ConsentGiven                           → 204
 */
import type { RetentionPromise } from '../../proofing/retention.ts'
import { z } from 'zod'
import type { Disclosures } from '../../proofing/disclosure.ts'
import { FEATURE_ANSWERS } from '../../proofing/attendance.ts'
import { CONSENT_TYPES, DOCUMENT_SIDES, DOCUMENT_TYPES } from '../../proofing/types.ts'
import type { ConsentType, DocumentSide, DocumentType, EvidenceStatus } from '../../proofing/types.ts'
import { CardAccessNumber, type DetailName } from '../../api/contract/stated.ts'
import type { AddressQuestion } from '../../workflows/evidence/state-address.ts'
import type { ChipQuestion } from '../../workflows/capture/find-chip-question.ts'
import type { QrCode } from '../../kiosk/contract/visit.ts'
import type { ComparedRow } from '../../proofing/compared-sources.ts'
import type { VisitChannel } from '../../store/visits.ts'
import type { AttendanceView, DataValue, ImageView, LevelView } from './today.ts'
export type { StatedAnswer, StatedCheck } from '../../api/contract/stated.ts'
export type { OpenedCapture } from '../../kiosk/contract/visit.ts'

const language = z.string().min(2).max(35)

export const BeginBody = z.strictObject({ language })
export type BeginBody = z.infer<typeof BeginBody>

/**
 * By the code of the receipt or of the kiosk's help screen, by the visit of a call for help, or by the visit
 * of a colleague.
 */
export const TakeOverBody = z.union([
  z.strictObject({ code: z.string().min(1).max(40) }),
  /** The text that a scanner read from a receipt. */
  z.strictObject({ text: z.string().min(1).max(200) }),
  z.strictObject({ helpCall: z.uuid() }),
  /**
   * A visit that the desk has or had: the request names the officer who loses it, as with a call for help.
   */
  z.strictObject({ visitId: z.uuid(), from: z.string().min(1).max(60) }),
])
export type TakeOverBody = z.infer<typeof TakeOverBody>

export interface AssistView {
  readonly visitId: string
  readonly identityId: string | null
  readonly reference: string | null
  readonly language: string
  /** The channel in which it began. */
  readonly channel: VisitChannel
  readonly startedAt: string
  readonly ended: boolean
  /** The proof is sealed: nothing can be added. */
  readonly sealed: boolean
  readonly consent: ConsentState
  /** The countries and types that this appliance reads; the page has the names. */
  readonly documents: readonly AssistEvidence[]
  readonly portrait: AssistEvidence | null
  /** Typed for the applicant: separate evidence, nothing is overwritten. */
  readonly typed: readonly AssistEvidence[]
  /** Questions that sources outside need answered; null: none, or the source may not be asked. */
  readonly sources: {
    /** A value that the issuing source of a document needs and that was not read. */
    readonly document: {
      readonly evidenceId: string
      /** Name of the source for people. */
      readonly source: string
      readonly fields: readonly DetailName[]
    } | null
    /** The address, for a register of addresses, with the answers so far. */
    readonly address: AddressQuestion | null
  }
  readonly level: {
    readonly reached: string
    readonly confirmedFrom: string
    /**
     * The face is live, or an officer attended its capture; required to confirm, whatever level is reached. A face
     * with `needsStatement` needs the officer.
     */
    readonly presenceShown: boolean
    /**
     * The submissions that are still missing for the confirmed level; empty: none, or the level cannot be
     * reached.
     */
    readonly needs: LevelView['upgradePaths'][string]
  }
  /** A check is running: ask again in a second. */
  readonly checking: boolean
  /** All checks are done, and the visit may be ended. */
  readonly mayFinish: boolean
  readonly camera: { readonly available: boolean }
  /** Such a face counts by the officer's statement. */
  readonly officerTakes: { readonly withoutColours: boolean; readonly withoutTurning: boolean }
  readonly result: AssistResult | null
}

export interface AssistResult {
  readonly outcome: 'CONFIRMED' | 'NOT_CONFIRMED' | 'PERSON'
  readonly reference: string
  readonly code: string
  readonly qr: QrCode
  readonly issuedAt: string
}

export interface ConsentState {
  /** WAITING: the question is on the applicant's display. */
  readonly state: 'NEEDED' | 'WAITING' | 'GIVEN' | 'REFUSED'
  readonly required: readonly ConsentType[]
  readonly optional: readonly ConsentType[]
  readonly given: readonly ConsentType[]
  /** Asked, and answered with no. A type in neither list was not asked. */
  readonly refused: readonly ConsentType[]
  readonly display: 'SECOND' | 'TURNED' | 'KIOSK' | null
  /** Id of the officer who was present. */
  readonly attendedBy: string | null
}

export interface AssistEvidence {
  readonly evidenceId: string
  readonly type: string
  readonly status: EvidenceStatus
  /** A capture is open and has no picture yet, so there is nothing to check. */
  readonly awaitsPicture: boolean
  /**
   * Guidance codes of ux section 2, most important first, only the deciding one for a document; empty if
   * nothing is wrong.
   */
  readonly guidance: readonly string[]
  /** The field of the document that the guidance names. */
  readonly guidanceField: string | null
  readonly images: readonly ImageView[]
  readonly values: readonly DataValue[]
  /** Captured documents only: the values read beside the typed ones. */
  readonly compared: readonly ComparedRow[]
  /** Null: no reader of this machine may read a chip of it. */
  readonly chip: ChipQuestion | null
  /**
   * The officer of this visit captured it; otherwise it was captured before, at a kiosk, and may be inspected
   * but not attested. So may a document from a file.
   */
  readonly capturedHere: boolean
  /** The reasons for an unusual capture that the officer gave before it began. */
  readonly exceptions: readonly ExceptionReason[]
  /** A picture file: it shows no living person, and not where a document was. No officer attests it. */
  readonly fromFile: boolean
  /** An officer took this face in place of the machine: it counts by the statement (`attendance`) alone. */
  readonly needsStatement: boolean
  readonly attendance: AttendanceView | null
  /** For this type of document; null: there is nothing to handle. */
  readonly checklist: Checklist | null
}

/** resources/attended.json */
export interface Checklist {
  /** Type of document; `*`: any. */
  readonly type: string
  readonly features: readonly {
    readonly id: string
    /** ESSENTIAL: required for a tactile check. APART: a check of its own, like the chip symbol. */
    readonly weight: 'ESSENTIAL' | 'FURTHER' | 'APART'
    /** The required tool: hand, lamp at an angle, UV lamp, magnifier, eye. */
    readonly tool: 'HAND' | 'LIGHT' | 'UV' | 'MAGNIFIER' | 'EYE'
  }[]
}

export const ConsentDisplayBody = z.strictObject({
  /**
   * SECOND: another display or window in front of the applicant. TURNED: this screen, turned to the
   * applicant.
   */
  display: z.enum(['SECOND', 'TURNED']),
  language,
})
export type ConsentDisplayBody = z.infer<typeof ConsentDisplayBody>

export interface ConsentDisplay {
  /**
   * Opens the question once. It goes behind `#`, so that no log contains it: `/counter/#/display/{token}`.
   */
  readonly token: string
  readonly expiresAt: string
}

export interface ConsentQuestion {
  readonly language: string
  /** Null: no organisation is configured on this machine. */
  readonly organisation: string | null
  readonly required: readonly ConsentType[]
  readonly optional: readonly ConsentType[]
  /** The sources that each consent permits to ask, with the values that each receives. */
  readonly disclosures: Disclosures
  readonly retention: RetentionPromise
}

export const ConsentGiven = z.strictObject({
  approved: z.boolean(),
  optional: z.array(z.enum(CONSENT_TYPES)).max(20).default([]),
  presentation: z.strictObject({ language, readAll: z.boolean(), listened: z.boolean() }),
})
export type ConsentGiven = z.input<typeof ConsentGiven>

export const DocumentWish = z.strictObject({
  country: z.string().regex(/^[A-Z]{3}$/),
  documentType: z.enum(DOCUMENT_TYPES),
})
export type DocumentWish = z.infer<typeof DocumentWish>

export const PhotoBody = z.strictObject({ side: z.enum(DOCUMENT_SIDES) })
export interface CounterPhoto {
  readonly photoId: string
  readonly side: DocumentSide
  readonly href: string
}
export const PhotosBody = DocumentWish.extend({ front: z.uuid(), back: z.uuid().optional() })
export type PhotosBody = z.infer<typeof PhotosBody>

const text = z.string().trim().min(1).max(200)
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
/** A document that no camera could read: typed by the officer who holds it. */
export const TypedDocumentBody = z.strictObject({
  documentType: z.enum(DOCUMENT_TYPES),
  country: z.string().regex(/^[A-Z]{3}$/),
  state: z.string().trim().min(1).max(10).optional(),
  number: z.string().trim().min(1).max(50),
  issued: day.optional(),
  expires: day.optional(),
  givenNames: z.array(text).min(1).max(10),
  surname: text,
  birthDate: day,
})
export type TypedDocumentBody = z.infer<typeof TypedDocumentBody>

/** Single values that could not be read. */
export const TypedAttributesBody = z
  .strictObject({
    givenNames: z.array(text).min(1).max(10).optional(),
    surname: text.optional(),
    birthDate: day.optional(),
    nationality: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .optional(),
  })
  .refine((values) => Object.values(values).some((value) => value !== undefined))
export type TypedAttributesBody = z.infer<typeof TypedAttributesBody>

/** Reasons for an unusual capture. They override no finding. */
export const EXCEPTION_REASONS = [
  'NO_HAND', // the applicant cannot hold the document
  'CANNOT_TURN', // the head
  'CANNOT_LOOK', // at the lens, or at colours
  'VEIL_PRIVATE_ROOM',
  'SAME_SEX_STAFF',
  'HELPER_PRESENT',
  'DOCUMENT_TOO_WORN',
  'CAMERA_DOES_NOT_SUIT',
] as const
export type ExceptionReason = (typeof EXCEPTION_REASONS)[number]
const exceptions = z.array(z.enum(EXCEPTION_REASONS)).max(EXCEPTION_REASONS.length).default([])

/** A session without turns or colours needs a reason; the level depends on the type that was used. */
export const PortraitBody = z.strictObject({
  withoutColours: z.boolean().default(false),
  withoutTurning: z.boolean().default(false),
  exceptions,
})
export type PortraitBody = z.input<typeof PortraitBody>

/** `can`: the card access number that the officer typed. */
export const ChipBody = z.strictObject({ evidenceId: z.uuid(), can: CardAccessNumber })
export type ChipBody = z.input<typeof ChipBody>

export const AttendanceBody = z.strictObject({
  /** "I was there when it was captured, and saw the person." Only the capturing officer may state it. */
  present: z.boolean(),
  /**
   * For a document captured in the officer's absence: "The document in my hands is the one in the pictures."
   */
  sameDocument: z.boolean().default(false),
  /** "I handled the document": maps each feature to the officer's answer. Empty for a portrait. */
  answers: z.record(z.string().regex(/^[A-Z][A-Z_]{2,40}$/), z.enum(FEATURE_ANSWERS)).default({}),
  exceptions,
})
export type AttendanceBody = z.input<typeof AttendanceBody>

export const FinishBody = z.strictObject({
  /** The officer knows that sealing now confirms no person. Without it such a visit is not sealed. */
  notConfirmed: z.boolean().default(false),
})
export type FinishBody = z.input<typeof FinishBody>

export const StopBody = z.strictObject({
  reason: z.enum(['PERSON_LEFT', 'PERSON_STOPPED', 'CANNOT_BE_DONE']),
})
export type StopBody = z.infer<typeof StopBody>

/**
 * From supported-evidence: GET assist/countries → { countries: AssistCountry[] }. The page has the names; in
 * test mode Utopia is included.
 */
export interface AssistCountry {
  readonly iso3: string
  /** For the name in the page's language; null: the page shows the three-letter code. */
  readonly iso2: string | null
  readonly documents: readonly { readonly type: DocumentType; readonly sides: readonly DocumentSide[] }[]
}
