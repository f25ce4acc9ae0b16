/**
 * Upgrade paths by brute force, to compare with the fast search: adds every set of submissions to the facts,
 * assesses the facts, and keeps the smallest sets that reach a level. Shares no code with the search.
 */
import type { Ability, AssuranceFacts, EvidenceFacts } from '../../server/proofing/assurance/facts.ts'
import { levelReached } from '../../server/proofing/assurance/assess.ts'
import type { Policy } from '../../server/proofing/assurance/policy.ts'
import { documentScore, ruleStrength } from '../../server/proofing/assurance/scores.ts'
import type { UpgradeStep } from '../../server/proofing/identity.ts'
import { FRAUD_CHECK_TYPES, LEVELS, type EvidenceType, type Level } from '../../server/proofing/types.ts'
import { TYPES_OF } from './assurance.ts'

/** One submission, of one type. */
export interface Submission {
  readonly kind: string
  readonly type: string
  readonly checks: readonly string[]
}

/** Every set that the paths allow. */
export function chosenFrom(paths: readonly (readonly UpgradeStep[])[]): readonly (readonly Submission[])[] {
  return paths.flatMap((steps) =>
    steps.reduce<Submission[][]>(
      (sets, { evidence, types, checks }) =>
        sets.flatMap((set) =>
          (types ?? [onlyTypeOf(evidence)])
            .filter(
              (type) =>
                evidence === 'ANTIFRAUD' || !set.some((one) => one.kind === evidence && one.type === type),
            )
            .map((type) => [...set, { kind: evidence, type, checks }]),
        ),
      [[]],
    ),
  )
}

export function namesOf(sets: readonly (readonly Submission[])[]): readonly string[] {
  const nameOf = ({ kind, type, checks }: Submission): string =>
    `${kind}/${type}/${[...checks].sort().join('+')}`
  return [...new Set(sets.map((set) => set.map(nameOf).sort().join(' & ')))].sort()
}

function onlyTypeOf(kind: string): string {
  if (kind === 'ANTIFRAUD') return ''
  return kind === 'ID_DOCUMENT' ? 'ID_DOCUMENT' : TYPES_OF[kind as keyof typeof TYPES_OF][0]
}

/** Returns the facts after all of these submissions succeeded. */
export function withSubmissions(
  policy: Policy,
  facts: AssuranceFacts,
  submissions: readonly Submission[],
): AssuranceFacts {
  const isUsable = ({ status, mayBeUsed }: EvidenceFacts): boolean => status === 'VERIFIED' && mayBeUsed
  const rank = (level: Level): number => LEVELS.indexOf(level)
  const highest = (scores: readonly Level[]): Level => LEVELS[Math.max(0, ...scores.map(rank))]

  const fraud = submissions.filter(({ kind }) => kind === 'ANTIFRAUD')
  const added = submissions.filter(({ kind }) => kind !== 'ANTIFRAUD')
  const documents = added.flatMap((one, index) =>
    one.kind === 'ID_DOCUMENT' ? [{ ...one, id: `new${index}` }] : [],
  )
  const scoreOf = ({ type, checks }: Submission): Level =>
    documentScore(policy, type as EvidenceType, checks).level
  const there = facts.evidences.filter(
    (evidence) => isUsable(evidence) && evidence.kind === 'ID_DOCUMENT' && evidence.codingQuality > 0,
  )
  const newIds = documents.map(({ id }) => id)
  const old = facts.evidences.map((evidence): EvidenceFacts => {
    if (evidence.kind !== 'PORTRAIT' || !isUsable(evidence)) return evidence
    const matches = [...evidence.matches, ...newIds]
    return { ...evidence, matches, score: highest([evidence.score, ...documents.map(scoreOf)]) }
  })
  const fresh = added.map((one, index): EvidenceFacts => {
    const { kind, type, checks } = one
    const strength = ruleStrength(policy, type as EvidenceType, checks).level
    const ofPortrait = highest([...there.map(({ score }) => score), ...documents.map(scoreOf)])
    return {
      id: `new${index}`,
      kind: kind as EvidenceFacts['kind'],
      type: type as EvidenceType,
      status: 'VERIFIED',
      strength,
      score: kind === 'PORTRAIT' ? ofPortrait : kind === 'ID_DOCUMENT' ? scoreOf(one) : strength,
      passed: checks,
      raised: [],
      mayBeUsed: true,
      matches: kind === 'PORTRAIT' ? [...there.map(({ id }) => id), ...newIds] : [],
      disagreements: [],
      statesName: kind === 'ID_DOCUMENT' || kind === 'TRUSTED_ID_CLAIM',
      codingQuality: 5,
      issuer: '*',
      submittedAt: 10_000,
      heldForDays: 100_000,
    }
  })
  const evidences = [...old, ...fresh]
  const passed = fraud.flatMap(({ checks }) => checks)
  const asked = FRAUD_CHECK_TYPES.map((type) => ({
    type,
    passed,
    raised: [],
    subjects: evidences.map(({ id }) => id),
  }))
  return { evidences, fraudChecks: [...facts.fraudChecks, ...(fraud.length > 0 ? asked : [])] }
}

/** Names of the smallest sets for each level above the one reached. */
export function bruteForcePaths(
  policy: Policy,
  facts: AssuranceFacts,
  abilities: readonly Ability[],
): Readonly<Record<string, readonly string[]>> {
  const here = levelReached(policy, facts)
  const candidates = setsOf(submissionsOf(policy, abilities), policy.upgradePaths.longest)
  const reaching = candidates.map((set) => ({
    set,
    rank: levelReached(policy, withSubmissions(policy, facts, set)),
  }))
  return Object.fromEntries(
    policy.levels.slice(here + 1).map(({ levelOfAssurance }, index) => {
      const sets = reaching.filter(({ rank }) => rank > here + index).map(({ set }) => set)
      const isSmallest = (set: readonly Submission[]): boolean =>
        !sets.some((other) => other !== set && isWithin(other, set))
      return [levelOfAssurance, namesOf(sets.filter(isSmallest))]
    }),
  )
}

function submissionsOf(policy: Policy, abilities: readonly Ability[]): readonly Submission[] {
  const all = policy.submissions
    .filter(({ needs }) => needs.every((need) => abilities.includes(need)))
    .flatMap(({ evidence: kind, types, checks }) =>
      (types ?? [onlyTypeOf(kind)]).map((type): Submission => ({ kind, type, checks })),
    )
  return all.filter(
    (one, index) => all.findIndex((other) => namesOf([[other]])[0] === namesOf([[one]])[0]) === index,
  )
}

function setsOf(submissions: readonly Submission[], longest: number): readonly (readonly Submission[])[] {
  let sets: (readonly Submission[])[] = [[]]
  for (const one of submissions) {
    const goesWith = (set: readonly Submission[]): boolean =>
      set.length < longest &&
      (one.kind === 'ANTIFRAUD' || !set.some(({ kind, type }) => kind === one.kind && type === one.type))
    sets = [...sets, ...sets.filter(goesWith).map((set) => [...set, one])]
  }
  return sets
}

/**
 * True if each of the first has a counterpart in the second with its kind and type that passes at least its
 * checks.
 */
function isWithin([first, ...others]: readonly Submission[], larger: readonly Submission[]): boolean {
  if (!first) return true
  return larger.some(
    (one, index) =>
      one.kind === first.kind &&
      one.type === first.type &&
      first.checks.every((check) => one.checks.includes(check)) &&
      isWithin(others, larger.toSpliced(index, 1)),
  )
}
