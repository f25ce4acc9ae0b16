/**
 * Converts findings to a status and indicators. VERIFIED requires that every mandatory check ran and passed. What a
 * failed check means is data (resources/pipelines).
 */
import { namePassed } from './indicator-names.ts'
import { resultError } from './error-codes.ts'
import type { Mitigation } from './evidence.ts'
import type { Measured } from './measures.ts'
import { nameReason, type SourceReason } from './source-reply.ts'
import type { EvidenceStatus, ResultError } from './types.ts'

export type CheckOutcome = 'passed' | 'failed' | 'inconclusive'

/** Result of one check. `measured` contains scores, thresholds and pixels, never a personal value. */
export interface Finding {
  readonly check: string
  readonly outcome: CheckOutcome
  readonly errors?: readonly ResultError[]
  /** Inconclusive in a way that excludes a verdict: NOT_VERIFIED regardless of other checks. */
  readonly withholds?: true
  /** Inconclusive; a person must decide. */
  readonly refers?: true
  /** Inconclusive because of a source outside. */
  readonly reason?: SourceReason
  readonly measured?: Measured
}

/**
 * Effect of a failed check: `reject` → INVALID, `withhold` → NOT_VERIFIED (could not decide fairly; try again), `warn` →
 * warning only.
 */
type FailureEffect = 'reject' | 'withhold' | 'warn'

export interface CheckRule {
  readonly mandatory: boolean
  readonly onFailure: FailureEffect
  /** If one of these checks passed, this one does not block, whether failed or undecided. */
  readonly mitigatedBy?: readonly string[]
}

export interface Judgement {
  readonly status: Extract<EvidenceStatus, 'VERIFIED' | 'INVALID' | 'NOT_VERIFIED'>
  readonly positiveIndicators: readonly string[]
  readonly warningIndicators: readonly string[]
  readonly blockingIndicators: readonly string[]
  readonly unverifiedIndicators: readonly string[]
  readonly mandatoryMissing: readonly string[]
  /** Absent if there are none. */
  readonly withheldBy?: readonly string[]
  readonly errors: readonly ResultError[]
  /** Not verified, nothing speaks against it, and a check requests a person. */
  readonly refers?: true
  /** Absent if there are none. */
  readonly mitigations?: readonly Mitigation[]
}

/** Indicators of an evaluation, including failures that do not invalidate. */
type Raised = Pick<
  Judgement,
  | 'positiveIndicators'
  | 'warningIndicators'
  | 'blockingIndicators'
  | 'unverifiedIndicators'
  | 'withheldBy'
  | 'mitigations'
>

/**
 * All indicators in proof order, under the names with which the checks raised them: a failure that withholds the verdict
 * or is mitigated is listed as a warning but was raised as a failure.
 */
export function listRaisedIndicators(of: Raised): readonly string[] {
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

/** Failed checks that prevent VERIFIED. */
export function listFailedChecks(
  of: Pick<Judgement, 'blockingIndicators' | 'withheldBy'>,
): readonly string[] {
  return [...of.blockingIndicators.map((name) => name.replace(/_FAILED$/, '')), ...(of.withheldBy ?? [])]
}

/** Result of this check at the last judgement; null if it did not run. */
export function findOutcome(of: Raised, check: string): CheckOutcome | null {
  if (of.positiveIndicators.includes(namePassed(check))) return 'passed'
  if (of.unverifiedIndicators.includes(`${check}_UNVERIFIED`)) return 'inconclusive'
  const failed =
    of.warningIndicators.includes(`${check}_WARNING`) ||
    // Earlier versions listed a non-blocking failure under this name.
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
    const mitigation = findMitigation(finding, rule, findings)
    if (mitigation) mitigations.push(mitigation)
    const counts = mitigation === null
    switch (finding.outcome) {
      case 'passed':
        positive.push(namePassed(finding.check))
        break
      case 'inconclusive':
        unverified.push(`${finding.check}_UNVERIFIED`)
        if (finding.reason) unverified.push(nameReason(finding.reason))
        withheld ||= counts && finding.withholds === true
        referred ||= counts && finding.refers === true
        break
      case 'failed':
        // Spec "evidenceStatus": a blocking failure invalidates the evidence; every other failure is a warning.
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
            (finding.outcome === 'passed' || findMitigation(finding, rule, findings) !== null),
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

/** Null if the check passed, only warns, or is not mitigated. */
export function findMitigation(
  { check, outcome }: Finding,
  { onFailure, mitigatedBy = [] }: CheckRule,
  findings: readonly Finding[],
): Mitigation | null {
  if (outcome === 'passed' || (outcome === 'failed' && onFailure === 'warn')) return null
  const by = mitigatedBy.find((other) =>
    findings.some((finding) => finding.check === other && finding.outcome === 'passed'),
  )
  if (by === undefined) return null
  return {
    indicator: `${check}_${outcome === 'failed' ? 'FAILED' : 'UNVERIFIED'}`,
    mitigatedBy: namePassed(by),
  }
}

function distinct(errors: readonly ResultError[]): readonly ResultError[] {
  return errors.filter(
    (error, index) =>
      errors.findIndex(({ code, field }) => code === error.code && field === error.field) === index,
  )
}
