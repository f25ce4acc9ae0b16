import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../../server/proofing/consistency.ts'
import {
  compareStatedNames,
  isSameWhole,
  type NameRules,
  type StatedName,
} from '../../../server/proofing/name-agreement.ts'

type Parts = Omit<StatedName, 'mayBeCut'>

/** Checks both directions, which have to be the same. */
function both(a: Parts, b: Parts, rules?: NameRules): Record<string, Comparison> {
  const [one, other] = [a, b].map((parts): StatedName => ({ ...parts, mayBeCut: false }))
  const found = Object.fromEntries(compareStatedNames(one, other, rules))
  expect(Object.fromEntries(compareStatedNames(other, one, rules))).toEqual(found)
  return found
}
const surnames = (a: string, b: string, rules?: NameRules) =>
  both({ surname: a }, { surname: b }, rules).surname

describe('two surnames on one line', () => {
  test.each([
    'geb',
    'geboren',
    'geborene',
    'née',
    'nee',
    'né',
    'born',
    'z domu',
    'rozená',
    'født',
    'född',
    'épouse',
    'ep',
    'ép',
    'nata',
    'nacida',
  ])('are distinguished by "%s", whatever its letters’ size and the signs around it', (word) => {
    for (const printed of [
      `LINDQVIST ${word} HOLMBERG ASK`,
      `LINDQVIST ${word.toUpperCase()}. HOLMBERG ASK`,
      `LINDQVIST, (${word}: HOLMBERG ASK)`,
      `LINDQVIST  /  ${word}.   HOLMBERG ASK`,
    ]) {
      expect(surnames('Lindqvist', printed), printed).toBe('same')
      expect(surnames('Holmbergask', printed), printed).toBe('same')
      expect(surnames('Lindq', printed), printed).toBe('different')
    }
  })

  test('may be the second alone, after the word', () => {
    expect(surnames('Holmberg Ask', 'née HOLMBERGASK')).toBe('same')
  })

  test('are compared each for itself: the word is no part of either', () => {
    // Of one spelling only with the whole second surname, not with a part of it.
    expect(surnames('Holmbergask', 'LINDQVIST NÉE HOLMBERG ASK')).toBe('same')
    expect(surnames('Lindqvistholm', 'LINDQVIST HOLM NÉE ASK')).toBe('same')
    expect(surnames('Lindqvistholm', 'LINDQVIST HOLM ASK')).toBe('different')
    expect(surnames('Holmbergask', 'LINDQVISTNÉE HOLMBERG ASK')).toBe('different')
    expect(surnames('Holmbergask', 'LINDQVIST NÉEHOLMBERG ASK')).toBe('different')
  })

  test('nothing stands before or after the word: no surname is made of nothing', () => {
    expect(surnames('12', 'NÉE 12')).toBeUndefined()
    expect(surnames('Lindqvist', 'LINDQVIST NÉE -')).toBe('same')
    expect(surnames('Holmberg', 'LINDQVIST NÉE -')).toBe('different')
  })
})

describe('letters of another script', () => {
  test.each([
    // Small letters of one name in letters without a table are the same as its capitals.
    ['αβγ', 'ΑΒΓ', 'same'],
    ['ß山', 'SS山', 'same'],
    ['Петров', 'Smirnov', 'unclear'],
    ['Петров', 'Смирнов', 'different'],
    ['الرازي', 'Smirnov', 'unclear'],
    ['الرازي', 'حسن', 'different'],
    ['Петров Smith', 'Смирнов Jones', 'different'],
    ['Петров Smith', 'Jones', 'unclear'],
    ['Петров', 'الرازي', 'unclear'],
    ['Smith', 'Jones', 'different'],
  ])('%s with %s: %s', (a, b, expected) => {
    expect(surnames(a, b)).toBe(expected)
  })
})

describe('the same components, however they are parted', () => {
  const whole = (a: Parts, b: Parts) => isSameWhole({ ...a, mayBeCut: false }, { ...b, mayBeCut: false })

  test('are one whole name', () => {
    expect(whole({ surname: 'Berg', givenNames: 'Anna' }, { surname: 'Anna', givenNames: 'Berg' })).toBe(true)
    expect(whole({ surname: 'Berg Anna' }, { givenNames: 'Anna Berg' })).toBe(true)
    expect(whole({ surname: 'Berg' }, { givenNames: 'BERG' })).toBe(true)
    expect(whole({ givenNames: 'Anna' }, { surname: 'Anna', givenNames: 'Berg' })).toBe(false)
    expect(whole({ surname: 'Berg' }, { surname: 'Berg', givenNames: 'Anna' })).toBe(false)
    expect(whole({ surname: '山田' }, { surname: '山田' })).toBe(false)
  })
})

describe('a whole name beside parts', () => {
  test('is compared where one side has a whole name and the other lacks a part', () => {
    expect(both({ surname: 'Berg', fullname: 'Anna Berg' }, { givenNames: 'Anna' })).toEqual({
      fullname: 'same',
    })
    expect(
      both({ givenNames: 'Anna', fullname: 'Anna Berg' }, { givenNames: 'Anna', surname: 'Berg' }),
    ).toEqual({
      givenNames: 'same',
      fullname: 'same',
    })
    expect(both({ surname: 'Berg' }, { givenNames: 'Anna', surname: 'Berg' })).toEqual({ surname: 'same' })
    expect(both({ givenNames: 'Anna' }, { givenNames: 'Anna', surname: 'Berg' })).toEqual({
      givenNames: 'same',
    })
  })

  test('stays as it is where parts that differ are only rearranged', () => {
    const [one, other] = [
      { surname: 'Anna', givenNames: 'Berg' },
      { surname: 'Berg', givenNames: 'Anna' },
    ]
    expect(both(one, other)).toEqual({ surname: 'same', givenNames: 'same' })
  })

  test('of one word is a surname or a given name, and no part of a longer name', () => {
    expect(both({ fullname: 'Berg' }, { surname: 'Berg', givenNames: 'Anna' })).toEqual({
      fullname: 'different',
    })
    expect(both({ fullname: 'Anna' }, { surname: 'Berg', givenNames: 'Anna' })).toEqual({
      fullname: 'different',
    })
    expect(both({ fullname: 'Berg' }, { surname: 'Berg' })).toEqual({ fullname: 'same' })
    expect(both({ fullname: 'Anna' }, { givenNames: 'Anna' })).toEqual({ fullname: 'same' })
    // Half of two surnames, and one given name of two, are enough where nothing else is stated.
    expect(both({ fullname: 'Berg' }, { surname: 'Lund Berg' })).toEqual({ fullname: 'same' })
    expect(both({ fullname: 'Anna' }, { givenNames: 'Anna Maria' })).toEqual({ fullname: 'same' })
  })

  test('does not hide a given name that is missing as half of a surname', () => {
    expect(both({ fullname: 'Anna Maria Berg' }, { surname: 'Berg', givenNames: 'Maria' })).toEqual({
      fullname: 'different',
    })
    expect(both({ fullname: 'Anna Maria Berg' }, { surname: 'Berg', givenNames: 'Anna' })).toEqual({
      fullname: 'same',
    })
    expect(both({ fullname: 'Anna Lund Berg' }, { surname: 'Berg', givenNames: 'Anna' })).toEqual({
      fullname: 'same',
    })
    expect(both({ fullname: 'Anna Maria Lund' }, { surname: 'Lund Berg', givenNames: 'Anna' })).toEqual({
      fullname: 'different',
    })
  })
})

describe('one name, stated as a surname here and as a given name there', () => {
  test('is compared as it stands', () => {
    expect(both({ surname: 'Berg' }, { givenNames: 'BERG' })).toEqual({ fullname: 'same' })
    expect(both({ surname: 'Berg' }, { givenNames: 'Anna' })).toEqual({ fullname: 'different' })
    expect(both({ surname: 'Berg Lund' }, { givenNames: 'Berglund' })).toEqual({ fullname: 'same' })
    expect(both({ surname: 'Berg Lund' }, { givenNames: 'Berg' })).toEqual({ fullname: 'different' })
  })
})
