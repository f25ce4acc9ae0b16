/**
 * What the screens and their server say to each other. The server decides which step is next; the page draws it.
 * States and advice alone: scores, levels and verdicts stay on the server's side.
 *
 * Under /kiosk/api. Every call that changes something answers VisitView (POST session and PUT session/language, too), but:
 * DELETE session, a consent that was refused and POST notes answer 204, and document/session and portrait/session answer
 * OpenedCapture. GET visit answers 204 where there is none: nobody is at the screen. check/crop/{name} is an image. Failures are
 * problem documents; the ones a page has words for: `unauthorized` (no session any more), `visit_taken_over`,
 * `transition_refused` (the visit is elsewhere: GET visit), `proofings_frozen`, `rate_limited`,
 * `otp_attempts_reached`, `unsupported_image`, `unreadable_image`, `upload_too_large`,
 * `authorization_server_unavailable`, `validation_failed`.
 */
import type { BrandView } from '../../brand/contract.ts'
import type { CameraEdge } from '../../config/screens.ts'
import type { RetentionPromise } from '../../proofing/retention.ts'
import { z } from 'zod'
import { DOCUMENT_TYPES } from '../../proofing/types.ts'
import type { ConsentType, DocumentSide, DocumentType, LivenessType } from '../../proofing/types.ts'
import type { PageFieldName } from '../../proofing/visual-zone/page-facts.ts'
import type { GuidanceCode } from './guidance-codes.ts'
import type { Journey, StepKind } from './journey.ts'

export const TENANT_MODES = ['test', 'production'] as const
export type TenantMode = (typeof TENANT_MODES)[number]

/** Of the configuration: how large the screen is, and where the face's camera stands beside it. */
export interface DisplayView {
  /** The page works in millimetres. */
  readonly diagonalInch: number
  /** `atPercent`: along the edge, from the left or from the top, as the person sees it. */
  readonly camera: { readonly edge: CameraEdge; readonly atPercent: number }
}

/** GET journey: what the page needs before anybody has touched it. */
export interface JourneyView extends Pick<
  Journey,
  'id' | 'version' | 'languages' | 'texts' | 'idleSeconds' | 'receipt'
> {
  /** Who receives the result: of the journey, else of the brand, else the tenant's name; null: none was ever given. */
  readonly organisation: string | null
  /** Whose face the screens wear; null: nobody's. */
  readonly brand: BrandView | null
  readonly mode: TenantMode
  readonly display: DisplayView
  /** Name of this machine as staff know it. */
  readonly kiosk: string
  /** A kiosk's own window: whoever stands there has no files on this machine, and no camera to connect. */
  readonly ownWindow: boolean
}

/** GET visit, and the answer of every call that changes the visit. */
export interface VisitView {
  /** From the consent on; staff find the case by it. */
  readonly reference: string | null
  /** Of the session: a page that is loaded again in the middle of a visit continues in it. */
  readonly language: string
  /**
   * Steps that will be seen, in order, RESULT at the end; `index` counts from 0, of WAITING it is RESULT's. Skipped ones are left
   * out. `undone`: those behind the present one that a person is to finish.
   */
  readonly position: {
    readonly steps: readonly StepKind[]
    readonly index: number
    readonly undone: readonly StepKind[]
  }
  readonly step: StepView
  /**
   * To be told once, above the present step: what was handed in is kept, and somebody at the counter looks at it. No
   * reason is given. BEGINS_ANEW: the machine itself was started again, half of this step with it; the steps before stand.
   */
  readonly notice: 'DOCUMENT_TO_PERSON' | 'PORTRAIT_TO_PERSON' | 'BEGINS_ANEW' | null
  readonly help: HelpView
  /** Staff have taken the visit over: nothing more to do here. */
  readonly takenOver: boolean
}

export interface HelpView {
  readonly asked: boolean
  /** A screen of the staff is open that shows the call. */
  readonly seen: boolean
  /** What staff answered. */
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
  | PortraitStep
  | WaitingStep
  | ResultStep

export interface ConsentStep {
  readonly kind: 'consent'
  /** Said yes or no to as one. */
  readonly required: readonly ConsentType[]
  /** One question each. */
  readonly optional: readonly ConsentType[]
  readonly retention: RetentionPromise
}

export interface TrustedLoginStep {
  readonly kind: 'trusted-login'
  /** WAITING: the person is at the provider, on the own phone. */
  readonly state: 'CHOOSE' | 'WAITING' | 'FAILED'
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly login: { readonly qr: QrCode; readonly expiresAt: string } | null
}

export interface PhoneStep {
  readonly kind: 'phone'
  /** SENDING: handed to the carrier · CODE: wait for the digits · FAILED: none can come, or no more be typed in. */
  readonly state: 'NUMBER' | 'SENDING' | 'CODE' | 'FAILED'
  /** Like `+33 •• •• •• 42`. */
  readonly maskedNumber: string | null
  readonly digits: number
  readonly triesLeft: number
  /** UTC: from then on POST phone with the same number sends another code; null: no further message may be sent. */
  readonly sendAgainAt: string | null
  /** False: this hour's messages are used up, for whatever number. */
  readonly mayChangeNumber: boolean
  /** The last code did not match. */
  readonly mismatch: boolean
  readonly mayBeSkipped: boolean
}

export interface DocumentStep {
  readonly kind: 'document'
  /** CHOOSE: by hand · CHECKING: the pictures are with the server · AGAIN: other ones are wanted. */
  readonly state: 'CHOOSE' | 'CAPTURE' | 'CHECKING' | 'AGAIN'
  /** Null: the document tells its own kind. */
  readonly choice: {
    readonly country: string
    readonly documentType: DocumentType
    readonly sides: readonly DocumentSide[]
  } | null
  /** The one that decides; empty unless AGAIN. */
  readonly guidance: readonly GuidanceCode[]
  /** Of the document, which that guidance names: a key of `field.*`. Never its value. */
  readonly guidanceField: PageFieldName | null
  readonly left: number
  readonly uploadAllowed: boolean
  /** Which side the next file of document/file shows: each by itself, the last one hands them in. */
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
  /** As printed; dates as yyyy-MM-dd (unknown parts 00), countries as ISO 3166-1 alpha-3. Null: not on this document. */
  readonly value: string | null
  /** The same in its own script, where the document has both. */
  readonly original: { readonly value: string; readonly script: string } | null
  /** What the person typed; the evidence keeps its own value. */
  readonly typed: string | null
  readonly hardToRead: boolean
  /** `GET check/crop/{name}` has a picture of the line. */
  readonly hasCrop: boolean
  readonly editable: boolean
  /** The zone holds only the beginning of the name. */
  readonly shortened: boolean
}

export interface CheckStep {
  readonly kind: 'check'
  readonly fields: readonly CheckField[]
  readonly left: number
}

export interface PortraitStep {
  readonly kind: 'portrait'
  readonly state: 'READY' | 'CHECKING' | 'AGAIN'
  readonly guidance: readonly GuidanceCode[]
  readonly left: number
  /** By the wish. */
  readonly livenessType: LivenessType
  /** Of the last try: another one is of the same kind. */
  readonly wish: { readonly withoutColours: boolean; readonly withoutTurning: boolean }
  readonly mayAvoidColours: boolean
  readonly mayAvoidTurning: boolean
  readonly uploadAllowed: boolean
  /** Two tries in a row came to nothing: the tips come first. */
  readonly tipsFirst: boolean
}

export interface WaitingStep {
  readonly kind: 'waiting'
  /** Nothing is being checked any more: POST finish. It may be called before, by somebody who does not want to wait. */
  readonly ready: boolean
  /** What is really continuing, in this order; what is not part of this visit has no row. */
  readonly rows: readonly {
    readonly name: 'document' | 'portrait' | 'phone' | 'trusted-login' | 'seal'
    readonly state: 'TODO' | 'DOING' | 'DONE'
  }[]
  /** The person may go; the result follows. */
  readonly mayLeave: boolean
}

/** CONFIRMED · PERSON: somebody at the counter decides · LATER: still being checked when the person left. */
export type Outcome = 'CONFIRMED' | 'PERSON' | 'LATER'

/** POST finish closes the visit for the kiosk; asked again it says the same. */
export interface Receipt {
  /** Eight characters in two groups, for example 7K4P-2M9X; says nothing about the person and opens nothing. */
  readonly reference: string
  /** Fifteen characters in three groups: with it, and only with it, a counter continues with this visit. Kept as a keyed hash. */
  readonly code: string
  /** Holds reference and code, nothing else. */
  readonly qr: QrCode
  /** Local time of the machine, yyyy-MM-ddTHH:mm. */
  readonly issuedAt: string
}

export interface ResultStep {
  readonly kind: 'result'
  readonly outcome: Outcome
  readonly receipt: Receipt
  /** The central service cannot be reached now: what was found goes there later, and a soft sentence says so. */
  readonly offline: boolean
}

/** Rows of a QR code from the top, one character a module: '1' is dark. Without the quiet zone. */
export interface QrCode {
  readonly rows: readonly string[]
}

// Requests ------------------------------------------------------------------------------------------------------------

const language = z.string().min(2).max(35)

/** POST window: answered with 204 and the window's cookie, without which every other call is `window_refused`. */
export const WindowSecret = z.strictObject({ secret: z.string().min(1).max(100) })
export type WindowSecret = z.infer<typeof WindowSecret>

/** POST session, PUT session/language. */
export const SessionStart = z.strictObject({ language })
export type SessionStart = z.infer<typeof SessionStart>

/** DELETE session?why= : for the counts. */
export const LeavingReason = z.enum(['STOPPED', 'WALKED_AWAY', 'RESTARTED', 'FINISHED'])
export type LeavingReason = z.infer<typeof LeavingReason>

/** POST consent. */
export const ConsentAnswer = z.strictObject({
  approved: z.boolean(),
  /** Types of `optional` that were said yes to. */
  optional: z.array(z.string().max(40)).max(20).default([]),
  presentation: z.strictObject({ language, readAll: z.boolean(), listened: z.boolean() }).optional(),
})
export type ConsentAnswer = z.input<typeof ConsentAnswer>

/** POST document/choice; DELETE asks for another choice, DELETE document/kind lets the document tell its own kind. */
export const DocumentChoice = z.strictObject({
  /** One of GET countries, with one of its documents. */
  country: z.string().regex(/^[A-Z]{3}$/),
  documentType: z.enum(DOCUMENT_TYPES),
})
export type DocumentChoice = z.infer<typeof DocumentChoice>

/** POST document/session and portrait/session: the id opens `/capture/sessions/{sessionId}` for the capture component. */
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

/** POST check: field → what the person typed. Empty: all is right. POST check/retake begins the document again. */
export const CheckAnswer = z.strictObject({
  corrections: z.partialRecord(z.enum(CHECK_FIELDS), z.string().min(1).max(200)).default({}),
})
export type CheckAnswer = z.input<typeof CheckAnswer>

/** POST phone. International form: +, country code, number. */
export const PhoneNumber = z.strictObject({ number: z.string().regex(/^\+[1-9][0-9]{6,14}$/) })
export type PhoneNumber = z.infer<typeof PhoneNumber>

/** POST phone/code. */
export const PhoneCode = z.strictObject({ code: z.string().regex(/^[0-9]{4,10}$/) })
export type PhoneCode = z.infer<typeof PhoneCode>

/** POST trusted-login. */
export const ProviderChoice = z.strictObject({ id: z.string().min(1).max(100) })
export type ProviderChoice = z.infer<typeof ProviderChoice>

/** POST skip: this step is left out, where the journey allows it; `person`: somebody else is to finish it. */
export const SkipStep = z.strictObject({
  step: z.enum(['trusted-login', 'phone', 'document', 'portrait']),
  person: z.boolean().default(false),
})
export type SkipStep = z.input<typeof SkipStep>

/** POST notes: which advice was shown, for the branch's charts; codes of closed lists only. */
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

/** GET countries. Names are the page's (Intl.DisplayNames), but where there is no such country. */
export interface CountryView {
  readonly iso3: string
  /** Of no country that exists: XX. */
  readonly iso2: string
  /** Null: the page has it. In test mode Utopia is there, whose specimens are shown. */
  readonly name: string | null
  readonly first: boolean
  readonly documents: readonly DocumentType[]
}
