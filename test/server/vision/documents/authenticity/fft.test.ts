import { describe, expect, test } from 'vitest'
import { transformSquare } from '../../../../../server/vision/documents/authenticity/fft.ts'
import { createRandom } from '../../../../../server/tools/specimen/head/noise.ts'

interface Complex {
  readonly re: number[]
  readonly im: number[]
}

/** The definition, in n² steps. */
function slowly({ re, im }: Complex): Complex {
  const sum = (term: (i: number) => number) => re.reduce((total, _, i) => total + term(i), 0)
  const at = (i: number, k: number) => (-2 * Math.PI * i * k) / re.length
  return {
    re: re.map((_, k) => sum((i) => re[i] * Math.cos(at(i, k)) - im[i] * Math.sin(at(i, k)))),
    im: re.map((_, k) => sum((i) => re[i] * Math.sin(at(i, k)) + im[i] * Math.cos(at(i, k)))),
  }
}

/** The definition along the rows, turned over. */
function slowlyAlongRows({ re, im }: Complex, side: number): Complex {
  const rows = Array.from({ length: side }, (_, y) =>
    slowly({ re: re.slice(y * side, (y + 1) * side), im: im.slice(y * side, (y + 1) * side) }),
  )
  const turned = (part: 're' | 'im') => re.map((_, i) => rows[i % side][part][Math.floor(i / side)])
  return { re: turned('re'), im: turned('im') }
}

describe('the Fourier transform', () => {
  test.each([2, 8, 16])('of a square of %i rows is what the definition says', (side) => {
    const random = createRandom(side)
    const part = () => Array.from({ length: side * side }, () => random() - 0.5)
    const square = { re: part(), im: part() }
    const fast = { re: Float64Array.from(square.re), im: Float64Array.from(square.im) }
    transformSquare(fast, side)
    const slow = slowlyAlongRows(slowlyAlongRows(square, side), side)
    slow.re.forEach((value, i) => {
      expect(fast.re[i]).toBeCloseTo(value, 9)
      expect(fast.im[i]).toBeCloseTo(slow.im[i], 9)
    })
  })

  test.each([0, 1, 3, 12])('refuses a square of %i rows', (side) => {
    expect(() => {
      transformSquare({ re: new Float64Array(side * side), im: new Float64Array(side * side) }, side)
    }).toThrow(TypeError)
  })

  test('refuses a part that is no square of this side', () => {
    expect(() => {
      transformSquare({ re: new Float64Array(16), im: new Float64Array(15) }, 4)
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
