import { describe, expect, test } from 'vitest'
import {
  judge,
  findMitigation,
  findOutcome,
  type CheckRule,
  type Finding,
} from '../../../server/proofing/judge.ts'

const RULES: Record<string, CheckRule> = {
  READING: { mandatory: true, onFailure: 'withhold' },
  MATCHING: { mandatory: false, onFailure: 'reject' },
  ISSUER: { mandatory: false, onFailure: 'warn' },
}
const finding = (check: string, outcome: Finding['outcome'], code?: string): Finding => ({
  check,
  outcome,
  ...(code ? { errors: [{ code }] } : {}),
})

describe('a judgement', () => {
  test('without any finding is not verified: success is earned', () => {
    expect(judge([], RULES)).toMatchObject({ status: 'NOT_VERIFIED', mandatoryMissing: ['READING'] })
  })

  test('is verified when every mandatory check passed and nothing failed that blocks', () => {
    expect(judge([finding('READING', 'passed'), finding('ISSUER', 'failed')], RULES)).toEqual({
      status: 'VERIFIED',
      positiveIndicators: ['READING_OK'],
      warningIndicators: ['ISSUER_WARNING'],
      blockingIndicators: [],
      unverifiedIndicators: [],
      mandatoryMissing: [],
      errors: [],
    })
  })

  test('is withheld when a mandatory check gave no answer', () => {
    const judged = judge([finding('READING', 'inconclusive'), finding('MATCHING', 'passed')], RULES)
    expect(judged).toMatchObject({ status: 'NOT_VERIFIED', unverifiedIndicators: ['READING_UNVERIFIED'] })
  })

  test('names why a source left a check open right behind that check, once for each', () => {
    const open = (check: string) => ({ ...finding(check, 'inconclusive'), reason: 'ANSWER' as const })
    expect(judge([open('READING'), open('ISSUER')], RULES).unverifiedIndicators).toEqual([
      'READING_UNVERIFIED',
      'SOURCE_ANSWER_UNVERIFIED',
      'ISSUER_UNVERIFIED',
      'SOURCE_ANSWER_UNVERIFIED',
    ])
  })

  test('is invalid when a rejecting check failed, even if another one only asks for a better picture', () => {
    const judged = judge([finding('READING', 'failed', '1531'), finding('MATCHING', 'failed', '1600')], RULES)
    expect(judged).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['MATCHING_FAILED'],
      warningIndicators: ['READING_WARNING'],
      withheldBy: ['READING'],
      errors: [{ code: '1531' }, { code: '1600' }],
    })
  })

  test('that is invalid always says so by a code, and names the check that has none of its own', () => {
    const judged = judge([finding('READING', 'passed'), finding('MATCHING', 'failed')], RULES)
    expect(judged).toMatchObject({ status: 'INVALID', errors: [{ code: '1599', field: 'MATCHING' }] })
  })

  test('asks for a person where a check does, unless something speaks against the evidence', () => {
    const referred: Finding = { check: 'MATCHING', outcome: 'inconclusive', refers: true }
    const passed = finding('READING', 'passed')
    expect(judge([passed, referred], RULES)).toMatchObject({ refers: true })
    expect(judge([passed, referred, finding('ISSUER', 'failed')], RULES).refers).toBe(true)
    expect(judge([finding('READING', 'failed', '1531'), referred], RULES)).not.toHaveProperty('refers')
    expect(judge([passed, { ...referred, withholds: true }], RULES)).not.toHaveProperty('refers')
  })

  test('names an error code once', () => {
    const judged = judge([finding('READING', 'failed', '1531'), finding('ISSUER', 'failed', '1531')], RULES)
    expect(judged.errors).toEqual([{ code: '1531' }])
  })

  test('refuses a check that no rule speaks of', () => {
    expect(() => judge([finding('UNHEARD_OF', 'passed')], RULES)).toThrow(TypeError)
  })
})

describe('a check that another one outweighs', () => {
  // Spec "Scoring rules": what an issuer says of a name that is not exactly the one on record.
  const NAMES: Record<string, CheckRule> = {
    EXACT: { mandatory: true, onFailure: 'reject', mitigatedBy: ['CLOSE', 'PERSON'] },
    CLOSE: { mandatory: false, onFailure: 'warn' },
    PERSON: { mandatory: false, onFailure: 'warn' },
    NOTED: { mandatory: false, onFailure: 'warn', mitigatedBy: ['CLOSE'] },
    BLURRED: { mandatory: false, onFailure: 'withhold', mitigatedBy: ['CLOSE'] },
  }

  test('blocks nothing when it failed, is a warning, and the judgement says by what it is outweighed', () => {
    expect(judge([finding('EXACT', 'failed', '1131'), finding('CLOSE', 'passed')], NAMES)).toEqual({
      status: 'VERIFIED',
      positiveIndicators: ['CLOSE_OK'],
      warningIndicators: ['EXACT_WARNING'],
      blockingIndicators: [],
      unverifiedIndicators: [],
      mandatoryMissing: [],
      errors: [{ code: '1131' }],
      mitigations: [{ indicator: 'EXACT_FAILED', mitigatedBy: 'CLOSE_OK' }],
    })
  })

  test('needs no code of its own, and holds nothing back', () => {
    const judged = judge(
      [finding('EXACT', 'failed'), finding('BLURRED', 'failed'), finding('CLOSE', 'passed')],
      NAMES,
    )
    expect(judged).toMatchObject({ status: 'VERIFIED', errors: [], blockingIndicators: [] })
    expect(judged.mitigations).toHaveLength(2)
  })

  test('is not missing when it is inconclusive, and refers to no adjudicator', () => {
    const undecided: Finding = { check: 'EXACT', outcome: 'inconclusive', withholds: true, refers: true }
    const judged = judge([undecided, finding('PERSON', 'passed')], NAMES)
    expect(judged).toMatchObject({
      status: 'VERIFIED',
      unverifiedIndicators: ['EXACT_UNVERIFIED'],
      mandatoryMissing: [],
      mitigations: [{ indicator: 'EXACT_UNVERIFIED', mitigatedBy: 'PERSON_OK' }],
    })
    const asked = judge(
      [{ check: 'EXACT', outcome: 'inconclusive', refers: true }, finding('CLOSE', 'passed')],
      NAMES,
    )
    expect(asked).not.toHaveProperty('refers')
  })

  test('blocks as ever where the other one did not pass, or was not there', () => {
    for (const other of [[], [finding('CLOSE', 'failed')], [finding('CLOSE', 'inconclusive')]]) {
      const judged = judge([finding('EXACT', 'failed'), ...other], NAMES)
      expect(judged).toMatchObject({ status: 'INVALID', blockingIndicators: ['EXACT_FAILED'] })
      expect(judged).not.toHaveProperty('mitigations')
    }
    expect(judge([finding('CLOSE', 'passed')], NAMES)).toMatchObject({
      status: 'NOT_VERIFIED',
      mandatoryMissing: ['EXACT'],
    })
  })

  test('needs no other one where it passed, or where it only warns', () => {
    const judged = judge(
      [finding('EXACT', 'passed'), finding('NOTED', 'failed'), finding('CLOSE', 'passed')],
      NAMES,
    )
    expect(judged).toMatchObject({ status: 'VERIFIED', warningIndicators: ['NOTED_WARNING'] })
    expect(judged).not.toHaveProperty('mitigations')
    expect(findMitigation(finding('EXACT', 'passed'), NAMES.EXACT, [finding('CLOSE', 'passed')])).toBeNull()
    expect(
      findMitigation(finding('READING', 'failed'), RULES.READING, [finding('CLOSE', 'passed')]),
    ).toBeNull()
  })
})

describe('what a check found when the evidence was judged', () => {
  const found = judge(
    [
      finding('READING', 'passed'),
      finding('MATCHING', 'failed', '1600'),
      finding('ISSUER', 'failed'),
      finding('CHIP', 'inconclusive'),
      finding('EXACT', 'failed'),
    ],
    {
      ...RULES,
      CHIP: { mandatory: false, onFailure: 'warn' },
      EXACT: { mandatory: false, onFailure: 'reject', mitigatedBy: ['READING'] },
    },
  )

  test.each([
    ['READING', 'passed'],
    ['MATCHING', 'failed'],
    ['ISSUER', 'failed'],
    ['CHIP', 'inconclusive'],
    ['EXACT', 'failed'],
    ['UNHEARD_OF', null],
  ])('%s: %s', (check, outcome) => expect(findOutcome(found, check)).toBe(outcome))
})
