/** Cuts one line out of a document and rectifies it, to show it to the applicant. Reads nothing. */
import { encodeJpeg } from '../image.ts'
import type { Box, Quad } from '../protocol.ts'
import type { Raster } from '../raster.ts'
import { homography, mapPoint, sideLength, warpQuad } from './outline/warp.ts'

/** About the width at which a kiosk shows it (1080 px minus margins). */
const MAX_WIDTH_PX = 1000
const MIN_SIDE_PX = 8
/** Margin around the letters in line heights, for ascenders and descenders. */
const ROOM = 0.35
const JPEG_QUALITY = 88

/** @param box in shares of the page whose corners in the picture are `frame`. */
export async function cutLine(
  raster: Raster,
  frame: Quad,
  box: Box,
): Promise<{ jpeg: Uint8Array; widthPx: number; heightPx: number }> {
  const quad = toQuad(frame, box)
  const across = Math.max(sideLength(quad, 0), sideLength(quad, 2), MIN_SIDE_PX)
  const down = Math.max(sideLength(quad, 1), sideLength(quad, 3), MIN_SIDE_PX)
  const scale = Math.min(1, MAX_WIDTH_PX / across)
  const line = warpQuad(raster, quad, Math.round(across * scale), Math.max(1, Math.round(down * scale)))
  return { jpeg: await encodeJpeg(line, JPEG_QUALITY), widthPx: line.width, heightPx: line.height }
}

function toQuad(frame: Quad, { x, y, width, height }: Box): Quad {
  const map = homography(frame)
  if (!map) throw new TypeError('a page has four corners')
  // The margin is equal on paper, not as a share of a page that is wider than high.
  const room = { x: (ROOM * height * sideLength(frame, 1)) / sideLength(frame, 0), y: ROOM * height }
  const [left, top] = [Math.max(0, x - room.x), Math.max(0, y - room.y)]
  const [right, bottom] = [Math.min(1, x + width + room.x), Math.min(1, y + height + room.y)]
  const at = (px: number, py: number) => mapPoint(map, { x: px, y: py })
  return [at(left, top), at(right, top), at(right, bottom), at(left, bottom)]
}
