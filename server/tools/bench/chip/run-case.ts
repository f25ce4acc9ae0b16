/** Runs one case of the plan: one or several documents, each inspected, and compared with the expected outcome. */
import { inspectChip } from '../../../chip/inspection/inspect.ts'
import type { Inspection, StepName, StepReason } from '../../../chip/inspection/report.ts'
import {
  makeDocument,
  type ProfileChanges,
  type ProfileName,
  type SimulatedDocument,
} from '../../simulator/chip/profiles.ts'
import type { PlannedCase } from './plan.ts'

export interface CaseRun {
  /** Distinguishes the runs of one case. */
  readonly variant?: string
  readonly profile: ProfileName
  readonly changes?: ProfileChanges
  /**
   * The steps that may be the first to fail. A failure elsewhere has another cause than the case, and does not count. Not needed for
   * a success.
   */
  readonly failsAt?: readonly StepName[]
  /** The reason of that step, where another cause would end in the same step. */
  readonly failsFor?: StepReason
  /** Inspections of the same document, one after another; default: one. Each must end as expected. */
  readonly times?: number
  /** Judges what else the case asks for; false fails it. */
  readonly check?: (document: SimulatedDocument, inspection: Inspection) => boolean
}

/** Inspects a document: in this process, or in a reader. */
export type Inspect = (document: SimulatedDocument) => Promise<Inspection>

export const inspectInProcess: Inspect = ({ card, ...input }) => inspectChip(card, input)

/** Makes the runs of a case when it is its turn. */
export type CaseTable = Readonly<Record<string, () => readonly CaseRun[]>>

export interface CaseResult {
  readonly id: string
  readonly scope: string
  readonly title: string
  readonly config: string
  readonly basis: PlannedCase['basis']
  readonly expected: PlannedCase['expected']
  readonly outcome: 'passed' | 'failed' | 'not_applicable'
  /** Null for a pass. */
  readonly reason: string | null
  readonly runs: readonly RunResult[]
}

export interface RunResult {
  readonly variant: string | null
  readonly profile: ProfileName
  readonly verdict: Inspection['verdict']
  readonly cloneProtection: Inspection['cloneProtection']
  readonly steps: Inspection['steps']
  /** The fault that ended passive authentication; null if none did. */
  readonly passiveReason: string | null
  readonly passiveChecks: readonly {
    readonly name: string
    readonly verdict: string
    readonly reason: string | null
  }[]
  /** Why the run is not as expected; null if it is. */
  readonly problem: string | null
}

export async function runCase(
  planned: PlannedCase,
  table: CaseTable,
  inspect: Inspect = inspectInProcess,
): Promise<CaseResult> {
  const { notApplicable, ...about } = planned
  const { id, expected } = about
  if (notApplicable !== null) return { ...about, outcome: 'not_applicable', reason: notApplicable, runs: [] }
  const makeRuns = table[id]
  if (makeRuns === undefined) return { ...about, outcome: 'failed', reason: 'no profile is mapped', runs: [] }
  const runs: RunResult[] = []
  for (const run of makeRuns()) runs.push(await inspectRun(run, expected, inspect))
  const problem = runs.find((run) => run.problem !== null)?.problem ?? null
  return { ...about, outcome: problem === null ? 'passed' : 'failed', reason: problem, runs }
}

async function inspectRun(
  run: CaseRun,
  expected: PlannedCase['expected'],
  inspect: Inspect,
): Promise<RunResult> {
  const { profile, changes = {}, variant = null, times = 1 } = run
  const document = makeDocument(profile, changes)
  let inspection = await inspect(document)
  for (let i = 1; i < times; i += 1) {
    if (findUnexpectedEnd(run, inspection, expected) !== null) break
    await document.card.reset()
    inspection = await inspect(document)
  }
  const { verdict, cloneProtection, steps, passive, cardSecurity } = inspection
  return {
    variant,
    profile,
    verdict,
    cloneProtection,
    steps,
    passiveReason: passive?.reason ?? cardSecurity?.reason ?? null,
    passiveChecks: [...(passive?.checks ?? []), ...(cardSecurity?.checks ?? [])],
    problem: findProblem(run, document, inspection, expected),
  }
}

function findProblem(
  run: CaseRun,
  document: SimulatedDocument,
  inspection: Inspection,
  expected: PlannedCase['expected'],
): string | null {
  const unexpected = findUnexpectedEnd(run, inspection, expected)
  if (unexpected !== null) return unexpected
  const isAsAsked = run.check?.(document, inspection) ?? true
  return isAsAsked ? null : 'the commands or the proof are not as the case asks'
}

function findUnexpectedEnd(
  { failsAt = [], failsFor }: CaseRun,
  { verdict, steps }: Inspection,
  expected: PlannedCase['expected'],
): string | null {
  if (expected === 'success') return verdict === 'successful' ? null : `expected a success, found ${verdict}`
  if (expected === 'either') return null
  if (verdict !== 'failed') return `expected a failure, found ${verdict}`
  const first = steps.find((step) => step.verdict === 'failed')
  const found = `${first?.name ?? 'no step'} (${first?.reason ?? 'no reason'})`
  if (first === undefined || !failsAt.includes(first.name)) return `the failure is at ${found}`
  return failsFor === undefined || first.reason === failsFor ? null : `the failure is at ${found}`
}
