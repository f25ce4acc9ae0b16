import { createCipheriv, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { secretRotation } from '../../../server/crypto/secret-rotation.ts'

const SIZE = 64
const keyOf = (fill: number) => Buffer.alloc(32, fill)
const vector = fc
  .array(fc.float({ min: -2, max: 2, noNaN: true }), { minLength: SIZE, maxLength: SIZE })
  .map((numbers) => Float32Array.from(numbers))
const distance = (a: Float32Array, b: Float32Array) => Math.hypot(...a.map((number, i) => number - b[i]))
const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * b[i], 0)

/** HKDF with SHA-256 and no salt, one block of output (RFC 5869). */
function hkdf(key: Uint8Array, info: string): Buffer {
  const extracted = createHmac('sha256', Buffer.alloc(32)).update(key).digest()
  return createHmac('sha256', extracted)
    .update(Buffer.concat([Buffer.from(info), Buffer.from([1])]))
    .digest()
}

/** The key stream of AES-256 in counter mode from 0: each block is the enciphered number of the block. */
function keyStream(key: Buffer, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 16) }, (_, number) => {
    const counter = Buffer.alloc(16)
    counter.writeUInt32BE(number, 12)
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(counter), cipher.final()])
  })
  return Buffer.concat(blocks)
}

/** The rows that are made orthogonal: Box and Muller over pairs of 48 bits, each in (0, 1]. */
function normalRows(key: Uint8Array, purpose: string, size: number): number[][] {
  const stream = keyStream(hkdf(key, `rotation:${purpose}`), size * size * 12)
  const share = (at: number) => (stream.readUIntBE(at, 6) + 1) / 0x1_0000_0000_0000
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => {
      const at = (row * size + column) * 12
      return Math.sqrt(-2 * Math.log(share(at))) * Math.cos(2 * Math.PI * share(at + 6))
    }),
  )
}

// Stored faces are compared with faces that a later release turns: another rotation of the same key would lose them all.
describe('a secret rotation, from its description alone', () => {
  const SMALL = 6

  test('has orthogonal rows of length 1, each made of the normal rows up to its own, in their direction', () => {
    const key = keyOf(9)
    const turned = Array.from({ length: SMALL }, (_, axis) =>
      secretRotation(key, 'faces', SMALL)(Float32Array.from({ length: SMALL }, (_, i) => Number(i === axis))),
    )
    // The images of the axes are the matrix, column by column.
    const rows = Array.from({ length: SMALL }, (_, row) => turned.map((column) => column[row]))
    const along = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, number, i) => sum + number * b[i], 0)
    const normal = normalRows(key, 'faces', SMALL)
    for (let i = 0; i < SMALL; i++) {
      for (let j = 0; j < SMALL; j++) {
        expect(along(rows[i], rows[j]), `rows ${i} and ${j}`).toBeCloseTo(Number(i === j), 6)
        if (j > i) expect(along(normal[i], rows[j]), `normal row ${i} along row ${j}`).toBeCloseTo(0, 5)
      }
      expect(along(normal[i], rows[i])).toBeGreaterThan(0)
    }
  })
})

describe('a secret rotation', () => {
  const turn = secretRotation(keyOf(1), 'tenant', SIZE)

  test('leaves every distance and every product between two vectors as it was', () => {
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        expect(distance(turn(a), turn(b))).toBeCloseTo(distance(a, b), 4)
        expect(product(turn(a), turn(b))).toBeCloseTo(product(a, b), 3)
      }),
      { numRuns: 50 },
    )
  })

  test('is the same for the same key and purpose, whenever it is made', () => {
    const axis = Float32Array.from({ length: SIZE }, (_, i) => Number(i === 5))
    expect(secretRotation(keyOf(1), 'tenant', SIZE)(axis)).toEqual(turn(axis))
    expect(secretRotation(keyOf(1), 'another', SIZE)(axis)).not.toEqual(turn(axis))
  })

  test('of another key lays the same vector as far off as a stranger’s', () => {
    // The product of two random unit vectors in 64 dimensions has a deviation of 1/√64 = 0.125.
    const products = Array.from({ length: 10 }, (_, other) => {
      const unit = Float32Array.from(
        { length: SIZE },
        (_, i) => Math.cos(other * 7 + i) / Math.sqrt(SIZE / 2),
      )
      return product(turn(unit), secretRotation(keyOf(other + 2), 'tenant', SIZE)(unit))
    })
    expect(Math.max(...products.map(Math.abs))).toBeLessThan(0.125 * 4)
  })

  test('turns no vector of another size, and says which it turns', () => {
    for (const size of [0, SIZE - 1, SIZE + 1]) {
      expect(() => turn(new Float32Array(size))).toThrow(
        new TypeError('a vector of 64 numbers is turned, not of another size'),
      )
    }
  })
})
