import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { computeCheck, toLetters, toBase32 } from '../../../server/crypto/base32.ts'
import {
  codedLines,
  formatShare,
  LINES,
  parseShare,
  type Share,
  ShareReader,
} from '../../../server/keys/share-text.ts'
import { combineShares, kekFingerprint, findShareProblems, splitKek } from '../../../server/keys/shares.ts'
import { combine } from 'shamir-secret-sharing'

const named = (shares: readonly Share[]) => shares.map((share) => ({ name: `share ${share.number}`, share }))
/** Characters that may be typed or scanned. */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz .,:-/\n'

/** Returns the normalised text: case, spaces and hyphens do not count, and O is 0. */
function meant(text: string): string {
  const [share = ''] = text.split('Whoever')
  return share
    .toUpperCase()
    .replace(/[\s.:,-]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
}

/** The share as it is read, or the sentence with which it is refused. */
function read(text: string): Share | string {
  try {
    return parseShare(text)
  } catch (error) {
    return (error as Error).message
  }
}

describe('the master key in shares', () => {
  const sizes = fc
    .integer({ min: 2, max: 8 })
    .chain((shares) => fc.tuple(fc.constant(shares), fc.integer({ min: 2, max: shares })))

  test('comes back from any of them that are as many as needed, and never from fewer', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.infiniteStream(fc.nat()),
        async ([count, threshold], kek, random) => {
          const made = await splitKek(kek, count, threshold)
          const picked = shuffled(made, random)
          const printed = picked.map((share) => parseShare(formatShare(share)))
          expect((await combineShares(named(printed.slice(0, threshold)))).equals(kek)).toBe(true)
          expect((await combineShares(named(printed))).equals(kek)).toBe(true)
          const fewer = printed.slice(0, threshold - 1)
          await expect(combineShares(named(fewer))).rejects.toThrow(
            `${threshold} shares are needed, and ${fewer.length} are here.`,
          )
          // Not only refused: what fewer make is another key. One alone the library does not even combine.
          if (fewer.length > 1) {
            expect(Buffer.from(await combine(fewer.map(({ part }) => part))).equals(kek)).toBe(false)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test('comes back from shares that were printed by the first release, for ever', async () => {
    const folder = join(import.meta.dirname, '..', '..', 'vectors', 'key-shares')
    const [one, two, three] = [1, 2, 3].map((number) =>
      parseShare(readFileSync(join(folder, `share-${number}-of-3.txt`), 'utf8')),
    )
    const kek = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
    for (const pair of [
      [one, two],
      [two, three],
      [three, one],
    ]) {
      expect((await combineShares(named(pair))).equals(kek)).toBe(true)
    }
  })

  test('is distinguished by a fingerprint that says nothing of it', () => {
    const [one, other] = [randomBytes(32), randomBytes(32)]
    expect(kekFingerprint(one)).toMatch(/^[0-9a-f]{16}$/)
    expect(kekFingerprint(one)).toBe(kekFingerprint(Buffer.from(one)))
    expect(kekFingerprint(one)).not.toBe(kekFingerprint(other))
  })

  test.each([
    [3, 1],
    [2, 3],
    [21, 3],
    [0, 0],
  ])('is not split into %d shares of which %d are needed', async (shares, threshold) => {
    await expect(splitKek(randomBytes(32), shares, threshold)).rejects.toThrow('At least 2')
  })

  test('does not come from shares of which one was made up', async () => {
    const [first, second, third] = await splitKek(randomBytes(32), 3, 3)
    const forged = { ...third, part: third.part.map((byte, index) => (index === 5 ? byte ^ 1 : byte)) }
    await expect(combineShares(named([first, second, forged]))).rejects.toThrow('forged')
  })

  test('does not come from shares that do not agree on how many are needed', async () => {
    const [a, b, c] = await splitKek(randomBytes(32), 3, 2)
    expect(findShareProblems(named([a, { ...b, threshold: 3 }, c]))).toEqual([
      'The shares do not agree on how many are needed.',
    ])
  })

  test('names what is wrong, a sentence each', async () => {
    const kek = randomBytes(32)
    const [a, b] = await splitKek(kek, 5, 3)
    const [other] = await splitKek(kek, 5, 3)
    expect(findShareProblems([])).toEqual(['There is no share.'])
    expect(findShareProblems(named([a]))).toEqual(['3 shares are needed, and 1 are here.'])
    expect(findShareProblems(named([a, b, b]))).toEqual([
      'Share 2 is there more than once: share 2, share 2.',
      '3 shares are needed, and 2 are here.',
    ])
    expect(findShareProblems(named([a, b, other]))).toEqual([
      `The shares are of different sets: share 1, share 2 of set ${a.setId}; share 1 of set ${other.setId}.`,
    ])
  })
})

describe('a printed share', () => {
  let shares: readonly Share[]
  let text: string
  beforeAll(async () => {
    shares = await splitKek(randomBytes(32), 5, 3)
    text = formatShare(shares[1])
  })

  test('is five lines, and reads the same in small letters, without spaces, and with O and L for 0 and 1', () => {
    const lines = codedLines(shares[1])
    expect(lines).toHaveLength(LINES)
    const typed = lines.map((line) => {
      const [number, ...rest] = line.split(/\s+/)
      return `${number} ${rest.join('').toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')}`
    })
    expect(parseShare(typed.join('\r\n'))).toEqual(shares[1])
    expect(parseShare(text)).toEqual(shares[1])
  })

  test('with any single character changed, left out, doubled or swapped with the next is never read as another', () => {
    const original = parseShare(text)
    /** Head and lines; what follows is advice to its keeper. */
    const end = text.indexOf('\n\nWhoever')
    let refused = 0
    for (let at = 0; at < text.length; at++) {
      const [before, here, next, after] = [
        text.slice(0, at),
        text[at],
        text[at + 1] ?? '',
        text.slice(at + 1),
      ]
      const errors = [...CHARACTERS].filter((character) => character !== here).map((c) => before + c + after)
      errors.push(before + after, before + here + here + after, before + next + here + after.slice(1))
      for (const wrong of errors) {
        const result = read(wrong)
        if (typeof result === 'string') refused += 1
        else {
          expect(result).toEqual(original)
          // Found, unless it is no error: another case, another space, O for 0.
          if (at < end) expect(meant(wrong)).toBe(meant(text))
        }
      }
    }
    expect(refused).toBeGreaterThan(15_000)
  })

  test('with a character of its lines changed names the line', () => {
    const lines = codedLines(shares[1])
    for (const [index, line] of lines.entries()) {
      for (let at = 3; at < line.length; at++) {
        const here = line[at]
        if (here === ' ') continue
        const wrong = line.slice(0, at) + (here === '7' ? '8' : '7') + line.slice(at + 1)
        const all = lines.with(index, wrong).join('\n')
        expect(read(all)).toBe(`Line ${index + 1} holds an error.`)
      }
    }
  })

  test('with up to four wrong characters in a line is refused, whatever they are', () => {
    const lines = codedLines(shares[1])
    const alphabet = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']
    const error = fc.tuple(fc.nat({ max: 21 }), fc.constantFrom(...alphabet))
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.array(error, { minLength: 1, maxLength: 4 }), (index, errors) => {
        const bare = [...lines[index].slice(3).replaceAll(' ', '')]
        const wrong = [...bare]
        for (const [at, letter] of errors) wrong[at] = letter
        fc.pre(wrong.join('') !== bare.join(''))
        expect(read(lines.with(index, `${index + 1} ${wrong.join('')}`).join('\n'))).toBe(
          `Line ${index + 1} holds an error.`,
        )
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['a line is missing', (own: string[]) => own.toSpliced(3, 1), 'Line 4 is missing.'],
    ['a line is there twice', (own: string[]) => [...own, own[0]], 'Line 1 is there twice.'],
    ['two lines changed places', (own: string[]) => swapped(own), 'Line 2 holds an error.'],
    [
      'a line is of another share of the set',
      (own: string[], other: string[]) => own.with(2, other[2]),
      'Line 3 holds an error.',
    ],
    [
      'its head says another number',
      (own: string[]) => [`Set ${shares[1].setId}, share 3 of 5, 3 are needed`, ...own],
      'The head of the share does not say what its lines say.',
    ],
  ])('is refused when %s', (_, spoil, sentence) => {
    expect(read(spoil(codedLines(shares[1]), codedLines(shares[2])).join('\n'))).toBe(sentence)
  })

  test('is not whole before its last line', () => {
    const reader = new ShareReader()
    for (const line of codedLines(shares[1]).slice(0, 4)) reader.add(line)
    expect(reader.next).toBe(5)
    expect(() => reader.share()).toThrow('Line 5 is missing.')
  })

  test('of a version that is yet to come is refused as such, not as an error of the typist', () => {
    // Fifty bytes in five lines of sixteen letters; the first byte is the version.
    const values = toBase32(Buffer.concat([Buffer.from([2, 1, 3, 5]), Buffer.alloc(46, 9)]))
    const first = values.slice(0, 16)
    const lines = [1, 2, 3, 4, 5].map((number) => {
      const data = values.slice((number - 1) * 16, number * 16)
      const check = computeCheck(number === 1 ? [1, ...data] : [number, ...first, ...data])
      return `${number} ${toLetters([...data, ...check])}`
    })
    expect(read(lines.join('\n'))).toBe(
      'The share was made by another version of Counterproof; use that one.',
    )
  })

  test('that is typed is checked line by line, and a wrong line may be typed again', () => {
    const reader = new ShareReader()
    const lines = codedLines(shares[1])
    reader.add(lines[0])
    expect(() => reader.add(lines[2].replace('3 ', '2 '))).toThrow('Line 2 holds an error.')
    expect(() => reader.share()).toThrow('Line 2 is missing.')
    for (const line of lines.slice(1)) reader.add(line.slice(2))
    expect(reader.share()).toEqual(shares[1])
  })
})

/** Line 2 where line 3 belongs, each with the number of its place. */
function swapped(lines: readonly string[]): string[] {
  const [first, second, third, ...rest] = lines
  return [first, `2${third.slice(1)}`, `3${second.slice(1)}`, ...rest]
}

function shuffled<T>(items: readonly T[], random: IterableIterator<number>): T[] {
  const weights = items.map(() => Number(random.next().value))
  return items
    .map((item, index) => ({ item, weight: weights[index] }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ item }) => item)
}
