/**
 * Checks of a policy beyond its schema: internal consistency, and existence of the checks that it names. Every problem
 * names its field. Unusual but valid policies (an unreachable profile, an easier higher LOA) only cause warnings in
 * `policy-warnings.ts`.
 */
import type { FieldProblem } from '../errors.ts'
import { isDerived, isKnownCheck, isOfFraud } from '../proofing/assurance/known-checks.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { isAtLeast } from '../proofing/assurance/scores.ts'

/** Names defined outside the policy. */
export interface KnownNames {
  /** Checks listed in pipelines. */
  readonly checks: ReadonlySet<string>
  /** Indicators of the appliance's faults (resources/degraded.json). */
  readonly faults: readonly string[]
}

/** Each has a sentence in every language of the counter (`settings.problem.…`). */
export const POLICY_PROBLEMS = [
  'contradiction',
  'listed_twice',
  'lowest_level',
  'missing_cap',
  'never_passed',
  'no_profile',
  'no_rule',
  'not_ascending',
  'over_the_most',
  'unknown_check',
  'unknown_indicator',
  'unknown_level',
  'unknown_mark',
  'unknown_scale',
  'without_meaning',
] as const

type Tell = (field: string, code: (typeof POLICY_PROBLEMS)[number], message: string) => void

/** Limits the number of sets that are evaluated for each LOA at every change of an identity. */
const MAX_SUBMISSIONS = 14

/**
 * @param shown the policy's name in each field: `policies/default.json`
 * @param known null: skips the check that names exist
 */
export function policyProblems(
  policy: Policy,
  shown: string,
  known: KnownNames | null,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const tell: Tell = (field, code, message) => {
    problems.push({ code, field: `${shown}:${field}`, message })
  }
  checkLevels(policy, tell)
  checkNames(policy, tell)
  checkNumbers(policy, tell)
  checkRequires(policy, known, tell)
  checkCaps(policy, known, tell)
  checkAdjudication(policy, tell)
  checkSubmissions(policy, tell)
  return problems
}

function checkLevels({ levels, profiles }: Policy, tell: Tell): void {
  const names = levels.map(({ levelOfAssurance }) => levelOfAssurance)
  for (const [index, name] of names.entries()) {
    // LOA and one digit according to the schema, so text order equals numeric order.
    if (index > 0 && name <= names[index - 1]) {
      tell(`levels.${index}`, 'not_ascending', `'${name}' does not follow '${names[index - 1]}'`)
    }
    const has = profiles.some(({ levelOfAssurance }) => levelOfAssurance === name)
    if (index > 0 && !has) tell(`levels.${index}`, 'no_profile', `no profile reaches '${name}'`)
  }
  for (const [index, { levelOfAssurance }] of profiles.entries()) {
    const field = `profiles.${index}.levelOfAssurance`
    const rank = names.indexOf(levelOfAssurance)
    if (rank < 0) tell(field, 'unknown_level', `'${levelOfAssurance}' is no level of this policy`)
    if (rank === 0) tell(field, 'lowest_level', `'${levelOfAssurance}' is what everybody starts with`)
  }
}

function checkNames(policy: Policy, tell: Tell): void {
  for (const list of ['profiles', 'strengthRules', 'documentScore', 'submissions'] as const) {
    const names = policy[list].map(({ name }) => name)
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) < index)
        tell(`${list}.${index}.name`, 'listed_twice', `'${name}' is there twice`)
    }
  }
}

/** Marks and scales may only be required if a rule assigns them; unreachable values cause a warning. */
function checkNumbers({ marks, scales, profiles }: Policy, tell: Tell): void {
  const isGiven = (mark: string, kind: string): boolean =>
    marks.some((rule) => rule.mark === mark && (kind === 'ANY' || rule.evidence === kind))
  const checkMarks = (asked: Readonly<Record<string, number>> = {}, kind: string, field: string): void => {
    for (const mark of Object.keys(asked)) {
      if (!isGiven(mark, kind))
        tell(`${field}.marks.${mark}`, 'unknown_mark', `no rule gives ${kind} '${mark}'`)
    }
  }
  for (const [index, { evidence, marks: asked, types, heldForDays }] of scales.entries()) {
    const field = `scales.${index}`
    if (evidence !== 'ANTIFRAUD') checkMarks(asked, evidence, field)
    else if (asked ?? types ?? heldForDays) {
      tell(field, 'without_meaning', 'fraud checks have neither types nor marks nor an age')
    }
  }
  for (const [index, profile] of profiles.entries()) {
    for (const [position, piece] of profile.pieces.entries()) {
      checkMarks(piece.marks, piece.evidence, `profiles.${index}.pieces.${position}`)
    }
    for (const scale of Object.keys(profile.scales ?? {})) {
      if (scales.some((rule) => rule.scale === scale)) continue
      tell(`profiles.${index}.scales.${scale}`, 'unknown_scale', `no rule gives '${scale}'`)
    }
  }
}

function checkRequires(policy: Policy, known: KnownNames | null, tell: Tell): void {
  const check = (field: string, asked: readonly string[] = [], mayBe: (name: string) => boolean): void => {
    for (const [index, name] of asked.entries()) {
      const at = `${field}.${index}`
      if (known && !isKnownCheck(name, known.checks)) tell(at, 'unknown_check', `there is no check '${name}'`)
      else if (!mayBe(name)) tell(at, 'never_passed', `'${name}' is never passed by this`)
    }
  }
  /** When a document is scored, neither portraits nor fraud checks have been evaluated. */
  const ownOnly = (name: string): boolean => !isDerived(name) && !isOfFraud(name)
  const byKind = (kind: string) => (name: string) =>
    kind === 'ANTIFRAUD' ? isOfFraud(name) : kind === 'ID_DOCUMENT' || kind === 'ANY' || !isDerived(name)
  for (const list of ['strengthRules', 'documentScore'] as const) {
    for (const [index, { requires }] of policy[list].entries()) {
      check(`${list}.${index}.requires`, requires, ownOnly)
    }
  }
  for (const list of ['marks', 'scales'] as const) {
    for (const [index, { evidence, requires }] of policy[list].entries()) {
      check(`${list}.${index}.requires`, requires, byKind(evidence))
    }
  }
  for (const [index, { pieces }] of policy.profiles.entries()) {
    for (const [position, { evidence, requires }] of pieces.entries()) {
      check(`profiles.${index}.pieces.${position}.requires`, requires, byKind(evidence))
    }
  }
  for (const [index, { evidence, checks }] of policy.submissions.entries()) {
    const field = `submissions.${index}.checks`
    check(field, checks, evidence === 'ANTIFRAUD' ? isOfFraud : ownOnly)
  }
}

function checkCaps({ levels, caps }: Policy, known: KnownNames | null, tell: Tell): void {
  for (const [indicator, level] of Object.entries(caps)) {
    const field = `caps.${indicator}`
    const isLevel = levels.some(({ levelOfAssurance }) => levelOfAssurance === level)
    if (!isLevel) tell(field, 'unknown_level', `'${level}' is no level of this policy`)
    const check = indicator.replace(/_(WARNING|FAILED|UNVERIFIED)$/, '')
    const isKnown = !known || known.faults.includes(indicator) || isKnownCheck(check, known.checks)
    if (!isKnown || isDerived(check)) tell(field, 'unknown_indicator', `nothing leaves '${indicator}'`)
  }
  for (const indicator of known?.faults ?? []) {
    if (Object.hasOwn(caps, indicator)) continue
    tell('caps', 'missing_cap', `how far evidence with '${indicator}' can reach has to be said`)
  }
}

/** Acceptance by a person needs its own rule, and no rule may exceed the policy's limit for it. */
function checkAdjudication({ adjudication, documentScore }: Policy, tell: Tell): void {
  const rules = documentScore.filter(({ requires }) => requires.includes('ADJUDICATION'))
  if (rules.length === 0 && adjudication.documentScore !== 'LEVEL0') {
    tell('documentScore', 'no_rule', 'no rule says what a document is worth that a person accepted')
  }
  for (const { name, score } of rules) {
    if (isAtLeast(adjudication.documentScore, score)) continue
    tell('adjudication.documentScore', 'contradiction', `the rule '${name}' gives more`)
  }
}

function checkSubmissions({ submissions }: Policy, tell: Tell): void {
  if (submissions.length > MAX_SUBMISSIONS) {
    tell('submissions', 'over_the_most', `at most ${MAX_SUBMISSIONS}: all sets of them are tried out`)
  }
  for (const [index, { evidence, types }] of submissions.entries()) {
    if (evidence === 'ANTIFRAUD' && types) {
      tell(`submissions.${index}.types`, 'without_meaning', 'fraud checks have no types of evidence')
    }
  }
}
