/**
 * Converts a face's points for transfer between server and worker: 468 × (x, y, z) in one array, in pixels of the picture
 * as sent. Validates external data before use.
 */
import type { MeshPoint } from '../faces/pose.ts'
import type { Box, ImageInfo } from '../protocol.ts'
import { boxAround, type Raster } from '../raster.ts'

const SENT_NUMBERS = 468 * 3

/** Minimum width of a face, and maximum extent beyond the picture in picture sizes. */
const MIN_WIDTH_PX = 8
const MAX_PICTURES = 2

/** Scale between a picture and its smaller copy; pixel centres are whole numbers in both. */
export interface CopyScale {
  readonly x: number
  readonly y: number
}

export function computeScale(copy: Raster, { widthPx, heightPx }: ImageInfo): CopyScale {
  return { x: widthPx / copy.width, y: heightPx / copy.height }
}

const toSent = (value: number, scale: number): number => (value + 0.5) * scale - 0.5
const toCopy = (value: number, scale: number): number => (value + 0.5) / scale - 0.5

/** Converts mesh points on the copy. */
export function sentPoints(points: readonly MeshPoint[], scale: CopyScale): Float32Array {
  const sent = new Float32Array(SENT_NUMBERS)
  points.forEach(({ x, y, z }, i) => {
    sent[3 * i] = toSent(x, scale.x)
    sent[3 * i + 1] = toSent(y, scale.y)
    sent[3 * i + 2] = z * scale.x
  })
  return sent
}

/** Converts to the copy; null for an array that is no face in a picture of this size. */
export function meshPoints(sent: unknown, scale: CopyScale, copy: Raster): readonly MeshPoint[] | null {
  if (!(sent instanceof Float32Array) || sent.length !== SENT_NUMBERS || !sent.every(Number.isFinite))
    return null
  const points = Array.from({ length: SENT_NUMBERS / 3 }, (_, i) => ({
    x: toCopy(sent[3 * i], scale.x),
    y: toCopy(sent[3 * i + 1], scale.y),
    z: sent[3 * i + 2] / scale.x,
  }))
  const { x, y, width, height } = boxAround(points)
  const [farX, farY] = [MAX_PICTURES * copy.width, MAX_PICTURES * copy.height]
  const isPlausible =
    width >= MIN_WIDTH_PX &&
    height >= MIN_WIDTH_PX &&
    x > -farX &&
    y > -farY &&
    x + width < copy.width + farX &&
    y + height < copy.height + farY &&
    points.every(({ z }) => Math.abs(z) < farX)
  return isPlausible ? points : null
}

export function sentBox({ x, y, width, height }: Box, scale: CopyScale): Box {
  return {
    x: toSent(x, scale.x),
    y: toSent(y, scale.y),
    width: width * scale.x,
    height: height * scale.y,
  }
}
