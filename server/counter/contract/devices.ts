/**
 * The parts of the appliance, their states and the consequences for applicants; inspections and tampering.
 * GET  devices                                   → DevicesView
 * POST devices/parts/{name}/self-test            → PartView         (devices:act)
 * POST devices/parts/watchlists/fetch            → PartView         (settings:change; runs in the background)
 * GET  devices/ledger                            → LedgerView
 * POST devices/ledger/inspections InspectionBody → LedgerView       (devices:act)
 * POST devices/ledger/tampering TamperingBody    → LedgerView       (devices:act)
 * POST devices/ledger/clear                      → LedgerView       (devices:clear-tampering)
 */
import { z } from 'zod'
import { TAMPER_KINDS } from '../../proofing/antifraud/ledger.ts'
import type { TamperKind } from '../../proofing/antifraud/ledger.ts'

export interface DevicesView {
  readonly status: PartState
  readonly version: string
  readonly parts: readonly PartView[]
  /** The highest level that a proof can reach here, by the policy in force. */
  readonly reach: {
    readonly policy: string
    readonly now: string
    readonly withoutFaults: string
    readonly highest: string
  }
  /** Faults that are recorded on evidence now (`resources/degraded.json`). */
  readonly faults: readonly {
    readonly fault: string
    readonly touches: readonly string[]
    readonly cost: LevelCost | null
  }[]
  readonly at: string
}
/** Levels by the policy in force: the highest that a proof can reach, and the highest without the fault. */
export interface LevelCost {
  readonly most: string
  readonly otherwise: string
}
export type PartWord = 'WORKS' | 'PROBLEM' | 'NOT_SET_UP' | 'NOT_KNOWN'
type PartState = 'UP' | 'DEGRADED' | 'DOWN'

export interface PartView {
  /** `database`, `disk`, `camera:document`, `vision-face-matching`, … */
  readonly name: string
  readonly state: PartState
  /** The state for staff: "works" only if a check ran and passed. */
  readonly word: PartWord
  readonly since: string | null
  /** Key of the locale's section `counter`: the consequence for applicants. */
  readonly meaning: string
  /** The levels that the present state costs; null: none. */
  readonly cost: LevelCost | null
  /** Technical, in English: for the repair. */
  readonly detail: string | null
  /** For watchlists: the last time that staff had them fetched. */
  readonly lastSelfTest: {
    readonly at: string
    readonly passed: boolean
    readonly step: string | null
  } | null
  /** Lists that are being fetched; null: none. */
  readonly fetching: { readonly done: number; readonly total: number } | null
  readonly actions: readonly ('SELF_TEST' | 'FETCH')[]
}

export interface LedgerView {
  /** Newest first. */
  readonly entries: readonly {
    readonly id: string
    readonly at: string
    readonly entry: 'INSPECTED' | 'TAMPERED' | 'CLEARED'
    /** PASSED, FAILED, a kind of tampering, or the id of the inspection that cleared it. */
    readonly detail: string
    /** True if the signature is not one of ours. */
    readonly doubtful: boolean
  }[]
  readonly openTampering: readonly TamperKind[]
  readonly mayClear: boolean
  readonly inspection: {
    readonly state: 'NOT_DEMANDED' | 'IN_DATE' | 'OVERDUE'
    readonly everyDays: number | null
    readonly lastPassedAt: string | null
  }
  /** The items of an inspection, in order: keys of the locale, `inspection.{id}`. */
  readonly checklist: readonly { readonly id: string; readonly tamperKind: TamperKind }[]
}

export const InspectionBody = z.strictObject({
  /** Every item of the checklist: true if it is in order. One defective item fails the inspection. */
  items: z.record(z.string().regex(/^[A-Z][A-Z_]{2,40}$/), z.boolean()),
})
export type InspectionBody = z.infer<typeof InspectionBody>

export const TamperingBody = z.strictObject({ kind: z.enum(TAMPER_KINDS) })
export type TamperingBody = z.infer<typeof TamperingBody>
