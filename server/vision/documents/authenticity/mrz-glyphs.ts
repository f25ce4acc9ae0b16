/**
 * Measures whether the MRZ's characters have the shape, position and ink of OCR-B printed in one pass. Compares every
 * character with its template in OCR-B and in other fonts. Threshold and error rates are data.
 */
import type { AuthenticitySignal, MrzReading } from '../../protocol.ts'
import type { Pyramid } from '../grey.ts'
import { mean, median } from '../percentiles.ts'
import {
  areNear,
  departures,
  MIN_LIKENESS,
  NEIGHBOURS,
  type Departures,
  type Place,
} from './mrz-departures.ts'
import { matchAt, type Cell, type Match, type Shift } from './mrz-match.ts'
import { loadMrzShapes, PITCH_PX, SHAPE_FONTS, type Scale, type MrzShapes } from './mrz-shapes.ts'
import { cutMrz, MARGIN_PX, type MrzPicture } from './mrz-strips.ts'

/** Limit: at a smaller pitch the font cannot be recognised: the smallest value tested (bench:authenticity). */
const MIN_PITCH_PX = 8
/** Minimum number of characters, without fillers, for a font measurement. */
const MIN_CHARACTERS = 10

const SCALES: readonly Scale[] = [0.88, 1, 1.12].flatMap((y) => [0.88, 1, 1.12].map((x) => ({ x, y })))
/** Search reach for a line (WIDE) and for a character whose neighbours are known (NEAR), in pixels at pitch 24. */
const WIDE = { x: 6, y: 8 }
const NEAR = { x: 3, y: 3 }
/** Search reach from one character to the next along its line. */
const STEP = { x: 4, y: 4 }
/** Characters used to fit the font's size. */
const SAMPLE = 14
/** Minimum likeness to any font. Below it the MRZ was located or read wrongly and no score is given. */
const MIN_FIT = 0.6
/**
 * Threshold: below this likeness to OCR-B, slant, blur or a finger shift and fade single characters: genuine scenes, seeds
 * 1001-1120.
 */
const MIN_CLEAR = 0.9
/** Minimum assumed template depth: a fainter template gives no information about the ink. */
const MIN_DEPTH = 0.3

/**
 * Maxima on genuine scenes (seeds 1001-1120) and real pictures: 0.09 (foreign), 4.2 and 2.2 px, 0.16 (ink), 0.22
 * (ground). Patched ones (seeds 1001-1006): 0.16 to 0.31, 2.8 px, 0.14 to 0.22. The score is 0.5 where OCR-B leads the
 * best other font by only `NEUTRAL_MARGIN`, or where one character deviates by one `LIMIT`.
 */
const NEUTRAL_MARGIN = 0.012
const MARGIN_SPAN = 0.1
const LIMIT = { foreign: 0.13, shiftPx: 4.4, pairShiftPx: 2.6, ink: 0.17, ground: 0.25 } as const

export async function measureMrzGlyphs(
  pyramid: Pyramid,
  mrz: Pick<MrzReading, 'band' | 'lines'> | null,
): Promise<AuthenticitySignal> {
  const signal = 'ZONE_GLYPHS'
  const picture = mrz && cutMrz(pyramid, mrz.band, mrz.lines, MIN_PITCH_PX)
  const cells = picture ? listCells(picture, mrz.lines) : []
  if (!picture || cells.filter(isInked).length < MIN_CHARACTERS) return { signal, score: null, measures: {} }
  const measures = measureCells(picture, cells, await loadMrzShapes())
  return { signal, score: computeScore(measures), measures: { ...measures } }
}

interface GlyphMeasures extends Departures {
  readonly pitchPx: number
  /** Mean likeness to OCR-B, and its lead over the best other font. */
  readonly likeness: number
  readonly margin: number
  /** Share of characters that look more like the other font. */
  readonly foreignShare: number
}

/** Returns null if the MRZ was located or read wrongly, or is too poorly visible to exclude a deviating character. */
function computeScore(measures: GlyphMeasures): number | null {
  const { likeness, margin } = measures
  if (Math.max(likeness, likeness - margin) < MIN_FIT) return null
  const whole = 0.5 + (NEUTRAL_MARGIN - margin) / MARGIN_SPAN
  if (likeness < MIN_CLEAR) return whole >= 0.5 ? Math.min(1, whole) : null
  const single = Math.max(
    ...(Object.keys(LIMIT) as (keyof typeof LIMIT)[]).map((name) => (0.5 * measures[name]) / LIMIT[name]),
  )
  return Math.min(1, Math.max(0, whole, single))
}

const isInked = ({ character }: Cell): boolean => character !== '<'

function listCells({ middles }: MrzPicture, lines: readonly string[]): Cell[] {
  return lines.flatMap((text, line) =>
    [...text].map((character, column) => ({
      line,
      column,
      character,
      x: MARGIN_PX + (column + 0.5) * PITCH_PX - 0.5,
      y: middles[line] - 0.5,
    })),
  )
}

function measureCells(picture: MrzPicture, cells: readonly Cell[], shapes: MrzShapes): GlyphMeasures {
  const blurPx = 0.6 + 0.5 * (PITCH_PX / picture.pitchPx)
  const match = (font: number, scale: Scale, cell: Cell, around: Shift, reach: typeof NEAR): Match => {
    const template = shapes.template(font, cell.character, scale, blurPx)
    return template ? matchAt(picture.ink, cell, template, around, reach) : { score: 0, ...around }
  }
  const drawSample = (places: readonly Place[]): readonly Place[] => {
    const inked = places.filter(({ cell }) => isInked(cell))
    return inked.filter((_, i) => i % Math.max(1, Math.floor(inked.length / SAMPLE)) === 0)
  }
  const fit = (font: number, sample: readonly Place[]): Scale => {
    const fits = SCALES.map((s) =>
      mean(sample.map(({ cell, trend }) => match(font, s, cell, trend, NEAR).score)),
    )
    return SCALES[fits.indexOf(Math.max(...fits))]
  }
  // A character's position hardly depends on its size: the middle size finds it, and all sizes are tried around it.
  const found = drawSample(cells.map((cell) => ({ cell, trend: { dx: 0, dy: 0 } }))).map(
    ({ cell, trend }) => {
      const { dx, dy } = match(0, { x: 1, y: 1 }, cell, trend, WIDE)
      return { cell, trend: { dx, dy } }
    },
  )
  const scale = fit(0, found)
  const free = followed(cells, (cell, around, reach) => match(0, scale, cell, around, reach))
  const placed: Place[] = cells.map((cell, i) => {
    const { dx, dy } = trendAt(cells, free, i)
    return { cell, trend: { dx: Math.round(dx), dy: Math.round(dy) } }
  })
  const inked = placed.filter(({ cell }) => isInked(cell))
  const own = inked.map(({ cell, trend }) => match(0, scale, cell, trend, NEAR))
  const others = SHAPE_FONTS.slice(1).map((_, i) => {
    const s = fit(i + 1, drawSample(placed))
    return inked.map(({ cell, trend }) => match(i + 1, s, cell, trend, NEAR).score)
  })
  const best = others.reduce((a, b) => (mean(b) > mean(a) ? b : a))
  const margins = own.map(({ score }, i) => score - best[i])
  return {
    pitchPx: picture.pitchPx,
    likeness: mean(own.map(({ score }) => score)),
    margin: mean(margins),
    foreignShare: margins.filter((m) => m < 0).length / margins.length,
    ...departures(picture, inked, own, others, ({ character }) => {
      const template = shapes.template(0, character, scale, blurPx)
      return Math.max(MIN_DEPTH, template ? shapes.depth(template) : 1)
    }),
  }
}

/**
 * Positions of all characters, from the middle of each line outwards: each is searched where the previous ones were. On a
 * tilted page, where the line is further off than any character, the search starts at the lattice.
 */
function followed(
  cells: readonly Cell[],
  match: (cell: Cell, around: Shift, reach: typeof NEAR) => Match,
): Match[] {
  const found: Match[] = cells.map(() => ({ score: 0, dx: 0, dy: 0 }))
  for (const line of new Set(cells.map((cell) => cell.line))) {
    const places = cells.flatMap((cell, i) => (cell.line === line ? [i] : []))
    const start = places.length >> 1
    const first = places.slice(Math.max(0, start - NEIGHBOURS), start + NEIGHBOURS)
    for (const i of first) found[i] = match(cells[i], { dx: 0, dy: 0 }, WIDE)
    for (const onwards of [
      places.slice(start + NEIGHBOURS),
      places.slice(0, Math.max(0, start - NEIGHBOURS)).reverse(),
    ])
      for (const i of onwards) {
        const { dx, dy } = trendAt(cells, found, i)
        found[i] = match(cells[i], { dx: Math.round(dx), dy: Math.round(dy) }, STEP)
      }
  }
  return found
}

/** Position that the clearly visible neighbours on the line predict; they may drift evenly. */
function trendAt(cells: readonly Cell[], free: readonly Match[], i: number): Shift {
  const near = free.flatMap((m, j) =>
    j !== i && m.score >= MIN_LIKENESS && areNear(cells[i], cells[j])
      ? [{ ...m, at: cells[j].column - cells[i].column }]
      : [],
  )
  const along = (of: 'dx' | 'dy'): number => {
    const slope = median(
      near.flatMap((a, k) => near.slice(k + 1).map((b) => (b[of] - a[of]) / (b.at - a.at))),
    )
    return median(near.map((m) => m[of] - slope * m.at))
  }
  return { dx: along('dx'), dy: along('dy') }
}
