/**
 * By how much single characters of a zone depart from their neighbours: in shape, place, ink and ground. Light that falls
 * on a zone unevenly, a shadow's edge and glare move many of them, evenly or on both lines at once; a changed one is alone.
 */
import { median } from '../percentiles.ts'
import { printAt, type Cell, type Match, type Print, type Shift } from './zone-match.ts'
import type { ZonePicture } from './zone-strips.ts'

/** Neighbours to each side that say where a character should lie and how dark it should be. */
export const NEIGHBOURS = 4
/** A character less like its shape than this says nothing of its place. */
export const MIN_LIKENESS = 0.6
/** … nor does one of a font's other shapes, unless it is this much less like than its zone's others. */
const MIN_DROP = 0.05
/** Where characters are closer, their ink runs into the ground: differences count for less by the square. */
const FULL_INK_PITCH_PX = 14
/** What has neighbours on one side alone may stand where a shadow or a finger begins: starting value. */
const ONE_SIDED = 0.7
/** Columns by which light on the line above or below may be moved against this one. */
const LIGHT_REACH = 2

/** The single character that departs most from its neighbours, in each respect. */
export interface Departures {
  /** By how much another font suits one character better. */
  readonly foreign: number
  readonly shiftPx: number
  /** The same of two neighbours, the lesser of both: a group was printed later. */
  readonly pairShiftPx: number
  /** Ink and ground, of the contrast. */
  readonly ink: number
  readonly ground: number
}

export interface Place {
  readonly cell: Cell
  /** Where its neighbours lie, relative to the lattice. */
  readonly trend: Shift
}

export function departures(
  picture: ZonePicture,
  places: readonly Place[],
  own: readonly Match[],
  others: readonly (readonly number[])[],
  depthOf: (cell: Cell) => number,
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
    places.map(({ cell }, i) => ({ cell, print: printAt(picture.ink, cell, own[i]), depth: depthOf(cell) })),
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
  /** How dark its shape gets where it is darkest, 0-1. */
  readonly depth: number
}

/** Ink and ground of the character that departs most in each, of the zone's contrast. */
export function departuresOfTone(tones: readonly Tone[]): Pick<Departures, 'ink' | 'ground'> {
  const contrast = median(tones.flatMap(({ print }) => (print ? [print.ground - print.ink] : []))) || 1
  const away = tones.map((tone) => awayOf(tone, tones))
  const most = (of: 'ink' | 'ground'): number =>
    Math.max(
      0,
      ...away.map((own, i) => {
        // Glare lies on the line above or below as well, and pales that one, too.
        const beside = away.flatMap((other, j) =>
          isAboveOrBelow(tones[i].cell, tones[j].cell) ? [other[of] * Math.sign(own[of])] : [],
        )
        const light = Math.max(0, ...beside)
        return Math.abs(own[of]) - (light > Math.abs(own[of]) / 2 ? light : 0)
      }),
    )
  return { ink: most('ink') / contrast, ground: most('ground') / contrast }
}

/** Steps of brightness, lighter above 0. */
function awayOf({ cell, print, depth }: Tone, tones: readonly Tone[]): { ink: number; ground: number } {
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
  // Stray light lifts ink and ground alike: only ink that also lost or gained contrast is another ink.
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

/** How far a value lies outside what is found on the two sides: on a shadow's edge it lies between them. */
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
