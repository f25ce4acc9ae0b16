/** A line of a document, cut out straight: for the eyes of the person whose document it is. Reads nothing. */
import { encodeJpeg } from '../image.ts'
import type { Box, Quad } from '../protocol.ts'
import type { Raster } from '../raster.ts'
import { homography, mapPoint, sideLength, warpQuad } from './outline/warp.ts'

/** About as wide as a kiosk shows it (1080 px less its margins): more would only be shrunk again. */
const MAX_WIDTH_PX = 1000
const MIN_SIDE_PX = 8
/** Room around the letters, in heights of the line: ascenders and what hangs below belong to them. */
const ROOM = 0.35
const JPEG_QUALITY = 88

/** @param box in shares of the page that lies at `frame` in the picture. */
export async function cutLine(
  raster: Raster,
  frame: Quad,
  box: Box,
): Promise<{ jpeg: Uint8Array; widthPx: number; heightPx: number }> {
  const quad = quadOf(frame, box)
  const across = Math.max(sideLength(quad, 0), sideLength(quad, 2), MIN_SIDE_PX)
  const down = Math.max(sideLength(quad, 1), sideLength(quad, 3), MIN_SIDE_PX)
  const scale = Math.min(1, MAX_WIDTH_PX / across)
  const line = warpQuad(raster, quad, Math.round(across * scale), Math.max(1, Math.round(down * scale)))
  return { jpeg: await encodeJpeg(line, JPEG_QUALITY), widthPx: line.width, heightPx: line.height }
}

function quadOf(frame: Quad, { x, y, width, height }: Box): Quad {
  const map = homography(frame)
  if (!map) throw new TypeError('a page has four corners')
  // Alike on the paper, not in shares of a page that is wider than high.
  const room = { x: (ROOM * height * sideLength(frame, 1)) / sideLength(frame, 0), y: ROOM * height }
  const [left, top] = [Math.max(0, x - room.x), Math.max(0, y - room.y)]
  const [right, bottom] = [Math.min(1, x + width + room.x), Math.min(1, y + height + room.y)]
  const at = (px: number, py: number) => mapPoint(map, { x: px, y: py })
  return [at(left, top), at(right, top), at(right, bottom), at(left, bottom)]
}
