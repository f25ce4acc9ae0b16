/**
 * Facts and policies for tests of the judgement: some by hand, many random. Random ones use the words of the
 * policy at hand, so that high levels are reached as often as low ones.
 */
import fc from 'fast-check'
import {
  ABILITIES,
  type Ability,
  type AssuranceFacts,
  type EvidenceFacts,
  type FraudFacts,
  type PieceKind,
} from '../../server/proofing/assurance/facts.ts'
import { DERIVED_CHECKS } from '../../server/proofing/assurance/policy.ts'
import type {
  MarkRule,
  PieceRule,
  Policy,
  Profile,
  ScaleRule,
  ScoreRule,
  StrengthRule,
  SubmissionRule,
} from '../../server/proofing/assurance/policy.ts'
import { documentScore, ruleStrength } from '../../server/proofing/assurance/scores.ts'
import { FRAUD_CHECK_TYPES, LEVELS, type EvidenceType } from '../../server/proofing/types.ts'

export const NO_FACTS: AssuranceFacts = { evidences: [], fraudChecks: [] }

/** The types of evidence of each kind, as far as tests need them. */
export const TYPES_OF: Readonly<Record<PieceKind, readonly EvidenceType[]>> = {
  ID_DOCUMENT: ['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD', 'DRIVING_LICENSE', 'TAX_CARD'],
  PORTRAIT: ['PORTRAIT'],
  ATTRIBUTES: ['ATTRIBUTES'],
  ADDRESS: ['ADDRESS'],
  TRUSTED_ID_CLAIM: ['TRUSTED_ID_CLAIM'],
  ID_CLAIM: ['ID_CLAIM'],
  CONTACT: ['MOBILE_OTP'],
}

/** Verified and usable; everything else minimal. */
export function someEvidence(over: Partial<EvidenceFacts> = {}): EvidenceFacts {
  const kind = over.kind ?? 'ID_DOCUMENT'
  return {
    id: 'document',
    kind,
    type: kind === 'ID_DOCUMENT' ? 'PASSPORT' : TYPES_OF[kind][0],
    status: 'VERIFIED',
    strength: 'LEVEL4',
    score: 'LEVEL3',
    passed: [],
    raised: [],
    mayBeUsed: true,
    matches: [],
    disagreements: [],
    statesName: kind === 'ID_DOCUMENT' || kind === 'TRUSTED_ID_CLAIM',
    codingQuality: kind === 'ID_DOCUMENT' ? 3 : 0,
    submittedAt: 1_000,
    heldForDays: null,
    ...over,
  }
}

/** Requires nothing and gives nothing: LOA0 to LOA3, no profile. */
export function somePolicy(over: Partial<Policy> = {}): Policy {
  return {
    id: 'some',
    version: '1',
    title: 'some policy',
    description: '',
    source: '',
    strength: {},
    strengthRules: [],
    documentScore: [],
    marks: [],
    scales: [],
    levels: ['LOA0', 'LOA1', 'LOA2', 'LOA3'].map((levelOfAssurance) => ({
      levelOfAssurance,
      label: levelOfAssurance,
    })),
    profiles: [],
    caps: {},
    adjudication: { fourEyes: false, documentScore: 'LEVEL2', portraitScore: 'LEVEL2' },
    submissions: [],
    upgradePaths: { longest: 3, most: 8 },
    ...over,
  }
}

/** Checks that evidence may pass and indicators that it may raise under a policy. */
interface Vocabulary {
  readonly passed: Readonly<Record<string, readonly string[]>>
  readonly raised: readonly string[]
  readonly types: Readonly<Record<string, readonly EvidenceType[]>>
}

const DERIVED = Object.keys(DERIVED_CHECKS)
const OF_PORTRAITS = ['BIOMETRIC_MATCHING_CHECK', ...Object.values(DERIVED_CHECKS).flat()]

function vocabularyOf(policy: Policy): Vocabulary {
  const said: readonly { evidence: string; types?: readonly EvidenceType[]; requires?: readonly string[] }[] =
    [
      ...policy.marks,
      ...policy.scales,
      ...policy.profiles.flatMap(({ pieces }) => pieces),
      ...policy.submissions.map(({ evidence, types, checks }) => ({ evidence, types, requires: checks })),
      ...[...policy.documentScore, ...policy.strengthRules].map((rule) => ({
        evidence: 'ID_DOCUMENT',
        ...rule,
      })),
      { evidence: 'PORTRAIT', requires: OF_PORTRAITS },
    ]
  const passed: Record<string, readonly string[]> = {}
  const types: Record<string, readonly EvidenceType[]> = { ...TYPES_OF }
  for (const rule of said) {
    const named = (rule.requires ?? []).filter((check) => !DERIVED.includes(check))
    passed[rule.evidence] = [...new Set([...(passed[rule.evidence] ?? []), ...named])]
    types[rule.evidence] = [...new Set([...(types[rule.evidence] ?? []), ...(rule.types ?? [])])]
  }
  return { passed, raised: [...Object.keys(policy.caps), 'UNCAPPED_WARNING'], types }
}

/** Includes each of these with a probability above one half. */
function mostOf<T>(values: readonly T[]): fc.Arbitrary<readonly T[]> {
  const all = fc.constant(values)
  const some = fc.subarray([...values])
  const allButFew = fc
    .subarray([...values], { maxLength: Math.min(2, values.length) })
    .map((left) => values.filter((value) => !left.includes(value)))
  return fc.oneof({ weight: 3, arbitrary: all }, { weight: 2, arbitrary: allButFew }, some)
}

function fewOf<T>(values: readonly T[], maxLength = 2): fc.Arbitrary<readonly T[]> {
  const few = fc.subarray([...values], { maxLength: Math.min(maxLength, values.length) })
  return fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, few)
}

const KINDS: fc.Arbitrary<PieceKind> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('ID_DOCUMENT' as const) },
  { weight: 3, arbitrary: fc.constant('PORTRAIT' as const) },
  fc.constantFrom<PieceKind>('ATTRIBUTES', 'ADDRESS', 'TRUSTED_ID_CLAIM', 'ID_CLAIM', 'CONTACT'),
)

/** One piece of evidence: most are verified, usable and agree with all others. `others`: ids it may match or contradict. */
export function arbitraryEvidence(
  policy: Policy,
  id: string,
  others: readonly string[],
): fc.Arbitrary<EvidenceFacts> {
  const words = vocabularyOf(policy)
  return KINDS.chain((kind) =>
    fc
      .record({
        type: fc.constantFrom(...words.types[kind]),
        status: fc.oneof(
          { weight: 6, arbitrary: fc.constant('VERIFIED' as const) },
          fc.constantFrom('INVALID', 'NOT_VERIFIED', 'PROCESSING', 'ADJUDICATION'),
        ),
        passed: mostOf(words.passed[kind] ?? []),
        raised: fewOf(words.raised),
        mayBeUsed: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.constant(false)),
        matches: kind === 'PORTRAIT' ? mostOf(others) : fc.constant([]),
        disagreeing: fewOf(others),
        anyScore: fc.constantFrom(...LEVELS),
        statesName: fc.constant(kind === 'ID_DOCUMENT' || kind === 'TRUSTED_ID_CLAIM'),
        codingQuality: kind === 'ID_DOCUMENT' ? fc.nat({ max: 5 }) : fc.constant(0),
        issuer:
          kind === 'ID_DOCUMENT' ? fc.constantFrom(undefined, 'UTO', 'USA', 'GBR') : fc.constant(undefined),
        submittedAt: fc.nat({ max: 3 }),
        heldForDays: fc.option(fc.constantFrom(0, 1, 179, 180, 405, 2000)),
      })
      .map(({ disagreeing, anyScore, ...rest }): EvidenceFacts => {
        const strength = ruleStrength(policy, rest.type, rest.passed).level
        const byRule = kind === 'ID_DOCUMENT' ? documentScore(policy, rest.type, rest.passed).level : anyScore
        const disagreements = disagreeing.map((evidenceId) => ({ evidenceId, attributes: ['surname'] }))
        return { ...rest, id, kind, strength, score: byRule, disagreements }
      }),
  )
}

export function arbitraryFraudChecks(
  policy: Policy,
  subjects: readonly string[],
): fc.Arbitrary<readonly FraudFacts[]> {
  const words = vocabularyOf(policy)
  const passed = words.passed.ANTIFRAUD ?? []
  const check = fc.record({
    type: fc.constantFrom(...FRAUD_CHECK_TYPES),
    passed: mostOf(passed),
    raised: fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, fewOf(words.raised, 1)),
    subjects: mostOf(subjects),
  })
  return fc.uniqueArray(check, { maxLength: FRAUD_CHECK_TYPES.length, selector: ({ type }) => type })
}

export function arbitraryFacts(policy: Policy, most = 7): fc.Arbitrary<AssuranceFacts> {
  return fc.nat({ max: most }).chain((count) => {
    const ids = Array.from({ length: count }, (_, index) => `e${index}`)
    return fc.record({
      evidences: fc.tuple(
        ...ids.map((id) =>
          arbitraryEvidence(
            policy,
            id,
            ids.filter((other) => other !== id),
          ),
        ),
      ),
      fraudChecks: arbitraryFraudChecks(policy, ids),
    })
  })
}

export const arbitraryAbilities: fc.Arbitrary<readonly Ability[]> = fc.oneof(
  fc.constant([...ABILITIES]),
  fc.subarray([...ABILITIES]),
)

const level = fc.constantFrom(...LEVELS)
const someTypes = fc.option(fc.subarray([...TYPES_OF.ID_DOCUMENT], { minLength: 1 }), { nil: undefined })
/** Few words, so that rules meet each other. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  ID_DOCUMENT: ['MRZ_READING', 'VISUAL_ZONE_MATCH', 'GIV_VERIFICATION'],
  PORTRAIT: [
    'BIOMETRIC_MATCHING_CHECK',
    'BIOMETRIC_LIVENESS',
    'LIVENESS_STOPS_PRINTS',
    'LIVENESS_STOPS_REPLAYS',
    'LIVENESS_STOPS_OPERATORS',
  ],
  TRUSTED_ID_CLAIM: ['ID_TOKEN'],
  CONTACT: ['MOBILE_OTP'],
  ANTIFRAUD: ['WATCHLIST', 'DOCUMENT_STATUS'],
}
const RANDOM_KINDS = ['ID_DOCUMENT', 'ID_DOCUMENT', 'PORTRAIT', 'TRUSTED_ID_CLAIM', 'CONTACT'] as const
const CAPPED = ['CLOCK_UNVERIFIED', 'CAMERA_UNVERIFIED', 'WATCHLIST_FAILED'] as const
const MARKS: readonly PieceRule['marks'][] = [
  undefined,
  undefined,
  { strength: 1 },
  { strength: 2, validity: 2 },
]
const SCALES: readonly Profile['scales'][] = [
  undefined,
  undefined,
  { activity: 1 },
  { fraud: 1 },
  { activity: 1, fraud: 2 },
]
const RANDOM_LEVELS = ['LOA0', 'LOA1', 'LOA2', 'LOA3']

const few = <T>(values: readonly T[], maxLength = 2): fc.Arbitrary<T[]> =>
  fc.subarray([...values], { maxLength: Math.min(maxLength, values.length) })
const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...values], { minLength: 1 })
const named = <T extends object>(rules: readonly T[]): (T & { name: string })[] =>
  rules.map((rule, index) => ({ ...rule, name: `rule-${index}` }))

const scoreRule: fc.Arbitrary<Omit<ScoreRule, 'name'>> = fc.record({
  score: level,
  types: someTypes,
  requires: some(CHECKS.ID_DOCUMENT),
})

const strengthRule: fc.Arbitrary<Omit<StrengthRule, 'name'>> = fc.record({
  level,
  types: some(TYPES_OF.ID_DOCUMENT),
  requires: some(CHECKS.ID_DOCUMENT),
})

const withHolder = (kind: string): readonly string[] =>
  kind === 'ID_DOCUMENT'
    ? [
        ...CHECKS.ID_DOCUMENT,
        'HOLDER_MATCH',
        'HOLDER_LIVE',
        'HOLDER_LIVE_AGAINST_REPLAYS',
        'HOLDER_LIVE_AGAINST_OPERATORS',
        'DOCUMENT_STATUS',
      ]
    : (CHECKS[kind] ?? [])

const markRule: fc.Arbitrary<MarkRule> = fc.constantFrom(...RANDOM_KINDS).chain((evidence) =>
  fc.record({
    mark: fc.constantFrom('strength', 'validity'),
    value: fc.integer({ min: 1, max: 4 }),
    evidence: fc.constant(evidence),
    types: evidence === 'ID_DOCUMENT' ? someTypes : fc.constant(undefined),
    issuers:
      evidence === 'ID_DOCUMENT' ? fc.constantFrom(undefined, undefined, ['UTO']) : fc.constant(undefined),
    minimumScore: fc.constantFrom(undefined, undefined, 'LEVEL2' as const),
    requires: few(withHolder(evidence)),
  }),
)

const scaleRule: fc.Arbitrary<ScaleRule> = fc
  .constantFrom(...RANDOM_KINDS, 'ANTIFRAUD' as const)
  .chain((evidence) =>
    fc.record({
      scale: fc.constantFrom('activity', 'fraud'),
      value: fc.integer({ min: 1, max: 3 }),
      evidence: fc.constant(evidence),
      types: evidence === 'ID_DOCUMENT' ? someTypes : fc.constant(undefined),
      requires: evidence === 'ANTIFRAUD' ? some(CHECKS.ANTIFRAUD) : few(withHolder(evidence)),
      marks: evidence === 'ANTIFRAUD' ? fc.constant(undefined) : fc.constantFrom(undefined, { validity: 2 }),
      heldForDays: evidence === 'ID_DOCUMENT' ? fc.constantFrom(undefined, 180) : fc.constant(undefined),
    }),
  )

const pieceRule: fc.Arbitrary<PieceRule> = fc
  .constantFrom(...RANDOM_KINDS, 'ANY' as const)
  .chain((evidence) =>
    fc.record({
      evidence: fc.constant(evidence),
      types: evidence === 'ID_DOCUMENT' ? someTypes : fc.constant(undefined),
      minimumScore: fc.option(fc.constantFrom('LEVEL1' as const, 'LEVEL2' as const, 'LEVEL3' as const), {
        nil: undefined,
      }),
      minimumStrength: fc.option(fc.constantFrom('LEVEL1' as const, 'LEVEL3' as const), { nil: undefined }),
      marks: fc.constantFrom(...MARKS),
      requires: few(withHolder(evidence)),
    }),
  )

const profile: fc.Arbitrary<Omit<Profile, 'name'>> = fc.record({
  levelOfAssurance: fc.constantFrom(...RANDOM_LEVELS.slice(1)),
  pieces: fc.array(pieceRule, { minLength: 1, maxLength: 3 }),
  scales: fc.constantFrom(...SCALES),
})

const submission: fc.Arbitrary<Omit<SubmissionRule, 'name'>> = fc
  .constantFrom(...RANDOM_KINDS, 'ANTIFRAUD' as const)
  .chain((evidence) =>
    fc.record({
      evidence: fc.constant(evidence),
      types: evidence === 'ID_DOCUMENT' ? some(TYPES_OF.ID_DOCUMENT) : fc.constant(undefined),
      checks: mostOf(CHECKS[evidence] ?? []),
      needs: few(['DOCUMENTS', 'FACES', 'LIVENESS'] as const, 1),
    }),
  )

/** Valid by its schema, with otherwise arbitrary content. */
export const arbitraryPolicy: fc.Arbitrary<Policy> = fc
  .record({
    strengths: fc.array(level, { minLength: 15, maxLength: 15 }),
    strengthRules: fc.array(strengthRule, { maxLength: 2 }),
    documentScore: fc.array(scoreRule, { minLength: 1, maxLength: 4 }),
    marks: fc.array(markRule, { minLength: 2, maxLength: 6 }),
    scales: fc.array(scaleRule, { maxLength: 5 }),
    profiles: fc.array(profile, { minLength: 1, maxLength: 7 }),
    capped: fc.array(fc.constantFrom(...RANDOM_LEVELS), {
      minLength: CAPPED.length,
      maxLength: CAPPED.length,
    }),
    submissions: fc.array(submission, { minLength: 1, maxLength: 5 }),
    longest: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ strengths, capped, longest, ...rules }) => {
    const types = Object.values(TYPES_OF).flat()
    return somePolicy({
      id: 'random',
      ...rules,
      strength: Object.fromEntries(types.map((type, index) => [type, strengths[index]])),
      strengthRules: named(rules.strengthRules),
      documentScore: named(rules.documentScore),
      profiles: named(rules.profiles),
      submissions: named(rules.submissions),
      caps: Object.fromEntries(CAPPED.map((indicator, index) => [indicator, capped[index]])),
      upgradePaths: { longest, most: 1000 },
    })
  })
