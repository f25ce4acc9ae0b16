/** Texts as a reader of print errs: what counts as nothing, as half an error, as one. */
import { describe, expect, test } from 'vitest'
import {
  bareText,
  JOINED,
  looksAlike,
  readingErrors,
} from '../../../../server/proofing/visual-zone/spelling.ts'

describe('a text without marks, case and signs', () => {
  test.each([
    ['Date of Birth', 'date of birth'],
    ['  Prénoms / Given-names ', 'prenoms given names'],
    ['ÅÄÖ', 'aao'],
    ['Łódź', 'lodz'],
    ['Ørsted Đorđe', 'orsted dorde'],
    ['Straße', 'strasse'],
    ['Ærø Œuvre', 'aero oeuvre'],
    ['ısı', 'isi'],
    ['№ 12', '12'],
    ['Имя', 'имя'],
    ['…', ''],
  ])('%j is %j', (text, bare) => {
    expect(bareText(text)).toBe(bare)
  })
})

describe('errors of a reader', () => {
  test.each([
    ['ERIKSSON', 'ERIKSSON', 0],
    ['ER1KSSON', 'ERIKSSON', 0.5],
    ['ERIKSS0N', 'ERIKSSON', 0.5],
    ['ERIKSXON', 'ERIKSSON', 1],
    ['ERIKSSO', 'ERIKSSON', 1],
    ['ERIKSSONN', 'ERIKSSON', 1],
    ['', 'AB', 2],
    ['AB', '', 2],
    ['', '', 0],
    ['MARIA', 'RNARIA', 0.5],
    ['RNARIA', 'MARIA', 0.5],
    ['AVVA', 'AWA', 0.5],
    ['CLAN', 'DAN', 0.5],
    ['XMX', 'XRNX', 0.5],
    ['12', '21', 2],
    ['XARIA', 'RNARIA', 2],
    ['RNARIA', 'XARIA', 2],
    ['MARIA', 'RXARIA', 2],
    ['ANXA', 'ANRNA', 2],
  ])('between %j and %j are %d', (a, b, errors) => {
    expect(readingErrors(a, b)).toBe(errors)
  })

  test('are half ones between shapes that are alike, and between two letters and the one they join to', () => {
    for (const [a, b] of [
      '0O',
      '1I',
      '2Z',
      '5S',
      '6G',
      '8B',
      '9Q',
      '4A',
      'EF',
      'HN',
      'UV',
      'XK',
      'TI',
      'EC',
      'AR',
    ])
      expect([looksAlike(a, b), readingErrors(a, b)], a + b).toEqual([true, 0.5])
    for (const [one, two] of JOINED)
      expect([readingErrors(one, two), readingErrors(two, one)], one + two).toEqual([0.5, 0.5])
    for (const [a, b] of ['AZ', '03', '18', '5T', 'ÄX']) expect(looksAlike(a, b), a + b).toBe(false)
    expect(looksAlike('Ä', 'Ä')).toBe(true)
  })
})
