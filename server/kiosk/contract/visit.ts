/**
 * The contract between the screens and their server. The server decides the next step; the page draws it. The
 * page gets states and advice only: scores, levels and verdicts stay on the server.
 *
 * The contract of /kiosk/api. Every call that changes something answers VisitView (POST session and PUT
 * session/language, too), with these exceptions: DELETE session, a refused consent and POST notes answer 204,
 * and document/session and portrait/session answer OpenedCapture. GET visit answers 204 if there is no visit.
 * check/crop/{name} is an image. Failures are problem documents. The page has texts for `unauthorized` (the
 * session is over), `visit_taken_over`, `transition_refused` (the visit is at another step: GET visit),
 * `proofings_frozen`, `rate_limited`, `otp_attempts_reached`, `unsupported_image`, `unreadable_image`,
 * `upload_too_large`, `authorization_server_unavailable`, `validation_failed`.
 */
import type { BrandView } from '../../brand/contract.ts'
import type { CameraEdge } from '../../config/screens.ts'
import {
  CardAccessNumber,
  StatedAnswer,
  type DetailName,
  type StatedCheck,
} from '../../api/contract/stated.ts'
import type { Disclosures, ValueName } from '../../proofing/disclosure.ts'
import type { RetentionPromise } from '../../proofing/retention.ts'
import type { AddressFields, AddressWord } from '../../proofing/typed-address.ts'
import { z } from 'zod'
import { DOCUMENT_TYPES } from '../../proofing/types.ts'
import type { ConsentType, DocumentSide, DocumentType, LivenessType } from '../../proofing/types.ts'
import type { PageFieldName } from '../../proofing/visual-zone/page-facts.ts'
import type { ReadingPart } from '../../workflows/capture/read-chip.ts'
import type { ChipDocumentType } from '../../workflows/capture/find-chip-question.ts'
import type { GuidanceCode } from './guidance-codes.ts'
import type { Journey, StepKind } from './journey.ts'

export const TENANT_MODES = ['test', 'production'] as const
export type TenantMode = (typeof TENANT_MODES)[number]

/** Configured size of the screen, and place of the face camera beside it. */
export interface DisplayView {
  /** The page works in millimetres. */
  readonly diagonalInch: number
  /** `atPercent`: along the edge, from the left or from the top, as the applicant sees it. */
  readonly camera: { readonly edge: CameraEdge; readonly atPercent: number }
}

/** GET journey: what the page needs before the first touch. */
export interface JourneyView extends Pick<
  Journey,
  'id' | 'version' | 'languages' | 'texts' | 'idleSeconds' | 'receipt'
> {
  /**
   * The receiver of the result: from the journey, else the brand, else the tenant's name; null: none is
   * configured.
   */
  readonly organisation: string | null
  /** How long a visit usually takes. */
  readonly minutes: number
  /** The brand of the screens; null: none. */
  readonly brand: BrandView | null
  readonly mode: TenantMode
  readonly display: DisplayView
  /** The name of this machine for staff. */
  readonly kiosk: string
  /**
   * The page is the kiosk's own window: the applicant has no files on this machine and cannot connect a
   * camera.
   */
  readonly ownWindow: boolean
}

/** GET visit, and the answer of every call that changes the visit. */
export interface VisitView {
  /** Assigned with the consent; staff find the case by it. */
  readonly reference: string | null
  /** Stored in the session: a page that is reloaded during a visit keeps the language. */
  readonly language: string
  /**
   * The steps to show, in order, RESULT at the end; `index` counts from 0 and is RESULT's during WAITING.
   * `undone`: earlier steps that were skipped, or that an officer has to finish.
   */
  readonly position: {
    readonly steps: readonly StepKind[]
    readonly index: number
    readonly undone: readonly StepKind[]
  }
  readonly step: StepView
  /**
   * A message to show once above the present step: the evidence is kept, and an officer examines it. No
   * reason is given. CHIP_READ: the applicant takes the document from the reader. ISSUER_ANSWERED and ISSUER_SILENT follow the question about the document. BEGINS_ANEW: the machine was restarted and lost the progress of this step; the steps
   * before are kept.
   */
  readonly notice:
    | 'DOCUMENT_TO_PERSON'
    | 'PORTRAIT_TO_PERSON'
    | 'CHIP_READ'
    | 'ISSUER_ANSWERED'
    | 'ISSUER_SILENT'
    | 'BEGINS_ANEW'
    | null
  readonly help: HelpView
  /** Staff have taken the visit over: the kiosk has nothing more to do. */
  readonly takenOver: boolean
}

export interface HelpView {
  readonly asked: boolean
  /** An officer has a screen open that shows the call. */
  readonly seen: boolean
  /** The officer's answer. */
  readonly answer: 'COMING' | 'TWO_MINUTES' | 'GO_TO_COUNTER' | null
  /** Whole minutes since that answer; null before it. */
  readonly minutes: number | null
}

export type StepView =
  | ConsentStep
  | TrustedLoginStep
  | PhoneStep
  | DocumentStep
  | CheckStep
  | ChipStep
  | DetailsStep
  | PortraitStep
  | WaitingStep
  | ResultStep

export interface ConsentStep {
  readonly kind: 'consent'
  /** Accepted or refused together. */
  readonly required: readonly ConsentType[]
  /** The page asks one question for each of these. */
  readonly optional: readonly ConsentType[]
  /** The sources that each consent permits to ask, with the values that each receives. */
  readonly disclosures: Disclosures
  readonly retention: RetentionPromise
}

export interface TrustedLoginStep {
  readonly kind: 'trusted-login'
  /** WAITING: the applicant is at the provider, on a phone. */
  readonly state: 'CHOOSE' | 'WAITING' | 'FAILED'
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly login: { readonly qr: QrCode; readonly expiresAt: string } | null
}

export interface PhoneStep {
  readonly kind: 'phone'
  /**
   * SENDING: given to the carrier · CODE: waiting for the digits · FAILED: no message can come, or no more
   * codes may be typed.
   */
  readonly state: 'NUMBER' | 'SENDING' | 'CODE' | 'FAILED'
  /** Like `+33 •• •• •• 42`. */
  readonly maskedNumber: string | null
  readonly digits: number
  readonly triesLeft: number
  /**
   * UTC: from then on POST phone with the same number sends another code; null: no more messages may be sent.
   */
  readonly sendAgainAt: string | null
  /** False: this hour's messages are used up for every number. */
  readonly mayChangeNumber: boolean
  /** The last code did not match. */
  readonly mismatch: boolean
  readonly mayBeSkipped: boolean
}

export interface DocumentStep {
  readonly kind: 'document'
  /** CHOOSE: by hand · CHECKING: the server has the pictures · AGAIN: other pictures are wanted. */
  readonly state: 'CHOOSE' | 'CAPTURE' | 'CHECKING' | 'AGAIN'
  /** Null: the appliance recognises the kind of document. */
  readonly choice: {
    readonly country: string
    readonly documentType: DocumentType
    readonly sides: readonly DocumentSide[]
  } | null
  /** The most important one; empty unless AGAIN. */
  readonly guidance: readonly GuidanceCode[]
  /** The field of the document that the guidance names: a key of `field.*`, never its value. */
  readonly guidanceField: PageFieldName | null
  readonly left: number
  readonly uploadAllowed: boolean
  /**
   * The side of the next file of document/file: each side is sent separately, and the last one submits them.
   */
  readonly fileWanted: DocumentSide
}

export const CHECK_FIELDS = [
  'name',
  'givenNames',
  'familyName',
  'birthDate',
  'documentNumber',
  'expiryDate',
  'issuingCountry',
  'nationality',
  'sex',
  'address',
] as const
export type CheckFieldName = (typeof CHECK_FIELDS)[number]

export interface CheckField {
  readonly name: CheckFieldName
  /**
   * The printed value. Dates are yyyy-MM-dd (unknown parts are 00), countries are ISO 3166-1 alpha-3. Null: the
   * document does not have this field.
   */
  readonly value: string | null
  /** The same value in its original script, if the document has both. */
  readonly original: { readonly value: string; readonly script: string } | null
  /** The applicant's correction; the evidence keeps its own value. */
  readonly typed: string | null
  readonly hardToRead: boolean
  /** `GET check/crop/{name}` has a picture of the line. */
  readonly hasCrop: boolean
  readonly editable: boolean
  /** The MRZ holds only the beginning of the name. */
  readonly shortened: boolean
}

export interface CheckStep {
  readonly kind: 'check'
  readonly fields: readonly CheckField[]
  readonly left: number
}

export interface ChipStep {
  readonly kind: 'chip'
  /**
   * READY: POST chip begins · CHECKING: the document is being verified · WAITING: for the document on the reader · READING · LOST: taken
   * away too early; the reading continues when it is back · KEY_REFUSED: the chip does not open with the MRZ, or with the typed number ·
   * FAILED: POST chip begins again.
   */
  readonly state: 'READY' | 'CHECKING' | 'WAITING' | 'READING' | 'LOST' | 'KEY_REFUSED' | 'FAILED'
  readonly documentType: ChipDocumentType
  readonly part: ReadingPart
  /** Share of the chip that is read, 0 to 1. */
  readonly progress: number
  /** Never null if FAILED. NO_DOCUMENT: none was placed · SEVERAL: two documents are there · UNREADABLE: this chip · READER: the machine's reader. */
  readonly fault: 'NO_DOCUMENT' | 'SEVERAL' | 'UNREADABLE' | 'READER' | null
  /** The document has a card access number, and POST chip may bring it. */
  readonly mayTypeCan: boolean
  readonly mayBeSkipped: boolean
}

/**
 * The questions of the step, in this order: a value of the document that its issuing source needs, and the address that a register of
 * addresses is asked about. POST skip leaves out the present one: its source is not asked then.
 */
export const DETAIL_QUESTIONS = ['DOCUMENT', 'ADDRESS'] as const
export type DetailQuestion = (typeof DETAIL_QUESTIONS)[number]

export type DetailsStep = DocumentDetailsStep | AddressStep

export interface DocumentDetailsStep {
  readonly kind: 'details'
  readonly question: 'DOCUMENT'
  /** Name of the source for people. */
  readonly source: string
  readonly fields: readonly DetailName[]
}

export interface AddressStep {
  readonly kind: 'details'
  readonly question: 'ADDRESS'
  /** CHECKING: the register is being asked · ANSWERED: until POST details/next, or another address. */
  readonly state: 'TYPE' | 'CHECKING' | 'ANSWERED'
  /** The countries whose addresses a register keeps; the one of the document first, if it is among them. */
  readonly countries: readonly AddressCountry[]
  /** The page begins with the fields of the first country. */
  readonly isFirstLikely: boolean
  /** How many further addresses may be asked about. */
  readonly left: number
  /** Null unless ANSWERED. */
  readonly answer: {
    /** Name of the register for people; null: none was asked. */
    readonly source: string | null
    readonly says: AddressWord
  } | null
}

export interface AddressCountry extends AddressFields {
  readonly iso3: string
  readonly iso2: string
  /** Null: the page knows the name. */
  readonly name: string | null
  /** The register that is asked, by its name for people, and the values that it may get. */
  readonly source: string
  readonly told: readonly ValueName[]
}

export interface PortraitStep {
  readonly kind: 'portrait'
  readonly state: 'READY' | 'CHECKING' | 'AGAIN'
  readonly guidance: readonly GuidanceCode[]
  readonly left: number
  /** The type that results from the wish. */
  readonly livenessType: LivenessType
  /** The wish of the last try: the next one has the same type. */
  readonly wish: { readonly withoutColours: boolean; readonly withoutTurning: boolean }
  /**
   * HERE: another session without it · COUNTER: an officer at the counter takes the picture · null: not
   * offered.
   */
  readonly withoutColours: 'HERE' | 'COUNTER' | null
  readonly withoutTurning: 'HERE' | 'COUNTER' | null
  readonly uploadAllowed: boolean
  /** Two consecutive tries were unsuccessful: the tips come first. */
  readonly tipsFirst: boolean
}

export interface WaitingStep {
  readonly kind: 'waiting'
  /** All checks are done: POST finish. An applicant who does not want to wait may call it earlier. */
  readonly ready: boolean
  /** The checks of this visit with their real states, in this order. */
  readonly rows: readonly {
    readonly name: 'document' | 'portrait' | 'phone' | 'trusted-login' | 'seal'
    readonly state: 'TODO' | 'DOING' | 'DONE'
  }[]
  /** The applicant may leave; the result follows. */
  readonly mayLeave: boolean
}

/**
 * CONFIRMED · PERSON: an officer at the counter decides · LATER: still being checked when the applicant left.
 */
export type Outcome = 'CONFIRMED' | 'PERSON' | 'LATER'

/** POST finish closes the visit at the kiosk; a repeated call returns the same. */
export interface Receipt {
  /**
   * Eight characters in two groups, for example 7K4P-2M9X; it contains no personal data and opens nothing.
   */
  readonly reference: string
  /**
   * Fifteen characters in three groups: the only way to continue this visit at a counter. Stored as a keyed
   * hash.
   */
  readonly code: string
  /** Contains only reference and code. */
  readonly qr: QrCode
  /** Local time of the machine, yyyy-MM-ddTHH:mm. */
  readonly issuedAt: string
}

export interface ResultStep {
  readonly kind: 'result'
  readonly outcome: Outcome
  readonly receipt: Receipt
  /** Pictures of this visit are kept: the counter need not begin again. */
  readonly isCaptured: boolean
  /** The central service cannot be reached now: the proof is sent later, and a text says so. */
  readonly offline: boolean
}

/** Rows of a QR code from the top, one character per module: '1' is dark. Without the quiet zone. */
export interface QrCode {
  readonly rows: readonly string[]
}

// Requests ------------------------------------------------------------------------------------------------------------

const language = z.string().min(2).max(35)

/** POST window: answers 204 and the window's cookie, without which every other call is `window_refused`. */
export const WindowSecret = z.strictObject({ secret: z.string().min(1).max(100) })
export type WindowSecret = z.infer<typeof WindowSecret>

/** POST session, PUT session/language. */
export const SessionStart = z.strictObject({ language })
export type SessionStart = z.infer<typeof SessionStart>

/** Reason in DELETE session?why=, for the statistics. */
export const LeavingReason = z.enum(['STOPPED', 'WALKED_AWAY', 'RESTARTED', 'FINISHED'])
export type LeavingReason = z.infer<typeof LeavingReason>

/** POST consent. */
export const ConsentAnswer = z.strictObject({
  approved: z.boolean(),
  /** The types of `optional` that were accepted. */
  optional: z.array(z.string().max(40)).max(20).default([]),
  presentation: z.strictObject({ language, readAll: z.boolean(), listened: z.boolean() }).optional(),
})
export type ConsentAnswer = z.input<typeof ConsentAnswer>

/**
 * POST document/choice. DELETE document/choice asks for another choice; DELETE document/kind lets the
 * appliance recognise the kind.
 */
export const DocumentChoice = z.strictObject({
  /** One of GET countries, with one of its documents. */
  country: z.string().regex(/^[A-Z]{3}$/),
  documentType: z.enum(DOCUMENT_TYPES),
})
export type DocumentChoice = z.infer<typeof DocumentChoice>

/**
 * Answer of POST document/session and portrait/session. Its id opens `/capture/sessions/{sessionId}` for the capture
 * component.
 */
export interface OpenedCapture {
  readonly sessionId: string
  readonly sides: readonly DocumentSide[]
  /** UTC. */
  readonly expiresAt: string
}

/** POST portrait/session. */
export const PortraitWish = z.strictObject({
  withoutColours: z.boolean().default(false),
  withoutTurning: z.boolean().default(false),
})
export type PortraitWish = z.input<typeof PortraitWish>

/**
 * POST check: field → the applicant's correction. Empty: all values are right. POST check/retake repeats the
 * document.
 */
export const CheckAnswer = z.strictObject({
  corrections: z.partialRecord(z.enum(CHECK_FIELDS), z.string().min(1).max(200)).default({}),
})
export type CheckAnswer = z.input<typeof CheckAnswer>

/** POST details answers the present question; POST details/check with the same body answers DetailsCheck and stores nothing. */
export const DetailsAnswer = StatedAnswer
export type DetailsAnswer = StatedAnswer
export type DetailsCheck = StatedCheck

/** POST chip. `can`: the card access number that the applicant typed. */
export const ChipStart = z.strictObject({ can: CardAccessNumber })
export type ChipStart = z.input<typeof ChipStart>

/** POST phone. International format: +, country code, number. */
export const PhoneNumber = z.strictObject({ number: z.string().regex(/^\+[1-9][0-9]{6,14}$/) })
export type PhoneNumber = z.infer<typeof PhoneNumber>

/** POST phone/code. */
export const PhoneCode = z.strictObject({ code: z.string().regex(/^[0-9]{4,10}$/) })
export type PhoneCode = z.infer<typeof PhoneCode>

/** POST trusted-login. */
export const ProviderChoice = z.strictObject({ id: z.string().min(1).max(100) })
export type ProviderChoice = z.infer<typeof ProviderChoice>

/** POST skip: skips this step if the journey allows it; `person`: an officer is to finish it, and sees why. */
export const SkipStep = z.strictObject({
  step: z.enum(['trusted-login', 'phone', 'document', 'chip', 'details', 'portrait']),
  person: z.boolean().default(false),
  because: z.enum(['CHOSEN', 'CANNOT_TURN', 'NO_COLOURS']).default('CHOSEN'),
})
export type SkipStep = z.input<typeof SkipStep>

/** POST notes: the advice that was shown, for the branch's charts; codes of closed lists only. */
export const ScreenNotes = z.strictObject({
  notes: z
    .array(
      z.strictObject({
        kind: z.enum(['GUIDANCE', 'FAULT']),
        code: z.string().regex(/^[A-Z][A-Z_]{1,40}$/),
      }),
    )
    .min(1)
    .max(50),
})
export type ScreenNotes = z.infer<typeof ScreenNotes>

/** GET countries. The page has the names (Intl.DisplayNames), except for Utopia. */
export interface CountryView {
  readonly iso3: string
  /** XX for a country that does not exist. */
  readonly iso2: string
  /** Null: the page knows the name. In test mode the list includes Utopia, whose specimens are used. */
  readonly name: string | null
  readonly first: boolean
  readonly documents: readonly DocumentType[]
}
