/**
 * Are the characters of a zone shaped, placed and inked as OCR-B that was printed in one go? Every character is compared
 * with what was read there, drawn in OCR-B and in other fonts. Measures; the threshold and its error rates are data.
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
} from './zone-departures.ts'
import { matchAt, type Cell, type Match, type Shift } from './zone-match.ts'
import { loadZoneShapes, PITCH_PX, SHAPE_FONTS, type Scale, type ZoneShapes } from './zone-shapes.ts'
import { cutZone, MARGIN_PX, type ZonePicture } from './zone-strips.ts'

/** Below this distance of characters a font cannot be told: the smallest at which it was tried (bench:authenticity). */
const MIN_PITCH_PX = 8
/** Fewer characters than this, fillers left out, are no sample of a font. */
const MIN_CHARACTERS = 10

const SCALES: readonly Scale[] = [0.88, 1, 1.12].flatMap((y) => [0.88, 1, 1.12].map((x) => ({ x, y })))
/** Reach of the search for a line, and for a character once its neighbours are known; pixels at 24 to the pitch. */
const WIDE = { x: 6, y: 8 }
const NEAR = { x: 3, y: 3 }
/** … and from one character to the next along its line. */
const STEP = { x: 4, y: 4 }
/** Characters that a font's size is fitted on. */
const SAMPLE = 14
/** A zone that no font is like by this much was found or read wrongly: nothing is said of it. */
const MIN_FIT = 0.6
/** Below this likeness to OCR-B a slant, blur or a finger move and pale single characters: genuine scenes, seeds 1001-1120. */
const MIN_CLEAR = 0.9
/** Templates are never taken for paler than this: one that hardly shows says nothing of the ink. */
const MIN_DEPTH = 0.3

/**
 * Genuine scenes of seeds 1001-1120 and real pictures reach 0.09 (foreign), 4.2 and 2.2 px, 0.16 (ink) and 0.22 (ground);
 * patched ones of seeds 1001-1006 0.16 to 0.31, 2.8 px, 0.14 to 0.22.
 * Score: 0.5 where OCR-B fits no better than `NEUTRAL_MARGIN` over the best other font, or where one character departs
 * from its neighbours by one `LIMIT`.
 */
const NEUTRAL_MARGIN = 0.012
const MARGIN_SPAN = 0.1
const LIMIT = { foreign: 0.13, shiftPx: 4.4, pairShiftPx: 2.6, ink: 0.17, ground: 0.25 } as const

export async function measureZoneGlyphs(
  pyramid: Pyramid,
  zone: Pick<MrzReading, 'band' | 'lines'> | null,
): Promise<AuthenticitySignal> {
  const signal = 'ZONE_GLYPHS'
  const picture = zone && cutZone(pyramid, zone.band, zone.lines, MIN_PITCH_PX)
  const cells = picture ? cellsOf(picture, zone.lines) : []
  if (!picture || cells.filter(isInked).length < MIN_CHARACTERS) return { signal, score: null, measures: {} }
  const measures = measureCells(picture, cells, await loadZoneShapes())
  return { signal, score: scoreOf(measures), measures: { ...measures } }
}

interface GlyphMeasures extends Departures {
  readonly pitchPx: number
  /** Mean likeness to OCR-B, and by how much it exceeds that to the best other font. */
  readonly likeness: number
  readonly margin: number
  /** Characters that look more like the other font. */
  readonly foreignShare: number
}

/** Null for a zone that was found or read wrongly, or that is seen too badly to say that no single character departs. */
export function scoreOf(measures: GlyphMeasures): number | null {
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

function cellsOf({ middles }: ZonePicture, lines: readonly string[]): Cell[] {
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

function measureCells(picture: ZonePicture, cells: readonly Cell[], shapes: ZoneShapes): GlyphMeasures {
  const blurPx = 0.6 + 0.5 * (PITCH_PX / picture.pitchPx)
  const match = (font: number, scale: Scale, cell: Cell, around: Shift, reach: typeof NEAR): Match => {
    const template = shapes.template(font, cell.character, scale, blurPx)
    return template ? matchAt(picture.ink, cell, template, around, reach) : { score: 0, ...around }
  }
  const sampleOf = (places: readonly Place[]): readonly Place[] => {
    const inked = places.filter(({ cell }) => isInked(cell))
    return inked.filter((_, i) => i % Math.max(1, Math.floor(inked.length / SAMPLE)) === 0)
  }
  const fit = (font: number, sample: readonly Place[]): Scale => {
    const fits = SCALES.map((s) =>
      mean(sample.map(({ cell, trend }) => match(font, s, cell, trend, NEAR).score)),
    )
    return SCALES[fits.indexOf(Math.max(...fits))]
  }
  // Where a character lies hardly depends on its size: the middle one finds the place, all are tried around it.
  const found = sampleOf(cells.map((cell) => ({ cell, trend: { dx: 0, dy: 0 } }))).map(({ cell, trend }) => {
    const { dx, dy } = match(0, { x: 1, y: 1 }, cell, trend, WIDE)
    return { cell, trend: { dx, dy } }
  })
  const scale = fit(0, found)
  const free = followed(cells, (cell, around, reach) => match(0, scale, cell, around, reach))
  const placed: Place[] = cells.map((cell, i) => {
    const { dx, dy } = trendAt(cells, free, i)
    return { cell, trend: { dx: Math.round(dx), dy: Math.round(dy) } }
  })
  const inked = placed.filter(({ cell }) => isInked(cell))
  const own = inked.map(({ cell, trend }) => match(0, scale, cell, trend, NEAR))
  const others = SHAPE_FONTS.slice(1).map((_, i) => {
    const s = fit(i + 1, sampleOf(placed))
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
 * Every character's place, from the middle of its line outwards: each is looked for where those before it lay. A page that
 * is tilted draws a line apart by more than any character is looked for around its lattice.
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

/** Where the neighbours on the line, those alone that are seen well, say that a character lies: their own places may drift evenly. */
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
