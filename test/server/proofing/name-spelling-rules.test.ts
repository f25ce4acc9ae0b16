import { describe, expect, test } from 'vitest'
import {
  beginsOriginal,
  shareOriginal,
  spellName,
  spellPrintedName,
  doesSpell,
  type Script,
  type Spelling,
} from '../../../server/proofing/name-spelling.ts'

const letters = (text: string): Spelling => [...text].map((letter) => [letter])

describe('the ways to write a letter', () => {
  test.each([
    ['Ü', ['UE', 'UXX', 'U']],
    ['Ñ', ['N', 'NXX']],
    // With the mark X of the table, however often it stands there, and without.
    ['ٱ', ['XXA', 'A']],
    ['ث', ['XTH', 'TH']],
    ['Ж', ['ZH', 'Z']],
    // Dropped, or a letter.
    ['Ь', ['', 'Y']],
    ['é', ['E']],
  ])('of %s', (letter, ways) => {
    expect(spellName(letter)).toEqual([[ways]])
  })

  test('a sign that doubles a letter stands after it, or after its vowel', () => {
    expect(spellName('مّ')).toEqual([[['M'], ['M']]])
    expect(spellName('مَّ')).toEqual([[['M'], ['M']]])
    expect(spellName('مَ')).toEqual([[['M']]])
  })

  test('are unknown for the whole name where one letter has none', () => {
    expect(spellName('A山')).toBeNull()
    expect(spellName('Anna 山')).toBeNull()
    expect(spellPrintedName('A山')).toBeNull()
  })

  test('are more where a reader may have lost a mark', () => {
    expect(spellPrintedName('aoun-e')).toEqual([
      [
        ['A', 'AE', 'AA'],
        ['O', 'OE'],
        ['U', 'UE', 'UXX'],
        ['N', 'NXX'],
      ],
      [['E']],
    ])
    // A letter that was read with its mark has lost none.
    expect(spellPrintedName('Ə')).toEqual([[['A', 'E']]])
    expect(spellPrintedName('Ø')).toEqual(spellName('Ø'))
  })
})

describe('a component may be written', () => {
  const component: Spelling = [['SHCH', 'SHT'], ['U'], ['', 'Y']]

  test.each([
    ['SHCHU', true, true],
    ['SHTUY', true, true],
    ['SHT', false, true],
    ['SHC', false, true],
    ['', false, true],
    ['CH', false, false],
    ['HCHU', false, false],
    ['SHCHUYA', false, false],
    ['SHU', false, false],
  ])('%s: as a whole %s, or cut off %s', (text, whole, cut) => {
    expect(doesSpell(component, text)).toBe(whole)
    expect(doesSpell(component, text, true)).toBe(cut)
  })
})

describe('two ways of writing come from one name', () => {
  test.each<[Script, string, string, boolean]>([
    ['LATIN', 'JAEAESKELAEINEN', 'JAASKELAINEN', true],
    ['LATIN', 'MUELLER', 'MUXXLLER', true],
    ['LATIN', 'OEDEGAARD', 'ODEGARD', true],
    ['LATIN', 'NUNXXEZ', 'NUNEZ', true],
    ['LATIN', 'MUELLER', 'MLLER', false],
    ['LATIN', 'NUNXXEZ', 'NUEZ', false],
    ['LATIN', 'HALL', 'HLL', false],
    ['CYRILLIC', 'SHCHUKIN', 'SHTUKIN', true],
    ['CYRILLIC', 'SHCHUKIN', 'UKIN', false],
    ['CYRILLIC', 'ZHUKOV', 'ZUKOV', true],
    ['CYRILLIC', 'ZHUKOV', 'UKOV', false],
    ['CYRILLIC', 'TSVETKOV', 'CVETKOV', true],
    ['CYRILLIC', 'TSVETKOV', 'VETKOV', false],
    ['CYRILLIC', 'KHRISTOV', 'HRISTOV', true],
    ['CYRILLIC', 'KHRISTOV', 'GRISTOV', true],
    ['CYRILLIC', 'KHRISTOV', 'RISTOV', false],
    ['CYRILLIC', 'ILYIN', 'ILJIN', true],
    ['CYRILLIC', 'ILYIN', 'ILN', false],
    ['CYRILLIC', 'BIIN', 'BYN', true],
    // Before another vowel it is no letter of its own, however often it stands there.
    ['CYRILLIC', 'SOFIIA', 'SOFA', true],
    ['CYRILLIC', 'YURIY', 'URI', true],
    ['CYRILLIC', 'IVAN', 'VAN', false],
    ['ARABIC', 'MXHMD', 'MHMD', true],
    ['ARABIC', 'MUHAMMMAD', 'MUHAMAD', true],
    ['ARABIC', 'MUHAMMAD', 'MUHAAD', false],
  ])('%s: %s and %s: %s', (script, one, other, expected) => {
    expect(shareOriginal(letters(one), letters(other), [script])).toBe(expected)
    expect(shareOriginal(letters(other), letters(one), [script])).toBe(expected)
    expect(shareOriginal(letters(one), letters(other), [])).toBe(false)
  })

  test.each<[string, string, readonly Script[], boolean]>([
    ['MUELL', 'MULLER', ['LATIN'], true],
    ['LLER', 'MULLER', ['LATIN'], false],
    ['MULLER', 'MUELL', ['LATIN'], false],
    ['ZUK', 'ZHUKOV', ['CYRILLIC'], true],
    ['ZUK', 'ZHUKOV', ['LATIN'], false],
    // One of the scripts is enough.
    ['ZUK', 'ZHUKOV', ['LATIN', 'CYRILLIC'], true],
    ['ZUK', 'ZHUKOV', [], false],
    ['VAN', 'ZHUKOV', ['LATIN', 'CYRILLIC', 'ARABIC'], false],
  ])('%s begins %s in %j: %s', (cut, whole, scripts, expected) => {
    expect(beginsOriginal(letters(cut), letters(whole), scripts)).toBe(expected)
  })
})
