/**
 * The desk of the adjudicators. To keep each judgement independent, the server sends the measurements only after the questions
 * are answered, and the decisions of other adjudicators only after the case is decided.
 * GET  desk?after                        → DeskQueue
 * POST desk/next                         → DeskCase, claimed for me; 204: no case waits
 * GET  desk/{adjudicationId}             → DeskCase (of a case that I hold, or that waits)
 * POST desk/{adjudicationId}/claim       → DeskCase        POST desk/{adjudicationId}/release → 204
 * GET  desk/{adjudicationId}/images/{imageId}              → picture, no-store (claimed cases only)
 * POST desk/{adjudicationId}/answers HumanAnswers          → DeskCase with `machine`
 * POST desk/{adjudicationId}/draft DraftBody               → Draft: the first act
 * POST desk/{adjudicationId}/confirm ConfirmBody           → Confirmed: the second act; in force after the time to undo
 * POST desk/{adjudicationId}/undo                          → DeskCase
 */
import type { DeskRefusal } from '../../proofing/adjudication-decision.ts'
import { z } from 'zod'
import { PersonReadValues } from '../../api/contract/requests.ts'
import { ADJUDICATION_DECISIONS } from '../../proofing/adjudication-decision.ts'
import type { AdjudicationDecision } from '../../proofing/adjudication-decision.ts'
import type { ComparedRow } from '../../proofing/compared-sources.ts'
import type { PersonRead } from '../../proofing/read-by-person.ts'
import type { AdjudicationStatus, DocumentType } from '../../proofing/types.ts'
import type { FindingView, ImageView } from './today.ts'

export type { ComparedRow, SourceComparison } from '../../proofing/compared-sources.ts'

export interface DeskQueue {
  /** Oldest first. */
  readonly cases: readonly DeskEntry[]
  readonly next: string | null
  readonly lastDecision: { readonly reference: string; readonly at: string } | null
}

export interface DeskEntry {
  readonly adjudicationId: string
  /** The reference of the visit; without a visit, the first eight characters of the request's id. */
  readonly reference: string
  /** Kind of evidence. */
  readonly type: string
  readonly status: AdjudicationStatus
  readonly requestedAt: string
  readonly dueAt: string | null
  /** Number of adjudicators who have decided, and the minimum. */
  readonly reviewers: { readonly done: number; readonly needed: number }
  /** Adjudicators disagree; only for roles that may overrule. */
  readonly disagreement: boolean
  readonly mine: boolean
  /** Why this officer may not take it; null: the officer may. */
  readonly refusedBecause: DeskRefusal | null
}

export interface DeskCase extends DeskEntry {
  readonly identityId: string
  /** UTC; null: the case is not claimed. */
  readonly claimedUntil: string | null
  readonly images: readonly DeskImage[]
  /** MRZ, VIZ and typed values for comparison. */
  readonly rows: readonly ComparedRow[]
  /**
   * The machine could not read the document: an adjudicator who accepts it types its values. Null: it could.
   */
  readonly reading: {
    /** Kinds of document whose acceptance counts under the policy in force. */
    readonly kinds: readonly DocumentType[]
    readonly countries: readonly { readonly iso3: string; readonly iso2: string | null }[]
    /** The values that this adjudicator typed before withdrawing the decision. */
    readonly typed: PersonRead | null
  } | null
  readonly questions: {
    /** Only for a portrait that is compared with a document. */
    readonly samePerson: boolean
    readonly documentReal: boolean
    readonly dataAgree: boolean
    /** FISWG's list, from top to bottom. */
    readonly features: readonly string[]
  }
  /** The officer's own answers, as sent. */
  readonly answers: HumanAnswers | null
  /** Null until the answers are sent. */
  readonly machine: MachineView | null
  /** Possible decisions, each with its reasons. */
  readonly choices: readonly {
    readonly decision: AdjudicationDecision
    readonly reasons: readonly { readonly code: string; readonly text: string }[]
    /** Needs two adjudicators, whatever the policy says. */
    readonly byTwo: boolean
  }[]
  /** The officer's decision that is not in force yet. */
  readonly pending: {
    readonly decision: AdjudicationDecision
    readonly reason: string
    readonly undoUntil: string
  } | null
}

export interface DeskImage extends ImageView {
  readonly evidenceId: string
  /** Positions of the eyes in pixels, so that faces can be drawn with equal distances between the eyes. */
  readonly eyes: {
    readonly left: { readonly x: number; readonly y: number }
    readonly right: { readonly x: number; readonly y: number }
  } | null
  /** The fields that were read, with their place in the picture in pixels from the top left. */
  readonly fields: readonly {
    readonly field: string
    readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  }[]
}

export interface MachineView {
  readonly indicators: {
    readonly positive: readonly string[]
    readonly warning: readonly string[]
    readonly blocking: readonly string[]
    readonly unverified: readonly string[]
  }
  readonly findings: readonly FindingView[]
}

const answer = z.enum(['YES', 'NO', 'CANNOT_TELL'])
export const FACE_FEATURES = ['HAIRLINE', 'BROW', 'EYES', 'EARS', 'NOSE', 'MOUTH', 'CHIN', 'SCARS'] as const
export const HumanAnswers = z.strictObject({
  samePerson: answer.optional(),
  /** The features that were compared. */
  features: z.array(z.enum(FACE_FEATURES)).max(FACE_FEATURES.length).default([]),
  documentReal: answer.optional(),
  dataAgree: answer.optional(),
  /** Measured by the page; no rule depends on it. */
  viewedSeconds: z.int().min(0).max(86_400),
})
export type HumanAnswers = z.infer<typeof HumanAnswers>

export const DraftBody = z.strictObject({
  decision: z.enum(ADJUDICATION_DECISIONS),
  reason: z.string().regex(/^[A-Z][A-Z_]{2,60}$/),
  /** The values that the adjudicator read; required to accept a document that the machine could not read. */
  values: PersonReadValues.optional(),
})
export type DraftBody = z.input<typeof DraftBody>

export interface Draft {
  /** Token for the second act. It is valid once. */
  readonly token: string
  readonly expiresAt: string
  readonly decision: AdjudicationDecision
  readonly reason: string
  /** True if this decides the case; false if another adjudicator follows. */
  readonly isLast: boolean
}
export const NOTE_MAX = 500
export const ConfirmBody = z.strictObject({
  token: z.string().min(20).max(100),
  /**
   * For officers and auditors who open the decided case: encrypted with the decision, and part of no proof.
   */
  note: z
    .string()
    .trim()
    .max(NOTE_MAX)
    // Line breaks are allowed; other control characters and characters that change the text direction are
    // not.
    .regex(/^(?:[^\p{Cc}\u202A-\u202E\u2066-\u2069]|\n)*$/u)
    .optional(),
})
export type ConfirmBody = z.input<typeof ConfirmBody>
export interface Confirmed {
  readonly undoUntil: string
}
