/**
 * Owns the way from pictures to a reading of their machine-readable zone: find, hear all engines, vote, doubt.
 * Never guesses: what is too small, too uncertain or no zone at all is not read.
 */
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import { allChecksPass, checkMrz } from '../../proofing/mrz/checks.ts'
import { detectFormat } from '../../proofing/mrz/detect.ts'
import { fieldText } from '../../proofing/mrz/fields.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import type { ModelUse, MrzBand, MrzReading } from '../protocol.ts'
import { decodeSlots, type Decoded } from './decode.ts'
import { findZone, type ZoneHints } from './find-zone.ts'
import type { Pyramid } from './grey.ts'
import { combineSlots } from './lattice.ts'
import type { QualityThresholds } from './quality-thresholds.ts'
import type { BandReading, SeenLine } from './read-band.ts'
import { bandQuad } from './strips.ts'
import type { DocumentTools } from './tools.ts'
import { MIN_VOTERS, vote, votersOf, type FrameSight } from './vote.ts'
import { hearWitnesses, toWitness, witnessesAgree, type Testimony } from './witnesses.ts'
import { isWhole } from './wholeness.ts'
import { measureZone } from './zone-geometry.ts'
import { mean } from './percentiles.ts'

export interface MrzMeasurement {
  readonly band: MrzBand | null
  readonly reading: MrzReading | null
}

/** A band is reported as seen, though unreadable, from this mean probability on. */
const SEEN_CONFIDENCE = 0.5

/** One picture of the zone: where it lies and what each engine saw there. */
interface Sight extends FrameSight<ModelUse> {
  readonly found: BandReading
  /** 0 is the picture itself. */
  readonly frame: number
  readonly isWhole: boolean
  readonly band: MrzBand
  readonly testimonies: readonly Testimony[]
}

export interface MrzHints extends ZoneHints {
  /**
   * Further pictures of the same side, moments apart, opened only when the first leaves a doubt. Null where one cannot be
   * opened.
   */
  readonly frames?: readonly (() => Promise<Pyramid | null>)[]
}

export async function readMrz(
  pyramid: Pyramid,
  tools: DocumentTools,
  thresholds: QualityThresholds,
  { frames = [], ...ofFirst }: MrzHints = {},
): Promise<MrzMeasurement> {
  const first = await lookAt(pyramid, tools, thresholds, ofFirst)
  const single = first.sight ? conclude(first.sight, tools, thresholds) : null
  const alone = { band: single ? first.band : first.unreadBand, reading: single }
  if (frames.length < MIN_VOTERS - 1 || (single && isAcceptableReading(single))) return alone
  const sights = first.sight ? [first.sight] : []
  for (const [i, open] of frames.entries()) {
    const frame = await open()
    const { sight } = frame ? await lookAt(frame, tools, thresholds) : { sight: null }
    if (sight) sights.push({ ...sight, frame: i + 1 })
  }
  const voters = votersOf<ModelUse, Sight>(sights)
  if (voters === null) return alone
  const voted = vote(voters, (a, b) => a.id === b.id)
  const reading = voted.length > 0 && conclude({ ...voters[0], testimonies: voted }, tools, thresholds)
  if (!reading) return alone
  const frameLines = voters.map(({ testimonies }) => toWitness(testimonies[0]).lines)
  // Where the zone lies on another frame says nothing about this picture.
  return { band: first.band ?? first.unreadBand, reading: { ...reading, frameLines } }
}

interface Look {
  /** Where the zone lies; null when none was seen. */
  readonly band: MrzBand | null
  /** The same, where the zone turns out not to be one after all. */
  readonly unreadBand: MrzBand | null
  readonly sight: Sight | null
}

async function lookAt(
  pyramid: Pyramid,
  tools: DocumentTools,
  thresholds: QualityThresholds,
  hints: ZoneHints = {},
): Promise<Look> {
  const recogniser = tools.recognisers[0]
  if (recogniser === undefined) return { band: null, unreadBand: null, sight: null }
  const { reading: found, zone } = await findZone(pyramid, recogniser, thresholds.minPitchPx, hints)
  // From too steep an angle, or with its ends cut off, a zone fits no layout; yet it was seen, and where.
  const unreadBand = zone && measureZone(zone, pyramid[0])
  if (found === null || confidenceOf(found) < SEEN_CONFIDENCE)
    return { band: unreadBand, unreadBand, sight: null }
  const { geometry } = measureZone({ band: found.band, lines: onGrid(found) }, pyramid[0])
  const quad = bandQuad(found.band, found.lines, ...found.extent)
  const band = { quad, characterPitchPx: found.pitchPx, geometry }
  // Too small to be read, or read by nobody: where it lies is known all the same.
  const testimonies = found.pitchPx < thresholds.minPitchPx ? [] : await hearWitnesses(pyramid, found, tools)
  if (testimonies.length === 0) return { band, unreadBand: band, sight: null }
  const { format, quality } = found
  const whole = isWhole(found, pyramid[0])
  return { band, unreadBand, sight: { format, quality, found, frame: 0, isWhole: whole, band, testimonies } }
}

/** Where the grid says the characters are: at a steep angle the far ones run into each other. */
function onGrid({ seen, slots }: BandReading): SeenLine[] {
  return seen.map((line, l) => ({
    ...line,
    peaks: slots[l].places.map((step, n) => ({ step, probability: slots[l].peaks[n], character: '' })),
  }))
}

/** Null when what was seen is no zone. */
function conclude(sight: Sight, tools: DocumentTools, thresholds: QualityThresholds): MrzReading | null {
  const { found, testimonies } = sight
  const decoded = weigh(found, testimonies, tools)
  const presence = testimonies[0].slots.flatMap((line) => line.peaks)
  if (!isZone(found, decoded, mean(decoded.confidence.flat()), presence, thresholds)) return null
  // Lines that may continue, in a layout that does not hold together, are a part of another one.
  if (!sight.isWhole && !allChecksPass(decoded.lines, found.format)) return null
  return toMrzReading(sight, decoded)
}

/**
 * The networks together, who are the most often right. Where that does not pass all check digits and tesseract alone
 * does, or all together do, theirs is the better reading, but only where the networks were in doubt: a document may
 * print wrong check digits.
 */
function weigh(
  { format, lines }: BandReading,
  testimonies: readonly Testimony[],
  tools: DocumentTools,
): Decoded {
  const together = (voices: readonly Testimony[]) =>
    lines.map((_, l) => combineSlots(voices.map((voice) => voice.slots[l])))
  const isNetwork = ({ model }: Testimony) => tools.recognisers.some((r) => r.model.id === model.id)
  const networks = testimonies.filter(isNetwork)
  const others = testimonies.filter((testimony) => !isNetwork(testimony))
  const first = decodeSlots(format, together(networks.length > 0 ? networks : testimonies), true)
  if (others.length === 0 || allChecksPass(first.lines, format)) return first
  const differsInDoubt = ({ lines: other }: Decoded) =>
    other.every((text, l) =>
      [...text].every((c, i) => c === first.lines[l][i] || first.confidence[l][i] < DOUBT),
    )
  const better = [others, testimonies]
    .map((voices) => decodeSlots(format, together(voices), false))
    .find((reading) => allChecksPass(reading.lines, format) && differsInDoubt(reading))
  return better ?? first
}
/** Below this confidence another engine may be believed instead. */
const DOUBT = 0.9

function confidenceOf({ decoded }: BandReading): number {
  return mean(decoded.confidence.flat())
}

/**
 * Other text forced on the grid of a zone looks like letters too. A zone is sure of its characters, holds fillers, and
 * has right check digits; where the document itself prints wrong ones, a known state and a date at least.
 */
function isZone(
  { format }: BandReading,
  { lines }: Decoded,
  confidence: number,
  presence: readonly number[],
  thresholds: QualityThresholds,
): boolean {
  if (confidence < thresholds.minMeanConfidence || !lines.join('').includes('<')) return false
  if (presence.filter((p) => p < 0.5).length > presence.length * MAX_MISSING) return false
  // Licences are known by their first characters, so these have to stand there.
  if (format === 'FRA_DL') return lines[0].startsWith('D1FRA') && allChecksPass(lines, format)
  if (format === 'CHE_DL') return detectFormat(lines) === format
  const checks = checkMrz(lines, format)
  const passed = checks.filter((c) => c.outcome === 'passed').length
  if (passed * 2 >= checks.length || (passed > 0 && confidence > SURE)) return true
  const isKnownState = issuerKind(fieldText(format, lines, 'issuingState') ?? '') !== 'unknown'
  return isKnownState && /^\d{6}$/.test(fieldText(format, lines, 'birthDate') ?? '')
}
/** Other print, forced on the grid, never came near it. */
const SURE = 0.9
const MAX_MISSING = 0.1

function toMrzReading({ found, frame, isWhole, band, testimonies }: Sight, decoded: Decoded): MrzReading {
  const witnesses = testimonies.map(toWitness)
  const rawLines = witnesses[0]?.lines ?? decoded.rawLines
  const repaired = decoded.lines.flatMap((text, line) =>
    [...text].flatMap((c, column) => (c === rawLines[line][column] ? [] : [{ line, column }])),
  )
  return {
    format: found.format,
    lines: decoded.lines,
    rawLines,
    repaired,
    characterConfidence: decoded.confidence,
    witnesses,
    witnessesAgree: witnessesAgree(witnesses, decoded.lines),
    marginNats: decoded.marginNats,
    rotationDeg: rotationOf(found.band.oblong.angleDeg),
    isWhole,
    frame,
    band: band.quad,
    characterPitchPx: found.pitchPx,
  }
}
/** The clockwise quarter turns that bring text of this direction upright. */
export function rotationOf(angleDeg: number): 0 | 90 | 180 | 270 {
  const quarters = ((Math.round(-angleDeg / 90) % 4) + 4) % 4
  return ([0, 90, 180, 270] as const)[quarters]
}
