/**
 * Presentation attack detection with the two MiniFASNet networks: scores how much a single picture looks like a live
 * face. Gives no verdict; `npm run bench:pad` measures its error rates per attack.
 */
import type { Raster } from '../raster.ts'
import type { Box, ModelUse, PadMeasurement } from '../protocol.ts'
import type { ModelSession, Sessions } from '../sessions.ts'

const INPUT_PX = 80
const BONA_FIDE = 1 // index in the networks' three classes
/** The networks and the size of their crop relative to the face box (named in their weight files). */
const NETWORKS = [
  { id: 'minifasnet-v2-2.7', times: 2.7 },
  { id: 'minifasnet-v1se-4.0', times: 4.0 },
] as const
/**
 * The networks were trained on tight boxes; the detector's are wider and lower by these factors (medians over 34
 * photographs and specimens). With the correction 7 instead of 13 of 100 press photographs score below 0.75, and of 11
 * pictures in ../shared/data/pad.tsv only one changes sides at 0.75, a bona fide one, correctly (21 Nov 2026).
 */
const DETECTED_TIMES = { width: 1.11, height: 0.93 }
/**
 * A wider face (relative to the picture) leaves too little background to show frames and edges. 100 press photographs
 * cropped closer and closer: 8 to 10 % score below 0.75 up to a share of 0.5, 14 % at 0.55, 41 % at 0.7 (21 Nov 2026).
 */
const MAX_FACE_SHARE = 0.45

/**
 * The crop used in training: enlarged as far as the picture allows, moved inside, never padded, rounded to whole pixels
 * (Silent-Face-Anti-Spoofing: generate_patches.py).
 */
export function padCrop(box: Box, times: number, width: number, height: number): Box {
  const scale = Math.min((height - 1) / box.height, (width - 1) / box.width, times)
  const [cropWidth, cropHeight] = [box.width * scale, box.height * scale]
  let left = box.x + box.width / 2 - cropWidth / 2
  let top = box.y + box.height / 2 - cropHeight / 2
  let right = left + cropWidth
  let bottom = top + cropHeight
  if (left < 0) [left, right] = [0, right - left]
  if (top < 0) [top, bottom] = [0, bottom - top]
  if (right > width - 1) [left, right] = [left - (right - width + 1), width - 1]
  if (bottom > height - 1) [top, bottom] = [top - (bottom - height + 1), height - 1]
  const [x, y] = [Math.max(0, Math.trunc(left)), Math.max(0, Math.trunc(top))]
  return { x, y, width: Math.trunc(right) - x + 1, height: Math.trunc(bottom) - y + 1 }
}

/**
 * 80 × 80 BGR planes, 0–255. Plain bilinear sampling as in OpenCV: an averaging filter would remove the print patterns
 * that the networks detect.
 */
export function padInput(raster: Raster, crop: Box): Float32Array {
  const planes = new Float32Array(3 * INPUT_PX * INPUT_PX)
  const [stepX, stepY] = [crop.width / INPUT_PX, crop.height / INPUT_PX]
  const clamp = (value: number, last: number): number => Math.min(Math.max(value, 0), last)
  for (let y = 0; y < INPUT_PX; y++) {
    const sy = clamp((y + 0.5) * stepY - 0.5, crop.height - 1)
    const top = Math.floor(sy)
    const bottom = Math.min(top + 1, crop.height - 1)
    for (let x = 0; x < INPUT_PX; x++) {
      const sx = clamp((x + 0.5) * stepX - 0.5, crop.width - 1)
      const left = Math.floor(sx)
      const right = Math.min(left + 1, crop.width - 1)
      const pixel = (column: number, row: number, channel: number): number =>
        raster.data[((crop.y + row) * raster.width + crop.x + column) * 3 + channel]
      for (let channel = 0; channel < 3; channel++) {
        const upper = pixel(left, top, channel) * (1 - sx + left) + pixel(right, top, channel) * (sx - left)
        const lower =
          pixel(left, bottom, channel) * (1 - sx + left) + pixel(right, bottom, channel) * (sx - left)
        const value = Math.round(upper * (1 - sy + top) + lower * (sy - top))
        planes[((2 - channel) * INPUT_PX + y) * INPUT_PX + x] = value
      }
    }
  }
  return planes
}

export function softmax(logits: Float32Array): number[] {
  const largest = Math.max(...logits)
  const powers = Array.from(logits, (value) => Math.exp(value - largest))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((value) => value / sum)
}

/** `face`: box of the detector. */
function tightBox({ x, y, width, height }: Box): Box {
  const [tightWidth, tightHeight] = [width / DETECTED_TIMES.width, height / DETECTED_TIMES.height]
  return {
    x: x + (width - tightWidth) / 2,
    y: y + (height - tightHeight) / 2,
    width: tightWidth,
    height: tightHeight,
  }
}

/** `face`: box of the detector. */
type PadMeter = (raster: Raster, face: Box) => Promise<Omit<PadMeasurement, 'engine' | 'point'> | null>

/** Score of a single network. */
interface NetworkScore {
  readonly model: ModelUse
  /** Bona-fide probability, 0–1. */
  readonly score: number
}

/** Returns null if the networks are not loaded or the face has too little background. */
export function createPadMeter(sessions: Sessions): PadMeter {
  const askNetworks = createPadNetworks(sessions)
  return async (raster, face) => {
    if (!askNetworks || !hasSurrounding(raster, face)) return null
    const scores = await askNetworks(raster, face)
    return { score: averageScore(scores), models: scores.map(({ model }) => model) }
  }
}

export function hasSurrounding(raster: Raster, face: Box): boolean {
  return face.width <= raster.width * MAX_FACE_SHARE
}

export function averageScore(scores: readonly NetworkScore[]): number {
  return scores.reduce((sum, { score }) => sum + score, 0) / scores.length
}

/** Scores of each network regardless of the background; null if not all are loaded. */
export function createPadNetworks(
  sessions: Sessions,
): ((raster: Raster, face: Box) => Promise<NetworkScore[]>) | null {
  const networks = NETWORKS.flatMap(({ id, times }) => {
    const session = sessions.byId.get(id)
    return session ? [{ session, times }] : []
  })
  if (networks.length < NETWORKS.length) return null
  const bonaFide = async (session: ModelSession, raster: Raster, crop: Box): Promise<number> => {
    const out = await session.run(padInput(raster, crop), [1, 3, INPUT_PX, INPUT_PX])
    return softmax(out[session.outputNames[0]].data)[BONA_FIDE]
  }
  return async (raster, face) => {
    const tight = tightBox(face)
    const scores: NetworkScore[] = []
    for (const { session, times } of networks) {
      const crop = padCrop(tight, times, raster.width, raster.height)
      scores.push({ model: session.model, score: await bonaFide(session, raster, crop) })
    }
    return scores
  }
}
