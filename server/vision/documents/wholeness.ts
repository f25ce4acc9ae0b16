/**
 * Tests whether a reading covers its whole lines. 36 columns cut from an MRZ of 44 may pass all check digits, and those
 * of a visa always do, because it has no composite check digit. Therefore characters outside or between the lattice
 * places count.
 */
import { MRZ_SHAPES } from '../../proofing/mrz/format.ts'
import type { GreyRaster } from '../raster.ts'
import { pointIn } from './grey.ts'
import type { Peak, Slots } from './lattice.ts'
import type { BandReading } from './read-band.ts'

/** Room beside an end that must be inside the band to prove that no character follows, in pitches. */
const ROOM = 1
/** A card's border or a speck may look like a character at each end. Starting value. */
const MAX_SUPERFLUOUS = 2
/** Lines of the maximum length cannot be parts of longer ones. */
const MAX_COLUMNS_LENGTH = 44
const MIN_PROBABILITY = 0.5

/** Characters reach the end of the band, so more may follow beyond it. */
export function reachesBandEnd({ seen, slots }: BandReading): boolean {
  return slots.some(({ places }, l) => {
    const { steps } = seen[l].recognition
    const [first, last] = [places[0], places[places.length - 1]]
    const [before, after] = [places[1] - first, last - places[places.length - 2]]
    return first - ROOM * before < 0 || last + ROOM * after > steps - 1
  })
}

/**
 * True if no line continues beyond the lattice or shows more characters than places, and the picture has room to prove
 * it.
 */
export function isWhole(reading: BandReading, picture: GreyRaster): boolean {
  if (reading.slots.some((line, l) => countSuperfluous(reading.seen[l].peaks, line) > MAX_SUPERFLUOUS))
    return false
  // Three lines, or lines of the maximum length, occur in one layout only.
  const columns = MRZ_SHAPES[reading.format]
  if (columns.length !== 2 || columns[0] === MAX_COLUMNS_LENGTH) return true
  return !reachesBandEnd(reading) && hasRoomIn(reading, picture)
}

/** Counts characters without a place on the lattice. */
export function countSuperfluous(peaks: readonly Peak[], { places }: Slots): number {
  const seen = peaks.filter(({ probability }) => probability >= MIN_PROBABILITY)
  const taken = new Set<number>()
  for (const { step } of seen) {
    const place = nearest(places, step)
    const next = places[place + 1] ?? places[place - 1]
    if (Math.abs(places[place] - step) <= Math.abs(next - places[place]) * NEAR) taken.add(place)
  }
  return seen.length - taken.size
}
/** Maximum distance of a character from its place, as a share of the pitch. */
const NEAR = 0.6

function nearest(places: readonly number[], step: number): number {
  let best = 0
  for (const [n, place] of places.entries())
    if (Math.abs(place - step) < Math.abs(places[best] - step)) best = n
  return best
}

/** True if one more character would be inside the picture at both ends. */
function hasRoomIn({ band, extent, pitchPx }: BandReading, { width, height }: GreyRaster): boolean {
  const half = band.oblong.width / 2
  const ends = [extent[0] * half - ROOM * pitchPx, extent[1] * half + ROOM * pitchPx]
  return ends.every((along) => {
    const { x, y } = pointIn(band.oblong, along, 0)
    return x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1
  })
}
