/**
 * Owns the search for the zone among all proposals: what is looked at, in which order, and when enough was seen.
 * Never believes a reading: it answers the best there is, and the zone that was seen though it could not be read.
 */
import { pointIn, type Oblong, type Pyramid } from './grey.ts'
import { apartDeg, locateBands, PASS_REACH_DEG } from './locate-mrz.ts'
import type { BandCandidate } from './propose-bands.ts'
import { readFrenchLicence, readSwissLicence } from './national-zones.ts'
import { readLines, seeLines, type BandReading } from './read-band.ts'
import { splitBand, turnBand, withNeighbours, type TextBand } from './text-lines.ts'
import type { LineRecogniser } from './tools.ts'
import { leavesBand } from './wholeness.ts'
import { likelihoodOf, zoneOf, type SeenZone } from './zone-geometry.ts'

export interface FoundZone {
  readonly reading: BandReading | null
  readonly zone: SeenZone | null
}

const MIN_LINES = 2
/** More lines than this are a page of text. */
const MAX_LINES = 8
/** Certainty at which nothing better can be expected elsewhere in the picture, with and without all checks. */
const CONVINCING = { checked: -0.25, unchecked: -0.08 }
/** Certainty at which a zone is there, however badly it can be read. Starting value. */
const THERE = -0.5
/** Lines given to the recogniser before the search is given up; scenes full of other print took up to 76 to be read. */
const MAX_LINES_SEEN = 96

export interface ZoneHints {
  /** Directions of the page's sides, where they are known: a zone runs along one of them. */
  readonly slopesDeg?: readonly number[] | null
  /** Direction of the text on the front of a card, clockwise from the picture's rows; null where no such front is seen. */
  readonly findFrontDeg?: () => Promise<number | null>
}

/** What was seen so far. */
interface Search {
  best: BandReading | null
  zone: SeenZone | null
  linesSeen: number
  readonly lone: Oblong[]
}

/** `minPitchPx`: a zone whose characters are closer together cannot be read, and no other place will do better. */
export async function findZone(
  pyramid: Pyramid,
  recogniser: LineRecogniser,
  minPitchPx: number,
  { slopesDeg = null, findFrontDeg }: ZoneHints = {},
): Promise<FoundZone> {
  const search: Search = { best: null, zone: null, linesSeen: 0, lone: [] }
  const lookThrough = (proposals: readonly BandCandidate[]) =>
    readProposals(pyramid, proposals, search, recogniser, minPitchPx)
  let looks = 0
  for (const { turnDeg, proposals } of locateBands(pyramid, slopesDeg)) {
    if (await lookThrough(proposals)) return { reading: search.best, zone: search.zone }
    if (search.linesSeen > MAX_LINES_SEEN) break
    const frontDeg = ++looks === 1 && findFrontDeg ? await findFrontDeg() : null
    if (frontDeg === null) continue
    // A card of the size ID-1 has its zone on the back (Doc 9303-5): one look along the front's text is enough.
    const isAlong = apartDeg(turnDeg, frontDeg) <= PASS_REACH_DEG
    if (!isAlong)
      for (const along of locateBands(pyramid, [frontDeg])) {
        await lookThrough(along.proposals)
        break
      }
    return { reading: search.best, zone: search.zone }
  }
  return { reading: search.best ?? (await readLone(pyramid, search.lone, recogniser)), zone: search.zone }
}

/** Whether enough was seen. */
async function readProposals(
  pyramid: Pyramid,
  proposals: readonly BandCandidate[],
  search: Search,
  recogniser: LineRecogniser,
  minPitchPx: number,
): Promise<boolean> {
  search.lone.push(...proposals.filter(({ isLone }) => isLone).map(({ oblong }) => oblong))
  for (const { oblong } of proposals.filter(({ isLone }) => !isLone)) {
    const split = splitBand(pyramid, oblong, MIN_LINES)
    const band = { ...split, lines: withNeighbours(split.lines) }
    if (band.lines.length < MIN_LINES || band.lines.length > MAX_LINES) continue
    for (const side of [band, turnBand(band)]) {
      const { reading, zone } = await lookAround(pyramid, oblong, side, recogniser)
      search.linesSeen += side.lines.length
      if (zone && (!search.zone || likelihoodOf(zone) > likelihoodOf(search.zone))) search.zone = zone
      if (!reading || (search.best && reading.quality <= search.best.quality)) continue
      search.best = reading
      if (isConvincing(reading) || (zone && isTooSmall(reading, minPitchPx))) return true
    }
  }
  return false
}

/** A proposal may be a part of the zone: where characters stand up to the end of the band, it is cut wider. */
async function lookAround(
  pyramid: Pyramid,
  proposal: Oblong,
  band: TextBand,
  recogniser: LineRecogniser,
): Promise<FoundZone> {
  const looked = await lookAt(pyramid, band, recogniser)
  const { reading } = looked
  if (!reading || reading.certainty < THERE || !leavesBand(reading)) return looked
  const split = splitBand(pyramid, wider(proposal, reading), MIN_LINES)
  const widened = { ...split, lines: withNeighbours(split.lines) }
  if (widened.lines.length < MIN_LINES || widened.lines.length > MAX_LINES) return looked
  const again = await lookAt(pyramid, widened, recogniser)
  // Of a zone that continues, the part may pass as many check digits: the whole need not be the better reading.
  const isWhole = again.reading && !leavesBand(again.reading) && again.reading.certainty > THERE
  return isWhole ? again : looked
}

/** By the characters that the longest layout has more than the shortest, on both sides. */
function wider(proposal: Oblong, { band, extent, pitchPx }: BandReading): Oblong {
  const added = MAX_MORE_CHARACTERS * pitchPx
  const half = band.oblong.width / 2
  const [from, to] = [Math.max(-1, extent[0]) * half - added, Math.min(1, extent[1]) * half + added]
  const { angleDeg } = band.oblong
  return {
    centre: pointIn(band.oblong, (from + to) / 2, 0),
    width: to - from,
    height: proposal.height,
    angleDeg,
  }
}
const MAX_MORE_CHARACTERS = 14

async function lookAt(pyramid: Pyramid, band: TextBand, recogniser: LineRecogniser): Promise<FoundZone> {
  const seen = await seeLines(pyramid, band, recogniser)
  const swiss = await readSwissLicence(pyramid, band, seen, recogniser)
  return { reading: swiss ?? readLines(band, seen), zone: zoneOf(band, seen) }
}

function isConvincing({ certainty, checksFailed }: BandReading): boolean {
  return certainty > (checksFailed === 0 ? CONVINCING.checked : CONVINCING.unchecked)
}

function isTooSmall({ certainty, pitchPx }: BandReading, minPitchPx: number): boolean {
  return certainty > THERE && pitchPx < minPitchPx
}

/** Single lines, looked at when nothing else was found. */
async function readLone(
  pyramid: Pyramid,
  lines: readonly Oblong[],
  recogniser: LineRecogniser,
): Promise<BandReading | null> {
  for (const oblong of lines) {
    const split = splitBand(pyramid, oblong)
    const middle = split.height / 2
    const line = split.lines
      .toSorted((a, b) => Math.abs(a.middle[0] - middle) - Math.abs(b.middle[0] - middle))
      .slice(0, 1)
    const band = { ...split, lines: line }
    for (const side of [band, turnBand(band)]) {
      const reading = await readFrenchLicence(pyramid, side, recogniser)
      if (reading) return reading
    }
  }
  return null
}
