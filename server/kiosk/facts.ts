/** Defines the facts of one visit besides the identity: plain values that determine the present step. */
import type { DocumentSide, DocumentType, Upload } from '../proofing/types.ts'
import type { DetailQuestion, Receipt, Outcome } from './contract/visit.ts'
import type { StepKind } from './contract/journey.ts'
import { NO_WISH, type LivenessWish } from './liveness-wish.ts'

export type CaptureStepName = 'document' | 'portrait'

/** Evidence from a capture session or a file. */
export interface Attempt {
  readonly evidenceId: string
  /** Null: from a file. */
  readonly sessionId: string | null
}

export interface CaptureFacts {
  /** The newest attempt. */
  readonly current: Attempt | null
  /** Number of earlier submissions that were judged. */
  readonly spent: number
  /** Number of consecutive tries up to now that ended as `missed` (capture-state.ts). */
  readonly misses: number
  /** Number of sessions and files so far, whatever their result. */
  readonly opened: number
}

export interface DocumentChoiceFacts {
  readonly country: string
  readonly documentType: DocumentType
  readonly sides: readonly DocumentSide[]
}

interface PhoneFacts {
  /** Number of wrong codes since the last message. */
  readonly wrong: number
  /** Times of the messages of this visit. */
  readonly sentAt: readonly Date[]
  /** True if the number has had all messages of this hour, from this visit or others. */
  readonly exhausted: boolean
  /** The applicant wants to type another number. */
  readonly askAgain: boolean
}

interface LoginFacts {
  readonly evidenceId: string
  readonly url: string
  readonly expiresAt: Date
}

export interface VisitFacts {
  readonly consented: boolean
  /** Steps that the applicant skipped. */
  readonly skipped: readonly StepKind[]
  /** True if an officer must finish the visit: the kiosk shows no further step. */
  readonly toPerson: boolean
  /** Steps that were shown. They stay in the list of steps even if their conditions are false later. */
  readonly seen: readonly StepKind[]
  readonly document: CaptureFacts
  /** Chosen by hand; null: the appliance recognises the kind of document. */
  readonly choice: DocumentChoiceFacts | null
  /** The applicant is choosing by hand. */
  readonly isChoosing: boolean
  /** A front from a file, until its back comes. */
  readonly heldFront: Upload | null
  readonly portrait: CaptureFacts
  /** The wish of the newest liveness session. */
  readonly portraitWish: LivenessWish
  /** The evidence whose values the applicant has checked. */
  readonly checkedId: string | null
  /** The evidence for which the applicant has typed what its issuing source needs. */
  readonly detailedId: string | null
  /** The newest address that the applicant typed. `isOver`: the applicant has gone on from its answer. */
  readonly address: { readonly evidenceId: string; readonly isOver: boolean } | null
  /** Questions of the step details that the applicant left out. */
  readonly leftOut: readonly DetailQuestion[]
  /** How many card access numbers the applicant has typed. */
  readonly typedCans: number
  readonly phone: PhoneFacts
  readonly login: LoginFacts | null
  readonly outcome: Outcome | null
  readonly receipt: Receipt | null
  /** Ids of evidence whose end was recorded, so that no try is counted twice. */
  readonly told: readonly string[]
  /**
   * A restart of the server lost the progress of this step: it begins again, and the page says so until the
   * next act.
   */
  readonly beginsAnew: CaptureStepName | null
}

const NO_CAPTURE: CaptureFacts = { current: null, spent: 0, misses: 0, opened: 0 }

export const NEW_VISIT: VisitFacts = {
  consented: false,
  skipped: [],
  toPerson: false,
  seen: [],
  document: NO_CAPTURE,
  choice: null,
  isChoosing: false,
  heldFront: null,
  portrait: NO_CAPTURE,
  portraitWish: NO_WISH,
  checkedId: null,
  detailedId: null,
  address: null,
  leftOut: [],
  typedCans: 0,
  phone: { wrong: 0, sentAt: [], exhausted: false, askAgain: false },
  login: null,
  outcome: null,
  receipt: null,
  told: [],
  beginsAnew: null,
}
