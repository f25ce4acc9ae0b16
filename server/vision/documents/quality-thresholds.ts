/** The limits of picture quality, as data with their origin. What happens beyond a limit is the verification's business. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { AppError } from '../../errors.ts'

const Threshold = z.strictObject({
  value: z.number().nonnegative(),
  unit: z.string().min(1),
  origin: z.string().min(1),
})
const QualityFile = z.strictObject({
  origin: z.string().min(1),
  thresholds: z.strictObject({
    darkLuminance: Threshold,
    clippedShare: Threshold,
    minSharpness: Threshold,
    minPitchPx: Threshold,
    advisedPitchPx: Threshold,
    minMeanConfidence: Threshold,
    maxTurnDeg: Threshold,
    maxZoneShare: Threshold,
  }),
})

export interface QualityThresholds {
  /** Mean luminance below which the picture is too dark. */
  readonly darkLuminance: number
  /** Clipped share above which the picture is overexposed or has glare. */
  readonly clippedShare: number
  /** Sharpness below which the picture is blurred. */
  readonly minSharpness: number
  /** Character distance below which nothing is read. */
  readonly minPitchPx: number
  /** Character distance below which a closer picture should be asked for. */
  readonly advisedPitchPx: number
  /** Mean character probability below which a band is not taken for a reading. */
  readonly minMeanConfidence: number
  /** Turn of the zone beyond which a picture was taken at too steep an angle. */
  readonly maxTurnDeg: number
  /** Share of the picture's side beyond which the camera was too close to the zone. */
  readonly maxZoneShare: number
}

const DEFAULT_PATH = fileURLToPath(new URL('../../../resources/quality.json', import.meta.url))

/** Throws `configuration_invalid` when the file is missing, no JSON, or not of this shape. */
export function loadQualityThresholds(path: string = DEFAULT_PATH): QualityThresholds {
  const { thresholds } = parseFile(path)
  return {
    darkLuminance: thresholds.darkLuminance.value,
    clippedShare: thresholds.clippedShare.value,
    minSharpness: thresholds.minSharpness.value,
    minPitchPx: thresholds.minPitchPx.value,
    advisedPitchPx: thresholds.advisedPitchPx.value,
    minMeanConfidence: thresholds.minMeanConfidence.value,
    maxTurnDeg: thresholds.maxTurnDeg.value,
    maxZoneShare: thresholds.maxZoneShare.value,
  }
}

function parseFile(path: string): z.infer<typeof QualityFile> {
  try {
    return QualityFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new AppError('configuration_invalid', { file: 'quality.json' }, { cause })
  }
}
