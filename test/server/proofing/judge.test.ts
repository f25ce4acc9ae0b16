import { describe, expect, test } from 'vitest'
import { judge, type CheckRule, type Finding } from '../../../server/proofing/judge.ts'

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

  test('is invalid when a rejecting check failed, even if another one only asks for a better picture', () => {
    const judged = judge([finding('READING', 'failed', '1531'), finding('MATCHING', 'failed', '1600')], RULES)
    expect(judged).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['READING_FAILED', 'MATCHING_FAILED'],
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
