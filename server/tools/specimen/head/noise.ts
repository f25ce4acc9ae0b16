/**
 * Repeatable randomness: a small generator for sequences and lattice noise for surfaces. Keeps no state between calls.
 */

/** Uniform numbers in [0, 1) from a seed (mulberry32 over a golden-ratio start). */
export function createRandom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A number in [0, 1) for a lattice point. */
export function latticeValue(ix: number, iy: number, iz: number): number {
  let h = Math.imul(ix, 374761393) ^ Math.imul(iy, 668265263) ^ Math.imul(iz, 1274126177)
  h = Math.imul(h ^ (h >>> 13), 1274126177)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

/** Value noise in [0, 1], smooth, one feature per unit. */
export function valueNoise(x: number, y: number, z: number): number {
  const ix = Math.floor(x)
  const iy = Math.floor(y)
  const iz = Math.floor(z)
  let fx = x - ix
  let fy = y - iy
  let fz = z - iz
  fx = fx * fx * (3 - 2 * fx)
  fy = fy * fy * (3 - 2 * fy)
  fz = fz * fz * (3 - 2 * fz)
  const a = latticeValue(ix, iy, iz)
  const b = latticeValue(ix, iy + 1, iz)
  const c = latticeValue(ix, iy, iz + 1)
  const d = latticeValue(ix, iy + 1, iz + 1)
  const a1 = a + (latticeValue(ix + 1, iy, iz) - a) * fx
  const b1 = b + (latticeValue(ix + 1, iy + 1, iz) - b) * fx
  const c1 = c + (latticeValue(ix + 1, iy, iz + 1) - c) * fx
  const d1 = d + (latticeValue(ix + 1, iy + 1, iz + 1) - d) * fx
  const near = a1 + (b1 - a1) * fy
  const far = c1 + (d1 - c1) * fy
  return near + (far - near) * fz
}

/** Three octaves of value noise, about [0.06, 0.94]. */
export function cloudNoise(x: number, y: number, z: number): number {
  return (
    0.5 * valueNoise(x, y, z) +
    0.25 * valueNoise(2.03 * x + 7.1, 2.03 * y, 2.03 * z) +
    0.125 * valueNoise(4.1 * x, 4.1 * y + 3.3, 4.1 * z) +
    0.0625
  )
}
