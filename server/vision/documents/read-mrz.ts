/**
 * Produces an MRZ reading from pictures: locate, run all recognisers, combine, and reject what is too small, too
 * uncertain or no MRZ.
 */
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import { doAllChecksPass, checkMrz } from '../../proofing/mrz/checks.ts'
import { detectFormat } from '../../proofing/mrz/detect.ts'
import { fieldText } from '../../proofing/mrz/fields.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import type { ModelUse, MrzBand, MrzReading } from '../protocol.ts'
import { decodeSlots, type Decoded } from './decode.ts'
import { locateMrz, type MrzSearchHints } from './find-mrz.ts'
import type { Pyramid } from './grey.ts'
import { combineSlots } from './lattice.ts'
import type { QualityThresholds } from './quality-thresholds.ts'
import type { BandReading, SeenLine } from './read-band.ts'
import { bandQuad } from './strips.ts'
import type { DocumentTools } from './tools.ts'
import { MIN_VOTERS, vote, chooseVoters, type FrameSight } from './vote.ts'
import {
  readWithRecognisers,
  toRecogniserReading,
  recognisersAgree,
  type SlotReading,
} from './recogniser-readings.ts'
import { isWhole } from './wholeness.ts'
import { measureMrz } from './mrz-geometry.ts'
import { mean } from './percentiles.ts'

interface MrzMeasurement {
  readonly band: MrzBand | null
  readonly reading: MrzReading | null
}

/** Minimum mean probability at which an unreadable band is still reported as seen. */
const SEEN_CONFIDENCE = 0.5

/** One picture of the MRZ: its place and each recogniser's reading. */
interface Sight extends FrameSight<ModelUse> {
  readonly found: BandReading
  /** 0 is the picture itself. */
  readonly frame: number
  readonly isWhole: boolean
  readonly band: MrzBand
  readonly slotReadings: readonly SlotReading[]
}

interface MrzHints extends MrzSearchHints {
  /**
   * Further pictures of the same side, taken in quick succession, opened only if the first leaves a doubt. Null if one
   * cannot be opened.
   */
  readonly frames?: readonly (() => Promise<Pyramid | null>)[]
}

export async function readMrz(
  pyramid: Pyramid,
  tools: DocumentTools,
  thresholds: QualityThresholds,
  { frames = [], ...ofFirst }: MrzHints = {},
): Promise<MrzMeasurement> {
  const first = await searchMrz(pyramid, tools, thresholds, ofFirst)
  const single = first.sight ? conclude(first.sight, tools, thresholds) : null
  const alone = { band: single ? first.band : first.unreadBand, reading: single }
  if (frames.length < MIN_VOTERS - 1 || (single && isAcceptableReading(single))) return alone
  const sights = first.sight ? [first.sight] : []
  for (const [i, open] of frames.entries()) {
    const frame = await open()
    const { sight } = frame ? await searchMrz(frame, tools, thresholds) : { sight: null }
    if (sight) sights.push({ ...sight, frame: i + 1 })
  }
  const voters = chooseVoters<ModelUse, Sight>(sights)
  if (voters === null) return alone
  const voted = vote(voters, (a, b) => a.id === b.id)
  const reading = voted.length > 0 && conclude({ ...voters[0], slotReadings: voted }, tools, thresholds)
  if (!reading) return alone
  const frameLines = voters.map(({ slotReadings }) => toRecogniserReading(slotReadings[0]).lines)
  // The MRZ's place on another frame does not apply to this picture.
  return { band: first.band ?? first.unreadBand, reading: { ...reading, frameLines } }
}

interface Look {
  /** Place of the MRZ; null if none was seen. */
  readonly band: MrzBand | null
  /** The same, if the band turns out not to be an MRZ. */
  readonly unreadBand: MrzBand | null
  readonly sight: Sight | null
}

async function searchMrz(
  pyramid: Pyramid,
  tools: DocumentTools,
  thresholds: QualityThresholds,
  hints: MrzSearchHints = {},
): Promise<Look> {
  const recogniser = tools.recognisers[0]
  if (recogniser === undefined) return { band: null, unreadBand: null, sight: null }
  const { reading: found, mrz } = await locateMrz(pyramid, recogniser, thresholds.minPitchPx, hints)
  // An MRZ at a steep angle or with cut ends matches no layout, but its place is known.
  const unreadBand = mrz && measureMrz(mrz, pyramid[0])
  if (found === null || computeConfidence(found) < SEEN_CONFIDENCE)
    return { band: unreadBand, unreadBand, sight: null }
  const { geometry } = measureMrz({ band: found.band, lines: onGrid(found) }, pyramid[0])
  const quad = bandQuad(found.band, found.lines, ...found.extent)
  const band = { quad, characterPitchPx: found.pitchPx, geometry }
  // Too small, or unreadable for every recogniser; its place is still known.
  const slotReadings =
    found.pitchPx < thresholds.minPitchPx ? [] : await readWithRecognisers(pyramid, found, tools)
  if (slotReadings.length === 0) return { band, unreadBand: band, sight: null }
  const { format, quality } = found
  const whole = isWhole(found, pyramid[0])
  return { band, unreadBand, sight: { format, quality, found, frame: 0, isWhole: whole, band, slotReadings } }
}

/** Uses the lattice's positions: at a steep angle distant characters merge. */
function onGrid({ seen, slots }: BandReading): SeenLine[] {
  return seen.map((line, l) => ({
    ...line,
    peaks: slots[l].places.map((step, n) => ({ step, probability: slots[l].peaks[n], character: '' })),
  }))
}

/** Returns null if the band is no MRZ. */
function conclude(sight: Sight, tools: DocumentTools, thresholds: QualityThresholds): MrzReading | null {
  const { found, slotReadings } = sight
  const decoded = weigh(found, slotReadings, tools)
  const presence = slotReadings[0].slots.flatMap((line) => line.peaks)
  if (!isMrz(found, decoded, mean(decoded.confidence.flat()), presence, thresholds)) return null
  // Lines that may continue, with failing checks, are a part of another layout.
  if (!sight.isWhole && !doAllChecksPass(decoded.lines, found.format)) return null
  return toMrzReading(sight, decoded)
}

/**
 * The two networks combined are right most often. If their reading fails a check digit and tesseract alone, or all
 * together, passes, that reading is preferred, but only where the networks were in doubt: a document may print wrong
 * check digits.
 */
function weigh(
  { format, lines }: BandReading,
  slotReadings: readonly SlotReading[],
  tools: DocumentTools,
): Decoded {
  const together = (voices: readonly SlotReading[]) =>
    lines.map((_, l) => combineSlots(voices.map((voice) => voice.slots[l])))
  const isNetwork = ({ model }: SlotReading) => tools.recognisers.some((r) => r.model.id === model.id)
  const networks = slotReadings.filter(isNetwork)
  const others = slotReadings.filter((slotReading) => !isNetwork(slotReading))
  const first = decodeSlots(format, together(networks.length > 0 ? networks : slotReadings), true)
  if (others.length === 0 || doAllChecksPass(first.lines, format)) return first
  const differsInDoubt = ({ lines: other }: Decoded) =>
    other.every((text, l) =>
      [...text].every((c, i) => c === first.lines[l][i] || first.confidence[l][i] < DOUBT),
    )
  const better = [others, slotReadings]
    .map((voices) => decodeSlots(format, together(voices), false))
    .find((reading) => doAllChecksPass(reading.lines, format) && differsInDoubt(reading))
  return better ?? first
}
/** Threshold: below this confidence another recogniser may override a character. */
const DOUBT = 0.9

function computeConfidence({ decoded }: BandReading): number {
  return mean(decoded.confidence.flat())
}

/**
 * Other text forced onto an MRZ lattice also yields letters. A real MRZ has certain characters, fillers and correct check
 * digits; if the document prints wrong ones, at least a known state and a date.
 */
function isMrz(
  { format }: BandReading,
  { lines }: Decoded,
  confidence: number,
  presence: readonly number[],
  thresholds: QualityThresholds,
): boolean {
  if (confidence < thresholds.minMeanConfidence || !lines.join('').includes('<')) return false
  if (presence.filter((p) => p < 0.5).length > presence.length * MAX_MISSING) return false
  // Licences are identified by their first characters, so these are required.
  if (format === 'FRA_DL') return lines[0].startsWith('D1FRA') && doAllChecksPass(lines, format)
  if (format === 'CHE_DL') return detectFormat(lines) === format
  const checks = checkMrz(lines, format)
  const passed = checks.filter((c) => c.outcome === 'passed').length
  if (passed * 2 >= checks.length || (passed > 0 && confidence > SURE)) return true
  const isKnownState = issuerKind(fieldText(format, lines, 'issuingState') ?? '') !== 'unknown'
  return isKnownState && /^\d{6}$/.test(fieldText(format, lines, 'birthDate') ?? '')
}
/** Confidence that other text on the lattice never reached. */
const SURE = 0.9
const MAX_MISSING = 0.1

function toMrzReading({ found, frame, isWhole, band, slotReadings }: Sight, decoded: Decoded): MrzReading {
  const recogniserReadings = slotReadings.map(toRecogniserReading)
  const rawLines = recogniserReadings[0]?.lines ?? decoded.rawLines
  const repaired = decoded.lines.flatMap((text, line) =>
    [...text].flatMap((c, column) => (c === rawLines[line][column] ? [] : [{ line, column }])),
  )
  return {
    format: found.format,
    lines: decoded.lines,
    rawLines,
    repaired,
    characterConfidence: decoded.confidence,
    recogniserReadings,
    recognisersAgree: recognisersAgree(recogniserReadings, decoded.lines),
    marginNats: decoded.marginNats,
    rotationDeg: toRotation(found.band.oblong.angleDeg),
    isWhole,
    frame,
    band: band.quad,
    characterPitchPx: found.pitchPx,
  }
}
/** Clockwise quarter turns that make text of this direction upright. */
export function toRotation(angleDeg: number): 0 | 90 | 180 | 270 {
  const quarters = ((Math.round(-angleDeg / 90) % 4) + 4) % 4
  return ([0, 90, 180, 270] as const)[quarters]
}
