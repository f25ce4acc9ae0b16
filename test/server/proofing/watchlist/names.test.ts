import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameSimilarity } from '../../../../server/proofing/watchlist/names.ts'
import { writeName, type WrittenName } from '../../../../server/proofing/watchlist/words.ts'
import { LIMITS } from './limits.ts'

const written = (text: string): WrittenName => {
  const name = writeName(text)
  if (!name) throw new TypeError(`${text} cannot be written`)
  return name
}
const similarity = (one: string, other: string) => nameSimilarity(written(one), written(other), LIMITS)

/** Invented; the score from which on a person would look if all else agrees. */
const SAME: readonly (readonly [string, string])[] = [
  ['VELMIROV, Stepan Igorevich', 'Stepan Igorevich Velmirov'],
  ['VELMIROV, Stepan Igorevich', 'Stepan Velmirov'],
  ['Velmirov Stepan', 'ВЕЛМИРОВ СТЕПАН'],
  ['Velmiroff Stepan', 'Velmirov Stepan'],
  ['Muhammad Hasan al-Tarwani', 'Mohammed Hassan Tarwani'],
  ['Abdul Rahman Tarwani', 'Abdulrahman Tarwani'],
  ['Abdel Rahman Tarwani', 'Abdulrahman Tarwani'],
  ['Umar Abuzahri', 'Omar Abu Zahri'],
  ['Deng Xiao Ming', 'Xiaoming Deng'],
  ['Quirola Mendez, Jose Luis', 'José Quirola'],
  ['Jürgen Tannstein', 'Juergen Tannstein'],
  ['Jürgen Tannstein', 'Jurgen Tannstein'],
  ['Katherine Brandwell', 'Kathrine Brandwell'],
  ['Yelena Sorokhova', 'Elena Sorokhova'],
  ['Maria de la Cruz Ospina', 'Maria Delacruz Ospina'],
]
const DIFFERENT: readonly (readonly [string, string])[] = [
  ['Stepan Velmirov', 'Stepan Kulagin'],
  ['Stepan Velmirov', 'Anton Velmirov'],
  ['Stepan Velmirov', 'Velmirov'],
  ['Muhammad Hasan', 'Muhammad Tarwani'],
  ['Omar', 'Omar Tarwani Zahri'],
  ['Li Wei', 'Lu Wei'],
  ['Jose Luis Quirola', 'Jose Luis Mendez'],
  ['J Brandwell', 'Katherine Brandwell'],
  ['Anna Holt', 'Hanna Colt'],
  ['Maria de la Cruz', 'Pedro de la Vega'],
]
/** All else agrees at best. */
const NEEDED = LIMITS.possible

describe('one person under two spellings', () => {
  test.each(SAME)('%s and %s', (one, other) => {
    expect(similarity(one, other)).toBeGreaterThanOrEqual(NEEDED)
  })
})
describe('two people', () => {
  test.each(DIFFERENT)('%s and %s', (one, other) => {
    expect(similarity(one, other)).toBeLessThan(NEEDED)
  })
})

describe('names as bags of words', () => {
  test('are the same in any order', () => {
    expect(similarity('Anna Berta Carlsson', 'Carlsson Anna Berta')).toBe(1)
  })

  test('cost a share of each word that only the longer one has', () => {
    expect(similarity('Anna Carlsson', 'Anna Berta Carlsson')).toBeCloseTo(2 / (2 + LIMITS.missingWord), 10)
    expect(similarity('Anna Carlsson', 'Anna Berta Dora Carlsson')).toBeCloseTo(
      2 / (2 + 2 * LIMITS.missingWord),
      10,
    )
  })

  test('use every word once', () => {
    expect(similarity('Anna Anna', 'Anna Berta')).toBeCloseTo(0.5, 10)
    expect(similarity('Anna Berta', 'Anna Anna')).toBeCloseTo(0.5, 10)
  })

  test('pair the words so that the whole is best, not the first', () => {
    // Each is nearer to the other's first word than to its second, but then two would be left.
    expect(similarity('Khalid Khalida', 'Khalida Kalid')).toBeGreaterThan(
      similarity('Khalid Zorro', 'Khalida Kalid'),
    )
    expect(similarity('Khalid Khalida', 'Khalida Khalid')).toBe(1)
  })

  test('pair two neighbours with one word, on either side, whatever stands before them', () => {
    expect(similarity('Xiao Ping Dengfeng', 'Xiaoping Dengfeng')).toBeCloseTo(1, 10)
    expect(similarity('Xiaoping Dengfeng', 'Xiao Ping Dengfeng')).toBeCloseTo(1, 10)
    expect(similarity('Dengfeng Xiao Ping', 'Dengfeng Xiaoping')).toBeGreaterThan(0.9)
    // Not neighbours, or in the wrong order.
    expect(similarity('Xiao Dengfeng Ping', 'Xiaoping Dengfeng')).toBeLessThan(0.9)
    expect(similarity('Ping Xiao Dengfeng', 'Xiaoping Dengfeng')).toBeLessThan(0.9)
  })

  test('of one word weigh less in a longer name, and fully against one of their own', () => {
    expect(similarity('Tarwani', 'Tarwani')).toBe(1)
    expect(similarity('Tarwani', 'Hassan Tarwani')).toBeCloseTo(
      LIMITS.loneWord / (1 + LIMITS.missingWord),
      10,
    )
    expect(similarity('Hassan Tarwani', 'Tarwani')).toBe(similarity('Tarwani', 'Hassan Tarwani'))
    // An initial is no second word, and does not make the name a longer one.
    expect(similarity('Tarwani', 'H Tarwani')).toBeCloseTo(1 / (1 + 0.4 * LIMITS.missingWord), 10)
  })

  const name = fc
    .array(
      fc.constantFrom('Anna', 'Ana', 'Li', 'Xiao', 'Ping', 'Xiaoping', 'Khalid', 'Halid', 'al', 'J', 'Carl'),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((words) => words.join(' '))

  test('are as alike both ways, between 0 and 1', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        const found = similarity(one, other)
        expect(found).toBeCloseTo(similarity(other, one), 10)
        expect(found).toBeGreaterThanOrEqual(0)
        expect(found).toBeLessThanOrEqual(1 + 1e-12)
      }),
      { numRuns: 500 },
    )
  })

  test('come nearer, or stay, when a word that differs is replaced by the other name’s own', () => {
    const differing = fc.constantFrom('Zorro', 'Qwert', 'Ulfgang')
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Anna', 'Khalid', 'Carlsson', 'Berta'), { minLength: 1, maxLength: 4 }),
        differing,
        (shared, odd) => {
          const listed = [...shared, 'Stepan'].join(' ')
          expect(similarity([...shared, 'Stepan'].join(' '), listed)).toBeGreaterThanOrEqual(
            similarity([...shared, odd].join(' '), listed),
          )
        },
      ),
    )
  })
})
