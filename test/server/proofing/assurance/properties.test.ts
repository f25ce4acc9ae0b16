/**
 * Tests what has to hold for every policy and every set of evidence, tried with thousands of random ones: over all policies that
 * ship and over random policies. PROPERTY_RUNS=20000 makes more of them; PROPERTY_SEED repeats a run.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadPolicies } from '../../../../server/config/policies.ts'
import { assess, levelReached, type Assessment } from '../../../../server/proofing/assurance/assess.ts'
import {
  ABILITIES,
  type AssuranceFacts,
  type EvidenceFacts,
} from '../../../../server/proofing/assurance/facts.ts'
import { explain } from '../../../../server/proofing/assurance/explain.ts'
import type { Policy } from '../../../../server/proofing/assurance/policy.ts'
import { arbitraryAbilities, arbitraryFacts, arbitraryPolicy } from '../../../support/assurance.ts'
import {
  bruteForcePaths,
  chosenFrom,
  namesOf,
  withSubmissions,
} from '../../../support/upgrade-brute-force.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 400)
const SEED = Number(process.env.PROPERTY_SEED ?? 20261121)
const settings = (runs = RUNS) => ({ numRuns: runs, seed: SEED })

const SHIPPED = [...loadPolicies().values()]
/** Half of them shipped, half random. */
const POLICIES = fc.oneof(fc.constantFrom(...SHIPPED), arbitraryPolicy)

interface Case {
  readonly policy: Policy
  readonly facts: AssuranceFacts
}
const CASES: fc.Arbitrary<Case> = POLICIES.chain((policy) =>
  arbitraryFacts(policy).map((facts) => ({ policy, facts })),
)
/** Includes one piece of evidence or more. */
const SOME = CASES.filter(({ facts }) => facts.evidences.length > 0)

const without = (facts: AssuranceFacts, index: number): AssuranceFacts => ({
  ...facts,
  evidences: facts.evidences.toSpliced(index, 1),
})
const changed = (facts: AssuranceFacts, index: number, over: Partial<EvidenceFacts>): AssuranceFacts => ({
  ...facts,
  evidences: facts.evidences.with(index, { ...facts.evidences[index], ...over }),
})
const pick = (facts: AssuranceFacts, random: number): number => random % facts.evidences.length

const withoutPaths = ({ upgradePaths: _, ...rest }: Assessment): Omit<Assessment, 'upgradePaths'> => rest

describe('for every policy', () => {
  test('random evidence reaches every level of it now and then', () => {
    for (const policy of SHIPPED) {
      const cases = fc.sample(arbitraryFacts(policy, 9), { numRuns: 500, seed: SEED })
      const reached = new Set(cases.map((facts) => levelReached(policy, facts)))
      expect(reached.size, policy.id).toBeGreaterThan(1)
    }
  })

  test('more evidence never reaches less, also evidence about another person', () => {
    fc.assert(
      fc.property(SOME, fc.nat(), ({ policy, facts }, random) => {
        const less = without(facts, pick(facts, random))
        expect(levelReached(policy, less)).toBeLessThanOrEqual(levelReached(policy, facts))
      }),
      settings(),
    )
  })

  test('the order of evidence and of fraud checks changes nothing at all', () => {
    fc.assert(
      fc.property(CASES, fc.infiniteStream(fc.nat()), ({ policy, facts }, randoms) => {
        const shuffled = <T>(values: readonly T[]): T[] =>
          values
            .map((value) => ({ value, at: Number(randoms.next().value) }))
            .sort((a, b) => a.at - b.at)
            .map(({ value }) => value)
        const other = { evidences: shuffled(facts.evidences), fraudChecks: shuffled(facts.fraudChecks) }
        expect(JSON.stringify(assess(policy, other, ABILITIES))).toBe(
          JSON.stringify(assess(policy, facts, ABILITIES)),
        )
      }),
      settings(Math.ceil(RUNS / 6)),
    )
  })

  test('a consent that is taken back never raises the level', () => {
    fc.assert(
      fc.property(SOME, fc.nat(), ({ policy, facts }, random) => {
        const after = changed(facts, pick(facts, random), { mayBeUsed: false })
        expect(levelReached(policy, after)).toBeLessThanOrEqual(levelReached(policy, facts))
      }),
      settings(),
    )
  })

  test('no indicator that is raised lifts the level, on evidence or by a fraud check', () => {
    fc.assert(
      fc.property(SOME, fc.nat(), fc.nat(), ({ policy, facts }, random, which) => {
        const indicators = [...Object.keys(policy.caps), 'UNKNOWN_WARNING']
        const indicator = indicators[which % indicators.length]
        const at = pick(facts, random)
        const before = levelReached(policy, facts)
        const onEvidence = changed(facts, at, { raised: [...facts.evidences[at].raised, indicator] })
        expect(levelReached(policy, onEvidence)).toBeLessThanOrEqual(before)
        const fraudChecks = facts.fraudChecks.map((check) => ({
          ...check,
          raised: [...check.raised, indicator],
        }))
        expect(levelReached(policy, { ...facts, fraudChecks })).toBeLessThanOrEqual(before)
      }),
      settings(),
    )
  })

  test('a check that did not pass after all never raises the level', () => {
    fc.assert(
      fc.property(SOME, fc.nat(), fc.nat(), ({ policy, facts }, random, which) => {
        const at = pick(facts, random)
        const before = levelReached(policy, facts)
        const { passed } = facts.evidences[at]
        const fewer = changed(facts, at, { passed: passed.toSpliced(which % (passed.length + 1), 1) })
        expect(levelReached(policy, fewer)).toBeLessThanOrEqual(before)
        const fraudChecks = facts.fraudChecks.map((check) => ({ ...check, passed: check.passed.slice(1) }))
        expect(levelReached(policy, { ...facts, fraudChecks })).toBeLessThanOrEqual(before)
      }),
      settings(),
    )
  })

  test('what is not verified, or may not be used, changes nothing', () => {
    fc.assert(
      fc.property(CASES, ({ policy, facts }) => {
        const evidences = facts.evidences.filter(
          ({ status, mayBeUsed }) => status === 'VERIFIED' && mayBeUsed,
        )
        const all = withoutPaths(assess(policy, facts, []))
        const usable = withoutPaths(assess(policy, { ...facts, evidences }, []))
        expect(all).toEqual(usable)
      }),
      settings(),
    )
  })

  test('what counts agrees with all else that counts and with the name reference, which counts, too', () => {
    fc.assert(
      fc.property(CASES, ({ policy, facts }) => {
        const assessment = assess(policy, facts, [])
        const byId = new Map(facts.evidences.map((evidence) => [evidence.id, evidence]))
        const says = (one: string, other: string): boolean =>
          byId.get(one)?.disagreements.some(({ evidenceId }) => evidenceId === other) ?? false
        const { countedIds, nameReferenceId, disagreements } = assessment
        for (const one of countedIds) {
          expect(byId.get(one)).toMatchObject({ status: 'VERIFIED', mayBeUsed: true })
          expect(countedIds.filter((other) => says(one, other) || says(other, one))).toEqual([])
        }
        expect(nameReferenceId === null || countedIds.includes(nameReferenceId)).toBe(true)
        expect(disagreements.filter(({ evidenceId }) => countedIds.includes(evidenceId))).toEqual([])
        expectRestsOn(policy, facts, assessment)
      }),
      settings(),
    )
  })

  /** The counted evidence alone reaches the same level. */
  function expectRestsOn(
    policy: Policy,
    facts: AssuranceFacts,
    { countedIds, levelOfAssurance }: Assessment,
  ): void {
    const evidences = facts.evidences.filter(({ id }) => countedIds.includes(id))
    const alone = levelReached(policy, { ...facts, evidences })
    expect(policy.levels[alone].levelOfAssurance).toBe(levelOfAssurance)
  }

  test('indicators are named as holding the level down only where it would be higher without them', () => {
    fc.assert(
      fc.property(CASES, ({ policy, facts }) => {
        const { heldDownBy, levelOfAssurance } = assess(policy, facts, [])
        const reached = policy.levels.findIndex((level) => level.levelOfAssurance === levelOfAssurance)
        const without = (names: readonly string[]): Policy => ({
          ...policy,
          caps: Object.fromEntries(Object.entries(policy.caps).filter(([name]) => !names.includes(name))),
        })
        const free = levelReached({ ...policy, caps: {} }, facts)
        expect(levelReached(without(heldDownBy), facts)).toBe(free)
        expect(heldDownBy.length > 0).toBe(free > reached)
        for (const one of heldDownBy) {
          const others = heldDownBy.filter((other) => other !== one)
          expect(levelReached(without(others), facts)).toBeLessThan(free)
        }
      }),
      settings(),
    )
  })
})

describe('upgrade paths', () => {
  const withAbilities = fc.record({ case: CASES, abilities: arbitraryAbilities })

  test('of random policies are all of the smallest sets and no other', () => {
    const cases = arbitraryPolicy.chain((policy) =>
      fc.record({
        policy: fc.constant(policy),
        facts: arbitraryFacts(policy, 4),
        abilities: arbitraryAbilities,
      }),
    )
    fc.assert(
      fc.property(cases, ({ policy, facts, abilities }) => {
        const { upgradePaths } = assess(policy, facts, abilities)
        const found = Object.entries(upgradePaths).map(([level, paths]) => [
          level,
          namesOf(chosenFrom(paths)),
        ])
        expect(Object.fromEntries(found)).toEqual(bruteForcePaths(policy, facts, abilities))
      }),
      settings(Math.ceil(RUNS / 2)),
    )
  })

  test.each(SHIPPED)('of policy $id are all of the smallest sets of up to two and no other', (shipped) => {
    const policy = { ...shipped, upgradePaths: { longest: 2, most: 1000 } }
    fc.assert(
      fc.property(arbitraryFacts(policy, 5), arbitraryAbilities, (facts, abilities) => {
        const { upgradePaths } = assess(policy, facts, abilities)
        const found = Object.entries(upgradePaths).map(([level, paths]) => [
          level,
          namesOf(chosenFrom(paths)),
        ])
        expect(Object.fromEntries(found)).toEqual(bruteForcePaths(policy, facts, abilities))
      }),
      settings(Math.ceil(RUNS / 50)),
    )
  })

  test('are a beginning of the same list, however many are asked for', () => {
    fc.assert(
      fc.property(withAbilities, fc.integer({ min: 1, max: 4 }), (given, most) => {
        const { policy, facts } = given.case
        const with_ = (count: number): Policy => ({
          ...policy,
          upgradePaths: { ...policy.upgradePaths, most: count },
        })
        const all = assess(with_(1000), facts, given.abilities).upgradePaths
        const few = assess(with_(most), facts, given.abilities).upgradePaths
        const cut = Object.entries(all).map(([level, paths]) => [level, paths.slice(0, most)])
        expect(few).toEqual(Object.fromEntries(cut))
        for (const paths of Object.values(all)) {
          const lengths = paths.map(({ length }) => length)
          expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
          expect(lengths.every((length) => length > 0 && length <= policy.upgradePaths.longest)).toBe(true)
        }
      }),
      settings(Math.ceil(RUNS / 6)),
    )
  })

  test('lead to the level that they are listed for', () => {
    fc.assert(
      fc.property(withAbilities, ({ case: { policy, facts }, abilities }) => {
        const { upgradePaths } = assess(policy, facts, abilities)
        for (const [level, paths] of Object.entries(upgradePaths)) {
          const wanted = policy.levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === level)
          for (const set of chosenFrom(paths).slice(0, 20)) {
            expect(levelReached(policy, withSubmissions(policy, facts, set))).toBeGreaterThanOrEqual(wanted)
          }
        }
      }),
      settings(Math.ceil(RUNS / 6)),
    )
  })
})

describe('an explanation', () => {
  test('calls those profiles met by which a level is reached, and names what is missing of all others', () => {
    fc.assert(
      fc.property(CASES, ({ policy, facts }) => {
        const { assessment, profiles, evidences } = explain(policy, facts)
        const assessed = withoutPaths(assess(policy, facts, []))
        expect(assessment).toEqual(assessed)
        const rank = (level: string): number =>
          policy.levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === level)
        const met = profiles.filter((profile) => profile.met)
        expect(Math.max(0, ...met.map(({ levelOfAssurance }) => rank(levelOfAssurance)))).toBe(
          rank(assessed.levelOfAssurance),
        )
        expect(assessed.profile === null || met.some(({ name }) => name === assessed.profile)).toBe(true)
        expect(profiles.filter(({ missing, met: isMet }) => (missing.length === 0) !== isMet)).toEqual([])
        expect(profiles).toHaveLength(policy.profiles.length)
        const counted = evidences.filter((evidence) => evidence.counted).map(({ id }) => id)
        expect(counted).toEqual(assessed.countedIds)
        expect(evidences.filter(({ counted: counts, leftOut }) => counts && leftOut !== null)).toEqual([])
      }),
      settings(Math.ceil(RUNS / 3)),
    )
  })

  test('names what would do: a profile of which only a score is missing is met once it is there', () => {
    fc.assert(
      fc.property(CASES, ({ policy, facts }) => {
        for (const { name, missing, pieces } of explain(policy, facts).profiles) {
          if (missing.length === 0 || missing.some(({ what }) => what !== 'SCORE')) continue
          const evidences = facts.evidences.map((evidence) =>
            pieces.includes(evidence.id) ? { ...evidence, score: 'LEVEL5' as const } : evidence,
          )
          const after = explain(policy, { ...facts, evidences }).profiles.find(
            (profile) => profile.name === name,
          )
          expect(after).toMatchObject({ met: true, missing: [] })
        }
      }),
      settings(Math.ceil(RUNS / 3)),
    )
  })
})
