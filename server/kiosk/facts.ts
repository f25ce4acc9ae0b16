/** What one visit knows of itself beside the identity: plain values, from which the present step follows. No behaviour. */
import type { ConsentType, DocumentSide, DocumentType, Upload } from '../proofing/types.ts'
import type { Receipt, Outcome } from './contract/visit.ts'
import type { StepKind } from './contract/journey.ts'
import type { LivenessWish } from './liveness-wish.ts'

export type CaptureStepName = 'document' | 'portrait'

/** A piece of evidence that a capture session or a file stands behind. */
export interface Attempt {
  readonly evidenceId: string
  /** Null: a file. */
  readonly sessionId: string | null
}

export interface CaptureFacts {
  /** The newest. */
  readonly current: Attempt | null
  /** Pictures that were handed in and judged before it. */
  readonly spent: number
  /** Of those, in a row, the last ones that came to nothing. */
  readonly misses: number
  /** Sessions and files so far, whatever came of them. */
  readonly opened: number
}

export interface DocumentChoiceFacts {
  readonly country: string
  readonly documentType: DocumentType
  readonly sides: readonly DocumentSide[]
}

export interface PhoneFacts {
  /** Evidence that the wrong codes belong to. */
  readonly wrong: number
  /** When messages were sent in this visit. */
  readonly sentAt: readonly Date[]
  /** This hour's messages of the number are used up, by this visit or others. */
  readonly exhausted: boolean
  /** The person wants to type another number. */
  readonly askAgain: boolean
}

export interface LoginFacts {
  readonly evidenceId: string
  readonly url: string
  readonly expiresAt: Date
}

export interface VisitFacts {
  /** Null: not asked yet. Optional ones that were said no to are in `declined`. */
  readonly consented: boolean
  readonly declined: readonly ConsentType[]
  /** Left out by the person. */
  readonly skipped: readonly StepKind[]
  /** Somebody else is to finish it: nothing more is asked here. */
  readonly toPerson: boolean
  /** Steps that were shown: they stay in the line of steps, whatever their conditions say later. */
  readonly seen: readonly StepKind[]
  readonly document: CaptureFacts
  /** Chosen by hand; null: the document tells its own kind. */
  readonly choice: DocumentChoiceFacts | null
  /** The person is choosing by hand. */
  readonly isChoosing: boolean
  /** The front, as a file, until its back comes. */
  readonly heldFront: Upload | null
  readonly portrait: CaptureFacts
  /** Of the newest live session. */
  readonly portraitWish: LivenessWish
  /** Evidence whose reading the person has looked at. */
  readonly checkedId: string | null
  readonly phone: PhoneFacts
  readonly login: LoginFacts | null
  readonly outcome: Outcome | null
  readonly receipt: Receipt | null
  /** Tries whose end was noted: ids of evidence, so that none is counted twice. */
  readonly told: readonly string[]
  /** Half of this step was lost with the server: it begins again, which is told until something is done there. */
  readonly beginsAnew: CaptureStepName | null
}

const NO_CAPTURE: CaptureFacts = { current: null, spent: 0, misses: 0, opened: 0 }

export const NEW_VISIT: VisitFacts = {
  consented: false,
  declined: [],
  skipped: [],
  toPerson: false,
  seen: [],
  document: NO_CAPTURE,
  choice: null,
  isChoosing: false,
  heldFront: null,
  portrait: NO_CAPTURE,
  portraitWish: { withoutColours: false, withoutTurning: false },
  checkedId: null,
  phone: { wrong: 0, sentAt: [], exhausted: false, askAgain: false },
  login: null,
  outcome: null,
  receipt: null,
  told: [],
  beginsAnew: null,
}
