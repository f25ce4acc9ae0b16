import { describe, expect, test } from 'vitest'
import {
  CHECK_CHARS,
  computeCheck,
  checks,
  fromBase32,
  toLetters,
  toBase32,
  parseLetters,
} from '../../../server/crypto/base32.ts'

/** The letters of BIP 173; ours are Crockford's, the sum is the same. */
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/** A bech32 string as the numbers that BIP 173 sums: the high bits of the name, 0, its low bits, the data. */
function summed(bech32: string): number[] {
  const at = bech32.lastIndexOf('1')
  const name = [...Buffer.from(bech32.slice(0, at), 'ascii')]
  const data = [...bech32.slice(at + 1)].map((letter) => BECH32.indexOf(letter))
  return [...name.map((byte) => byte >> 5), 0, ...name.map((byte) => byte & 31), ...data]
}

describe('the check behind typed letters', () => {
  test.each([
    'a12uel5l',
    'an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs',
    'abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw',
    'split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w',
    '?1ezyfcl',
  ])('holds for the valid string %s of BIP 173, and is what is computed for it', (text) => {
    const values = summed(text)
    expect(checks(values)).toBe(true)
    expect(computeCheck(values.slice(0, -6))).toEqual(values.slice(-6))
  })

  test.each(['a1g7sgd8', 'a12uel5q', 'a12eul5l', 'b12uel5l'])('does not hold for %s', (text) => {
    expect(checks(summed(text))).toBe(false)
  })

  test('is six letters, also of nothing', () => {
    expect(CHECK_CHARS).toBe(6)
    expect(computeCheck([])).toHaveLength(6)
    expect(checks(computeCheck([]))).toBe(true)
  })
})

describe('letters that people type', () => {
  test('are Crockford’s: digits first, then the alphabet without I, L, O and U', () => {
    const all = Array.from({ length: 32 }, (_, value) => value)
    expect(toLetters(all)).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ')
    expect(parseLetters('0123456789ABCDEFGHJKMNPQRSTVWXYZ')).toEqual(all)
  })

  test('may be small, and O is read as 0, I and L as 1', () => {
    expect(parseLetters('abz')).toEqual([10, 11, 31])
    expect(parseLetters('OoIiLl')).toEqual([0, 0, 1, 1, 1, 1])
  })

  test.each(['U', 'u', '-', ' ', 'É', '.'])('%j is none of them', (letter) => {
    expect(parseLetters(`A${letter}B`)).toEqual([10, -1, 11])
  })
})

describe('bytes as numbers of five bits', () => {
  test.each([
    ['', []],
    ['0000000000', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['ffffffffff', [31, 31, 31, 31, 31, 31, 31, 31]],
    // 00000 00001 00010 00011 00100 00101 00110 00111
    ['00443214c7', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['00443214c700443214c7', [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]],
    ['8000000001', [16, 0, 0, 0, 0, 0, 0, 1]],
  ])('%s has the highest bit first, and comes back', (hex, values) => {
    expect(toBase32(Buffer.from(hex, 'hex'))).toEqual(values)
    expect(fromBase32(values).toString('hex')).toBe(hex)
  })
})
