import { describe, expect, test } from 'vitest'
import { transform, transformSquare } from '../../../../../server/vision/documents/authenticity/fft.ts'
import { createRandom } from '../../../../../server/tools/specimen/head/noise.ts'

/** The definition, in n² steps. */
function slowly(re: readonly number[]): { re: number[]; im: number[] } {
  const n = re.length
  const part = (of: (angle: number) => number) =>
    re.map((_, k) => re.reduce((sum, value, i) => sum + value * of((-2 * Math.PI * i * k) / n), 0))
  return { re: part(Math.cos), im: part(Math.sin) }
}

describe('the Fourier transform', () => {
  test.each([1, 2, 8, 64])('of %i numbers is what the definition says', (n) => {
    const random = createRandom(n)
    const values = Array.from({ length: n }, () => random() - 0.5)
    const fast = { re: Float64Array.from(values), im: new Float64Array(n) }
    transform(fast)
    const slow = slowly(values)
    slow.re.forEach((value, k) => {
      expect(fast.re[k]).toBeCloseTo(value, 9)
      expect(fast.im[k]).toBeCloseTo(slow.im[k], 9)
    })
  })

  test.each([0, 3, 12])('refuses %i numbers', (n) => {
    expect(() => {
      transform({ re: new Float64Array(n), im: new Float64Array(n) })
    }).toThrow(TypeError)
  })

  test('of a picture of waves has its power at their frequency', () => {
    const side = 32
    const re = Float64Array.from({ length: side * side }, (_, i) =>
      Math.cos((2 * Math.PI * (5 * (i % side) + 3 * Math.floor(i / side))) / side),
    )
    const im = new Float64Array(re.length)
    transformSquare({ re, im }, side)
    const power = re.map((value, i) => Math.hypot(value, im[i]))
    const strongest = [...power.keys()].sort((a, b) => power[b] - power[a]).slice(0, 2)
    expect(strongest.sort((a, b) => a - b)).toEqual([3 * side + 5, (side - 3) * side + side - 5])
    expect(power[3 * side + 5]).toBeCloseTo((side * side) / 2, 6)
  })
})
