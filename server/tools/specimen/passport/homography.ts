/** Projective maps of the plane: four corners to four corners. Pure arithmetic. */
export type PlanePoint = readonly [number, number]
/** Row-major 3 × 3, last entry 1. */
export type Homography = readonly number[]

/** The map from each corner of `from` to the same corner of `to`. Throws TypeError if three corners are on a line. */
export function homographyBetween(from: readonly PlanePoint[], to: readonly PlanePoint[]): Homography {
  const rows: number[][] = []
  for (let i = 0; i < 4; i++) {
    const [x, y] = from[i]
    const [u, v] = to[i]
    rows.push([x, y, 1, 0, 0, 0, -u * x, -u * y, u], [0, 0, 0, x, y, 1, -v * x, -v * y, v])
  }
  // Gauss-Jordan with the largest pivot.
  for (let column = 0; column < 8; column++) {
    let pivot = column
    for (let r = column + 1; r < 8; r++)
      if (Math.abs(rows[r][column]) > Math.abs(rows[pivot][column])) pivot = r
    if (Math.abs(rows[pivot][column]) < 1e-12) throw new TypeError('corners lie in a line')
    ;[rows[column], rows[pivot]] = [rows[pivot], rows[column]]
    const lead = rows[column][column]
    for (let k = column; k < 9; k++) rows[column][k] /= lead
    for (let r = 0; r < 8; r++) {
      if (r === column) continue
      const factor = rows[r][column]
      for (let k = column; k < 9; k++) rows[r][k] -= factor * rows[column][k]
    }
  }
  return [...rows.map((row) => row[8]), 1]
}

export function applyHomography(h: Homography, x: number, y: number): PlanePoint {
  const w = h[6] * x + h[7] * y + h[8]
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w]
}
