/** RGB rasters and the noise for surfaces, from small tables instead of per-pixel computation. */
import { createRandom } from '../head/noise.ts'

export interface Rgb {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

const TILE = 256
let tile: Float32Array | null = null

/** Makes smooth noise of several octaves around 0.5, which repeats after 256 cells. The noise is made once. */
function noiseTile(): Float32Array {
  if (tile) return tile
  const made = new Float32Array(TILE * TILE)
  const random = createRandom(20261121)
  for (let cell = 64, weight = 0.5; cell >= 2; cell /= 2, weight /= 1.9) {
    const n = TILE / cell
    const lattice = Float32Array.from({ length: n * n }, () => random() - 0.5)
    for (let y = 0; y < TILE; y++)
      for (let x = 0; x < TILE; x++) {
        const i = Math.floor(x / cell)
        const j = Math.floor(y / cell)
        const fx = smooth(x / cell - i)
        const fy = smooth(y / cell - j)
        const i2 = (i + 1) % n
        const j2 = (j + 1) % n
        const upper = lattice[j * n + i] * (1 - fx) + lattice[j * n + i2] * fx
        const lower = lattice[j2 * n + i] * (1 - fx) + lattice[j2 * n + i2] * fx
        made[y * TILE + x] += weight * (upper * (1 - fy) + lower * fy)
      }
  }
  for (let k = 0; k < made.length; k++) made[k] = Math.max(0, Math.min(1, 0.5 + made[k]))
  tile = made
  return made
}

const smooth = (t: number) => t * t * (3 - 2 * t)

/** Returns about 0 to 1, mean 0.5. The coarsest features are 64 units wide, the finest 2. */
export function surfaceNoise(x: number, y: number): number {
  const t = noiseTile()
  const fx0 = Math.floor(x)
  const fy0 = Math.floor(y)
  const fx = x - fx0
  const fy = y - fy0
  const i = fx0 & (TILE - 1)
  const j = (fy0 & (TILE - 1)) * TILE
  const i2 = (i + 1) & (TILE - 1)
  const j2 = ((fy0 + 1) & (TILE - 1)) * TILE
  const upper = t[j + i] * (1 - fx) + t[j + i2] * fx
  const lower = t[j2 + i] * (1 - fx) + t[j2 + i2] * fx
  return upper * (1 - fy) + lower * fy
}

/** sRGB byte to linear light, 0 … 1. */
export const LINEAR = Float32Array.from({ length: 256 }, (_, v) => {
  const s = v / 255
  return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4
})

const STEPS = 4095
const ENCODED = Uint8Array.from({ length: STEPS + 1 }, (_, i) => {
  const l = i / STEPS
  return Math.round(255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055))
})

/** Linear light to an sRGB byte; light above white is clipped. */
export function encode(linear: number): number {
  return linear >= 1 ? 255 : linear <= 0 ? 0 : ENCODED[(linear * STEPS + 0.5) | 0]
}
