/** Scores to the last digit: with weights in the middle of a range a wrong sign or a cut at 1 could hide. */
import { describe, expect, test } from 'vitest'
import type { ScreenedPerson } from '../../../../server/proofing/antifraud/watchlist.ts'
import { birthAgreement, parseSpan } from '../../../../server/proofing/watchlist/births.ts'
import { decideScreening } from '../../../../server/proofing/watchlist/decide.ts'
import type { ListedPerson } from '../../../../server/proofing/watchlist/listed.ts'
import { nameSimilarity } from '../../../../server/proofing/watchlist/names.ts'
import {
  readyToBeFound,
  prepareSought,
  scoreMatch,
  type Match,
} from '../../../../server/proofing/watchlist/score.ts'
import { jaroWinkler, wordSimilarity } from '../../../../server/proofing/watchlist/similarity.ts'
import { writeName, type Word, type WrittenName } from '../../../../server/proofing/watchlist/words.ts'
import { LIMITS } from './limits.ts'

const written = (text: string): WrittenName => writeName(text) ?? { words: [], isVowelless: false }
const similarity = (one: string, other: string) => nameSimilarity(written(one), written(other), LIMITS)
/** Builds a name of words that no other entry contains, by their weights. */
const weighing = (...weights: readonly number[]): WrittenName => ({
  isVowelless: false,
  words: weights.map((weight, i): Word => {
    const text = ['TARWANI', 'VELMIROV', 'QUIROLA'][i]
    return { ...written(text).words[0], weight }
  }),
})

const ASKED: ScreenedPerson = {
  givenNames: ['Stepan'],
  surname: 'Velmirov',
  fullname: null,
  dateOfBirth: null,
  countries: [],
  documentNumbers: [],
}
const LISTED: ListedPerson = {
  id: '1',
  names: [{ text: 'Velmirov Stepan', isWeak: false }],
  births: [],
  countries: [],
  documents: [],
}
const match = (asked: Partial<ScreenedPerson>, listed: Partial<ListedPerson> = {}): Match =>
  scoreMatch(prepareSought({ ...ASKED, ...asked }), readyToBeFound({ ...LISTED, ...listed }), LIMITS)

describe('two words that pair with one', () => {
  const { missingWord } = LIMITS

  test('count with what the heavier side weighs more, at the cost of a missing word', () => {
    // XIAO and PING weigh 2, XIAOPING 1; DENGFENG and ZORRO have nothing in common.
    const expected = (1 + missingWord) / (2 + missingWord)
    expect(similarity('Xiao Ping Dengfeng', 'Xiaoping Zorro')).toBeCloseTo(expected, 10)
    expect(similarity('Xiaoping Zorro', 'Xiao Ping Dengfeng')).toBeCloseTo(expected, 10)
    expect(similarity('Dengfeng Xiao Ping', 'Zorro Xiaoping')).toBeCloseTo(expected, 10)
    expect(similarity('Zorro Xiaoping', 'Dengfeng Xiao Ping')).toBeCloseTo(expected, 10)
  })

  test('do so twice in one name, on both sides', () => {
    expect(similarity('Xiao Ping Abdel Rahman', 'Abdelrahman Xiaoping')).toBeCloseTo(1, 10)
    const crossed = (2 * (1 + missingWord)) / 3
    expect(similarity('Xiao Ping Abdelrahman', 'Abdel Rahman Xiaoping')).toBeCloseTo(crossed, 10)
  })
})

test('a word and its initial count with the weight of the initial', () => {
  const { initial, missingWord } = LIMITS
  const expected = (2 + initial * 0.4) / (2.4 + missingWord * 0.6)
  expect(similarity('Anna Tarwani J', 'Anna Tarwani Jose')).toBeCloseTo(expected, 10)
  expect(similarity('Jose Anna Tarwani', 'J Anna Tarwani')).toBeCloseTo(expected, 10)
})

describe('a name of hardly more than one word', () => {
  const whole = 1 / (1 + LIMITS.missingWord * 0.5)
  const lone = LIMITS.loneWord / (1 + LIMITS.missingWord * 0.6)

  test.each<[string, readonly number[], readonly number[], number]>([
    ['one that weighs one and a half is no lone word', [1.5], [1.5, 1], 1.5 / (1.5 + LIMITS.missingWord)],
    ['beside one that weighs one and a half nothing is one', [1], [1, 0.5], whole],
    ['beside more than that it is', [1], [1, 0.6], lone],
  ])('%s', (_, one, other, expected) => {
    expect(nameSimilarity(weighing(...one), weighing(...other), LIMITS)).toBeCloseTo(expected, 10)
    expect(nameSimilarity(weighing(...other), weighing(...one), LIMITS)).toBeCloseTo(expected, 10)
  })
})

describe('letters that stand too far apart are no pair', () => {
  test.each([
    ['AXYZ', 'XYZA', 0.8333],
    ['XYZA', 'AXYZ', 0.8333],
    ['ABCDE', 'EABCD', 0.8667],
    ['ABCDEF', 'BCDEFA', 0.8889],
    // Within reach of two to the left and to the right.
    ['ABXCCC', 'XABCCC', 0.9167],
    ['ABXCCC', 'BXACCC', 0.9167],
    // One place farther than that.
    ['AXXBCC', 'BAXXCC', 0.8889],
    ['ABXXCC', 'BXXACC', 0.8889],
    ['ABXXXX', 'XXABXX', 0.8889],
    // Just under the similarity from which on the beginning counts.
    ['ABXXXX', 'ABYYYY', 0.5556],
    // Only the first four letters count more.
    ['ABCDEFG', 'ABCDEXX', 0.8857],
  ])('%s and %s: %f', (one, other, expected) => {
    expect(jaroWinkler(one, other)).toBeCloseTo(expected, 3)
  })
})

describe('words of equal consonants', () => {
  const word = (text: string): Word => written(text).words[0]

  test('are at least as alike as these say, and more where all letters are', () => {
    const near = wordSimilarity(word('VELMIROVSKAIA'), word('VELMIROVSKIA'), LIMITS)
    expect(near).toBeGreaterThan(LIMITS.sameConsonants)
    expect(near).toBeLessThan(LIMITS.sameSound)
  })

  test('whose consonants differ have only their letters', () => {
    expect(wordSimilarity(word('KARIM'), word('KARIB'), LIMITS)).toBeLessThan(LIMITS.sameConsonants)
    expect(wordSimilarity(word('KARIM'), word('KARIB'), LIMITS)).toBeGreaterThan(0)
  })
})

describe('what is made ready', () => {
  test('of a person is the name in parts, and nothing where a part is not stated', () => {
    expect(prepareSought(ASKED).names).toEqual([written('Stepan Velmirov')])
    expect(prepareSought({ ...ASKED, surname: null }).names).toEqual([written('Stepan')])
    expect(prepareSought({ ...ASKED, fullname: 'Anna Holt' }).names).toEqual([
      written('Stepan Velmirov'),
      written('Anna Holt'),
    ])
    expect(prepareSought({ ...ASKED, givenNames: [], surname: null })).toEqual({
      names: [],
      exactNames: [],
      born: null,
      countries: [],
      documents: [],
      canBeCleared: false,
    })
  })

  test('of an entry is each name as words, or sign by sign where it has no table', () => {
    const names = [
      { text: 'Anna Holt', isWeak: true },
      { text: '张 伟', isWeak: false },
    ]
    expect(readyToBeFound({ ...LISTED, names }).names).toEqual([
      { written: written('Anna Holt'), exact: '', isWeak: true },
      { written: null, exact: '张伟', isWeak: false },
    ])
  })
})

describe('the name that came nearest', () => {
  const stranger = { text: 'Zorro', isWeak: true }

  test('is none where no name has anything in common, and then it is not a weak one', () => {
    expect(match({}, { names: [stranger] }).components).toMatchObject({ name: 0, isWeakName: false })
    expect(match({}, { names: [] }).components).toMatchObject({ name: 0, isWeakName: false })
    expect(match({ givenNames: [], surname: null }).components.name).toBe(0)
  })

  test('is the first of two that are as near', () => {
    const names = [
      { text: '张伟', isWeak: false },
      { text: 'Stepan Velmirov', isWeak: false },
    ]
    expect(match({ givenNames: ['伟'], surname: '张', fullname: '张伟' }, { names }).components.name).toBe(1)
    expect(match({}, { names: names.toReversed() }).components.name).toBe(1)
  })

  test('in Arabic letters is found without the words of vowels alone, which have no consonants', () => {
    const names = [{ text: 'محمد', isWeak: false }]
    const alone = match({ givenNames: ['Muhammad'], surname: null }, { names })
    expect(alone.components.name).toBe(LIMITS.sameConsonants)
    expect(match({ givenNames: ['Muhammad'], surname: 'Aia' }, { names })).toEqual(alone)
    expect(match({ givenNames: ['Muhammad'], surname: 'Tarwani' }, { names }).components.name).toBeLessThan(
      LIMITS.sameConsonants,
    )
  })
})

describe('what a date of birth and nothing else says', () => {
  test.each([
    ['1974-08-12', '1974-08-12', true],
    ['1974', '1974-08-12', true],
    ['1975-01-12', '1974-08-12', true],
    ['1990-08-12', '1974-08-12', false],
    [null, '1974-08-12', false],
  ])('%s of a listed %s is a second factor: %s', (dateOfBirth, listed, expected) => {
    const births = [parseSpan(listed) ?? { from: '', to: '' }]
    expect(match({ dateOfBirth }, { births }).hasSecondFactor).toBe(expected)
  })

  test('a new year’s day on one side alone is a day within a year, not the day', () => {
    const newYear = [{ from: '1974-01-01', to: '1974-01-01' }]
    expect(birthAgreement(parseSpan('1974-01-01'), newYear)).toBe('RANGE')
    expect(birthAgreement(parseSpan('1974'), newYear)).toBe('RANGE')
    expect(birthAgreement(parseSpan('1974-01-02'), newYear)).toBe('NEAR')
  })
})

test('a search shows what reaches the score for looking, however many are nearer than the rest', () => {
  const found = (id: string, score: number): Match => ({ ...match({}), id, score, hasSecondFactor: true })
  const limits = { possible: 0.8, hit: 0.9 }
  const decision = decideScreening([found('c', 0.79), found('b', 0.8), found('a', 0.81)], true, limits)
  expect(decision).toMatchObject({ outcome: 'POSSIBLE', score: 0.81 })
  expect(decision.matches.map(({ id }) => id)).toEqual(['a', 'b'])
})
