/** Turns light into a file: blur of lens and hand, noise of the sensor, losses of JPEG. */
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'

interface SensorPlan {
  readonly lensSigmaPx: number
  readonly motionPx: number
  readonly motionAngleDeg: number
  readonly noise: number
  readonly jpegQuality: number
}

/** Blurs are stated for this many pixels. */
const REFERENCE_PIXELS = 2_000_000
/** The minimum sigma of sharp. */
const MIN_SIGMA = 0.3

export async function develop(
  exposed: Uint8Array,
  width: number,
  height: number,
  plan: SensorPlan,
  seed: number,
): Promise<Buffer> {
  const scale = Math.max(1, Math.sqrt((width * height) / REFERENCE_PIXELS))
  const raw = { width, height, channels: 3 } as const
  const sigma = plan.lensSigmaPx * scale
  const soft =
    sigma < MIN_SIGMA ? Buffer.from(exposed) : await sharp(exposed, { raw }).blur(sigma).raw().toBuffer()
  const moved =
    plan.motionPx > 0
      ? await sharp(soft, { raw })
          .convolve(motionKernel(plan.motionPx * scale, plan.motionAngleDeg))
          .raw()
          .toBuffer()
      : soft
  addNoise(moved, plan.noise, seed)
  return sharp(moved, { raw }).jpeg({ quality: plan.jpegQuality }).toBuffer()
}

const MAX_MOTION = 61
/**
 * Number of samples along the line, and weight of one sample in the kernel. All entries of the kernel are whole
 * numbers.
 */
const MOTION_SAMPLES = 64
const SAMPLE_WEIGHT = 16
const NEIGHBOURS = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const

/**
 * The camera moves along a line while its shutter is open: every sample of the path is spread over four neighbouring
 * cells.
 */
function motionKernel(length: number, angleDeg: number): { width: number; height: number; kernel: number[] } {
  const reach = Math.min((MAX_MOTION - 1) / 2, Math.ceil(length / 2) + 1)
  const size = 2 * reach + 1
  const kernel = new Array<number>(size * size).fill(0)
  const angle = (angleDeg * Math.PI) / 180
  for (let i = 0; i < MOTION_SAMPLES; i++) {
    const t = Math.min(length, 2 * reach - 2) * (i / (MOTION_SAMPLES - 1) - 0.5)
    const x = reach + t * Math.cos(angle)
    const y = reach + t * Math.sin(angle)
    const column = Math.floor(x)
    const row = Math.floor(y)
    for (const [dx, dy] of NEIGHBOURS) {
      const share = Math.abs(1 - dx - (x - column)) * Math.abs(1 - dy - (y - row))
      kernel[(row + dy) * size + column + dx] += share * SAMPLE_WEIGHT
    }
  }
  return { width: size, height: size, kernel: kernel.map(Math.round) }
}

const TABLE_SIZE = 1 << 16
let normal: Float32Array | null = null

/** Normally distributed numbers, computed once and read from varying places. */
function normalTable(): Float32Array {
  if (normal) return normal
  const random = createRandom(1717)
  normal = new Float32Array(TABLE_SIZE)
  for (let i = 0; i < TABLE_SIZE; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    const angle = 2 * Math.PI * random()
    normal[i] = radius * Math.cos(angle)
    normal[i + 1] = radius * Math.sin(angle)
  }
  return normal
}

/** Stronger in the shadows on the eye's scale; similar in the three colours, because cameras smooth colour. */
function addNoise(data: Uint8Array, sigma: number, seed: number): void {
  if (sigma <= 0) return
  const table = normalTable()
  const strength = Float32Array.from({ length: 256 }, (_, v) => sigma * (1.25 - 0.6 * (v / 255)))
  let state = (seed * 2654435761) >>> 0 || 1
  let at = 0
  for (let k = 0; k < data.length; k += 3) {
    if ((k & 0x3ff) < 3) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      at = state >>> 16
    }
    const s = strength[data[k + 1]]
    const common = table[at & 0xffff] * 0.85
    for (let c = 0; c < 3; c++) {
      const value = data[k + c] + s * (common + 0.5 * table[(at + 7919 * (c + 1)) & 0xffff])
      data[k + c] = value < 0 ? 0 : value > 255 ? 255 : value + 0.5
    }
    at++
  }
}
