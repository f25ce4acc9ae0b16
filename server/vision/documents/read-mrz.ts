/**
 * Owns the way from a picture to a reading of its machine-readable zone: propose, read, doubt, hear further engines.
 * Never guesses: what is too small, too uncertain or no zone at all is not read.
 */
import { allChecksPass, checkMrz } from '../../proofing/mrz/checks.ts'
import { detectFormat } from '../../proofing/mrz/detect.ts'
import { fieldText } from '../../proofing/mrz/fields.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import type { MrzBand, MrzReading, Quad } from '../protocol.ts'
import { decodeSlots, type Decoded } from './decode.ts'
import { findZone } from './find-zone.ts'
import type { Pyramid } from './grey.ts'
import { combineSlots } from './lattice.ts'
import type { QualityThresholds } from './quality-thresholds.ts'
import type { BandReading } from './read-band.ts'
import { bandQuad } from './strips.ts'
import type { DocumentTools } from './tools.ts'
import { hearWitnesses, toWitness, witnessesAgree, type Testimony } from './witnesses.ts'
import { measureZone } from './zone-geometry.ts'

export interface MrzMeasurement {
  readonly band: MrzBand | null
  readonly reading: MrzReading | null
}

/** A band is reported as seen, though unreadable, from this mean probability on. */
const SEEN_CONFIDENCE = 0.5

export async function readMrz(
  pyramid: Pyramid,
  tools: DocumentTools,
  thresholds: QualityThresholds,
): Promise<MrzMeasurement> {
  const recogniser = tools.recognisers[0]
  if (recogniser === undefined) return { band: null, reading: null }
  const { reading: found, zone } = await findZone(pyramid, recogniser, thresholds.minPitchPx)
  // From too steep an angle, or with its ends cut off, a zone fits no layout; yet it was seen, and where.
  const unread = { band: zone && measureZone(zone, pyramid[0]), reading: null }
  if (found === null || confidenceOf(found) < SEEN_CONFIDENCE) return unread
  const { band, lines, pitchPx, extent } = found
  const quad = bandQuad(band, lines, ...extent)
  const { geometry } = measureZone({ band, lines: found.seen }, pyramid[0])
  const seen = { quad, characterPitchPx: pitchPx, geometry }
  if (pitchPx < thresholds.minPitchPx) return { band: seen, reading: null }

  const testimonies = await hearWitnesses(pyramid, found, tools)
  if (testimonies.length === 0) return { band: seen, reading: null }
  const decoded = weigh(found, testimonies, tools)
  const presence = testimonies[0].slots.flatMap((line) => line.peaks)
  if (!isZone(found, decoded, meanOf(decoded.confidence.flat()), presence, thresholds)) return unread
  return { band: seen, reading: toMrzReading(found, quad, decoded, testimonies) }
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
  return meanOf(decoded.confidence.flat())
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
  if (presence.filter((p) => p < 0.5).length > presence.length * MOST_MISSING) return false
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
const MOST_MISSING = 0.1

function toMrzReading(
  found: BandReading,
  band: Quad,
  decoded: Decoded,
  testimonies: readonly Testimony[],
): MrzReading {
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
    band,
    characterPitchPx: found.pitchPx,
  }
}
/** The clockwise quarter turns that bring text of this direction upright. */
export function rotationOf(angleDeg: number): 0 | 90 | 180 | 270 {
  const quarters = ((Math.round(-angleDeg / 90) % 4) + 4) % 4
  return ([0, 90, 180, 270] as const)[quarters]
}

function meanOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / Math.max(1, values.length)
}
