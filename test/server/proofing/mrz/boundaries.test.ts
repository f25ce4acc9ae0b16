/** The edges of the rules of the zone: the first value that passes, the last, and the one beside it. */
import { describe, expect, test } from 'vitest'
import { isAcceptableReading } from '../../../../server/proofing/mrz/acceptance.ts'
import { buildMrz, buildTd3, type MrzContents } from '../../../../server/proofing/mrz/build.ts'
import { characterValue, checkDigit, isMrzText } from '../../../../server/proofing/mrz/check-digit.ts'
import { checkMrz } from '../../../../server/proofing/mrz/checks.ts'
import {
  possibleBirthYears,
  readBirthDate,
  readExpiryDate,
  toIsoDate,
} from '../../../../server/proofing/mrz/dates.ts'
import { detectFormat } from '../../../../server/proofing/mrz/detect.ts'
import { documentClass } from '../../../../server/proofing/mrz/document-class.ts'
import { continuedNumber } from '../../../../server/proofing/mrz/document-number.ts'
import { frenchValidity, readFrenchIssueDate } from '../../../../server/proofing/mrz/french-card.ts'
import { bareCode, issuerKind, printedCodes } from '../../../../server/proofing/mrz/issuers.ts'
import { readNames, writeNames } from '../../../../server/proofing/mrz/names.ts'
import { MRZ_DEVIATIONS } from '../../../../server/proofing/mrz/notes.ts'
import { parseMrz } from '../../../../server/proofing/mrz/parse.ts'
import { SWISS_LICENCE, VALID_VECTORS } from '../../../vectors/mrz.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
const linesOf = (name: string) => VALID_VECTORS.find((vector) => vector.name.includes(name))?.lines ?? []
const put = (line: string, at: number, text: string) =>
  line.slice(0, at) + text + line.slice(at + text.length)
const PASSPORT = linesOf('passport of Utopia')
const CONTENTS: MrzContents = {
  documentCode: 'P',
  issuingState: 'UTO',
  documentNumber: 'L898902C3',
  nationality: 'UTO',
  birthDate: '740812',
  sex: 'F',
  expiryDate: '120415',
  surname: 'ERIKSSON',
  givenNames: ['ANNA', 'MARIA'],
}

describe('a character of the MRZ', () => {
  test.each([
    ['<', 0],
    ['0', 0],
    ['9', 9],
    ['A', 10],
    ['Z', 35],
  ])('%s counts as %i', (character, value) => {
    expect(characterValue(character)).toBe(value)
  })

  test.each(['/', ':', '@', '[', 'a', ' ', ''])('%j is none', (character) => {
    expect(() => characterValue(character)).toThrow('not a character of the machine-readable zone')
    expect(isMrzText(`A${character}`)).toBe(character === '')
  })
})

describe('dates', () => {
  test('a person born today is born this century', () => {
    expect(readBirthDate('261121', NOW).year).toBe(2026)
  })

  test('a month or a day that no calendar has is unknown', () => {
    expect(readBirthDate('740012', NOW)).toEqual({ year: 1974, day: 12 })
    expect(readBirthDate('741300', NOW)).toEqual({ year: 1974 })
    expect(readBirthDate('741231', NOW)).toEqual({ year: 1974, month: 12, day: 31 })
    expect(readBirthDate('740101', NOW)).toEqual({ year: 1974, month: 1, day: 1 })
    expect(readBirthDate('740132', NOW)).toEqual({ year: 1974, month: 1 })
  })

  test('a part that is half unknown is unknown', () => {
    expect(readBirthDate('7<08<2', NOW)).toEqual({ month: 8 })
    expect(readBirthDate('<<0812', NOW)).toEqual({ month: 8, day: 12 })
    expect(readBirthDate('7408 1', NOW)).toEqual({ year: 1974, month: 8 })
  })

  test('a person of 123 years may be alive, one of 124 years not', () => {
    expect(possibleBirthYears('030101', NOW)).toEqual([2003, 1903])
    expect(possibleBirthYears('020101', NOW)).toEqual([2002])
  })

  test('an expiry is in the century that is nearest, before or after', () => {
    const near = (yy: string, now: string) => readExpiryDate(`${yy}0101`, new Date(now)).year
    expect(near('05', '2095-06-01')).toBe(2105)
    expect(near('95', '2005-06-01')).toBe(1995)
    expect(near('76', '2026-11-21')).toBe(1976)
    expect(near('75', '2026-11-21')).toBe(2075)
    expect(readExpiryDate('<<0101', NOW)).toEqual({ month: 1, day: 1 })
  })

  test('only a whole date of the calendar is written as one', () => {
    expect(toIsoDate({ year: 2024, month: 12, day: 31 })).toBe('2024-12-31')
    expect(toIsoDate({ year: 2024, month: 12 })).toBeNull()
    expect(toIsoDate({ year: 2024, day: 31 })).toBeNull()
    expect(toIsoDate({ month: 12, day: 31 })).toBeNull()
    expect(toIsoDate({ year: 2024, month: 4, day: 31 })).toBeNull()
    expect(toIsoDate({ year: 2024, month: 13, day: 1 })).toBeNull()
    expect(toIsoDate({ year: 2023, month: 1, day: 366 })).toBeNull()
  })
})

describe('the layout of lines', () => {
  test('no lines, lines of other widths and lines with foreign characters have none', () => {
    expect(detectFormat([])).toBeNull()
    expect(detectFormat([PASSPORT[0]])).toBeNull()
    expect(detectFormat([PASSPORT[0], `${PASSPORT[1]}<`])).toBeNull()
    expect(detectFormat([PASSPORT[0], put(PASSPORT[1], 3, 'é')])).toBeNull()
    expect(detectFormat([put(PASSPORT[0], 3, ' '), PASSPORT[1]])).toBeNull()
  })

  test('a Swiss licence says so at the beginning of its second line', () => {
    const [blank, , names] = SWISS_LICENCE.lines
    expect(detectFormat([blank, 'FALIE305142128097<<800126<<<<<', names])).toBe('CHE_DL')
    expect(detectFormat([blank, '<FACHE05142128097<<800126<<<<<', names])).toBeNull()
  })

  test('a French card has a sex letter before its last digit, and letters where others print the birth', () => {
    const [upper, lower] = linesOf('French identity card')
    expect(detectFormat([upper, lower])).toBe('FRA')
    expect(detectFormat([upper.replace('IDFRA', 'I<FRA'), lower])).toBe('TD2')
    expect(detectFormat([upper, put(lower, 34, '8')])).toBe('TD2')
    expect(detectFormat([upper, put(lower, 34, 'X')])).toBe('TD2')
    expect(detectFormat([upper, put(lower, 13, '1')])).toBe('TD2')
    expect(detectFormat([upper, put(lower, 18, '1')])).toBe('TD2')
    expect(detectFormat([upper, put(lower, 34, '<')])).toBe('FRA')
    expect(detectFormat([upper, put(lower, 15, '1')])).toBe('TD2')
  })
})

describe('the kind of a document by its code', () => {
  test.each([
    ['D1', 'FRA', '', 'DRIVING_LICENSE'],
    ['D1', 'DEU', '', null],
    ['FA', 'CHE', '', 'DRIVING_LICENSE'],
    ['FA', 'LIE', '', 'DRIVING_LICENSE'],
    ['FA', 'FRA', '', null],
    ['FB', 'CHE', '', null],
    ['P<', 'FRA', 'FRA', 'PASSPORT'],
    ['AC<', 'FRA', 'FRA', null],
    ['AC', 'FRA', 'DEU', null],
    ['ACX', 'FRA', 'FRA', 'IDENTITY_CARD'],
    ['AR', 'FRA', 'FRA', 'RESIDENT_CARD'],
    ['CR', 'FRA', 'FRA', 'RESIDENT_CARD'],
    ['RR', 'FRA', 'FRA', 'RESIDENT_CARD'],
    ['RP', 'FRA', 'FRA', 'RESIDENT_CARD'],
    ['RT', 'FRA', 'FRA', 'RESIDENT_CARD'],
    ['RX', 'FRA', 'FRA', null],
    ['C2', 'USA', 'USA', 'RESIDENT_CARD'],
    ['C3', 'USA', 'USA', 'IDENTITY_CARD'],
    ['IRX', 'FRA', 'FRA', 'IDENTITY_CARD'],
    ['XIR', 'FRA', 'FRA', null],
    ['XRP', 'FRA', 'FRA', null],
    ['XC1', 'USA', 'USA', null],
    ['RPX', 'FRA', 'FRA', null],
    ['C1X', 'USA', 'USA', 'IDENTITY_CARD'],
    ['XI', 'FRA', 'FRA', null],
    ['I<', 'FRA', 'FRA', 'IDENTITY_CARD'],
    ['ID', 'FRA', '', 'IDENTITY_CARD'],
    ['ID', 'FRA', 'DEU', 'RESIDENT_CARD'],
    ['C', 'FRA', 'FRA', 'IDENTITY_CARD'],
    ['', 'FRA', 'FRA', null],
    ['A<C<', 'FRA', 'FRA', 'IDENTITY_CARD'],
    ['AC<<', 'FRA', 'FRA', null],
  ])('%s of %s for a national of %j is %s', (code, issuer, nationality, kind) => {
    expect(documentClass(code, issuer, nationality)).toBe(kind)
  })
})

describe('numbers that continue in the optional data', () => {
  const digitOf = (text: string) => checkDigit(text)

  test('end at the first filler, and give the rest back', () => {
    const optional = `XYZ${digitOf('D23145890XYZ')}<AB<`
    expect(continuedNumber('D23145890', optional)).toEqual({
      number: 'D23145890XYZ',
      rest: 'AB<',
      check: 'passed',
    })
  })

  test('may fill the optional data to its end', () => {
    const optional = `XY${digitOf('D23145890XY')}`
    expect(continuedNumber('D23145890', optional)).toEqual({
      number: 'D23145890XY',
      rest: '',
      check: 'passed',
    })
  })

  test('may be summed with the filler in the usual place of the digit', () => {
    const more = 'B5'
    const withFiller = digitOf(`D23145890<${more}`)
    expect(withFiller).not.toBe(digitOf(`D23145890${more}`))
    expect(continuedNumber('D23145890', `${more}${withFiller}<`)).toEqual({
      number: 'D23145890B5',
      rest: '',
      check: 'passed',
    })
  })

  test('need at least one more character before their digit', () => {
    expect(continuedNumber('D2314<<<<', '6<<')).toEqual({ number: 'D2314', rest: '6<<', check: 'failed' })
    expect(continuedNumber('D2314<5<<', '<<<')).toEqual({ number: 'D2314<5', rest: '<<<', check: 'failed' })
    expect(continuedNumber('D23145890', `X${digitOf('D23145890X')}`).check).toBe('passed')
  })

  test('with a wrong digit are the nine characters alone, without the fillers at their end', () => {
    const wrong = (Number(digitOf('D2314<5<<X')) + 5) % 10
    expect(continuedNumber('D2314<5<<', `X${wrong}<`)).toEqual({
      number: 'D2314<5',
      rest: `X${wrong}<`,
      check: 'failed',
    })
  })

  test('are read of passports and cards alone, never of a visa', () => {
    const [upper, lower] = linesOf('visa of format A')
    const digit = checkDigit('L8988901CX')
    const visa = [upper, put(put(lower, 9, '<'), 28, `X${digit}<`)]
    expect(parseMrz(visa, NOW)).toMatchObject({
      documentNumber: 'L8988901C',
      notes: ['EXPIRY_IS_OF_VISA'],
    })
  })
})

describe('the French card', () => {
  test('was issued from 1988 on, in months of the calendar', () => {
    expect(readFrenchIssueDate('8801')).toEqual({ year: 1988, month: 1 })
    expect(readFrenchIssueDate('8712')).toEqual({ year: 2087, month: 12 })
    expect(readFrenchIssueDate('0400')).toEqual({ year: 2004 })
    expect(readFrenchIssueDate('0413')).toEqual({ year: 2004 })
    expect(readFrenchIssueDate('04<1')).toEqual({})
    expect(readFrenchIssueDate('040')).toEqual({})
    expect(readFrenchIssueDate('04011')).toEqual({})
    expect(readFrenchIssueDate('X0401')).toEqual({})
  })

  test.each([
    [2003, null],
    [2004, 2019],
    [2013, 2028],
    [2014, null],
  ])('issued to an adult in %i is extended until %s', (year, extended) => {
    const validity = frenchValidity({ year, month: 6 }, { year: 1960, month: 1, day: 1 })
    expect(validity?.printed).toEqual({ year: year + 10, month: 6 })
    expect(validity?.extended?.year ?? null).toBe(extended)
  })

  test.each([
    [{ year: 1994, month: 5 }, true],
    [{ year: 1994, month: 6 }, false],
    [{ year: 1994, month: 7 }, false],
    [{ year: 1994 }, false],
    [{ year: 1993, month: 12 }, true],
    [{ year: 1995, month: 1 }, false],
    [{ month: 1 }, false],
  ])('issued in June 2012 to a person born %j was an adult’s: %s', (birth, isAdult) => {
    expect(frenchValidity({ year: 2012, month: 6 }, birth)?.extended !== null).toBe(isAdult)
  })

  test('has no expiry without year and month of its issue', () => {
    expect(frenchValidity({ year: 2012 }, { year: 1960 })).toBeNull()
    expect(frenchValidity({ month: 6 }, { year: 1960 })).toBeNull()
  })

  test('with a name of several parts gives all of them, cut or not', () => {
    const [upper, lower] = linesOf('French identity card')
    const long = parseMrz([upper, put(lower, 13, 'CORINNE<<ANNEM')], NOW)
    expect(long).toMatchObject({ givenNames: ['CORINNE', 'ANNEM'], nameMayBeTruncated: true })
    const cut = parseMrz([put(upper, 5, 'B'.repeat(25)), lower], NOW)
    expect(cut).toMatchObject({ givenNames: ['CORINNE'], nameMayBeTruncated: true })
    expect(parseMrz([upper, lower], NOW).nameMayBeTruncated).toBe(false)
    expect(parseMrz([upper, put(lower, 13, '<'.repeat(14))], NOW).givenNames).toEqual([])
  })
})

describe('codes of states', () => {
  test('are printed with fillers up to three characters', () => {
    const printed = printedCodes()
    expect(printed).toEqual(expect.arrayContaining(['D<<', 'FRA', 'UTO']))
    expect(printed.every((code) => code.length === 3 && issuerKind(code) !== 'unknown')).toBe(true)
  })

  test('lose the fillers at their end alone', () => {
    expect(bareCode('D<<')).toBe('D')
    expect(bareCode('A<B<')).toBe('A<B')
  })

  test.each(['FRA', 'AFG', 'ZWE', 'ALA'])('%s is on the list', (code) => {
    expect(issuerKind(code)).toBe('known')
  })

  test('a text of several codes, or none, is no code', () => {
    expect([issuerKind(''), issuerKind('FRA DEU'), issuerKind('F')]).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ])
  })
})

describe('names of the MRZ', () => {
  test('hold no empty components', () => {
    expect(readNames('<VAN<DER<<ANNA<<<MARIA<<<')).toEqual({
      surname: 'VAN DER',
      givenNames: ['ANNA', 'MARIA'],
      mayBeTruncated: false,
    })
    expect(readNames('')).toEqual({ surname: '', givenNames: [], mayBeTruncated: false })
  })

  test('are written with single fillers, and with none behind a surname alone', () => {
    expect(writeNames('  VAN  DER<MUELLEN ', ['ANNA  MARIA'], 30)).toBe('VAN<DER<MUELLEN<<ANNA<MARIA<<<')
    expect(writeNames('ARKFREITH', [], 12)).toBe('ARKFREITH<<<')
    expect(writeNames('VAN  DER', [], 8)).toBe('VAN<DER<')
  })

  test('with digits or signs are refused before they are written', () => {
    const refusal = 'a name holds characters that the zone does not have'
    expect(() => writeNames('ERIKSSON2', [], 20)).toThrow(refusal)
    expect(() => writeNames('O’BRIEN', [], 20)).toThrow(refusal)
  })
})

describe('lines that are written', () => {
  test('refuse what does not fit, and name the field', () => {
    expect(() => buildTd3({ ...CONTENTS, issuingState: 'UTOP' })).toThrow(
      'issuingState does not fit its field',
    )
    expect(() => buildTd3({ ...CONTENTS, nationality: 'ut' })).toThrow('nationality does not fit its field')
    expect(() => buildTd3({ ...CONTENTS, optionalData: 'A'.repeat(15) })).toThrow('optionalData does not fit')
    expect(() => buildTd3({ ...CONTENTS, documentNumber: 'L898902C34' })).toThrow(
      'documentNumber does not fit its field',
    )
  })

  test('hold a field to its last column', () => {
    expect(buildTd3({ ...CONTENTS, optionalData: 'A'.repeat(14) })[1].slice(28, 42)).toBe('A'.repeat(14))
  })

  test('print a filler for the sex that is not given, and a letter for the others', () => {
    const sexOf = (sex: MrzContents['sex']) => buildTd3({ ...CONTENTS, sex })[1].charAt(20)
    expect([sexOf('M'), sexOf('F'), sexOf('X')]).toEqual(['M', 'F', '<'])
  })

  test('fill the name field to the width of the layout', () => {
    const surname = 'A'.repeat(50)
    expect(buildMrz({ ...CONTENTS, surname }, 'TD3')[0]).toBe(`P<UTO${'A'.repeat(39)}`)
    expect(buildMrz({ ...CONTENTS, documentCode: 'I', surname }, 'TD1')[2]).toBe('A'.repeat(30))
    expect(buildMrz({ ...CONTENTS, documentCode: 'I', surname }, 'TD2')[0]).toBe(`I<UTO${'A'.repeat(31)}`)
  })

  test('have a second optional field on the card of three lines alone', () => {
    const card = { ...CONTENTS, documentCode: 'I', optionalData: 'ONE', optionalData2: 'TWO' }
    const [upper, middle] = buildMrz(card, 'TD1')
    expect([upper.slice(15, 18), middle.slice(18, 21)]).toEqual(['ONE', 'TWO'])
    expect(buildMrz(card, 'TD2').join('')).not.toContain('TWO')
  })

  test('carry an overflowing number, its digit, a filler and what else is optional', () => {
    const card = { ...CONTENTS, documentCode: 'I', documentNumber: 'D23145890XYZ', optionalData: 'RE' }
    const lines = buildMrz(card, 'TD2')
    expect(lines[1].charAt(9)).toBe('<')
    expect(lines[1].slice(28, 35)).toBe(`XYZ${checkDigit('D23145890XYZ')}<RE`)
    expect(parseMrz(lines, NOW)).toMatchObject({
      documentNumber: 'D23145890XYZ',
      optionalData: 'RE',
    })
  })
})

describe('a reading that may be used without a person', () => {
  const agreed = { lines: PASSPORT, repaired: [], recognisersAgree: true }

  test('is the likelier by the least margin or more', () => {
    expect(isAcceptableReading({ ...agreed, marginNats: 1.3 })).toBe(true)
    expect(isAcceptableReading({ ...agreed, marginNats: 1.29 })).toBe(false)
  })

  test('of a Swiss licence is sure of each character, from 0.97 on', () => {
    const { lines } = SWISS_LICENCE
    const sure = (value: number) => lines.map((line) => [...line].map(() => value))
    const swiss = { ...agreed, lines }
    expect(isAcceptableReading({ ...swiss, characterConfidence: sure(0.97) })).toBe(true)
    expect(isAcceptableReading({ ...swiss, characterConfidence: sure(0.969) })).toBe(false)
    expect(isAcceptableReading({ ...swiss, characterConfidence: [] })).toBe(false)
  })

  test('is never one without lines, however sure of each character', () => {
    expect(isAcceptableReading({ ...agreed, lines: [], characterConfidence: [] })).toBe(false)
    const noDigits = [PASSPORT[0], put(PASSPORT[1], 43, '1')]
    const sure = noDigits.map((line) => [...line].map(() => 1))
    expect(isAcceptableReading({ ...agreed, lines: noDigits, characterConfidence: sure })).toBe(false)
  })
})

describe('what a filler in the place of a digit means', () => {
  test('fails a birth date, whatever it guards', () => {
    const outcome = (lower: string, check: string) =>
      checkMrz([PASSPORT[0], lower]).find((found) => found.check === check)?.outcome
    expect(outcome(put(PASSPORT[1], 19, '<'), 'birthDate')).toBe('failed')
    expect(outcome(put(PASSPORT[1], 13, '<<<<<<<'), 'birthDate')).toBe('failed')
    expect(outcome(put(PASSPORT[1], 21, '<<<<<<<'), 'expiryDate')).toBe('inconclusive')
    expect(outcome(put(PASSPORT[1], 27, '<'), 'expiryDate')).toBe('failed')
  })

  test('leaves a passport without a number unchecked', () => {
    const [number] = checkMrz([PASSPORT[0], put(PASSPORT[1], 0, '<<<<<<<<<<')])
    expect(number).toEqual({ check: 'documentNumber', outcome: 'inconclusive' })
  })
})

describe('facts at the edges', () => {
  test('issued by Utopia or for its national is a specimen, anything else is none', () => {
    const with_ = (issuer: string, nationality: string) =>
      parseMrz([put(PASSPORT[0], 2, issuer), put(PASSPORT[1], 10, nationality)], NOW).isSpecimen
    expect(with_('UTO', 'FRA')).toBe(true)
    expect(with_('FRA', 'UTO')).toBe(true)
    expect(with_('FRA', 'FRA')).toBe(false)
  })

  test('men are men, and the second optional field of a card is read', () => {
    expect(parseMrz([PASSPORT[0], put(PASSPORT[1], 20, 'M')], NOW).sex).toBe('M')
    const [upper, middle, names] = linesOf('part 5, card')
    expect(parseMrz([upper, put(middle, 18, 'AB<C'), names], NOW).optionalData2).toBe('AB<C')
  })

  test('a layout without given names, number or optional data says nothing of them', () => {
    expect(parseMrz(linesOf('licence of France'), NOW)).toMatchObject({
      givenNames: [],
      optionalData: '',
      optionalData2: '',
    })
  })

  test('a birth date with unknown parts is noted, a whole one not', () => {
    const noted = (birth: string) => parseMrz([PASSPORT[0], put(PASSPORT[1], 13, birth)], NOW).notes
    expect(noted('7408<<')).toEqual(['BIRTH_DATE_INCOMPLETE'])
    expect(noted('<40812')).toEqual(['BIRTH_DATE_INCOMPLETE'])
    expect(noted('740812')).toEqual([])
  })

  test('lines of no layout are refused with their number alone', () => {
    try {
      parseMrz(['P<UTO'], NOW)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ details: { reason: 'unknown_mrz_layout', lines: 1 } })
    }
  })

  test('deviations are the notes of what states print against the standard', () => {
    expect(MRZ_DEVIATIONS).toEqual([
      'NUMBER_TOO_LONG_FOR_FORMAT',
      'SIGN_OUTSIDE_ALPHABET',
      'CODE_NOT_ALLOWED',
      'NATIONALITY_UNKNOWN',
    ])
  })

  test('V as second letter is excluded on cards of both sizes, and allowed on anything else', () => {
    const [upper, lower] = linesOf('part 6, card')
    expect(parseMrz([put(upper, 0, 'IV'), lower], NOW).notes).toEqual(['CODE_NOT_ALLOWED'])
    expect(parseMrz([put(PASSPORT[0], 0, 'PV'), PASSPORT[1]], NOW).notes).toEqual([])
  })

  test('the last day of a visa of either format is no expiry of a passport', () => {
    expect(parseMrz(linesOf('visa of format B'), NOW).notes).toEqual(['EXPIRY_IS_OF_VISA'])
  })
})
