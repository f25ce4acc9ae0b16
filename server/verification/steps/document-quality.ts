/** Is there a document in the picture, and can it be read? Failure asks for another picture, with the spec's code. */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import type { DocumentMeasurement } from '../../vision/protocol.ts'
import type { QualityThresholds } from '../thresholds.ts'
import { documentStep } from '../subject.ts'

export const documentQuality = documentStep('document-quality', async (_subject, tools) => {
  const sides = await tools.sides()
  const findings = [
    detection(sides),
    darkness(sides, tools.thresholds),
    glare(sides, tools.thresholds),
    distance(sides, tools.thresholds),
    sharpness(sides, tools.thresholds),
  ]
  return { findings, models: [] }
})

/** A machine-readable zone or a portrait shows that a document is there; other classes of document come later. */
function detection(sides: readonly DocumentMeasurement[]): Finding {
  const seen = sides.some((side) => side.mrzBand !== null || side.mrz !== null || side.portrait !== null)
  return seen
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
  const white = clipped > thresholds.clippedShare && !sides.some((side) => side.mrz)
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
  const far = pitch < thresholds.advisedPitchPx && !sides.some((side) => side.mrz)
  return far
    ? {
        check: 'CAPTURE_TOO_FAR_CHECK',
        outcome: 'failed',
        measured,
        errors: [resultError('1541')],
      }
    : { check: 'CAPTURE_TOO_FAR_CHECK', outcome: 'passed', measured }
}

/** On the band of the zone where one was seen, else on the page: paper between the prints is never sharp. */
function sharpness(sides: readonly DocumentMeasurement[], thresholds: QualityThresholds): Finding {
  const banded = sides.filter((side) => side.mrzBand !== null)
  const [measuredSides, threshold] =
    banded.length > 0 ? [banded, thresholds.minSharpness] : [sides, thresholds.pageMinimumSharpness]
  const value = Math.max(...measuredSides.map((side) => side.quality.sharpness))
  const measured = { sharpness: value, threshold }
  const blurred = value < threshold && !sides.some((side) => side.mrz)
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
