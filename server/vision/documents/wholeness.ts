/**
 * Whether a reading is the whole of its lines. Of a zone of 44 columns 36 may be cut out that pass all check digits, of
 * a visa even every time: it has no digit over all. So what stands beside or between the places of the grid counts.
 */
import { MRZ_SHAPES } from '../../proofing/mrz/format.ts'
import type { GreyRaster } from '../raster.ts'
import { pointIn } from './grey.ts'
import type { Peak, Slots } from './lattice.ts'
import type { BandReading } from './read-band.ts'

/** The place beside an end that must lie in the band to tell that no character stands there, in pitches. */
const ROOM = 1
/** A card's border or a speck may look like a character on each end of a line. Starting value. */
const MAX_SUPERFLUOUS = 2
/** The longest lines of their number are part of no others. */
const MAX_COLUMNS_LENGTH = 44
const MIN_PROBABILITY = 0.5

/** Characters stand up to the end of the band, so more may stand beyond it. */
export function leavesBand({ seen, slots }: BandReading): boolean {
  return slots.some(({ places }, l) => {
    const { steps } = seen[l].recognition
    const [first, last] = [places[0], places[places.length - 1]]
    const [before, after] = [places[1] - first, last - places[places.length - 2]]
    return first - ROOM * before < 0 || last + ROOM * after > steps - 1
  })
}

/** No line continues beside the grid or shows more characters than it has places, and there is room to see that. */
export function isWhole(reading: BandReading, picture: GreyRaster): boolean {
  if (reading.slots.some((line, l) => superfluous(reading.seen[l].peaks, line) > MAX_SUPERFLUOUS))
    return false
  // Three lines are of one layout alone, as is the longest line.
  const columns = MRZ_SHAPES[reading.format]
  if (columns.length !== 2 || columns[0] === MAX_COLUMNS_LENGTH) return true
  return !leavesBand(reading) && hasRoomIn(reading, picture)
}

/** Characters that have no place of their own on the grid. */
export function superfluous(peaks: readonly Peak[], { places }: Slots): number {
  const seen = peaks.filter(({ probability }) => probability >= MIN_PROBABILITY)
  const taken = new Set<number>()
  for (const { step } of seen) {
    const place = nearest(places, step)
    const next = places[place + 1] ?? places[place - 1]
    if (Math.abs(places[place] - step) <= Math.abs(next - places[place]) * NEAR) taken.add(place)
  }
  return seen.length - taken.size
}
/** A character belongs to the place that is at most this share of the distance to its neighbour away. */
const NEAR = 0.6

function nearest(places: readonly number[], step: number): number {
  let best = 0
  for (const [n, place] of places.entries())
    if (Math.abs(place - step) < Math.abs(places[best] - step)) best = n
  return best
}

/** One more character would lie in the picture on both ends. */
function hasRoomIn({ band, extent, pitchPx }: BandReading, { width, height }: GreyRaster): boolean {
  const half = band.oblong.width / 2
  const ends = [extent[0] * half - ROOM * pitchPx, extent[1] * half + ROOM * pitchPx]
  return ends.every((along) => {
    const { x, y } = pointIn(band.oblong, along, 0)
    return x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1
  })
}
