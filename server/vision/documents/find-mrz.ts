/**
 * Searches the MRZ among all proposals: order of the attempts, and when to stop. Does not judge a reading: returns the
 * best one, and an MRZ that was seen but could not be read.
 */
import { pointIn, type Oblong, type Pyramid } from './grey.ts'
import { computeAngleBetweenDeg, locateBands, PASS_REACH_DEG } from './locate-mrz.ts'
import type { BandCandidate } from './propose-bands.ts'
import { readFrenchLicence, readSwissLicence } from './national-mrz.ts'
import { readLines, seeLines, type BandReading } from './read-band.ts'
import { splitBand, turnBand, withNeighbours, type TextBand } from './text-lines.ts'
import type { LineRecogniser } from './tools.ts'
import { reachesBandEnd } from './wholeness.ts'
import { computeLikelihood, findMrz, type SeenMrz } from './mrz-geometry.ts'

interface FoundMrz {
  readonly reading: BandReading | null
  readonly mrz: SeenMrz | null
}

const MIN_LINES = 2
/** More lines are a page of text. */
const MAX_LINES = 8
/** Certainty at which no better reading is expected elsewhere in the picture, with and without passing checks. */
const CONVINCING = { checked: -0.25, unchecked: -0.08 }
/** Certainty at which an MRZ is present, even if it cannot be read. Starting value. */
const THERE = -0.5
/** Maximum number of lines to recognise before the search stops; scenes with much other text needed up to 76. */
const MAX_LINES_SEEN = 96

export interface MrzSearchHints {
  /** Directions of the page's sides, if known: an MRZ runs along one of them. */
  readonly slopesDeg?: readonly number[] | null
  /** Direction of the text on the front of a card, clockwise from the picture's rows; null if no front is seen. */
  readonly findFrontDeg?: () => Promise<number | null>
}

/** State of the search. */
interface Search {
  best: BandReading | null
  mrz: SeenMrz | null
  linesSeen: number
  readonly lone: Oblong[]
}

/** `minPitchPx`: an MRZ with a smaller pitch cannot be read, so the search stops there. */
export async function locateMrz(
  pyramid: Pyramid,
  recogniser: LineRecogniser,
  minPitchPx: number,
  { slopesDeg = null, findFrontDeg }: MrzSearchHints = {},
): Promise<FoundMrz> {
  const search: Search = { best: null, mrz: null, linesSeen: 0, lone: [] }
  const tryProposals = (proposals: readonly BandCandidate[]) =>
    readProposals(pyramid, proposals, search, recogniser, minPitchPx)
  let looks = 0
  for (const { turnDeg, proposals } of locateBands(pyramid, slopesDeg)) {
    if (await tryProposals(proposals)) return { reading: search.best, mrz: search.mrz }
    if (search.linesSeen > MAX_LINES_SEEN) break
    const frontDeg = ++looks === 1 && findFrontDeg ? await findFrontDeg() : null
    if (frontDeg === null) continue
    // An ID-1 card has its MRZ on the back (Doc 9303-5), so one attempt along the front's text is enough.
    const isAlong = computeAngleBetweenDeg(turnDeg, frontDeg) <= PASS_REACH_DEG
    if (!isAlong)
      for (const along of locateBands(pyramid, [frontDeg])) {
        await tryProposals(along.proposals)
        break
      }
    return { reading: search.best, mrz: search.mrz }
  }
  return { reading: search.best ?? (await readLone(pyramid, search.lone, recogniser)), mrz: search.mrz }
}

/** Returns true if the search can stop. */
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
      const { reading, mrz } = await lookAround(pyramid, oblong, side, recogniser)
      search.linesSeen += side.lines.length
      if (mrz && (!search.mrz || computeLikelihood(mrz) > computeLikelihood(search.mrz))) search.mrz = mrz
      if (!reading || (search.best && reading.quality <= search.best.quality)) continue
      search.best = reading
      if (isConvincing(reading) || (mrz && isTooSmall(reading, minPitchPx))) return true
    }
  }
  return false
}

/** A proposal may be a part of the MRZ: if characters reach the end of the band, the cut is widened. */
async function lookAround(
  pyramid: Pyramid,
  proposal: Oblong,
  band: TextBand,
  recogniser: LineRecogniser,
): Promise<FoundMrz> {
  const looked = await readTextBand(pyramid, band, recogniser)
  const { reading } = looked
  if (!reading || reading.certainty < THERE || !reachesBandEnd(reading)) return looked
  const split = splitBand(pyramid, wider(proposal, reading), MIN_LINES)
  const widened = { ...split, lines: withNeighbours(split.lines) }
  if (widened.lines.length < MIN_LINES || widened.lines.length > MAX_LINES) return looked
  const again = await readTextBand(pyramid, widened, recogniser)
  // A part of a longer MRZ may pass as many check digits, so the whole need not be the better reading.
  const isWhole = again.reading && !reachesBandEnd(again.reading) && again.reading.certainty > THERE
  return isWhole ? again : looked
}

/** Widens by the difference between the longest and shortest layout, on both sides. */
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

async function readTextBand(pyramid: Pyramid, band: TextBand, recogniser: LineRecogniser): Promise<FoundMrz> {
  const seen = await seeLines(pyramid, band, recogniser)
  const swiss = await readSwissLicence(pyramid, band, seen, recogniser)
  return { reading: swiss ?? readLines(band, seen), mrz: findMrz(band, seen) }
}

function isConvincing({ certainty, checksFailed }: BandReading): boolean {
  return certainty > (checksFailed === 0 ? CONVINCING.checked : CONVINCING.unchecked)
}

function isTooSmall({ certainty, pitchPx }: BandReading, minPitchPx: number): boolean {
  return certainty > THERE && pitchPx < minPitchPx
}

/** Single lines, tried if nothing else was found. */
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
