/**
 * The desk of the adjudicators. First the person's own eyes: what the machine measured is sent only once the questions are
 * answered, and what another reviewer said only once all is over.
 * GET  desk?after                        → DeskQueue
 * POST desk/next                         → DeskCase, claimed for me; 204: no case waits
 * GET  desk/{adjudicationId}             → DeskCase (of a case that I hold, or that waits)
 * POST desk/{adjudicationId}/claim       → DeskCase        POST desk/{adjudicationId}/release → 204
 * GET  desk/{adjudicationId}/images/{imageId}              → picture, no-store (claimed cases only)
 * POST desk/{adjudicationId}/answers HumanAnswers          → DeskCase with `machine`
 * POST desk/{adjudicationId}/draft DraftBody               → Draft: the first act
 * POST desk/{adjudicationId}/confirm ConfirmBody           → Confirmed: the second act; carried out when the time to undo is over
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
  /** Of the visit; without one, the first eight characters of the request's id. */
  readonly reference: string
  /** Kind of evidence. */
  readonly type: string
  readonly status: AdjudicationStatus
  readonly requestedAt: string
  readonly dueAt: string | null
  /** Reviewers who have decided, and how many it takes at least. */
  readonly reviewers: { readonly done: number; readonly needed: number }
  /** Reviewers said different things: for who may overrule. */
  readonly disagreement: boolean
  readonly mine: boolean
  /** Why I may not take it; null: I may. */
  readonly refusedBecause: DeskRefusal | null
}

export interface DeskCase extends DeskEntry {
  readonly identityId: string
  /** UTC; null: nobody has it. */
  readonly claimedUntil: string | null
  readonly images: readonly DeskImage[]
  /** One below the other: what zone, print and person say. */
  readonly rows: readonly ComparedRow[]
  /** The machine could not read it: who accepts it types what it says. Null: it could. */
  readonly reading: {
    /** Kinds of document whose acceptance is worth something under the policy in force. */
    readonly kinds: readonly DocumentType[]
    readonly countries: readonly { readonly iso3: string; readonly iso2: string | null }[]
    /** What this reviewer typed before, and took back. */
    readonly typed: PersonRead | null
  } | null
  readonly questions: {
    /** Only of a portrait that is compared with a document. */
    readonly samePerson: boolean
    readonly documentReal: boolean
    readonly dataAgree: boolean
    /** FISWG's list, from top to bottom. */
    readonly features: readonly string[]
  }
  /** As I sent them. */
  readonly answers: HumanAnswers | null
  /** Null until the answers are sent. */
  readonly machine: MachineView | null
  /** Decisions that are open, each with its reasons. */
  readonly choices: readonly {
    readonly decision: AdjudicationDecision
    readonly reasons: readonly { readonly code: string; readonly text: string }[]
    /** Takes two people, whatever the policy says. */
    readonly byTwo: boolean
  }[]
  /** My decision that waits to be carried out. */
  readonly pending: {
    readonly decision: AdjudicationDecision
    readonly reason: string
    readonly undoUntil: string
  } | null
}

export interface DeskImage extends ImageView {
  readonly evidenceId: string
  /** Where the eyes are, in pixels, so that faces can be drawn at one distance of the eyes. */
  readonly eyes: {
    readonly left: { readonly x: number; readonly y: number }
    readonly right: { readonly x: number; readonly y: number }
  } | null
  /** Read fields with their place in the picture, in pixels from the top left. */
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
  /** Those that were compared. */
  features: z.array(z.enum(FACE_FEATURES)).max(FACE_FEATURES.length).default([]),
  documentReal: answer.optional(),
  dataAgree: answer.optional(),
  /** Measured by the page; nothing depends on it. */
  viewedSeconds: z.int().min(0).max(86_400),
})
export type HumanAnswers = z.infer<typeof HumanAnswers>

export const DraftBody = z.strictObject({
  decision: z.enum(ADJUDICATION_DECISIONS),
  reason: z.string().regex(/^[A-Z][A-Z_]{2,60}$/),
  /** With the acceptance of a document that the machine could not read. */
  values: PersonReadValues.optional(),
})
export type DraftBody = z.input<typeof DraftBody>

export interface Draft {
  /** For the second act, once. */
  readonly token: string
  readonly expiresAt: string
  readonly decision: AdjudicationDecision
  readonly reason: string
  /** This decides the case, or another reviewer comes after. */
  readonly isLast: boolean
}
export const NOTE_MAX = 500
export const ConfirmBody = z.strictObject({
  token: z.string().min(20).max(100),
  /** For colleagues and auditors who open the case once it is decided: sealed with the decision, and part of no proof. */
  note: z
    .string()
    .trim()
    .max(NOTE_MAX)
    // Several lines are fine; nothing else that steers a screen or turns the words around.
    .regex(/^(?:[^\p{Cc}\u202A-\u202E\u2066-\u2069]|\n)*$/u)
    .optional(),
})
export type ConfirmBody = z.input<typeof ConfirmBody>
export interface Confirmed {
  readonly undoUntil: string
}
