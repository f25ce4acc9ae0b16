/**
 * Limits that turn measurements into findings, from resources/thresholds.json, which states the origin of
 * each number.
 */
import { join } from 'node:path'
import { z } from 'zod'
import {
  loadQualityThresholds,
  type QualityThresholds as DocumentQuality,
} from '../vision/documents/quality-thresholds.ts'
import { readLimits } from './limits-file.ts'

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
  portraitMaximumDetailCorrelation: limit,
})

/** These limits combined with the picture quality limits of documents (resources/quality.json). */
export type QualityThresholds = DocumentQuality & Readonly<Record<keyof z.infer<typeof Schema>, number>>

const THRESHOLDS_FILE = join(import.meta.dirname, '..', '..', 'resources', 'thresholds.json')

/** Throws `configuration_invalid` and lists every problem. */
export function loadThresholds(file = THRESHOLDS_FILE): QualityThresholds {
  const values = Object.entries(readLimits(file, Schema)).map(([name, entry]) => [name, entry.value] as const)
  return { ...loadQualityThresholds(), ...Object.fromEntries(values) } as QualityThresholds
}

let kept: QualityThresholds | null = null

/** The product's thresholds, read once. */
export function qualityThresholds(): QualityThresholds {
  return (kept ??= loadThresholds())
}
