import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScreenedPerson } from '../../../../server/proofing/antifraud/watchlist.ts'
import { decideScreening } from '../../../../server/proofing/watchlist/decide.ts'
import type { ListedPerson } from '../../../../server/proofing/watchlist/listed.ts'
import {
  readyToBeFound,
  prepareSought,
  scoreMatch,
  type Match,
} from '../../../../server/proofing/watchlist/score.ts'
import { LIMITS } from './limits.ts'

const ASKED: ScreenedPerson = {
  givenNames: ['Stepan', 'Igorevich'],
  surname: 'Velmirov',
  fullname: null,
  dateOfBirth: '1960-03-12',
  countries: ['RUS'],
  documentNumbers: ['72 1234567'],
}
const LISTED: ListedPerson = {
  id: '7002',
  names: [{ text: 'VELMIROV, Stepan Igorevich', isWeak: false }],
  births: [{ from: '1960-03-12', to: '1960-03-12' }],
  countries: ['RUS'],
  documents: [],
}
const match = (asked: Partial<ScreenedPerson> = {}, listed: Partial<ListedPerson> = {}): Match =>
  scoreMatch(prepareSought({ ...ASKED, ...asked }), readyToBeFound({ ...LISTED, ...listed }), LIMITS)
const spans = (from: string, to = from) => [{ from, to }]

describe('the score of one entry', () => {
  test('is 1 where everything agrees, with what it rests on', () => {
    expect(match()).toEqual({
      id: '7002',
      score: 1,
      hasSecondFactor: true,
      components: { name: 1, isWeakName: false, birth: 'DAY', country: 'SAME', isDocumentListed: false },
    })
  })

  test.each([
    ['a date within what is listed', { births: spans('1960-01-01', '1960-12-31') }, LIMITS.birth.RANGE, true],
    ['a date a year off', { births: spans('1961-03-01') }, LIMITS.birth.NEAR, true],
    ['no listed date', { births: [] }, LIMITS.birth.UNKNOWN, true],
    ['another date', { births: spans('1990-05-05') }, LIMITS.birth.DIFFERENT, true],
    ['another country', { countries: ['COL'] }, LIMITS.country.DIFFERENT, true],
    ['no listed country', { countries: [] }, LIMITS.country.UNKNOWN, true],
    [
      'a name that the list calls weak',
      { names: [{ text: 'Velmirov Stepan Igorevich', isWeak: true }] },
      LIMITS.weakName,
      true,
    ],
    [
      'no date and no country',
      { births: [], countries: [] },
      LIMITS.birth.UNKNOWN * LIMITS.country.UNKNOWN,
      false,
    ],
    [
      'another date and no country',
      { births: spans('1990-05-05'), countries: [] },
      LIMITS.birth.DIFFERENT * LIMITS.country.UNKNOWN,
      false,
    ],
    [
      'a date a year off and another country',
      { births: spans('1961-03-01'), countries: ['COL'] },
      LIMITS.birth.NEAR * LIMITS.country.DIFFERENT,
      true,
    ],
    [
      'a date in range and another country',
      { births: spans('1959-03-01', '1961-01-02'), countries: ['COL'] },
      LIMITS.birth.RANGE * LIMITS.country.DIFFERENT,
      true,
    ],
    ['the same date and another country', { countries: ['COL'] }, LIMITS.country.DIFFERENT, true],
  ])('with %s', (_, listed, expected, hasSecondFactor) => {
    const found = match({}, listed)
    expect(found.score).toBeCloseTo(expected, 10)
    expect(found.hasSecondFactor).toBe(hasSecondFactor)
  })

  test('takes a date that cannot be read as none, and a country that is not said as unknown', () => {
    expect(match({ dateOfBirth: '1960-02-31' }).components.birth).toBe('UNKNOWN')
    expect(match({ dateOfBirth: null }).components.birth).toBe('UNKNOWN')
    expect(match({ dateOfBirth: '1960' }).components.birth).toBe('RANGE')
    expect(match({ countries: [] }).components.country).toBe('UNKNOWN')
    expect(match({ countries: ['COL', 'RUS'] }).components.country).toBe('SAME')
  })

  test('makes up for a part of what the names differ by where the day of birth agrees', () => {
    const near = { names: [{ text: 'Velmirov Anton Igorevich', isWeak: false }] }
    const { name } = match({}, near).components
    expect(name).toBeGreaterThan(0.4)
    expect(name).toBeLessThan(0.9)
    expect(match({}, near).score).toBeCloseTo(name ** (1 - LIMITS.forgives.DAY), 10)
    expect(match({}, { ...near, births: spans('1960-01-01', '1960-12-31') }).score).toBeCloseTo(
      name ** (1 - LIMITS.forgives.RANGE) * LIMITS.birth.RANGE,
      10,
    )
    expect(match({}, { ...near, births: [] }).score).toBeCloseTo(name * LIMITS.birth.UNKNOWN, 10)
  })

  test('rises with a listed document number, whatever the name', () => {
    const stranger = { givenNames: ['Anna'], surname: 'Holt' }
    const listed = { documents: ['721234567'] }
    expect(match(stranger, listed)).toMatchObject({
      score: LIMITS.document,
      hasSecondFactor: true,
      components: { isDocumentListed: true, name: 0 },
    })
    expect(match({}, { ...listed, births: spans('1990-05-05'), countries: [] })).toMatchObject({
      score: 1,
      hasSecondFactor: true,
    })
    expect(match({ surname: 'Velmiroff' }, { ...listed, births: spans('1990-05-05') }).score).toBeGreaterThan(
      LIMITS.document,
    )
    expect(match({ documentNumbers: ['1', '72-1234567'] }, listed).components.isDocumentListed).toBe(true)
    expect(match({ documentNumbers: ['72-1234568'] }, listed).components.isDocumentListed).toBe(false)
  })

  test('is that of the best name, in parts or in one piece; a weak name counts only if it is better even so', () => {
    const names = [
      { text: 'Anton Kulagin', isWeak: false },
      { text: 'Stepan Velmirov', isWeak: true },
      { text: 'Velmirov Stepan Igorevich', isWeak: false },
    ]
    expect(match({}, { names })).toMatchObject({ score: 1, components: { isWeakName: false, name: 1 } })
    expect(match({}, { names: names.slice(0, 2) }).components.isWeakName).toBe(true)
    expect(match({ givenNames: [], surname: null, fullname: 'VELMIROV STEPAN IGOREVICH' }).score).toBe(1)
    expect(match({ fullname: 'Somebody Else' }).score).toBe(1)
    expect(
      match({ givenNames: ['Else'], surname: 'Somebody', fullname: 'Stepan Igorevich Velmirov' }).score,
    ).toBe(1)
  })

  test('finds names in letters without a table only where they are the same', () => {
    const listed = { names: [{ text: '张 伟', isWeak: false }] }
    const asked = { givenNames: ['伟'], surname: null, fullname: null }
    expect(match({ ...asked, surname: '张', givenNames: [], fullname: '张伟' }, listed).score).toBe(1)
    expect(match({ ...asked, fullname: '张维' }, listed).score).toBe(0)
    expect(match({}, listed).score).toBe(0)
    expect(match(asked).score).toBe(0)
  })

  test('compares Arabic letters with Latin ones by their consonants, which counts less', () => {
    const listed = { names: [{ text: 'محمد حسن', isWeak: false }] }
    const latin = match({ givenNames: ['Muhammad'], surname: 'Hassan' }, listed)
    expect(latin.components.name).toBe(LIMITS.sameConsonants)
    expect(match({ givenNames: ['محمد'], surname: 'حسن' }, listed).components.name).toBe(1)
    expect(
      match({ givenNames: ['محمد'], surname: 'حسن' }, { names: [{ text: 'Mohammed Hasan', isWeak: false }] })
        .components.name,
    ).toBe(LIMITS.sameConsonants)
    expect(match({ givenNames: ['Karim'], surname: 'Tarwani' }, listed).components.name).toBeLessThan(0.5)
    // Nothing but vowels.
    expect(match({ givenNames: [], surname: 'Aia' }, listed).components.name).toBe(0)
  })
})

describe('whether not to be found means something', () => {
  const canBeCleared = (asked: Partial<ScreenedPerson>) => prepareSought({ ...ASKED, ...asked }).canBeCleared
  test.each<[string, Partial<ScreenedPerson>, boolean]>([
    ['a name in Latin letters', {}, true],
    ['a name in Cyrillic letters', { givenNames: ['Степан'], surname: 'Велмиров' }, true],
    ['Arabic letters alone: no vowels', { givenNames: ['محمد'], surname: 'حسن' }, false],
    [
      'Arabic letters, and Latin ones beside them',
      { givenNames: ['محمد'], surname: 'حسن', fullname: 'Muhammad Hasan' },
      true,
    ],
    ['letters without a table', { givenNames: ['伟'], surname: '张' }, false],
    ['half of the name in such letters', { givenNames: ['伟'], surname: 'Zhang' }, false],
    [
      'such letters, and Latin ones beside them',
      { givenNames: ['伟'], surname: '张', fullname: 'Zhang Wei' },
      true,
    ],
    ['no name', { givenNames: [], surname: null }, false],
    ['a name of signs', { givenNames: ['-'], surname: '12' }, false],
  ])('%s', (_, asked, expected) => {
    expect(canBeCleared(asked)).toBe(expected)
  })

  test('names are kept apart by how they can be compared', () => {
    const sought = prepareSought({ ...ASKED, fullname: '张伟', documentNumbers: ['12', 'A-12345'] })
    expect(sought).toMatchObject({ exactNames: ['张伟'], documents: ['A12345'], countries: ['RUS'] })
    expect(sought.names).toHaveLength(1)
    expect(prepareSought({ ...ASKED, fullname: '  ' }).names).toHaveLength(1)
    expect(prepareSought({ ...ASKED, givenNames: ['12'], surname: null }).exactNames).toEqual([])
  })
})

describe('more agreement never lowers the score', () => {
  const births = fc.constantFrom(
    ...[[], spans('1960-03-12'), spans('1960-01-01', '1960-12-31'), spans('1961-02-01'), spans('1990-01-02')],
  )
  const names = fc.subarray(
    [
      { text: 'Velmirov Stepan', isWeak: false },
      { text: 'Velmiroff Stefan', isWeak: false },
      { text: 'Stepan Velmirov Igorevich', isWeak: true },
      { text: 'Anton Kulagin', isWeak: false },
    ],
    { minLength: 1 },
  )
  const listed = fc.record({
    names,
    births,
    countries: fc.constantFrom(['RUS'], [], ['COL']),
    documents: fc.constantFrom([], ['721234567'], ['999999999']),
  })
  const score = (over: Partial<ListedPerson>) => match({}, over).score

  test.each<[string, (entry: Partial<ListedPerson>) => Partial<ListedPerson>]>([
    ['the right date', ({ births: some = [] }) => ({ births: [...some, ...spans('1960-03-12')] })],
    [
      'the right year',
      ({ births: some = [] }) => ({ births: [...some, ...spans('1960-01-01', '1960-12-31')] }),
    ],
    ['the right country', ({ countries = [] }) => ({ countries: [...countries, 'RUS'] })],
    ['the right number', ({ documents = [] }) => ({ documents: [...documents, '721234567'] })],
    [
      'the right name',
      ({ names: some = [] }) => ({ names: [...some, { text: 'Stepan Igorevich Velmirov', isWeak: false }] }),
    ],
    [
      'any other name',
      ({ names: some = [] }) => ({ names: [...some, { text: 'Kulagin Anton', isWeak: false }] }),
    ],
    [
      'a weak name that is right',
      ({ names: some = [] }) => ({ names: [...some, { text: 'Stepan Velmirov', isWeak: true }] }),
    ],
  ])('%s added to an entry', (_, more) => {
    fc.assert(
      fc.property(listed, (entry) => {
        expect(score({ ...entry, ...more(entry) })).toBeGreaterThanOrEqual(score(entry))
      }),
    )
  })

  test('a name that the list does not call weak', () => {
    fc.assert(
      fc.property(listed, (entry) => {
        const strong = entry.names.map(({ text }) => ({ text, isWeak: false }))
        expect(score({ ...entry, names: strong })).toBeGreaterThanOrEqual(score(entry))
      }),
    )
  })

  test('it stays between 0 and 1', () => {
    fc.assert(
      fc.property(listed, (entry) => {
        expect(score(entry)).toBeGreaterThanOrEqual(0)
        expect(score(entry)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('what a search says', () => {
  const limits = { possible: 0.8, hit: 0.9 }
  const found = (id: string, score: number, hasSecondFactor = true): Match => ({
    ...match(),
    id,
    score,
    hasSecondFactor,
  })

  test.each<[string, readonly Match[], boolean, string]>([
    ['no near entry', [found('a', 0.79)], true, 'CLEAR'],
    ['no entry', [], true, 'CLEAR'],
    ['no near entry, but the name could not be searched', [found('a', 0.79)], false, 'UNKNOWN'],
    ['no entry, but the name could not be searched', [], false, 'UNKNOWN'],
    ['a near entry', [found('a', 0.8)], true, 'POSSIBLE'],
    ['a near entry, under a name that could not be searched in full', [found('a', 0.8)], false, 'POSSIBLE'],
    ['a nearer entry', [found('a', 0.8), found('b', 0.9)], true, 'HIT'],
    ['a name alone, however near', [found('a', 1, false)], true, 'POSSIBLE'],
    [
      'an equal name alone, and another near entry',
      [found('a', 1, false), found('b', 0.85)],
      true,
      'POSSIBLE',
    ],
    ['a name alone, and a hit behind it', [found('a', 1, false), found('b', 0.9)], true, 'HIT'],
  ])('with %s', (_, matches, canBeCleared, outcome) => {
    expect(decideScreening(matches, canBeCleared, limits).outcome).toBe(outcome)
  })

  test('shows the five nearest of those that a person should look at, the nearest first', () => {
    const matches = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, i) => found(id, 0.8 + i / 100))
    const decision = decideScreening([...matches, found('low', 0.5)], true, limits)
    expect(decision.score).toBeCloseTo(0.85, 10)
    expect(decision.matches.map(({ id }) => id)).toEqual(['f', 'e', 'd', 'c', 'b'])
    expect(decideScreening([found('low', 0.5)], true, limits)).toEqual({
      outcome: 'CLEAR',
      score: 0.5,
      matches: [],
    })
    expect(decideScreening([], true, limits).score).toBe(0)
  })

  test('orders entries of one score by their ids, so that the same lists say the same', () => {
    const ids = (matches: readonly Match[]) =>
      decideScreening(matches, true, limits).matches.map(({ id }) => id)
    expect(ids([found('b', 0.9), found('a', 0.9)])).toEqual(['a', 'b'])
    expect(ids([found('a', 0.9), found('b', 0.9)])).toEqual(['a', 'b'])
  })
})
