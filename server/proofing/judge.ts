/**
 * Findings → status and indicators. Success is earned: VERIFIED needs every mandatory check to have run and passed.
 * What a check's failure means is data (resources/pipelines), not code.
 */
import { resultError } from './error-codes.ts'
import type { Mitigation } from './evidence.ts'
import type { Measured } from './measures.ts'
import type { EvidenceStatus, ResultError } from './types.ts'

export type CheckOutcome = 'passed' | 'failed' | 'inconclusive'

/** One rule, applied once. Measured holds numbers only (scores, thresholds, pixels): never a value that was read. */
export interface Finding {
  readonly check: string
  readonly outcome: CheckOutcome
  readonly errors?: readonly ResultError[]
  /** Inconclusive in a way that no verdict can stand beside: NOT_VERIFIED, whatever the other checks found. */
  readonly withholds?: true
  /** Inconclusive, and a person is to decide. */
  readonly refers?: true
  readonly measured?: Measured
}

/**
 * What a failed check does: `reject` → INVALID, `withhold` → NOT_VERIFIED (no fair chance to decide, try again),
 * `warn` → a warning only.
 */
export type FailureEffect = 'reject' | 'withhold' | 'warn'

export interface CheckRule {
  readonly mandatory: boolean
  readonly onFailure: FailureEffect
  /** Other checks: where one of them passed, this one blocks nothing, failed or undecided. */
  readonly mitigatedBy?: readonly string[]
}

export interface Judgement {
  readonly status: Extract<EvidenceStatus, 'VERIFIED' | 'INVALID' | 'NOT_VERIFIED'>
  readonly positiveIndicators: readonly string[]
  readonly warningIndicators: readonly string[]
  readonly blockingIndicators: readonly string[]
  readonly unverifiedIndicators: readonly string[]
  readonly mandatoryMissing: readonly string[]
  /** Absent where there are none. */
  readonly withheldBy?: readonly string[]
  readonly errors: readonly ResultError[]
  /** Not verified, nothing speaks against it, and a check asks for a person. */
  readonly refers?: true
  /** Absent where there are none. */
  readonly mitigations?: readonly Mitigation[]
}

/** The indicators of an evaluation, with what it says of failures that do not invalidate. */
export type Raised = Pick<
  Judgement,
  | 'positiveIndicators'
  | 'warningIndicators'
  | 'blockingIndicators'
  | 'unverifiedIndicators'
  | 'withheldBy'
  | 'mitigations'
>

/**
 * All indicators in one list, in the order in which the proof shows them, under the names by which the checks raised them: a
 * failure that withholds the verdict or is outweighed is listed as a warning and was raised as a failure.
 */
export function raisedIndicators(of: Raised): readonly string[] {
  const failed = new Set([
    ...(of.withheldBy ?? []).map((check) => `${check}_FAILED`),
    ...(of.mitigations ?? []).map(({ indicator }) => indicator),
  ])
  const asRaised = (name: string): string => {
    const failure = name.replace(/_WARNING$/, '_FAILED')
    return failed.has(failure) ? failure : name
  }
  return [
    ...of.positiveIndicators,
    ...of.warningIndicators.map(asRaised),
    ...of.blockingIndicators,
    ...of.unverifiedIndicators,
  ]
}

/** Checks that failed and keep the evidence from being VERIFIED. */
export function failedChecks(of: Pick<Judgement, 'blockingIndicators' | 'withheldBy'>): readonly string[] {
  return [...of.blockingIndicators.map((name) => name.replace(/_FAILED$/, '')), ...(of.withheldBy ?? [])]
}

/** What this check found when the evidence was last judged; null where it was not run. */
export function outcomeOf(of: Raised, check: string): CheckOutcome | null {
  if (of.positiveIndicators.includes(`${check}_OK`)) return 'passed'
  if (of.unverifiedIndicators.includes(`${check}_UNVERIFIED`)) return 'inconclusive'
  const failed =
    of.warningIndicators.includes(`${check}_WARNING`) ||
    // An earlier version listed a failure that does not block under this name.
    [...of.warningIndicators, ...of.blockingIndicators].includes(`${check}_FAILED`)
  return failed ? 'failed' : null
}

export function judge(findings: readonly Finding[], rules: Readonly<Record<string, CheckRule>>): Judgement {
  const positive: string[] = []
  const warning: string[] = []
  const blocking: string[] = []
  const unverified: string[] = []
  const errors: ResultError[] = []
  const mitigations: Mitigation[] = []
  const withheldBy: string[] = []
  let rejected = false
  let withheld = false
  let referred = false

  for (const finding of findings) {
    const rule = rules[finding.check]
    if (!rule) throw new TypeError(`no rule for check ${finding.check}`)
    errors.push(...(finding.errors ?? []))
    const mitigation = mitigationOf(finding, rule, findings)
    if (mitigation) mitigations.push(mitigation)
    const counts = mitigation === null
    switch (finding.outcome) {
      case 'passed':
        positive.push(`${finding.check}_OK`)
        break
      case 'inconclusive':
        unverified.push(`${finding.check}_UNVERIFIED`)
        withheld ||= counts && finding.withholds === true
        referred ||= counts && finding.refers === true
        break
      case 'failed':
        // Spec "evidenceStatus": what blocks invalidates the evidence; every other failure is a warning.
        if (counts && rule.onFailure === 'reject') blocking.push(`${finding.check}_FAILED`)
        else warning.push(`${finding.check}_WARNING`)
        if (counts && rule.onFailure === 'withhold') withheldBy.push(finding.check)
        // Spec "States and transitions": INVALID comes with an error code.
        if (counts && rule.onFailure === 'reject' && !finding.errors?.length) {
          errors.push(resultError('1599', { field: finding.check }))
        }
        rejected ||= counts && rule.onFailure === 'reject'
        break
    }
  }

  withheld ||= withheldBy.length > 0
  const mandatoryMissing = Object.entries(rules)
    .filter(
      ([check, rule]) =>
        rule.mandatory &&
        !findings.some(
          (finding) =>
            finding.check === check &&
            (finding.outcome === 'passed' || mitigationOf(finding, rule, findings) !== null),
        ),
    )
    .map(([check]) => check)
  const status = rejected ? 'INVALID' : withheld || mandatoryMissing.length > 0 ? 'NOT_VERIFIED' : 'VERIFIED'
  return {
    status,
    positiveIndicators: positive,
    warningIndicators: warning,
    blockingIndicators: blocking,
    unverifiedIndicators: unverified,
    mandatoryMissing,
    ...(withheldBy.length > 0 ? { withheldBy } : {}),
    errors: distinct(errors),
    ...(referred && !rejected && !withheld ? { refers: true } : {}),
    ...(mitigations.length > 0 ? { mitigations } : {}),
  }
}

/** Null: it passed, a failure of it only warns, or nothing outweighs it. */
export function mitigationOf(
  { check, outcome }: Finding,
  { onFailure, mitigatedBy = [] }: CheckRule,
  findings: readonly Finding[],
): Mitigation | null {
  if (outcome === 'passed' || (outcome === 'failed' && onFailure === 'warn')) return null
  const by = mitigatedBy.find((other) =>
    findings.some((finding) => finding.check === other && finding.outcome === 'passed'),
  )
  if (by === undefined) return null
  return { indicator: `${check}_${outcome === 'failed' ? 'FAILED' : 'UNVERIFIED'}`, mitigatedBy: `${by}_OK` }
}

function distinct(errors: readonly ResultError[]): readonly ResultError[] {
  return errors.filter(
    (error, index) =>
      errors.findIndex(({ code, field }) => code === error.code && field === error.field) === index,
  )
}
