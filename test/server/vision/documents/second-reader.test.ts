import { describe, expect, test } from 'vitest'
import { needsSecondReader } from '../../../../server/vision/documents/visual-zone/second-reader.ts'
import type { StripWord } from '../../../../server/vision/documents/visual-zone/strip-words.ts'

const words = (text: string, confidence: number): StripWord[] =>
  text.split(' ').map((word, i) => ({ text: word, confidence, x0: i, y0: 0, x1: i + 1, y1: 1 }))

/** The specimen of ICAO Doc 9303 part 4. */
const MRZ = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10']

const isReadTwice = (
  text: string,
  { confidence = 0.95, top = 0.4, mrz = [] as readonly string[], isPlain = true } = {},
): boolean => needsSecondReader(words(text, confidence), { top, mrz, isPlain })

describe('a label needs one recogniser', () => {
  test('a label in small letters, or in capitals of two languages', () => {
    expect(isReadTwice('Date of birth / Date de naissance')).toBe(false)
    expect(isReadTwice('DATE OF BIRTH / DATE DE NAISSANCE')).toBe(false)
  })

  test('print that was read with doubt is read by both', () => {
    expect(isReadTwice('Date of birth / Date de naissance', { confidence: 0.5 })).toBe(true)
    expect(isReadTwice('DATE OF BIRTH / DATE DE NAISSANCE', { confidence: 0.7 })).toBe(true)
  })

  test.each(['ANNA MARIA', '12.08.1974', 'L898902C3', 'Department Of State', 'Erika', '12 AUG / AOU 74', ''])(
    'a value is read by both: "%s"',
    (value) => {
      expect(isReadTwice(value)).toBe(true)
    },
  )
})

describe('the title of a page needs one recogniser', () => {
  test('a long line of capitals at the top of the page that is read for certain', () => {
    expect(isReadTwice('FEDERAL REPUBLIC OF GERMANY', { top: 0.05 })).toBe(false)
    expect(isReadTwice('FEDERAL REPUBLIC OF GERMANY', { top: 0.05, confidence: 0.7 })).toBe(true)
  })

  test('a name, a line further down and a line with digits are read by both', () => {
    expect(isReadTwice('MARIA DEL CARMEN', { top: 0.05 })).toBe(true)
    expect(isReadTwice('FEDERAL REPUBLIC OF GERMANY', { top: 0.4 })).toBe(true)
    expect(isReadTwice('DOCUMENT OF IDENTITY NUMBER 12', { top: 0.05 })).toBe(true)
  })
})

describe('what the MRZ says too needs no third reader', () => {
  test('a number and a date that are read as the MRZ has them', () => {
    expect(isReadTwice('L898902C3', { mrz: MRZ })).toBe(false)
    expect(isReadTwice('12.08.1974', { mrz: MRZ })).toBe(false)
  })

  test('one digit that differs gets its second reader', () => {
    expect(isReadTwice('L898902C8', { mrz: MRZ })).toBe(true)
    expect(isReadTwice('12.08.1975', { mrz: MRZ })).toBe(true)
    expect(isReadTwice('08.12.1974', { mrz: MRZ })).toBe(true)
  })

  test('a name whose letters have no marks is enough as the MRZ has it', () => {
    expect(isReadTwice('ANNA MARIA', { mrz: MRZ })).toBe(false)
    expect(isReadTwice('ANNA MARTA', { mrz: MRZ })).toBe(true)
    expect(isReadTwice('ERIKSSO', { mrz: MRZ })).toBe(true)
  })

  test('a name with ink above its letters gets its second reader, because the MRZ has no accents', () => {
    expect(isReadTwice('ERIKSSON', { mrz: MRZ, isPlain: false })).toBe(true)
  })

  test('a number that is read with doubt, or that is too short to be one, gets its second reader', () => {
    expect(isReadTwice('L898902C3', { mrz: MRZ, confidence: 0.4 })).toBe(true)
    expect(isReadTwice('898', { mrz: MRZ })).toBe(true)
  })
})
