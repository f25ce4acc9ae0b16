/** The rules of Doc 9303 that go beyond fields and check digits, and what is tolerated against it. */
import { describe, expect, test } from 'vitest'
import { isAcceptableReading } from '../../../../server/proofing/mrz/acceptance.ts'
import { checkDigit } from '../../../../server/proofing/mrz/check-digit.ts'
import { doAllChecksPass, checkMrz, checkPrinted } from '../../../../server/proofing/mrz/checks.ts'
import { possibleBirthYears } from '../../../../server/proofing/mrz/dates.ts'
import { detectFormat } from '../../../../server/proofing/mrz/detect.ts'
import { frenchValidity } from '../../../../server/proofing/mrz/french-card.ts'
import { issuerKind } from '../../../../server/proofing/mrz/issuers.ts'
import { readNames } from '../../../../server/proofing/mrz/names.ts'
import { parseMrz } from '../../../../server/proofing/mrz/parse.ts'
import { SWISS_LICENCE, TRUNCATED_NAMES, VALID_VECTORS } from '../../../vectors/mrz.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
const linesOf = (name: string) => {
  const found = VALID_VECTORS.find((vector) => vector.name.includes(name))
  if (found === undefined) throw new TypeError(`no vector called ${name}`)
  return found.lines
}
const PASSPORT = linesOf('passport of Utopia')
const notesOf = (lines: readonly string[]) => parseMrz(lines, NOW).notes
const put = (line: string, at: number, text: string) =>
  line.slice(0, at) + text + line.slice(at + text.length)

/** The second line of a passport with fields replaced and all check digits right again. */
function passportWith(changes: Readonly<Record<number, string>>): string[] {
  let lower = PASSPORT[1]
  for (const [at, text] of Object.entries(changes)) lower = put(lower, Number(at), text)
  for (const [from, to] of [
    [0, 9],
    [13, 19],
    [21, 27],
    [28, 42],
  ])
    lower = put(lower, to, from in changes && to in changes ? changes[to] : checkDigit(lower.slice(from, to)))
  const composite = lower.slice(0, 10) + lower.slice(13, 20) + lower.slice(21, 43)
  return [PASSPORT[0], put(lower, 43, checkDigit(composite))]
}

describe('driving licences with an MRZ', () => {
  test('of France: one line, eight letters of a surname, two check digits', () => {
    const lines = linesOf('licence of France')
    expect(checkMrz(lines)).toEqual([
      { check: 'documentNumber', outcome: 'passed' },
      { check: 'composite', outcome: 'passed' },
    ])
    expect(parseMrz(lines, NOW)).toMatchObject({
      format: 'FRA_DL',
      documentClass: 'DRIVING_LICENSE',
      documentNumber: '13AA00002',
      surname: 'MARTIN',
      expiryDate: { year: 2018, month: 12, day: 31 },
      birthDate: {},
      sex: '',
      nationality: '',
      notes: [],
    })
  })

  test('of Switzerland: lines of 9 and 30 characters, number and version together, nothing guarded', () => {
    expect(detectFormat(SWISS_LICENCE.lines)).toBe('CHE_DL')
    expect(checkMrz(SWISS_LICENCE.lines)).toEqual([])
    expect(doAllChecksPass(SWISS_LICENCE.lines)).toBe(false)
    expect(parseMrz(SWISS_LICENCE.lines, NOW)).toMatchObject({
      documentClass: 'DRIVING_LICENSE',
      issuingState: 'CHE',
      documentNumber: '305142128097',
      birthDate: { year: 1980, month: 1, day: 26 },
      expiryDate: null,
      surname: 'MARCHAND',
      givenNames: ['FABIENNE'],
      notes: ['EXPIRY_NOT_IN_ZONE', 'NO_CHECK_DIGITS'],
    })
  })

  test('of another state in the same lines is no known layout', () => {
    expect(detectFormat(['D1DEU13AA000026181231MARTIN<<9'])).toBeNull()
    expect(
      detectFormat([SWISS_LICENCE.lines[0], 'FADEU305142128097<<800126<<<<<', SWISS_LICENCE.lines[2]]),
    ).toBeNull()
  })
})

describe('what is tolerated and noted', () => {
  test('a passport number of more than nine characters is composed, although the standard has no rule for it', () => {
    const whole = 'L898902C3XY'
    const optional = `XY${checkDigit(whole)}`.padEnd(14, '<')
    const lines = passportWith({ 0: 'L898902C3', 9: '<', 28: optional })
    expect(doAllChecksPass(lines)).toBe(true)
    expect(parseMrz(lines, NOW)).toMatchObject({
      documentNumber: whole,
      optionalData: '',
      notes: ['NUMBER_TOO_LONG_FOR_FORMAT'],
    })
  })

  test('a passport without the check digit of its number, and no rest of a number, fails', () => {
    const lines = passportWith({ 0: 'L898902C3', 9: '<' })
    expect(checkMrz(lines)[0]).toEqual({ check: 'documentNumber', outcome: 'failed' })
  })

  test('a literal X as sex is no sex, and noted; a filler is what the standard prints', () => {
    expect(parseMrz(passportWith({ 20: 'X' }), NOW)).toMatchObject({
      sex: 'X',
      notes: ['SIGN_OUTSIDE_ALPHABET'],
    })
    expect(parseMrz(passportWith({ 20: '<' }), NOW)).toMatchObject({ sex: 'X', notes: [] })
  })

  test.each(['IP', 'AR', 'IR', 'CX', 'AC', 'I<'])('the card code %s is a state’s own choice', (code) => {
    const [upper, ...rest] = linesOf('part 5, card')
    expect(notesOf([code + upper.slice(2), ...rest])).toEqual([])
  })

  test('V as second letter of a card is excluded by the standard', () => {
    const [upper, ...rest] = linesOf('part 5, card')
    expect(notesOf([`IV${upper.slice(2)}`, ...rest])).toEqual(['CODE_NOT_ALLOWED'])
  })

  test.each([
    ['PP', 'ORDINARY'],
    ['PE', 'EMERGENCY'],
    ['PD', 'DIPLOMATIC'],
    ['PO', 'OFFICIAL'],
    ['PR', 'REFUGEE'],
    ['PT', 'ALIEN'],
    ['PS', 'STATELESS'],
    ['PL', 'LAISSEZ_PASSER'],
    ['PM', 'MILITARY'],
    ['P<', null],
    ['PN', null],
  ])('a passport of code %s is a passport, of kind %s', (code, kind) => {
    const lines = [code + PASSPORT[0].slice(2), PASSPORT[1]]
    expect(parseMrz(lines, NOW)).toMatchObject({ documentClass: 'PASSPORT', passportKind: kind, notes: [] })
  })

  test('the single sheet of part 8 is a passport in the size of TD2', () => {
    expect(parseMrz(linesOf('single-sheet'), NOW)).toMatchObject({
      format: 'TD2',
      documentClass: 'PASSPORT',
      passportKind: 'SINGLE_SHEET',
    })
  })

  test('a specimen of Utopia is a specimen, all its check digits right, and no unknown issuer', () => {
    expect(parseMrz(PASSPORT, NOW)).toMatchObject({ isSpecimen: true, notes: [] })
    expect(doAllChecksPass(PASSPORT)).toBe(true)
  })

  test('a code that no list has is noted, for issuer and holder apart', () => {
    expect(notesOf([put(PASSPORT[0], 2, 'QQQ'), PASSPORT[1]])).toEqual(['ISSUER_UNKNOWN'])
    expect(notesOf([PASSPORT[0], put(PASSPORT[1], 10, 'QQQ')])).toEqual(['NATIONALITY_UNKNOWN'])
  })

  test('Germany, Kosovo by either code, British nationals, organisations and the stateless are known', () => {
    const codes = [
      'D<<',
      'RKS',
      'XXK',
      'GBD',
      'GBN',
      'GBO',
      'GBP',
      'GBS',
      'EUE',
      'UNO',
      'UNA',
      'UNK',
      'XBA',
      'XIM',
    ]
    const more = [
      'XCC',
      'XCE',
      'XCO',
      'XEC',
      'XPO',
      'XES',
      'XMP',
      'XOM',
      'XDC',
      'XXA',
      'XXB',
      'XXC',
      'XXX',
      'ANT',
      'NTZ',
    ]
    expect([...codes, ...more].filter((code) => issuerKind(code) !== 'known')).toEqual([])
    // Only ever on master lists, never on a holder's document.
    expect(issuerKind('IAO')).toBe('unknown')
  })
})

describe('dates', () => {
  test('an unknown birth date has the check digit 0 and stays unknown', () => {
    const lines = passportWith({ 13: '<<<<<<' })
    expect(doAllChecksPass(lines)).toBe(true)
    expect(parseMrz(lines, NOW)).toMatchObject({ birthDate: {}, notes: ['BIRTH_DATE_INCOMPLETE'] })
  })

  test('a year of two digits may mean a child or a person over a hundred', () => {
    expect(possibleBirthYears('200101', NOW)).toEqual([2020, 1920])
    expect(possibleBirthYears('740812', NOW)).toEqual([1974])
    expect(possibleBirthYears('020101', NOW)).toEqual([2002])
    expect(possibleBirthYears('<<<<<<', NOW)).toEqual([])
    expect(notesOf(passportWith({ 13: '200101' }))).toEqual(['BIRTH_CENTURY_AMBIGUOUS'])
  })

  test('the last day of a visa is not the expiry of a passport', () => {
    expect(notesOf(linesOf('visa of format A'))).toEqual(['EXPIRY_IS_OF_VISA'])
  })

  test('the French card says when it was issued, and the law for how long it is valid', () => {
    expect(parseMrz(linesOf('French identity card'), NOW)).toMatchObject({
      expiryDate: null,
      issueDate: { year: 1994, month: 9 },
      validity: { printed: { year: 2004, month: 9 }, extended: null },
      notes: ['EXPIRY_NOT_IN_ZONE'],
    })
  })

  test('cards of adults issued from 2004 to 2013 are valid for fifteen years, of children for ten', () => {
    const issued = { year: 2012, month: 6 }
    expect(frenchValidity(issued, { year: 1980, month: 1, day: 1 })?.extended).toEqual({
      year: 2027,
      month: 6,
    })
    expect(frenchValidity(issued, { year: 2000, month: 1, day: 1 })?.extended).toBeNull()
    expect(frenchValidity(issued, {})?.extended).toBeNull()
    expect(frenchValidity({}, {})).toBeNull()
  })
})

test.each(TRUNCATED_NAMES)('$field is told to be perhaps a part of the name', ({ field }) => {
  expect(readNames(field).mayBeTruncated).toBe(true)
})

test('a name that leaves room in its field is whole', () => {
  expect(readNames('VAN<DER<MUELLEN<<MARTIN<<<<<<<<').mayBeTruncated).toBe(false)
})

describe('check digits on the unrepaired reading', () => {
  const format = 'TD3'
  const misread = [PASSPORT[0], put(PASSPORT[1], 15, 'B')]

  test('pass and fail where nothing was repaired', () => {
    expect(checkPrinted({ format, lines: PASSPORT, rawLines: PASSPORT }).map((c) => c.outcome)).toEqual(
      Array(5).fill('passed'),
    )
    const wrong = [PASSPORT[0], put(PASSPORT[1], 19, '3')]
    expect(checkPrinted({ format, lines: wrong, rawLines: wrong })).toContainEqual({
      check: 'birthDate',
      outcome: 'failed',
    })
  })

  test('are not proved by a repair', () => {
    const checks = checkPrinted({ format, lines: PASSPORT, rawLines: misread })
    expect(checks.filter(({ outcome }) => outcome !== 'passed')).toEqual([
      { check: 'birthDate', outcome: 'inconclusive' },
      { check: 'composite', outcome: 'inconclusive' },
    ])
  })
})

describe('an MRZ without check digits', () => {
  const { lines } = SWISS_LICENCE
  const sure = lines.map((line) => [...line].map(() => 0.999))
  const agreed = { lines, repaired: [], recognisersAgree: true }

  test('is never accepted because two engines agree alone', () => {
    expect(isAcceptableReading(agreed)).toBe(false)
    const doubtful = sure.map((row, l) => row.map((value, i) => (l === 1 && i === 7 ? 0.9 : value)))
    expect(isAcceptableReading({ ...agreed, characterConfidence: doubtful })).toBe(false)
  })

  test('is accepted when they are sure of every character and the fixed parts of the layout are there', () => {
    expect(isAcceptableReading({ ...agreed, characterConfidence: sure })).toBe(true)
    const broken = [lines[0], lines[1].replace('097<<', '097<A'), lines[2]]
    expect(isAcceptableReading({ ...agreed, lines: broken, characterConfidence: sure })).toBe(false)
    expect(isAcceptableReading({ ...agreed, repaired: [1], characterConfidence: sure })).toBe(false)
  })
})
