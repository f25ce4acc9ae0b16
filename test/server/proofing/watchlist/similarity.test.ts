import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jaroWinkler, wordSimilarity } from '../../../../server/proofing/watchlist/similarity.ts'
import { writeName, type Word } from '../../../../server/proofing/watchlist/words.ts'
import { LIMITS } from './limits.ts'

const word = (text: string): Word => {
  const [found] = writeName(text)?.words ?? []
  return found
}
const similarity = (one: string, other: string) => wordSimilarity(word(one), word(other), LIMITS)

describe('Jaro-Winkler similarity', () => {
  // Winkler (1990), table of examples; the last ones follow from the formula.
  test.each([
    ['MARTHA', 'MARHTA', 0.9611],
    ['DWAYNE', 'DUANE', 0.84],
    ['DIXON', 'DICKSONX', 0.8133],
    ['JONES', 'JOHNSON', 0.8324],
    ['ABROMS', 'ABRAMS', 0.9222],
    ['HARDIN', 'MARTINEZ', 0.7222],
    ['ITMAN', 'SMITH', 0.4667],
    ['ABC', 'XYZ', 0],
    ['A', 'AB', 0.85],
    ['', 'AB', 0],
    ['AB', 'AB', 1],
    ['ABCDEFGH', 'ABCDEFGX', 0.95],
    ['AAAB', 'BAAA', 0.8333],
    ['ABCD', 'BADC', 0.8333],
  ])('of %s and %s is %f', (one, other, expected) => {
    expect(jaroWinkler(one, other)).toBeCloseTo(expected, 3)
  })

  test('is the same both ways, 1 for the same text alone, and never above', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ABCDE'), maxLength: 12 })
    fc.assert(
      fc.property(text, text, (one, other) => {
        const found = jaroWinkler(one, other)
        expect(found).toBe(jaroWinkler(other, one))
        expect(found).toBeGreaterThanOrEqual(0)
        expect(found).toBeLessThanOrEqual(1)
        expect(found === 1).toBe(one === other)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('two words of names', () => {
  test('are alike in full, in sound, in consonants, or as an initial', () => {
    expect(similarity('PAVEL', 'PAVEL')).toBe(1)
    expect(similarity('KHALID', 'HALID')).toBe(LIMITS.sameSound)
    expect(similarity('AHMAD', 'AHMOUD')).toBe(LIMITS.sameConsonants)
    expect(similarity('P', 'PAVEL')).toBe(LIMITS.initial)
    expect(similarity('PAVEL', 'P')).toBe(LIMITS.initial)
    expect(similarity('P', 'R')).toBe(0)
    expect(similarity('P', 'P')).toBe(1)
    expect(similarity('R', 'PAVEL')).toBe(0)
  })

  test('of up to three letters are alike only in sound: one letter makes another name', () => {
    expect(similarity('LI', 'LEE')).toBe(LIMITS.sameSound)
    expect(similarity('LI', 'LU')).toBe(0)
    expect(similarity('ANA', 'ADA')).toBe(0)
    expect(similarity('ANA', 'ANAS')).toBe(0)
    expect(similarity('ANAS', 'ANNAL')).toBeGreaterThan(0)
  })

  test('share consonants only where these are at least three and the vowels about as many', () => {
    expect(similarity('KARIM', 'KORUM')).toBe(LIMITS.sameConsonants)
    expect(similarity('MALA', 'MULUI')).toBeLessThan(LIMITS.sameConsonants)
    expect(similarity('KRMN', 'KARAMANI')).toBeLessThan(LIMITS.sameConsonants)
    expect(similarity('KRMAN', 'KARAMAN')).toBeGreaterThanOrEqual(LIMITS.sameConsonants)
  })

  test('have nothing in common below the floor, and little just above it', () => {
    expect(similarity('PAVEL', 'BORIS')).toBe(0)
    const near = similarity('MARTHA', 'MARHTA')
    expect(near).toBeCloseTo((0.9611 - LIMITS.floor) / (1 - LIMITS.floor), 3)
    expect(similarity('HARDIN', 'MARTINEZ')).toBe(0)
  })

  test('are compared in sound, too, which counts a little less', () => {
    const [one, other] = ['KHRUSTALEV', 'HROUSTALYOV']
    const sound = LIMITS.sameSound * jaroWinkler(word(one).sound, word(other).sound)
    expect(sound).toBeGreaterThan(jaroWinkler(one, other))
    expect(similarity(one, other)).toBeCloseTo(
      Math.max((sound - LIMITS.floor) / (1 - LIMITS.floor), LIMITS.sameConsonants),
      10,
    )
  })

  test('are as alike both ways', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ABHKIOU'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(similarity(one, other)).toBe(similarity(other, one))
      }),
      { numRuns: 1000 },
    )
  })
})
