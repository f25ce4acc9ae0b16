import { describe, expect, test } from 'vitest'
import {
  findAdvice,
  CAPTURE_ADVICE,
  ERROR_CATALOGUE,
  FAILED_CAPTURE,
  isTechnical,
  CONTACT_ADVICE,
  RESULT_CODES,
  resultError,
} from '../../../server/proofing/error-codes.ts'

describe('the catalogue of result codes', () => {
  test.each(RESULT_CODES)('has for %s what it means and what helps, in words', (code) => {
    const { meaning, advice, retry, origin } = ERROR_CATALOGUE[code]
    expect(meaning).toMatch(/\w+ \w+/)
    expect(advice).toMatch(/\w+ \w+/)
    expect(['none', 'later', 'new-picture', 'new-session', 'correct-input']).toContain(retry)
    expect(['spec', 'own']).toContain(origin)
  })

  test('says which codes are ours because the specification has none', () => {
    expect(RESULT_CODES.filter((code) => ERROR_CATALOGUE[code].origin === 'own')).toEqual(
      expect.arrayContaining(['1533', '1543', '1597', '1598', '1599']),
    )
    expect(ERROR_CATALOGUE['1531'].origin).toBe('spec')
    expect(ERROR_CATALOGUE['1021'].origin).toBe('spec')
  })

  test('has a status for what ends a call, and none for what stands in a result', () => {
    expect(ERROR_CATALOGUE['1034'].httpStatus).toBe(404)
    expect(ERROR_CATALOGUE['1531'].httpStatus).toBeNull()
  })
})

describe('who is told what', () => {
  test('the screen of a person learns how to take a better picture, never what a comparison found', () => {
    expect(CAPTURE_ADVICE).toEqual(
      expect.arrayContaining([
        '1508',
        '1531',
        '1532',
        '1533',
        '1535',
        '1539',
        '1540',
        '1541',
        '1543',
        '1601',
      ]),
    )
    expect(CAPTURE_ADVICE).not.toContain('1600')
    expect(CAPTURE_ADVICE.every((code) => ERROR_CATALOGUE[code].retry === 'new-picture')).toBe(true)
  })

  test('of captures there are those that failed', () => {
    expect(FAILED_CAPTURE).toEqual(['1609', '1610', '1611'])
  })

  test('a user agent is told every code that the applicant can act on, and no check or attribute by its name', () => {
    expect(findAdvice(resultError('1531', { field: 'FRONT' }))).toMatchObject({
      code: '1531',
      field: 'FRONT',
    })
    expect(findAdvice(resultError('1600', { message: 'score 0.41' }))).toEqual(resultError('1600'))
    expect(findAdvice(resultError('1599', { field: 'ZONE_GLYPHS' }))).toEqual(resultError('1599'))
    expect(findAdvice(resultError('1034'))).toBeNull()
    expect(findAdvice({ code: '4711' })).toBeNull()
  })

  test('of a phone verification a person learns only what they can act on', () => {
    expect(CONTACT_ADVICE).toEqual(['1100', '1101', '1105', '1117', '1118'])
  })

  test('our own machine or a connected service is to blame for these, and says nothing about the person', () => {
    expect(RESULT_CODES.filter(isTechnical)).toEqual(
      expect.arrayContaining(['1021', '1033', '1100', '1610', '2302', '2403', '2404']),
    )
    expect(['1531', '1599', '1600', '1611', '2402', ''].filter(isTechnical)).toEqual([])
  })
})

test('an error in a result speaks the catalogue’s words unless a narrower message fits', () => {
  expect(resultError('1531')).toEqual({ code: '1531', message: 'the picture is too dark' })
  expect(resultError('1599', { field: 'MRZ_CONSISTENCY', message: 'narrower' })).toEqual({
    code: '1599',
    message: 'narrower',
    field: 'MRZ_CONSISTENCY',
  })
})
