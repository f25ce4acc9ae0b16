/**
 * Reads a single letter in a table cell together with the adjacent print: alone, the network misreads an F as an E or
 * misses it.
 */
import type { Box, Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import { homography, mapPoint } from '../outline/warp.ts'
import { MAX_UNCONFIRMED } from '../text/fuse-readings.ts'
import type { TextNetworks } from '../text/networks.ts'
import { recogniseLine, type Letter } from '../text/recognise-lines.ts'

/** Boxes in shares of the page at `frame`. */
interface CellPlace {
  readonly frame: Quad
  readonly row: Box
  readonly cell: Box
}

/** Correct readings had at least 0.92 (41 letters), wrong ones at most 0.84 (rendered documents, 28 Nov 2026). */
const SURE = 0.9
/** Readings with less confidence are background. */
const LEAST = 0.6

/** Returns null if the cell holds no letter or several, or if the network is unsure. */
export async function readCell(
  raster: Raster,
  { frame, row, cell }: CellPlace,
  networks: TextNetworks,
): Promise<Pick<Letter, 'character' | 'confidence'> | null> {
  const map = homography(frame)
  if (map === null) return null
  const at = (x: number, y: number) => mapPoint(map, { x, y })
  const [right, bottom] = [row.x + row.width, row.y + row.height]
  const quad: Quad = [at(row.x, row.y), at(right, row.y), at(right, bottom), at(row.x, bottom)]
  const [from, to] = [cell.x, cell.x + cell.width].map((x) => (x - row.x) / row.width)
  const inside = (await recogniseLine(raster, quad, networks)).filter(
    (letter) =>
      letter.at >= from && letter.at <= to && letter.character !== ' ' && letter.confidence >= LEAST,
  )
  const [letter] = inside
  if (inside.length !== 1 || letter.confidence < SURE) return null
  return { character: letter.character, confidence: Math.min(letter.confidence, MAX_UNCONFIRMED) }
}
