import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDigit } from '../../../../server/proofing/mrz/check-digit.ts'
import { doAllChecksPass, checkMrz } from '../../../../server/proofing/mrz/checks.ts'
import { detectFormat } from '../../../../server/proofing/mrz/detect.ts'
import { MRZ_LAYOUTS } from '../../../../server/proofing/mrz/fields.ts'
import { BLIND_GROUPS, CHECK_DIGIT_VECTORS, VALID_VECTORS } from '../../../vectors/mrz.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'
const replaceAt = (lines: readonly string[], line: number, column: number, character: string) =>
  lines.map((text, i) => (i === line ? text.slice(0, column) + character + text.slice(column + 1) : text))
const groupOf = (character: string) => BLIND_GROUPS.find((group) => group.includes(character))

describe('check digits', () => {
  test.each(CHECK_DIGIT_VECTORS)('the 7-3-1 digit of %s is %s', (text, digit) => {
    expect(checkDigit(text)).toBe(digit)
  })

  test('a character outside the alphabet of the MRZ is our own mistake, not a value', () => {
    expect(() => checkDigit('Ñ')).toThrow(TypeError)
  })

  test.each(VALID_VECTORS)('every check of the $name passes', ({ lines, format }) => {
    expect(detectFormat(lines)).toBe(format)
    expect(checkMrz(lines)).toEqual(
      MRZ_LAYOUTS[format].checks.map(({ check }) => ({ check, outcome: 'passed' })),
    )
  })

  test('visas have no composite check digit', () => {
    for (const format of ['MRVA', 'MRVB'] as const) {
      expect(MRZ_LAYOUTS[format].checks.map((c) => c.check)).toEqual([
        'documentNumber',
        'birthDate',
        'expiryDate',
      ])
    }
  })

  test('a wrong birth date check digit fails the birth date and the composite, and nothing else', () => {
    const lines = [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408123F1204159ZE184226B<<<<<10',
    ]
    expect(checkMrz(lines).filter((c) => c.outcome !== 'passed')).toEqual([
      { check: 'birthDate', outcome: 'failed' },
      { check: 'composite', outcome: 'failed' },
    ])
  })

  test('a filler in place of the check digit over empty optional data of a passport passes', () => {
    const lines = [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159<<<<<<<<<<<<<<<8',
    ]
    expect(checkMrz(lines).find((c) => c.check === 'optionalData')?.outcome).toBe('passed')
    const used = [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<<0',
    ]
    expect(checkMrz(used).find((c) => c.check === 'optionalData')?.outcome).toBe('failed')
  })

  test('a visa without a number leaves the number unchecked instead of passing it', () => {
    const lines = ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', '<<<<<<<<<<XXX4009078F9612109<<<<<<<<']
    expect(checkMrz(lines)[0]).toEqual({ check: 'documentNumber', outcome: 'inconclusive' })
    expect(doAllChecksPass(lines)).toBe(false)
  })

  test('lines without a known layout have no checks, and no checks is no pass', () => {
    expect(checkMrz(['P<UTO', 'L898902C3'])).toEqual([])
    expect(doAllChecksPass(['P<UTO', 'L898902C3'])).toBe(false)
  })

  test('one changed guarded character is noticed unless it stays inside its blind group', () => {
    const guarded = VALID_VECTORS.flatMap(({ lines, format }) =>
      MRZ_LAYOUTS[format].checks.flatMap((rule) =>
        rule.over.flatMap(({ line, from, to }) =>
          Array.from({ length: to - from }, (_, i) => ({ lines, line, column: from + i })),
        ),
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...guarded), fc.constantFrom(...ALPHABET), (spot, character) => {
        const before = spot.lines[spot.line]?.charAt(spot.column) ?? ''
        fc.pre(groupOf(before) !== groupOf(character))
        expect(doAllChecksPass(replaceAt(spot.lines, spot.line, spot.column, character))).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  test('a slip inside a blind group passes every check digit', () => {
    const lines = [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE1842268<<<<<10',
    ]
    expect(doAllChecksPass(lines)).toBe(false) // B → 8 leaves its group
    expect(doAllChecksPass([lines[0] ?? '', 'L898902C36UTO7408122F1204159ZE184226L<<<<<10'])).toBe(true) // B → L does not
  })
})
