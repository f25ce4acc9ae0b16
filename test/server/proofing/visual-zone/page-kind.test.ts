/** Tests what kind of document a page is, and whose: by its largest words, read with some certainty. */
import { describe, expect, test } from 'vitest'
import type { PageWords } from '../../../../server/proofing/visual-zone/knowledge.ts'
import { kindOfPages } from '../../../../server/proofing/visual-zone/page-kind.ts'
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { piece } from './a-piece.ts'

describe('the kind of a page', () => {
  const WORDS = {
    kinds: [
      { kind: 'PASSPORT', words: ['passport'] },
      { kind: 'IDENTITY_CARD', words: ['card', 'identity card'] },
      { kind: 'DRIVING_LICENSE', words: ['driving licence'] },
      { kind: 'RESIDENT_CARD', words: ['residence identity card'] },
    ],
    countries: { UTO: ['utopia'], USA: ['united states', 'usa'] },
    states: { USA: { VA: ['virginia'], WV: ['west virginia'] } },
  } as unknown as PageWords
  const kindOf = (...pieces: readonly Segment[]) => kindOfPages(pieces, WORDS)

  test('is what its largest words name, of two names in one line the longer', () => {
    expect(kindOf(piece('Passport'), piece('Driving Licence', { height: 20 })).kind).toBe('DRIVING_LICENSE')
    expect(kindOf(piece('IDENTITY CARD')).kind).toBe('IDENTITY_CARD')
    expect(kindOf(piece('RESIDENCE IDENTITY CARD')).kind).toBe('RESIDENT_CARD')
    expect(kindOf(piece('HARBOUR'))).toEqual({ kind: null, country: null, state: null })
    expect(kindOf()).toEqual({ kind: null, country: null, state: null })
  })

  test('and its country are read as whole words, long ones with an error', () => {
    expect(kindOf(piece('PASSPORTS OFFICE')).kind).toBe('PASSPORT')
    expect(kindOf(piece('PASSPQRT UTOPIA'))).toMatchObject({ kind: 'PASSPORT', country: 'UTO' })
    expect(kindOf(piece('PA55PQRT')).kind).toBeNull()
    expect(kindOf(piece('DRIVlNG LICENCE')).kind).toBe('DRIVING_LICENSE')
    expect(kindOf(piece('UTOPLA')).country).toBeNull()
    expect(kindOf(piece('CARDS')).kind).toBeNull()
    expect(kindOf(piece('USA'), piece('UTOPIA', { height: 11 })).country).toBe('UTO')
    expect(kindOf(piece('UTOPIA'), piece('USA', { height: 11 })).country).toBe('USA')
    expect(kindOf(piece('UTOPIA', { height: 11 }), piece('USA')).country).toBe('UTO')
  })

  test('has the state that its largest words name, and with it the country', () => {
    expect(kindOf(piece('WEST VIRGINIA'), piece('UTOPIA', { height: 30 }))).toMatchObject({
      country: 'USA',
      state: 'WV',
    })
    expect(kindOf(piece('VIRGINIA', { height: 12 }), piece('WEST VIRGINIA')).state).toBe('VA')
  })

  test('is not named by words that were read with doubt', () => {
    expect(kindOf(piece('PASSPORT', { confidence: 0.5 })).kind).toBe('PASSPORT')
    expect(kindOf(piece('PASSPORT', { confidence: 0.49 })).kind).toBeNull()
    expect(kindOf(piece('DRIVING LICENCE', { confidence: [0.9, 0.1] })).kind).toBe('DRIVING_LICENSE')
    expect(kindOf(piece('DRIVING LICENCE', { confidence: [0.9, 0.05] })).kind).toBeNull()
  })
})
