/** Radix-2 Fourier transform of a square picture. */
import { SLACK, withKernels } from '../../kernels/kernels.ts'

interface Complex {
  readonly re: Float64Array
  readonly im: Float64Array
}

const turns = new Map<number, Complex>()

/** e^(−2πik/n) for the first half of k. */
function computeTurns(n: number): Complex {
  const known = turns.get(n)
  if (known) return known
  const angles = Float64Array.from({ length: n >> 1 }, (_, k) => (-2 * Math.PI * k) / n)
  const made = { re: angles.map(Math.cos), im: angles.map(Math.sin) }
  turns.set(n, made)
  return made
}

/** Place of each row before the transform: the bits of its number in reverse. */
function reverseBits(side: number): Int32Array {
  const reversed = new Int32Array(side)
  for (let i = 1; i < side; i++) reversed[i] = (reversed[i >> 1] >> 1) | (i & 1 ? side >> 1 : 0)
  return reversed
}

/** Transposes, so that the numbers of a row that belong together lie below each other. */
function turnOver(from: Float64Array, to: Float64Array, side: number, order: Int32Array): void {
  for (let x = 0; x < side; x++)
    for (let y = 0, o = order[x] * side, i = x; y < side; y++, i += side, o++) to[o] = from[i]
}

/**
 * Transforms a square picture of `side` rows in place, row-major, frequency 0 first. Throws TypeError unless `side` is a
 * power of two and both parts have as many numbers as the square.
 */
export function transformSquare({ re, im }: Complex, side: number): void {
  const size = side * side
  if (side < 2 || (side & (side - 1)) !== 0 || re.length !== size || im.length !== size)
    throw new TypeError('no square with a power of two as its side')
  const turn = computeTurns(side)
  const order = reverseBits(side)
  const pitch = side * Float64Array.BYTES_PER_ELEMENT
  const second = size * Float64Array.BYTES_PER_ELEMENT
  withKernels(2 * second + SLACK, (kernels, { buffer }) => {
    const parts = [new Float64Array(buffer, 0, size), new Float64Array(buffer, second, size)]
    // The rows first, then the columns.
    for (let pass = 0; pass < 2; pass++) {
      turnOver(re, parts[0], side, order)
      turnOver(im, parts[1], side, order)
      for (let half = 1; half < side; half <<= 1)
        for (let start = 0; start < side; start += 2 * half)
          for (let k = 0; k < half; k++) {
            const [a, b] = [(start + k) * pitch, (start + k + half) * pitch]
            const at = (k * side) / (2 * half)
            kernels.butterfly(a, second + a, b, second + b, turn.re[at], turn.im[at], side >> 1)
          }
      re.set(parts[0])
      im.set(parts[1])
    }
  })
}
