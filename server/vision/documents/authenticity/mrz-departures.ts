/**
 * Measures how much single MRZ characters deviate from their neighbours in shape, position, ink and ground. Uneven light,
 * a shadow's edge and glare affect many characters or both lines; a changed character is alone.
 */
import { median } from '../percentiles.ts'
import { printAt, type Cell, type Match, type Print, type Shift } from './mrz-match.ts'
import type { MrzPicture } from './mrz-strips.ts'

/** Neighbours on each side that predict a character's position and darkness. */
export const NEIGHBOURS = 4
/** Threshold: below this likeness to its shape, a character's position is not reliable. */
export const MIN_LIKENESS = 0.6
/**
 * A character in another shape of the font has less likeness too: it counts only if it is this much below the others of
 * its MRZ.
 */
const MIN_DROP = 0.05
/** Limit: at a smaller pitch ink blurs into the ground, so differences are weighted by the square of the ratio. */
const FULL_INK_PITCH_PX = 14
/** Weight of a character with neighbours on one side only, where a shadow or finger may begin: starting value. */
const ONE_SIDED = 0.7
/** Columns by which light on the adjacent line may be offset. */
const LIGHT_REACH = 2

/** The largest deviation of a single character from its neighbours, per property. */
export interface Departures {
  /** How much better another font fits one character. */
  readonly foreign: number
  readonly shiftPx: number
  /** The smaller shift of two adjacent characters: indicates a group that was printed later. */
  readonly pairShiftPx: number
  /** Ink and ground, relative to the contrast. */
  readonly ink: number
  readonly ground: number
}

export interface Place {
  readonly cell: Cell
  /** Position predicted by its neighbours, relative to the lattice. */
  readonly trend: Shift
}

export function departures(
  picture: MrzPicture,
  places: readonly Place[],
  own: readonly Match[],
  others: readonly (readonly number[])[],
  measureDepth: (cell: Cell) => number,
): Departures {
  const usual = median(own.map(({ score }) => score))
  const foreign = own.map(({ score }, i) =>
    score < usual - MIN_DROP ? Math.max(...others.map((scores) => scores[i])) - score : 0,
  )
  const shifts = own.map(({ score, dx, dy }, i) => {
    if (score < MIN_LIKENESS) return 0
    const { trend } = places[i]
    return Math.hypot(dx - trend.dx, dy - trend.dy)
  })
  const clarity = Math.min(1, picture.pitchPx / FULL_INK_PITCH_PX) ** 2
  const { ink, ground } = departuresOfTone(
    places.map(({ cell }, i) => ({
      cell,
      print: printAt(picture.ink, cell, own[i]),
      depth: measureDepth(cell),
    })),
  )
  return {
    foreign: Math.max(0, ...foreign),
    shiftPx: Math.max(...shifts),
    pairShiftPx: Math.max(0, ...shifts.slice(1).map((shift, i) => Math.min(shift, shifts[i]))),
    ink: clarity * ink,
    ground: clarity * ground,
  }
}

export interface Tone {
  readonly cell: Cell
  readonly print: Print | null
  /** Darkness of its shape at the darkest place, 0–1. */
  readonly depth: number
}

/** Largest deviations of ink and ground, relative to the contrast of the MRZ. */
export function departuresOfTone(tones: readonly Tone[]): Pick<Departures, 'ink' | 'ground'> {
  const contrast = median(tones.flatMap(({ print }) => (print ? [print.ground - print.ink] : []))) || 1
  const away = tones.map((tone) => measureDeparture(tone, tones))
  const most = (of: 'ink' | 'ground'): number =>
    Math.max(
      0,
      ...away.map((own, i) => {
        // Glare also covers the adjacent line and brightens it.
        const beside = away.flatMap((other, j) =>
          isAboveOrBelow(tones[i].cell, tones[j].cell) ? [other[of] * Math.sign(own[of])] : [],
        )
        const light = Math.max(0, ...beside)
        return Math.abs(own[of]) - (light > Math.abs(own[of]) / 2 ? light : 0)
      }),
    )
  return { ink: most('ink') / contrast, ground: most('ground') / contrast }
}

/** Brightness levels; positive is lighter. */
function measureDeparture(
  { cell, print, depth }: Tone,
  tones: readonly Tone[],
): { ink: number; ground: number } {
  const near = tones.flatMap((tone) =>
    tone.print !== null && tone.cell !== cell && areNear(cell, tone.cell)
      ? [{ ...tone.print, depth: tone.depth, column: tone.cell.column }]
      : [],
  )
  if (!print || near.length < NEIGHBOURS) return { ink: 0, ground: 0 }
  const sides = [-1, 1]
    .map((side) => near.filter(({ column }) => (column - cell.column) * side > 0))
    .filter((beside) => beside.length >= 2)
    .map((beside) => {
      const ground = median(beside.map((p) => p.ground))
      const contrast = depth * median(beside.map((p) => (p.ground - p.ink) / p.depth))
      return { ground, ink: ground - contrast, contrast }
    })
  if (sides.length === 0) return { ink: 0, ground: 0 }
  const weight = sides.length === 1 ? ONE_SIDED : 1
  const ink = beyond(
    print.ink,
    sides.map((side) => side.ink),
  )
  // Stray light lifts ink and ground alike, so only ink whose contrast also changed is a different ink.
  const contrast = beyond(
    print.ground - print.ink,
    sides.map((side) => side.contrast),
  )
  const isOther = Math.sign(ink) === -Math.sign(contrast)
  return {
    ink: isOther ? weight * Math.sign(ink) * Math.min(Math.abs(ink), Math.abs(contrast)) : 0,
    ground:
      weight *
      beyond(
        print.ground,
        sides.map((side) => side.ground),
      ),
  }
}

/** Distance of a value from the range of both sides: on a shadow's edge it lies between them. */
function beyond(value: number, sides: readonly number[]): number {
  const [least, most] = [Math.min(...sides), Math.max(...sides)]
  return value > most ? value - most : value < least ? value - least : 0
}

export function areNear(a: Cell, b: Cell): boolean {
  return a.line === b.line && Math.abs(a.column - b.column) <= NEIGHBOURS
}

function isAboveOrBelow(a: Cell, b: Cell): boolean {
  return Math.abs(a.line - b.line) === 1 && Math.abs(a.column - b.column) <= LIGHT_REACH
}
