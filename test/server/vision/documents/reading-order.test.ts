import { describe, expect, test } from 'vitest'
import type { Letter } from '../../../../server/vision/documents/text/recognise-lines.ts'
import type { StripWord } from '../../../../server/vision/documents/visual-zone/strip-words.ts'
import {
  isInMrz,
  isPrintedLabel,
  isSureLabel,
  isSureTitle,
  orderLines,
} from '../../../../server/vision/documents/visual-zone/reading-order.ts'

const words = (text: string, confidence = 0.95): StripWord[] =>
  text.split(' ').map((word, i) => ({ text: word, confidence, x0: i, y0: 0, x1: i + 1, y1: 1 }))
const letters = (text: string, confidence = 0.95): Letter[] =>
  Array.from(text, (character, i) => ({ character, confidence, at: i / text.length }))

/** The specimen of ICAO Doc 9303 part 4. */
const MRZ = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10']

describe('which recogniser reads a line first', () => {
  test('lines that are set smaller than the values are small print; what the detector missed is read by tesseract alone', () => {
    const seen = (capHeight: number) => ({ capHeight, isSeen: true })
    const order = orderLines([
      seen(27),
      seen(16),
      seen(26),
      { capHeight: 27, isSeen: false },
      seen(18),
      seen(27),
    ])
    expect(order).toEqual({ small: [1, 4], large: [0, 2, 5], unseen: [3] })
  })

  test('without a network every line is read by tesseract', () => {
    expect(orderLines([{ capHeight: 20, isSeen: false }])).toEqual({ small: [], large: [], unseen: [0] })
  })
})

describe('a label needs one recogniser', () => {
  test('a label in small letters, or in capitals of two languages', () => {
    expect(isPrintedLabel(words('Date of birth / Date de naissance'))).toBe(true)
    expect(isPrintedLabel(words('DATE OF BIRTH / DATE DE NAISSANCE'))).toBe(true)
  })

  test('print that was read with doubt is read by both', () => {
    expect(isPrintedLabel(words('Date of birth / Date de naissance', 0.6))).toBe(false)
    expect(isSureLabel(words('Date of birth'), letters('Date of birth', 0.7))).toBe(false)
  })

  test.each(['ANNA MARIA', '12.08.1974', 'L898902C3', 'Department Of State', 'Erika', '12 AUG / AOU 74', ''])(
    'a value is read by both: "%s"',
    (value) => {
      expect(isPrintedLabel(words(value))).toBe(false)
      expect(isSureLabel(words(value), letters(value))).toBe(false)
    },
  )
})

describe('the title of a page needs one recogniser', () => {
  const isTitle = (text: string, top: number, confidence = 0.95): boolean =>
    isSureTitle(words(text), letters(text, confidence), top)

  test('a long line of capitals at the top of the page that is read for certain', () => {
    expect(isTitle('FEDERAL REPUBLIC OF GERMANY', 0.05)).toBe(true)
    expect(isTitle('FEDERAL REPUBLIC OF GERMANY', 0.05, 0.7)).toBe(false)
  })

  test('a name, a line further down and a line with digits are read by both', () => {
    expect(isTitle('MARIA DEL CARMEN', 0.05)).toBe(false)
    expect(isTitle('FEDERAL REPUBLIC OF GERMANY', 0.4)).toBe(false)
    expect(isTitle('DOCUMENT OF IDENTITY NUMBER 12', 0.05)).toBe(false)
  })
})

describe('what the MRZ says too needs no third reader', () => {
  const isRead = (text: string, confidence = 0.95): boolean =>
    isInMrz(words(text), letters(text, confidence), MRZ)

  test('a number and a date that the network reads as the MRZ has them', () => {
    expect(isRead('L898902C3')).toBe(true)
    expect(isRead('12.08.1974')).toBe(true)
  })

  test('one digit that differs gets its second reader', () => {
    expect(isRead('L898902C8')).toBe(false)
    expect(isRead('12.08.1975')).toBe(false)
    expect(isRead('08.12.1974')).toBe(false)
  })

  test('a name gets its second reader, because the MRZ has no accents', () => {
    expect(isRead('ERIKSSON')).toBe(false)
  })

  test('a number that the network reads with doubt, or that is too short to be one, gets its second reader', () => {
    expect(isRead('L898902C3', 0.4)).toBe(false)
    expect(isRead('898')).toBe(false)
  })
})
