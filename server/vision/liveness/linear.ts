/** Minimal dense linear algebra for the fits of this folder. Matrices are row-major. */

export type Matrix3 = readonly [number, number, number, number, number, number, number, number, number]

/** a·b: as maps, first b, then a. */
export function product(a: Matrix3, b: Matrix3): Matrix3 {
  const at = (row: number, column: number) =>
    a[row * 3] * b[column] + a[row * 3 + 1] * b[3 + column] + a[row * 3 + 2] * b[6 + column]
  return [at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2), at(2, 0), at(2, 1), at(2, 2)]
}

/**
 * Solves A·x = b for a symmetric positive definite n × n matrix A; reads only its lower triangle. Null if A is
 * numerically singular.
 */
export function solveSymmetric(a: Float64Array, b: Float64Array, n: number): Float64Array | null {
  const l = a.slice()
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < j; k++) {
      const factor = l[j * n + k]
      if (factor === 0) continue
      for (let i = j; i < n; i++) l[i * n + j] -= l[i * n + k] * factor
    }
    const pivot = l[j * n + j]
    if (!(pivot > Math.abs(a[j * n + j]) * 1e-13)) return null
    const root = Math.sqrt(pivot)
    for (let i = j; i < n; i++) l[i * n + j] /= root
  }
  const x = b.slice()
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k]
    x[i] /= l[i * n + i]
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k]
    x[i] /= l[i * n + i]
  }
  return x
}
