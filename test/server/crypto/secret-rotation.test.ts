import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { secretRotation } from '../../../server/crypto/secret-rotation.ts'

const SIZE = 128
const keyOf = (fill: number) => Buffer.alloc(32, fill)
const vector = fc
  .array(fc.float({ min: -2, max: 2, noNaN: true }), { minLength: SIZE, maxLength: SIZE })
  .map((numbers) => Float32Array.from(numbers))
const distance = (a: Float32Array, b: Float32Array) => Math.hypot(...a.map((number, i) => number - b[i]))
const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * b[i], 0)

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
    // Of two random unit vectors in 128 dimensions, the product has a deviation of 1/√128 = 0.088.
    const products = Array.from({ length: 20 }, (_, other) => {
      const unit = Float32Array.from(
        { length: SIZE },
        (_, i) => Math.cos(other * 7 + i) / Math.sqrt(SIZE / 2),
      )
      return product(turn(unit), secretRotation(keyOf(other + 2), 'tenant', SIZE)(unit))
    })
    expect(Math.max(...products.map(Math.abs))).toBeLessThan(0.088 * 5)
  })

  test('turns no vector of another size', () => {
    expect(() => turn(new Float32Array(SIZE - 1))).toThrow(TypeError)
  })
})
