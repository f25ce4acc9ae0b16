import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../server/errors.ts'
import { isAcceptableReading } from '../../../../server/proofing/mrz/acceptance.ts'
import { buildMrz, buildTd3, type MrzContents } from '../../../../server/proofing/mrz/build.ts'
import { doAllChecksPass } from '../../../../server/proofing/mrz/checks.ts'
import { readBirthDate, readExpiryDate, toIsoDate } from '../../../../server/proofing/mrz/dates.ts'
import { documentClass } from '../../../../server/proofing/mrz/document-class.ts'
import { issuerKind } from '../../../../server/proofing/mrz/issuers.ts'
import { readNames, writeNames } from '../../../../server/proofing/mrz/names.ts'
import { parseMrz } from '../../../../server/proofing/mrz/parse.ts'
import { VALID_VECTORS } from '../../../vectors/mrz.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
const vector = (name: string) => {
  const found = VALID_VECTORS.find((v) => v.name.includes(name))
  if (found === undefined) throw new TypeError(`no vector called ${name}`)
  return found.lines
}
const ERIKSSON: MrzContents = {
  documentCode: 'P',
  issuingState: 'UTO',
  documentNumber: 'L898902C3',
  nationality: 'UTO',
  birthDate: '740812',
  sex: 'F',
  expiryDate: '120415',
  surname: 'ERIKSSON',
  givenNames: ['ANNA', 'MARIA'],
  optionalData: 'ZE184226B',
}

describe('facts of an MRZ', () => {
  test('the passport specimen of Doc 9303 gives all its facts', () => {
    expect(parseMrz(vector('passport of Utopia'), NOW)).toEqual({
      format: 'TD3',
      documentCode: 'P',
      documentClass: 'PASSPORT',
      passportKind: null,
      issuingState: 'UTO',
      documentNumber: 'L898902C3',
      nationality: 'UTO',
      birthDate: { year: 1974, month: 8, day: 12 },
      sex: 'F',
      expiryDate: { year: 2012, month: 4, day: 15 },
      issueDate: null,
      validity: null,
      surname: 'ERIKSSON',
      givenNames: ['ANNA', 'MARIA'],
      nameMayBeTruncated: false,
      optionalData: 'ZE184226B',
      optionalData2: '',
      isSpecimen: true,
      notes: [],
    })
  })

  test('a document number that overflows into the optional data is composed and its remainder is gone from there', () => {
    const facts = parseMrz(vector('twelve characters'), NOW)
    expect(facts).toMatchObject({
      documentNumber: 'D23145890XYZ',
      optionalData: '',
      documentClass: 'IDENTITY_CARD',
    })
  })

  test('a document number has no fillers before or after it', () => {
    const lines = [
      'IDCMW<512849702<<<<<<<<<<<<<<<',
      '6104128M3402209CMW<<<<<<<<<<<1',
      'PUBLIC<<JON<<<<<<<<<<<<<<<<<<<',
    ]
    expect(parseMrz(lines, NOW).documentNumber).toBe('51284970')
  })

  test('a nationality with digits is none: the card is no residence card, and a note says that the code is unknown', () => {
    const lines = ['IDROUSAVA<<IOANA<<<<<<<<<<<<<<<<<<<<', 'HD198025<51328505095F130509012049941']
    expect(parseMrz(lines, NOW)).toMatchObject({
      nationality: '',
      documentClass: 'IDENTITY_CARD',
      notes: ['NATIONALITY_UNKNOWN'],
    })
  })

  test('an overflow whose check digit is wrong is not composed', () => {
    const [upper = '', ...rest] = vector('twelve characters')
    const facts = parseMrz([upper.replace('XYZ5', 'XYZ6'), ...rest], NOW)
    expect(facts).toMatchObject({ documentNumber: 'D23145890', optionalData: 'XYZ6' })
  })

  test('the French card has no expiry date and its number is the whole first group', () => {
    expect(parseMrz(vector('French'), NOW)).toMatchObject({
      documentNumber: '940992310285',
      expiryDate: null,
      surname: 'BERTHIER',
      givenNames: ['CORINNE'],
      birthDate: { year: 1965, month: 12, day: 6 },
      sex: 'F',
      nationality: 'FRA',
    })
  })

  test('a visa is a visa', () => {
    expect(parseMrz(vector('visa of format B'), NOW)).toMatchObject({ format: 'MRVB', documentClass: 'VISA' })
  })

  test('lines without a known layout are refused without quoting them', () => {
    expect(() => parseMrz(['P<UTO'], NOW)).toThrow(AppError)
    expect(() => parseMrz(['P<UTO'], NOW)).toThrow('validation_failed')
  })

  test('Germany, printed as D and two fillers, is a known issuer; Utopia is a specimen; a made-up code is unknown', () => {
    expect([issuerKind('D<<'), issuerKind('UTO'), issuerKind('QQQ'), issuerKind('RKS')]).toEqual([
      'known',
      'specimen',
      'unknown',
      'known',
    ])
  })

  test('the document code tells passports, visas, identity and residence cards apart', () => {
    expect(documentClass('PP', 'FRA', 'FRA')).toBe('PASSPORT')
    expect(documentClass('VC', 'FRA', 'CHN')).toBe('VISA')
    expect(documentClass('ID', 'FRA', 'FRA')).toBe('IDENTITY_CARD')
    expect(documentClass('IR', 'FRA', 'SEN')).toBe('RESIDENT_CARD')
    expect(documentClass('C1', 'USA', 'CAN')).toBe('RESIDENT_CARD')
    expect(documentClass('AC', 'FRA', 'FRA')).toBeNull()
    expect(documentClass('ZZ', 'FRA', 'FRA')).toBeNull()
  })
})

describe('dates', () => {
  test('a birth is never in the future', () => {
    expect(readBirthDate('261120', NOW).year).toBe(2026)
    expect(readBirthDate('261122', NOW).year).toBe(1926)
  })

  test('an expiry is near: 31 is 2031, 94 is 1994', () => {
    expect(readExpiryDate('310101', NOW).year).toBe(2031)
    expect(readExpiryDate('941014', NOW).year).toBe(1994)
  })

  test('unknown parts of a birth date stay unknown', () => {
    expect(readBirthDate('74<<<<', NOW)).toEqual({ year: 1974 })
    expect(readBirthDate('<<<<<<', NOW)).toEqual({})
    expect(toIsoDate(readBirthDate('74<<<<', NOW))).toBeNull()
  })

  test('a day that does not exist has no ISO date', () => {
    expect(toIsoDate({ year: 2025, month: 2, day: 29 })).toBeNull()
    expect(toIsoDate({ year: 2024, month: 2, day: 29 })).toBe('2024-02-29')
  })
})

describe('names', () => {
  test('a name field that ends in a letter may have been truncated (part 3, section 4.6)', () => {
    expect(readNames('NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K').mayBeTruncated).toBe(true)
    expect(readNames('VAN<DER<MUELLEN<<MARTIN<<<<<<<<')).toEqual({
      surname: 'VAN DER MUELLEN',
      givenNames: ['MARTIN'],
      mayBeTruncated: false,
    })
  })

  test('a person with one name only has no given names', () => {
    expect(readNames('ARKFREITH<<<<<<<<<<<<<<<<<<<<<<')).toMatchObject({
      surname: 'ARKFREITH',
      givenNames: [],
    })
  })

  test('a name that does not fit is cut at the end of the field', () => {
    expect(writeNames('PAPANDROPOULOUS', ['JONATHON', 'ALEC'], 30)).toBe('PAPANDROPOULOUS<<JONATHON<ALEC')
    expect(writeNames('PAPANDROPOULOUS', ['JONATHON', 'ALEXANDER'], 30)).toBe(
      'PAPANDROPOULOUS<<JONATHON<ALEX',
    )
  })
})

describe('building lines', () => {
  test('the builder writes the specimens of Doc 9303', () => {
    expect(buildTd3(ERIKSSON)).toEqual(vector('passport of Utopia'))
    const card = { ...ERIKSSON, documentCode: 'I', documentNumber: 'D23145890', optionalData: '' }
    expect(buildMrz(card, 'TD1')).toEqual(vector('part 5, card'))
    expect(buildMrz(card, 'TD2')).toEqual(vector('part 6, card'))
    expect(buildMrz({ ...card, documentNumber: 'D23145890XYZ' }, 'TD1')).toEqual(vector('twelve characters'))
  })

  test.each(['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB'] as const)(
    'what is built as %s passes its checks',
    (format) => {
      const documentCode = format.startsWith('MRV') ? 'V' : format === 'TD3' ? 'P' : 'I'
      expect(doAllChecksPass(buildMrz({ ...ERIKSSON, documentCode, optionalData: '' }, format))).toBe(true)
    },
  )

  test('a value that does not fit its field, or needs transliteration first, is our own mistake', () => {
    expect(() => buildTd3({ ...ERIKSSON, documentNumber: 'L898902C3X' })).toThrow(TypeError)
    expect(() => buildTd3({ ...ERIKSSON, surname: 'MÜLLER' })).toThrow(TypeError)
  })
})

describe('automatic acceptance', () => {
  const lines = vector('passport of Utopia')
  test('takes two agreeing recognisers, no repair and every check digit together', () => {
    expect(isAcceptableReading({ lines, repaired: [], recognisersAgree: true })).toBe(true)
  })
  test('refuses when another reading that passes all check digits is nearly as likely', () => {
    const reading = { lines, repaired: [], recognisersAgree: true }
    expect(isAcceptableReading({ ...reading, marginNats: 1 })).toBe(false)
    expect(isAcceptableReading({ ...reading, marginNats: 1.6 })).toBe(true)
  })
  test('refuses what may be a part of longer lines', () => {
    const reading = { lines, repaired: [], recognisersAgree: true }
    expect(isAcceptableReading({ ...reading, isWhole: true })).toBe(true)
    expect(isAcceptableReading({ ...reading, isWhole: false })).toBe(false)
  })
  test('takes a passport code in 36 columns on the single-sheet travel document alone', () => {
    const mrzOf = (documentCode: string) => buildMrz({ ...ERIKSSON, documentCode, optionalData: '' }, 'TD2')
    const accepts = (documentCode: string) =>
      isAcceptableReading({ lines: mrzOf(documentCode), repaired: [], recognisersAgree: true })
    expect(['I', 'PU', 'P', 'PP'].map(accepts)).toEqual([true, true, false, false])
  })
  test('refuses when one of the three is missing', () => {
    expect(isAcceptableReading({ lines, repaired: [], recognisersAgree: false })).toBe(false)
    expect(isAcceptableReading({ lines, repaired: [{ line: 1, column: 3 }], recognisersAgree: true })).toBe(
      false,
    )
    const wrong = [lines[0] ?? '', (lines[1] ?? '').replace('740812', '740813')]
    expect(isAcceptableReading({ lines: wrong, repaired: [], recognisersAgree: true })).toBe(false)
  })
})
