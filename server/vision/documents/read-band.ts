/**
 * Reads one proposed band: recognises its lines and finds the best reading in any layout, with one or more recognisers.
 */
import { checkMrz } from '../../proofing/mrz/checks.ts'
import { ALPHABETS, alphabetGrid } from '../../proofing/mrz/fields.ts'
import { MRZ_FORMATS, MRZ_SHAPES, type MrzFormat } from '../../proofing/mrz/format.ts'
import { decodeSlots, type Decoded } from './decode.ts'
import type { Pyramid } from './grey.ts'
import { combineSlots, estimatePitch, findPeaks, fitLattices, type Peak, type Slots } from './lattice.ts'
import { percentileOfCounts } from './percentiles.ts'
import { cutStrip, type Strip } from './strips.ts'
import type { TextBand, TextLine } from './text-lines.ts'
import { CLASS_CHARACTERS, type LineRecogniser, type Recognition } from './tools.ts'
import type { GreyRaster } from '../raster.ts'

/** One line as one recogniser saw it. */
export interface SeenLine {
  readonly line: TextLine
  readonly strip: Strip
  readonly recognition: Recognition
  readonly peaks: readonly Peak[]
  /** Fitted lattices by number of characters. */
  readonly lattices: Map<number, Slots[]>
}

export interface BandReading {
  readonly format: MrzFormat
  readonly band: TextBand
  readonly lines: readonly TextLine[]
  readonly seen: readonly SeenLine[]
  readonly slots: readonly Slots[]
  readonly decoded: Decoded
  /** Distance of adjacent characters in the picture. */
  readonly pitchPx: number
  /** Ends of the text along the band, −1…1. */
  readonly extent: readonly [from: number, to: number]
  /**
   * Mean log probability of the chosen characters and of a character being present, minus a penalty for characters
   * outside the lattice.
   */
  readonly certainty: number
  /** Combines certainty and passed checks. Larger is better; comparable between bands and layouts. */
  readonly quality: number
  readonly checksPassed: number
  readonly checksFailed: number
}

const STRIP_HEIGHT_PX = 32
/** Nominal cap height in a strip, as used in training. */
export const STRIP_CAPITALS_PX = 21
/** Minimum number of freely recognised characters in an MRZ line. */
const MIN_CHARACTERS = 16

/** Recognises each line separately; null for one with too few characters. */
export async function seeLines(
  pyramid: Pyramid,
  band: TextBand,
  recogniser: LineRecogniser,
): Promise<readonly (SeenLine | null)[]> {
  const seen: (SeenLine | null)[] = []
  for (const line of band.lines) {
    const one = await seeLine(pyramid, band, line, recogniser)
    seen.push(one.peaks.length >= MIN_CHARACTERS ? one : null)
  }
  return seen
}

export async function seeLine(
  pyramid: Pyramid,
  band: TextBand,
  line: TextLine,
  recogniser: LineRecogniser,
): Promise<SeenLine> {
  const strip = cutStrip(pyramid, band, line, { height: STRIP_HEIGHT_PX, ...FIRST_CUT })
  const recognition = await recogniser.run(normaliseStrip(strip.grey), strip.grey.width)
  return { line, strip, recognition, peaks: findPeaks(recognition), lattices: new Map() }
}

/** Maps the 2nd percentile to −1 and the 98th to 1, clipped at ±1.5; assumes a range of at least 12 levels. */
function normaliseStrip({ data }: GreyRaster): Float32Array {
  const low = percentileOfCounts(data, 256, 0.02)
  const range = Math.max(percentileOfCounts(data, 256, 0.98) - low, 12)
  const out = new Float32Array(data.length)
  for (let i = 0; i < data.length; i++)
    out[i] = Math.min(1.5, Math.max(-1.5, ((data[i] - low) / range) * 2 - 1))
  return out
}

/** National layouts are identified by their first characters (national-mrz.ts). */
const FORMATS_OF_EQUAL_LINES = MRZ_FORMATS.filter((format) => format !== 'FRA_DL' && format !== 'CHE_DL')

/** Reads the band in its given direction in the best layout; null if no run of its lines can be an MRZ. */
export function readLines(band: TextBand, seen: readonly (SeenLine | null)[]): BandReading | null {
  let best: BandReading | null = null
  for (const format of FORMATS_OF_EQUAL_LINES) {
    const count = MRZ_SHAPES[format].length
    for (let first = 0; first + count <= seen.length; first++) {
      const group = seen.slice(first, first + count).filter((line) => line !== null)
      if (group.length < count) continue
      const reading = readAs(format, band, group)
      if (reading !== null && (best === null || reading.quality > best.quality)) best = reading
    }
  }
  return best
}

/** Allowed number of recognised characters relative to the layout's. */
const COUNT_RANGE = { least: 0.7, most: 1.3 }

export function readAs(format: MrzFormat, band: TextBand, group: readonly SeenLine[]): BandReading | null {
  const widths: readonly number[] = MRZ_SHAPES[format]
  const fits = ({ peaks }: SeenLine, l: number) =>
    peaks.length >= widths[l] * COUNT_RANGE.least && peaks.length <= widths[l] * COUNT_RANGE.most
  if (!group.every(fits)) return null
  const pitches = group.map(({ peaks }) => estimatePitch(peaks)).filter((pitch) => pitch !== null)
  const slots: Slots[] = []
  for (const [l, seen] of group.entries()) {
    const width = widths[l]
    const lattices = seen.lattices.get(width) ?? proposeLattices(seen.recognition, width, pitches[0] ?? null)
    seen.lattices.set(width, lattices)
    const best = bestLattice(format, l, lattices)
    if (best === null) return null
    slots.push(best)
  }
  return toReading(format, band, group, slots)
}

/** `usualPitch`: pitch of the neighbouring lines, for a line too short to determine its own. */
export function proposeLattices(
  recognition: Recognition,
  count: number,
  usualPitch: number | null = null,
): Slots[] {
  const pitch = estimatePitch(findPeaks(recognition)) ?? usualPitch
  return pitch === null ? [] : fitLattices(recognition, count, pitch)
}

/** The lattice whose characters match the line's fields best. */
export function bestLattice(format: MrzFormat, line: number, lattices: readonly Slots[]): Slots | null {
  const allowed = alphabetGrid(format)[line].map((alphabet) => ALPHABETS[alphabet])
  let best: { slots: Slots; fit: number } | null = null
  for (const slots of lattices) {
    const fit = slots.probabilities.reduce(
      (sum, p, i) => sum + Math.log(findLargest(p, allowed[i]) * (0.02 + slots.peaks[i])),
      -slots.outside,
    )
    if (best === null || fit > best.fit) best = { slots, fit }
  }
  return best?.slots ?? null
}

/** Steps between adjacent characters. */
function computePitch({ places }: Slots): number {
  return (places[places.length - 1] - places[0]) / (places.length - 1)
}

function findLargest(probabilities: Float64Array, characters: string): number {
  let best = 0
  for (const c of characters) best = Math.max(best, probabilities[CLASS_CHARACTERS.indexOf(c)])
  return best
}

function toReading(
  format: MrzFormat,
  band: TextBand,
  group: readonly SeenLine[],
  slots: readonly Slots[],
): BandReading {
  const decoded = decodeSlots(format, slots, false)
  const checks = checkMrz(decoded.lines, format)
  const checksPassed = checks.filter((c) => c.outcome === 'passed').length
  const checksFailed = checks.length - checksPassed
  const characters = slots.reduce((sum, s) => sum + s.peaks.length, 0)
  const outside = slots.reduce((sum, s) => sum + s.outside, 0)
  const presence = slots.reduce(
    (sum, s) => sum + s.peaks.reduce((a, p) => a + Math.log(Math.min(1, p + 0.02)), 0),
    0,
  )
  const ends = group.map(({ strip }, l) => {
    const width = strip.grey.width / group[l].recognition.steps
    const at = (place: number) => ((place + 0.5) * width * 2) / strip.grey.width - 1
    const { places } = slots[l]
    const half = computePitch(slots[l]) / 2
    return {
      from: at(places[0] - half),
      to: at(places[places.length - 1] + half),
      pitch: (half * 2 * width) / strip.scale,
    }
  })
  const certainty = decoded.meanLogProbability + (presence - outside) / characters
  return {
    format,
    band,
    lines: group.map(({ line }) => line),
    seen: group,
    slots,
    decoded,
    pitchPx: ends.reduce((sum, e) => sum + e.pitch, 0) / ends.length,
    extent: [Math.min(...ends.map((e) => e.from)), Math.max(...ends.map((e) => e.to))],
    // A check digit passes by chance once in ten, so each pass adds ln 10, spread over the characters.
    certainty,
    quality: certainty + (checksPassed * Math.LN10) / characters,
    checksPassed,
    checksFailed,
  }
}

/** One way to cut a line: nominal cap height, and offset downwards. */
interface LineCut {
  readonly capPx: number
  readonly shiftPx: number
}

/** The cut of the first reading. */
export const FIRST_CUT: LineCut = { capPx: STRIP_CAPITALS_PX, shiftPx: 0 }

/**
 * Recognises the same lines again, with other recognisers or slightly different cuts. `hasSeen`: this recogniser made the
 * first reading and does not repeat the first cut.
 */
export async function recogniseLinesAgain(
  pyramid: Pyramid,
  reading: BandReading,
  recogniser: LineRecogniser,
  looks: readonly LineCut[],
  hasSeen: boolean,
): Promise<Slots[] | null> {
  const recognise = async (l: number, look: LineCut): Promise<Recognition> => {
    if (hasSeen && look === FIRST_CUT) return reading.seen[l].recognition
    const { grey } = cutStrip(pyramid, reading.band, reading.lines[l], { height: STRIP_HEIGHT_PX, ...look })
    return recogniser.run(normaliseStrip(grey), grey.width)
  }
  const slots: Slots[] = []
  for (const l of reading.lines.keys()) {
    const views: Slots[] = []
    for (const look of looks) {
      const recognition = await recognise(l, look)
      const count = MRZ_SHAPES[reading.format][l]
      const usualPitch = (computePitch(reading.slots[l]) * look.capPx) / STRIP_CAPITALS_PX
      const fitted = bestLattice(reading.format, l, proposeLattices(recognition, count, usualPitch))
      if (fitted !== null) views.push(fitted)
    }
    if (views.length === 0) return null
    slots.push(combineSlots(views))
  }
  return slots
}
