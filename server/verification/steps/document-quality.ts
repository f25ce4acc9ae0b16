/** Is there a document in the picture, and can it be read? Failure asks for another picture, with the spec's code. */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import type { DocumentMeasurement, ZoneGeometry } from '../../vision/protocol.ts'
import type { QualityThresholds } from '../thresholds.ts'
import { documentStep } from '../subject.ts'

export const documentQuality = documentStep('document-quality', async (_subject, tools) => {
  const sides = await tools.sides()
  const findings = [
    detection(sides, tools.thresholds),
    darkness(sides, tools.thresholds),
    glare(sides, tools.thresholds),
    distance(sides, tools.thresholds),
    closeness(sides, tools.thresholds),
    angle(sides, tools.thresholds),
    sharpness(sides, tools.thresholds),
  ]
  return { findings, models: [] }
})

/** What was read is good enough, however it lies in the picture and whatever its light and sharpness are measured to be. */
function isRead(sides: readonly DocumentMeasurement[]): boolean {
  return sides.some((side) => side.mrz !== null)
}

function zonesOf(sides: readonly DocumentMeasurement[]): readonly ZoneGeometry[] {
  return sides.flatMap((side) => (side.mrzBand ? [side.mrzBand.geometry] : []))
}

/** A machine-readable zone or a portrait shows that a document is there; other classes of document come later. */
function detection(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const seen = sides.some((side) => side.mrzBand !== null || side.mrz !== null || side.portrait !== null)
  // A zone that leaves the picture on one side; one that leaves it on both was taken from too close.
  const cut =
    !isRead(sides) &&
    zonesOf(sides).some(({ isCut, widthShare }) => isCut && widthShare <= thresholds.maxZoneShare)
  return seen && !cut
    ? { check: 'DOCUMENT_DETECTION', outcome: 'passed' }
    : {
        check: 'DOCUMENT_DETECTION',
        outcome: 'failed',
        errors: [resultError('1535')],
      }
}

function darkness(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const luminance = Math.min(...sides.map((side) => side.quality.luminanceMean))
  const measured = { luminance, threshold: thresholds.darkLuminance }
  // Even where the zone was read: the portrait, which the holder is compared with, loses its shadows first.
  const dark = luminance < thresholds.darkLuminance
  return dark
    ? {
        check: 'DARK_IMAGE_QUALITY',
        outcome: 'failed',
        measured,
        errors: [resultError('1531')],
      }
    : { check: 'DARK_IMAGE_QUALITY', outcome: 'passed', measured }
}

function glare(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const clipped = Math.max(...sides.map((side) => side.quality.clippedShare))
  const measured = { clippedShare: clipped, threshold: thresholds.clippedShare }
  const white = clipped > thresholds.clippedShare && !isRead(sides)
  return white
    ? {
        check: 'GLARE_IMAGE_QUALITY',
        outcome: 'failed',
        measured,
        errors: [resultError('1532')],
      }
    : { check: 'GLARE_IMAGE_QUALITY', outcome: 'passed', measured }
}

function distance(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const pitches = sides.flatMap((side) => {
    const pitch = side.mrz?.characterPitchPx ?? side.mrzBand?.characterPitchPx
    return pitch === undefined ? [] : [pitch]
  })
  if (pitches.length === 0) return { check: 'CAPTURE_TOO_FAR_CHECK', outcome: 'inconclusive' }
  const pitch = Math.max(...pitches)
  const measured = { characterPitchPx: pitch, threshold: thresholds.advisedPitchPx }
  const far = pitch < thresholds.advisedPitchPx && !isRead(sides)
  return far
    ? {
        check: 'CAPTURE_TOO_FAR_CHECK',
        outcome: 'failed',
        measured,
        errors: [resultError('1541')],
      }
    : { check: 'CAPTURE_TOO_FAR_CHECK', outcome: 'passed', measured }
}

function closeness(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const check = 'CAPTURE_TOO_CLOSE_CHECK'
  const shares = zonesOf(sides).map((zone) => zone.widthShare)
  if (shares.length === 0) return { check, outcome: 'inconclusive' }
  const measured = { widthShare: Math.max(...shares), threshold: thresholds.maxZoneShare }
  const close = measured.widthShare > measured.threshold && !isRead(sides)
  return close
    ? { check, outcome: 'failed', measured, errors: [resultError('1540')] }
    : { check, outcome: 'passed', measured }
}

function angle(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const check = 'KEYSTONE_IMAGE_QUALITY'
  const turns = zonesOf(sides).map((zone) => zone.turnDeg)
  if (turns.length === 0) return { check, outcome: 'inconclusive' }
  const measured = { turnDeg: Math.max(...turns), threshold: thresholds.maxTurnDeg }
  const steep = measured.turnDeg > measured.threshold && !isRead(sides)
  return steep
    ? { check, outcome: 'failed', measured, errors: [resultError('1539')] }
    : { check, outcome: 'passed', measured }
}

/** On the band of the zone where one was seen, else on the page: paper between the prints is never sharp. */
function sharpness(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const banded = sides.filter((side) => side.mrzBand !== null)
  const [measuredSides, threshold] =
    banded.length > 0 ? [banded, thresholds.minSharpness] : [sides, thresholds.pageMinimumSharpness]
  const value = Math.max(...measuredSides.map((side) => side.quality.sharpness))
  const measured = { sharpness: value, threshold }
  const blurred = value < threshold && !isRead(sides)
  return blurred
    ? {
        check: 'BLUR_IMAGE_QUALITY',
        outcome: 'failed',
        measured,
        // 1533 is ours: the spec has no code for blur.
        errors: [resultError('1533')],
      }
    : { check: 'BLUR_IMAGE_QUALITY', outcome: 'passed', measured }
}
