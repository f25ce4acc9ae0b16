/**
 * Finds all lines of a page in several passes: black letters first, because no background is as dark; then paler ones in
 * the remainder; last coloured ones, which only appear together with coloured security print. MRZ lines are found in
 * order to be removed: the MRZ recognisers read them.
 */
import type { GreyRaster, Raster } from '../../raster.ts'
import { areOneLine, findLines, joinLines, type InkLevels, type InkLine } from './find-lines.ts'
import { extractInk } from './ink.ts'

export interface FoundLine {
  readonly line: InkLine
  /** Ink picture in which the line reads best. */
  readonly ink: GreyRaster
}

/** Pixel over paper: 0.74 and 0.61, then 0.81 and 0.74, then 0.88 and 0.8 (scenes and specimens, 21 Nov 2026). */
const DARK: readonly InkLevels[] = [
  { pale: 178, dark: 131 },
  { pale: 204, dark: 178 },
  { pale: 229, dark: 200 },
]
const COLOURED: InkLevels = { pale: 178, dark: 130 }
/** Coloured security print yields single specks, letters come in groups. */
const MIN_COLOURED = 4
/** Margin to remove around a line, relative to its cap height: the soft edge of its letters. */
const HALO = 0.12

export function allLines(page: Raster): FoundLine[] {
  const dark = extractInk(page, 'all-channels')
  const left = { ...dark, data: dark.data.slice() }
  const found: InkLine[] = []
  for (const levels of DARK) {
    const more = findLines(left, levels)
    for (const line of more) clear(left, line)
    found.push(...more)
  }
  const lines = joinParts(found)
  const coloured = extractInk(page, 'luma')
  for (const line of lines) clear(coloured, line)
  const further = findLines(coloured, COLOURED).filter(({ pieces }) => pieces >= MIN_COLOURED)
  whiten(coloured, COLOURED.pale)
  return [
    ...lines.map((line) => ({ line, ink: dark })),
    ...further.map((line) => ({ line, ink: coloured })),
  ].filter(({ line }) => !line.isMrz)
}

/** Whitens everything paler than letters: background lines under the text. */
function whiten({ data }: GreyRaster, pale: number): void {
  for (let i = 0; i < data.length; i++) data[i] = data[i] >= pale ? 255 : (data[i] * 255) / pale
}

function clear({ data, width, height }: GreyRaster, { x0, y0, x1, y1, capHeight }: InkLine): void {
  const room = Math.ceil(HALO * capHeight)
  for (let y = Math.max(0, y0 - room); y < Math.min(height, y1 + room); y++)
    data.fill(255, y * width + Math.max(0, x0 - room), y * width + Math.min(width, x1 + room))
}

/** Joins parts of one printed line that were found at different levels. */
function joinParts(found: readonly InkLine[]): InkLine[] {
  const lines = [...found].sort((a, b) => a.x0 - b.x0)
  for (let i = 0; i < lines.length; i++)
    for (let j = i + 1; j < lines.length; j++)
      if (areOneLine(lines[i], lines[j])) {
        lines[i] = joinLines(lines[i], lines[j])
        lines.splice(j, 1)
        j = i
      }
  return lines
}
