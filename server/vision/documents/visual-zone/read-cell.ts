/** One letter of a table's cell, read in one line with the print beside it: alone, the network takes an F for an E or for nothing. */
import type { Box, Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import { homography, mapPoint } from '../outline/warp.ts'
import { MAX_UNCONFIRMED } from '../text/fuse-readings.ts'
import type { TextNetworks } from '../text/networks.ts'
import { recogniseLine, type Letter } from '../text/recognise-lines.ts'

/** Boxes in shares of the page that lies at `frame`. */
export interface CellPlace {
  readonly frame: Quad
  readonly row: Box
  readonly cell: Box
}

/** 0.92 and more of 41 letters that were right, 0.84 at most of the others (rendered documents, 28 Nov 2026). */
const SURE = 0.9
/** What is read with less is background. */
const LEAST = 0.6

/** Null where the cell holds no letter or several, or where the network doubts it. */
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
