/**
 * Today, one opened proofing, and the search: the contract between the counter's pages and their server. Lists contain no
 * names; opening a proofing shows personal data and is an event.
 * GET  today                                        → TodayView
 * GET  waiting                                      → WaitingView         (waiting:see)
 * GET  proofings?ProofingsQuery                     → ProofingPage        GET proofings.csv?ProofingsQuery (charts:export)
 * POST help-calls/{visitId}/answer HelpAnswerBody   → HelpCall            (409: a colleague has it)
 * POST help-calls/{visitId}/close CloseCallBody     → 204                 (an applicant whom a kiosk sent here)
 * POST help-calls/{visitId}/reopen                  → 204                 (takes the officer's own close back, for a minute)
 * GET  proofings/{identityId}                       → ProofingDetail      (proofings:open; an event)
 * GET  proofings/{identityId}/evidences/{evidenceId}/images/{imageId}     → the picture, no-store (a portrait: an event)
 * POST proofings/{identityId}/seal-check            → SealCheck
 * POST proofings/{identityId}/erase EraseBody       → Erased              (proofings:erase)
 * GET  proofings/{identityId}/deletion-receipt      → Erased
 * POST search SearchBody                            → SearchAnswer        (too many wrong codes: 429)
 * All times are UTC, ISO 8601 with Z.
 */
import { z } from 'zod'
import { HELP_ANSWERS, SENT_ENDS, VISIT_CHANNELS, VISIT_OUTCOMES } from '../../store/visits.ts'
import type { AdjudicationDecision } from '../../proofing/adjudication-decision.ts'
import type { HelpAnswer, SentReason, VisitChannel, VisitOutcome } from '../../store/visits.ts'
import type { EvidenceStatus, ResultError } from '../../proofing/types.ts'

export interface TodayView {
  readonly counts: {
    /** Cases of the desk that this officer may take. */
    readonly waitingForMe: number
    readonly running: number
    readonly helpCalls: number
    /** Number of parts of the appliance with a problem. */
    readonly problems: number
  }
  readonly at: string
}

/** The waiting applicants: for Today, the team's screen, sound and notification. */
export interface WaitingView {
  /** Longest wait first. */
  readonly calls: readonly HelpCall[]
  /** Cases of the desk: those that this officer may take; on a team's screen, all unclaimed ones. */
  readonly cases: number
  readonly at: string
}

export interface HelpCall {
  readonly visitId: string
  /** HELP: a call from the kiosk · SENT: the kiosk said "go to the counter". */
  readonly kind: 'HELP' | 'SENT'
  /** Only for SENT. */
  readonly because: SentReason | null
  /** The officer who attends to it; null: none yet. */
  readonly heldBy: {
    readonly staffId: string
    readonly name: string
    readonly isMe: boolean
  } | null
  /** The name of the machine for staff. */
  readonly kiosk: string
  readonly reference: string | null
  readonly step: string
  readonly language: string
  readonly askedAt: string
  readonly waitingSeconds: number
  readonly answer: HelpAnswer | null
  /** It waits for too long, or the officer who took care of it has not finished it. */
  readonly overdue: boolean
  /** An officer can take the visit over without the code of a receipt. */
  readonly mayTakeOver: boolean
}

export const HelpAnswerBody = z.strictObject({
  answer: z.enum(HELP_ANSWERS),
  /** The holder that the page knows: prevents taking it from another officer by mistake. */
  heldBy: z.uuid().nullable().default(null),
})
export const CloseCallBody = z.strictObject({ state: z.enum(SENT_ENDS) })
export type CloseCallBody = z.input<typeof CloseCallBody>
export type HelpAnswerBody = z.input<typeof HelpAnswerBody>

/** Each has an icon and a text of the locale: `flag.HELP`. */
export const PROOFING_FLAGS = [
  'HELP', // the applicant called, even if the call was withdrawn
  'HARD_TO_READ',
  'FACE_DIFFERS', // a face was refused because it did not match the document
  'FOR_A_PERSON', // waits for, or was sent to, the desk
  'FAULT', // a fault of the machine
  'MANY_TRIES',
  'TAKEN_OVER',
  'GOES_ON', // continued at the counter after a start elsewhere
  'CHECK_STOPPED', // a job that gave up and waits for an operator
] as const
export type ProofingFlag = (typeof PROOFING_FLAGS)[number]

export interface ProofingRow {
  readonly visitId: string
  /** Null: nothing can be opened: the applicant had not agreed yet, or the data is erased. */
  readonly identityId: string | null
  readonly reference: string | null
  readonly channel: VisitChannel
  /** Only for channel KIOSK. */
  readonly kiosk: string | null
  readonly language: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly step: string
  /** Null: the visit is running. */
  readonly outcome: VisitOutcome | null
  readonly durationSeconds: number
  readonly tries: number
  readonly flags: readonly ProofingFlag[]
}

const PROOFING_SORTS = ['startedAt', 'durationSeconds', 'tries'] as const
export type ProofingSort = (typeof PROOFING_SORTS)[number]

const date = z.iso.date()
const flag = z.enum(PROOFING_FLAGS)
/** Also in the address of the page. Without `from`: today, in the machine's local time. */
export const ProofingsQuery = z.strictObject({
  from: date.optional(),
  /** The last day, included. */
  to: date.optional(),
  state: z.enum(['running', 'ended']).optional(),
  outcome: z.enum(VISIT_OUTCOMES).optional(),
  channel: z.enum(VISIT_CHANNELS).optional(),
  flag: flag.optional(),
  sort: z.enum(PROOFING_SORTS).default('startedAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
  /** The `next` of the previous page. */
  after: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
})
export type ProofingsQuery = z.input<typeof ProofingsQuery>

export interface ProofingPage {
  readonly rows: readonly ProofingRow[]
  readonly total: number
  readonly next: string | null
}

// One proofing ----------------------------------------------------------------------------------------------------------

export interface ProofingDetail {
  readonly identityId: string
  readonly visit: ProofingRow | null
  readonly status: string
  readonly levelOfAssurance: string
  /** True for a test identity. It proves nothing about a real person, and its proof says so. */
  readonly test: boolean
  readonly createdAt: string
  readonly evaluatedAt: string
  /** Name from the evidence that provides it. Null: no name is known yet. */
  readonly name: string | null
  readonly consents: readonly {
    readonly type: string
    readonly approved: boolean
    readonly recordedAt: string
  }[]
  readonly evidences: readonly EvidenceCard[]
  readonly timeline: readonly TimelineEntry[]
  /** Names of the officers whose ids are in this view; a deleted account has none. */
  readonly staffNames: Readonly<Record<string, string>>
  readonly level: LevelView
  readonly seal: {
    readonly proofId: string
    readonly sealedAt: string
    readonly retrieved: boolean
    /** Received by the head office; null: no central service is joined. */
    readonly handedOver: boolean | null
  } | null
  /** Null: no erasure is planned. A legal hold precedes everything. */
  readonly retention: {
    readonly erasedAfter: string | null
    readonly legalHold: boolean
  }
  readonly mayErase: boolean
  /** How this officer can continue it; null: nothing can be added, or this role adds nothing. */
  readonly goOn: GoOn | null
  /** The colleague from whom this officer may take it over: it went to the desk. */
  readonly takeFrom: { readonly staffId: string; readonly name: string } | null
}

/**
 * HERE: this officer attends the visit. CODE: the visit continues with the code of its receipt. COLLEAGUE: another
 * officer attends it.
 */
export type GoOn = 'HERE' | 'CODE' | 'COLLEAGUE'

export interface EvidenceCard {
  readonly evidenceId: string
  readonly family: string
  readonly type: string
  readonly status: EvidenceStatus
  readonly strength: string
  readonly score: string
  readonly submittedAt: string
  readonly deleted: boolean
  readonly images: readonly ImageView[]
  readonly values: readonly DataValue[]
  /** The one fault of a document that is not verified; a code of `assist.guidance.*`. */
  readonly fault: {
    readonly code: string
    readonly field: string | null
  } | null
  readonly errors: readonly ResultError[]
  readonly findings: readonly FindingView[]
  /** The files of the trust store that the chip was verified with; empty without a chip. */
  readonly chipLists: readonly ChipListView[]
  /** A face from a picture file: it shows no living person. */
  readonly fromFile: boolean
  /** The observations of the officer who was present. */
  readonly attendance: AttendanceView | null
  /** Notes of the adjudicators with their decisions; empty while a decision is pending. */
  readonly notes: readonly {
    /** As in the timeline. */
    readonly who: string
    readonly at: string
    readonly decision: AdjudicationDecision
    readonly note: string
  }[]
}

export interface ChipListView {
  readonly sha256: string
  readonly kind: 'MASTER_LIST' | 'CERTIFICATE' | 'REVOCATION_LIST' | 'DEFECT_LIST'
  /** ISO 3166-1, two letters; three for issuers that are no state. */
  readonly country: string
  /** Signing time of a list, or "this update"; null for a certificate. */
  readonly signedAt: string | null
  readonly importedAt: string
}

export interface ImageView {
  readonly imageId: string
  readonly kind:
    | 'FRONT'
    | 'BACK'
    | 'PORTRAIT'
    | 'DOCUMENT_PORTRAIT'
    | 'CHIP_PORTRAIT'
    | 'LIVE_FRAME'
    | 'TILTED'
  /** Path under the counter's API. */
  readonly href: string
}

/** One value, by its field; the page has the labels. */
export interface DataValue {
  readonly field: string
  readonly value: string
  /** Confirmed by another source. */
  readonly verified: boolean
}

/**
 * One rule, applied once. The page has the texts for check and outcome; `measured` holds numbers and names of
 * operating points.
 */
export interface FindingView {
  readonly check: string
  readonly outcome: 'passed' | 'failed' | 'inconclusive'
  readonly measured: readonly {
    readonly name: string
    readonly value: number | string
  }[]
  /** Name and version of the model, or of the table of thresholds, that measured. */
  readonly measuredBy: readonly string[]
  /** A check or an adjudicator that outweighs it. */
  readonly mitigatedBy: string | null
}

export interface AttendanceView {
  readonly staffId: string
  /** IN_HAND: the officer did not see the capture and inspected the document afterwards. */
  readonly seen: 'CAPTURE' | 'IN_HAND'
  readonly at: string
  readonly answers: readonly {
    readonly feature: string
    readonly answer: string
  }[]
  readonly exceptions: readonly string[]
}

/** Who, what, when. `what` is a type of event; the page has the texts. */
export interface TimelineEntry {
  readonly seq: number
  readonly at: string
  /** `appliance`, `operator`, `centre`, `kiosk`, `service`, or the id of an officer behind `STAFF:`. */
  readonly who: string
  readonly what: string
  /** States, kinds and reasons of closed lists. */
  readonly details: readonly {
    readonly name: string
    readonly value: string | readonly string[]
  }[]
}

export interface LevelView {
  readonly levelOfAssurance: string
  readonly policy: {
    readonly id: string
    readonly version: string
    readonly title: string
  }
  /** The profile that reached it. */
  readonly profile: string | null
  readonly heldDownBy: readonly string[]
  readonly evidences: readonly {
    readonly evidenceId: string
    readonly type: string
    readonly counted: boolean
    readonly leftOut: 'NOT_VERIFIED' | 'CONSENT' | 'DISAGREES' | null
  }[]
  readonly profiles: readonly {
    readonly name: string
    readonly levelOfAssurance: string
    readonly met: boolean
    /** The shortest list. */
    readonly missing: readonly {
      readonly what: 'PIECE' | 'MARK' | 'SCORE' | 'STRENGTH' | 'CHECK' | 'SCALE' | 'CAP'
      /** Kind of evidence, mark, check, scale or indicator. */
      readonly name: string
      readonly needed: string | null
      readonly reached: string | null
      /** For a check: what it would show, in the policy's words. */
      readonly words: string | null
    }[]
  }[]
  /** Maps each higher level to sets of submissions. Each set would reach the level. */
  readonly upgradePaths: Readonly<
    Record<
      string,
      readonly (readonly {
        readonly evidence: string
        readonly types?: readonly string[]
        readonly checks: readonly string[]
      }[])[]
    >
  >
}

export interface SealCheck {
  readonly state: 'GOOD' | 'BROKEN' | 'NOT_SEALED'
  /** Codes; empty if the seal is good. */
  readonly problems: readonly string[]
  readonly sha256: string | null
  /** Thumbprint. */
  readonly signedBy: string | null
  /** Whether the level, derived again from the archive alone, is the same. Null: it cannot be derived. */
  readonly sameLevel: boolean | null
  readonly checkedAt: string
}

/** Reasons for an erasure: a closed list, never free text. */
const ERASE_REASONS = ['PERSON_ASKED', 'CAPTURED_BY_MISTAKE', 'WRONG_PERSON', 'TEST_CASE'] as const
export const EraseBody = z.strictObject({
  reason: z.enum(ERASE_REASONS),
  /** The reference of the case, typed by hand, so that the wrong case is not erased. */
  reference: z.string().min(1).max(40),
})
export type EraseBody = z.infer<typeof EraseBody>

export interface Erased {
  readonly identityId: string
  readonly erasedAt: string
  /** Compact JWS by the appliance. */
  readonly receipt: string
}

// Search ----------------------------------------------------------------------------------------------------------------

/**
 * One of these; the code opens the case, the reference only names it. `text`: the text that a scanner read
 * from a receipt.
 */
export const SearchBody = z.union([
  z.strictObject({ reference: z.string().min(1).max(40) }),
  z.strictObject({ code: z.string().min(1).max(40) }),
  z.strictObject({ text: z.string().min(1).max(200) }),
])
export type SearchBody = z.infer<typeof SearchBody>

export interface SearchAnswer {
  readonly found: ProofingRow | null
  /** A case of a relying service, without a visit; the desk names it by this reference. */
  readonly foundCase: {
    readonly identityId: string
    readonly reference: string
    readonly isAtDesk: boolean
  } | null
  /** Found by its code: it may continue at this counter. */
  readonly mayTakeOver: boolean
  /** Found by its reference, which opens nothing: it may continue here with the code of its receipt. */
  readonly needsCode: boolean
  /** Remaining wrong codes in this quarter of an hour. */
  readonly triesLeft: number
}
