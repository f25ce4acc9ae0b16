/** Limits that turn measurements into findings. Data (resources/thresholds.json), with the origin of each number. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import {
  loadQualityThresholds,
  type QualityThresholds as DocumentQuality,
} from '../vision/documents/quality-thresholds.ts'

const limit = z.strictObject({ value: z.number(), unit: z.string(), origin: z.string().min(1) })
const Schema = z.strictObject({
  portraitMinimumInterEyePx: limit,
  portraitSecondFaceRatio: limit,
  portraitDarkLuminance: limit,
  portraitMaximumClippedShare: limit,
  portraitMinimumSharpness: limit,
  portraitMaximumYawDeg: limit,
  portraitMaximumPitchDeg: limit,
  portraitMaximumRollDeg: limit,
  portraitMinimumIlluminationUniformity: limit,
  portraitMaximumOccludedShare: limit,
  portraitMinimumEyeOpenness: limit,
  portraitMaximumMouthOpenness: limit,
  padMinimumScore: limit,
})

/** These limits together with the document's picture quality (resources/quality.json). */
export type QualityThresholds = DocumentQuality & Readonly<Record<keyof z.infer<typeof Schema>, number>>

export const THRESHOLDS_FILE = join(import.meta.dirname, '..', '..', 'resources', 'thresholds.json')

/** Throws `configuration_invalid` with every problem. */
export function loadThresholds(file = THRESHOLDS_FILE): QualityThresholds {
  const parsed = Schema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) {
    throw new AppError(
      'configuration_invalid',
      { file: 'thresholds.json' },
      {
        problems: parsed.error.issues.map((issue) => ({
          code: issue.code,
          field: issue.path.join('.'),
          message: issue.message,
        })),
      },
    )
  }
  const values = Object.entries(parsed.data).map(([name, entry]) => [name, entry.value] as const)
  return { ...loadQualityThresholds(), ...Object.fromEntries(values) } as QualityThresholds
}
