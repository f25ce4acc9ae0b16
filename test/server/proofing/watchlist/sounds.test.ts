/** Tests what each way of writing a sound is folded into, letter by letter, so that no rule of the table can go unseen. */
import { describe, expect, test } from 'vitest'
import { exactForm, writeName } from '../../../../server/proofing/watchlist/words.ts'

const wordsOf = (text: string) => writeName(text)?.words ?? []

describe('the sound of a word, and its consonants', () => {
  test.each([
    ['SCHMIDT', 'SMIDT', 'SMDT'],
    ['TCHERNOV', 'CIRNUV', 'CRNV'],
    ['DZHAMAL', 'JAMAL', 'JML'],
    ['DJAMAL', 'JAMAL', 'JML'],
    ['OUSMAN', 'USMAN', 'USMN'],
    ['FAROOQ', 'FARUK', 'FRK'],
    ['UELI', 'ULI', 'UL'],
    ['BJOERN', 'BJURN', 'BJRN'],
    ['FAREED', 'FARID', 'FRD'],
    ['MAEVE', 'MIVI', 'MV'],
    ['RAE', 'RAI', 'R'],
    ['KHALID', 'HALID', 'HLD'],
    ['GHASSAN', 'GASAN', 'GSN'],
    ['DHIYA', 'DIA', 'D'],
    ['THOMAS', 'TUMAS', 'TMS'],
    ['PHILIPP', 'FILIP', 'FLP'],
    ['ZHUKOV', 'ZUKUV', 'ZKV'],
    ['SHARIF', 'SARIV', 'SRV'],
    ['ROMANOFF', 'RUMANUV', 'RMNV'],
    ['RAFAT', 'RAFAT', 'RFT'],
    ['TZVETAN', 'ZVITAN', 'ZVTN'],
    ['TSVETAN', 'ZVITAN', 'ZVTN'],
    ['JACK', 'JAK', 'JK'],
    ['QASIM', 'KASIM', 'KSM'],
    ['CARL', 'KARL', 'KRL'],
    ['CHEN', 'CIN', 'CN'],
    ['XENIA', 'KSINIA', 'KSN'],
    ['WALID', 'VALID', 'VLD'],
    ['FATIMAH', 'FATIMA', 'FTM'],
    ['AHMAD', 'AHMAD', 'AHMD'],
    ['H', 'H', 'H'],
    // Letters that stand thrice, and consonants that do once the vowels are gone.
    ['BAAABA', 'BABA', 'B'],
    ['MAMAMUN', 'MAMAMUN', 'MN'],
  ])('of %s: %s and %s', (text, sound, consonants) => {
    expect(wordsOf(text)).toMatchObject([{ text, sound, consonants }])
  })
})

describe('the words of a name', () => {
  test('leave out what no letter is left of', () => {
    expect(wordsOf('Анна Ь').map(({ text }) => text)).toEqual(['ANNA'])
    expect(wordsOf('Anna – 12 Berta').map(({ text }) => text)).toEqual(['ANNA', 'BERTA'])
  })

  test.each([
    ['AL', 'EL', 'BIN', 'IBN', 'BINT', 'ABU', 'DE', 'DEL', 'LA', 'LE'],
    ['VAN', 'VON', 'DER', 'TER', 'ZU', 'Y', 'E', 'JR', 'SR', 'III'],
  ])('that stand before many names say little: %s, %s, …', (...particles) => {
    for (const particle of particles) {
      expect(wordsOf(`${particle} Tarwani`)[0], particle).toMatchObject({ text: particle, weight: 0.2 })
    }
  })
})

test('signs that change the letter before them belong to a name without a table', () => {
  expect(exactForm('हिन्दी')).not.toBe(exactForm('हन्द'))
  expect(exactForm('हि न्दी।')).toBe(exactForm('हिन्दी'))
  expect(exactForm('...')).toBe('')
})
