/** Codes that staff type: of their app, for recovery, for setting up. */
import { describe, expect, test } from 'vitest'
import {
  normaliseCode,
  toDigits,
  createCode,
  totpStep,
  totpUri,
} from '../../../server/counter/staff/codes.ts'

describe('a code that staff type', () => {
  test('is sixteen letters in groups of four, none of which looks like another', () => {
    const codes = Array.from({ length: 50 }, createCode)
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(new Set(codes).size).toBe(50)
  })

  test.each([
    ['7k4p 2m9x qf0t 9wzb', '7K4P-2M9X-QF0T-9WZB'],
    ['7K4P2M9XQF0T9WZB', '7K4P-2M9X-QF0T-9WZB'],
    ['7k4p-2m9x-qfOt-9wzb', '7K4P-2M9X-QF0T-9WZB'],
    ['iL1o', '1110'],
  ])('%j is read as %s', (typed, code) => {
    expect(normaliseCode(typed)).toBe(code)
  })

  test.each([
    ['123456', '123456'],
    ['123 456', '123456'],
    ['123-456', '123456'],
    ['١٢٣٤٥٦', '123456'],
    ['۰۹۸۷۶۵', '098765'],
    ['12345', null],
    ['1234567', null],
    ['12345a', null],
    ['', null],
  ])('of an app as %j is %j', (typed, digits) => {
    expect(toDigits(typed)).toBe(digits)
  })

  // RFC 6238, appendix B, SHA-1, the last six of its eight digits.
  const SECRET = Buffer.from('12345678901234567890', 'ascii')
  test.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_234_567_890, '005924', 41_152_263],
  ])('of an app at %d s is %s, of step %d', (seconds, code, step) => {
    const at = new Date(seconds * 1000)
    expect(totpStep(SECRET, code, at)).toBe(step)
    // A clock that is one step off is forgiven, and told by its step; two are not.
    expect(totpStep(SECRET, code, new Date(at.getTime() + 30_000))).toBe(step)
    expect(totpStep(SECRET, code, new Date(at.getTime() - 30_000))).toBe(step)
    expect(totpStep(SECRET, code, new Date(at.getTime() + 90_000))).toBeNull()
    for (const other of [`${code}0`, code.slice(1), `x${code.slice(1)}`])
      expect(totpStep(SECRET, other, at)).toBeNull()
  })

  test('is set up with an address that says issuer, name and form', () => {
    const { uri, secret } = totpUri(SECRET, 'ada')
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(uri).toMatch(/^otpauth:\/\/totp\/Counterproof:ada\?/)
    expect(uri).toContain(`secret=${secret}`)
    expect(uri).toContain('digits=6')
    expect(uri).toContain('period=30')
  })
})
