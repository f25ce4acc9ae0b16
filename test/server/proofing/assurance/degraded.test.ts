/** The degraded-mode matrix: every fault has an indicator, a cap in every policy, and never raises a level. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadFaultRules } from '../../../../server/config/degraded.ts'
import { RESOURCES_DIR } from '../../../../server/config/resources.ts'
import { AppError } from '../../../../server/errors.ts'
import { levelReached } from '../../../../server/proofing/assurance/assess.ts'
import { findRank } from '../../../../server/proofing/assurance/caps.ts'
import type { AssuranceFacts } from '../../../../server/proofing/assurance/facts.ts'
import {
  faultIndicators,
  FAULTS,
  TOUCHED,
  type FaultRule,
} from '../../../../server/proofing/assurance/faults.ts'
import { arbitraryFacts, arbitraryPolicy } from '../../../support/assurance.ts'
import { aDocument, CHIP, COUNTER, factsIn, ISSUER, LIVE, POLICIES, policyOf } from './shipped.ts'

const rules = loadFaultRules()
const indicators = rules.map(({ indicator }) => indicator)

/** The same facts, found while something was wrong. */
function under(
  facts: AssuranceFacts,
  indicator: string,
  touched: (index: number) => boolean,
): AssuranceFacts {
  const mark = <Fact extends { readonly raised: readonly string[] }>(fact: Fact, index: number): Fact =>
    touched(index) ? { ...fact, raised: [...fact.raised, indicator] } : fact
  return { evidences: facts.evidences.map(mark), fraudChecks: facts.fraudChecks.map(mark) }
}

describe('the table', () => {
  test('has one row for every fault, each with an indicator of its own', () => {
    expect(rules.map(({ fault }) => fault).sort()).toEqual([...FAULTS].sort())
    expect(new Set(indicators).size).toBe(FAULTS.length)
  })

  test('gives evidence the indicators of the faults that are in force and touch its family', () => {
    expect(faultIndicators(rules, ['PAD_MODEL_MISSING', 'CLOCK_UNSURE'], 'PORTRAIT')).toEqual([
      'PAD_MODEL_UNVERIFIED',
      'CLOCK_UNVERIFIED',
    ])
    expect(faultIndicators(rules, ['PAD_MODEL_MISSING'], 'IDDOCUMENT')).toEqual([])
    expect(faultIndicators(rules, ['WATCHLIST_OUTDATED'], 'ANTIFRAUD')).toEqual([
      'WATCHLIST_CURRENCY_UNVERIFIED',
    ])
    expect(faultIndicators(rules, [], 'PORTRAIT')).toEqual([])
    for (const family of TOUCHED) expect(faultIndicators(rules, FAULTS, family)).not.toEqual([])
  })

  test.each<readonly [what: string, change: (rows: FaultRule[]) => readonly object[], field: string]>([
    ['without a fault', (rows) => rows.slice(1), 'degraded.json:faults'],
    [
      'with a fault twice',
      (rows) => [...rows, { ...rows[0], indicator: 'ODD_UNVERIFIED' }],
      'degraded.json:faults',
    ],
    [
      'with one indicator for two faults',
      (rows) => rows.with(1, { ...rows[1], indicator: rows[0].indicator }),
      'degraded.json:faults.1.indicator',
    ],
    [
      'with a family twice',
      (rows) => rows.with(0, { ...rows[0], families: ['PORTRAIT', 'PORTRAIT'] }),
      'degraded.json:faults.0.families',
    ],
    [
      'with an indicator that reads like a pass',
      (rows) => rows.with(0, { ...rows[0], indicator: 'FACE_MODELS_OK' }),
      'degraded.json:faults.0.indicator',
    ],
  ])('%s is refused', (_what, change, field) => {
    const table = JSON.parse(readFileSync(join(RESOURCES_DIR, 'degraded.json'), 'utf8')) as {
      faults: FaultRule[]
    }
    const folder = mkdtempSync(join(tmpdir(), 'degraded-'))
    const file = join(folder, 'degraded.json')
    writeFileSync(file, JSON.stringify({ ...table, faults: change(table.faults) }))
    const load = (): unknown => {
      try {
        return loadFaultRules(file)
      } catch (error) {
        return error instanceof AppError ? error.problems.map((problem) => problem.field) : error
      }
    }
    expect(load()).toEqual([field])
    rmSync(folder, { recursive: true })
  })
})

describe.each([...POLICIES.keys()])('the policy %s', (id) => {
  const policy = policyOf(id)

  test('caps every fault below its highest level', () => {
    for (const indicator of indicators) {
      expect(findRank(policy, policy.caps[indicator]), indicator).toBeGreaterThanOrEqual(0)
      expect(findRank(policy, policy.caps[indicator]), indicator).toBeLessThan(policy.levels.length - 1)
    }
  })

  test('gives nothing to a machine that was tampered with', () => {
    expect(policy.caps.TAMPER_EVIDENCE_UNVERIFIED).toBe('LOA0')
  })

  test.each(rules.map(({ indicator }) => indicator))('%s holds the best evidence at its cap', (indicator) => {
    const facts = factsIn(policy, {
      documents: [aDocument('PASSPORT', [...CHIP, ISSUER, ...COUNTER])],
      portrait: [...LIVE, 'NFC_PORTRAIT_MATCH', 'GIV_PORTRAIT_MATCH', 'ATTENDED_CAPTURE'],
      fraud: [
        'DUPLICATE_DOCUMENT',
        'DOCUMENT_STATUS',
        'DOCUMENT_STATUS_ISSUER',
        'DEATH_RECORD',
        'DEVICE_INTEGRITY',
      ],
    })
    expect(levelReached(policy, facts)).toBe(policy.levels.length - 1)
    const held = levelReached(
      policy,
      under(facts, indicator, () => true),
    )
    expect(held).toBeLessThanOrEqual(findRank(policy, policy.caps[indicator]))
  })

  test('never reaches more with a fault than without, whatever was submitted', () => {
    fc.assert(
      fc.property(
        arbitraryFacts(policy, 5),
        fc.constantFrom(...indicators),
        fc.func(fc.boolean()),
        (facts, indicator, touched) => {
          expect(levelReached(policy, under(facts, indicator, touched))).toBeLessThanOrEqual(
            levelReached(policy, facts),
          )
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

test('no policy at all, however odd, reaches more with a fault than without', () => {
  const odd = arbitraryPolicy.chain((policy) => fc.tuple(fc.constant(policy), arbitraryFacts(policy, 5)))
  fc.assert(
    fc.property(odd, fc.func(fc.boolean()), ([policy, facts], touched) => {
      const indicator = 'CLOCK_UNVERIFIED'
      expect(levelReached(policy, under(facts, indicator, touched))).toBeLessThanOrEqual(
        levelReached(policy, facts),
      )
    }),
    { numRuns: 1_000 },
  )
})
