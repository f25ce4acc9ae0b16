/** Radix-2 Fourier transform, in place. Kept simple because spectra have only a few thousand points. */

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

/** A destructuring swap would allocate an array a million times per page. */
function swap(values: Float64Array, i: number, j: number): void {
  const kept = values[i]
  values[i] = values[j]
  values[j] = kept
}

/** Forward transform, in place. Throws TypeError unless both parts have the same length, a power of two. */
export function transform({ re, im }: Complex): void {
  const n = re.length
  if (n === 0 || (n & (n - 1)) !== 0 || im.length !== n) throw new TypeError('length is no power of two')
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      swap(re, i, j)
      swap(im, i, j)
    }
  }
  const turn = computeTurns(n)
  for (let size = 2; size <= n; size <<= 1)
    for (let start = 0, half = size >> 1, step = n / size; start < n; start += size)
      for (let a = start, k = 0; a < start + half; a++, k += step) {
        const b = a + half
        const x = re[b] * turn.re[k] - im[b] * turn.im[k]
        const y = re[b] * turn.im[k] + im[b] * turn.re[k]
        re[b] = re[a] - x
        im[b] = im[a] - y
        re[a] += x
        im[a] += y
      }
}

/** Transforms a square picture of `side` rows in place (`side` a power of two), row-major, frequency 0 first. */
export function transformSquare({ re, im }: Complex, side: number): void {
  for (let from = 0; from < re.length; from += side)
    transform({ re: re.subarray(from, from + side), im: im.subarray(from, from + side) })
  const column = { re: new Float64Array(side), im: new Float64Array(side) }
  for (let x = 0; x < side; x++) {
    for (let y = 0, i = x; y < side; y++, i += side) {
      column.re[y] = re[i]
      column.im[y] = im[i]
    }
    transform(column)
    for (let y = 0, i = x; y < side; y++, i += side) {
      re[i] = column.re[y]
      im[i] = column.im[y]
    }
  }
}
