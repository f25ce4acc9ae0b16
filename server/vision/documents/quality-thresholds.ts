/** Limits of picture quality, as data with their origin. Verification decides what happens beyond a limit. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { AppError } from '../../errors.ts'

const limit = (value: z.ZodNumber) =>
  z.strictObject({ value, unit: z.string().min(1), origin: z.string().min(1) })
const Threshold = limit(z.number().nonnegative())
const Share = limit(z.number().min(0).max(1))
const Angle = limit(z.number().min(0).max(90))
const QualityFile = z.strictObject({
  origin: z.string().min(1),
  thresholds: z.strictObject({
    darkLuminance: Threshold,
    dimLuminance: Threshold,
    clippedShare: Share,
    maxGlareShare: Share,
    maxPortraitGlareShare: Share,
    maxEdgeWidthMm: Threshold,
    maxEdgeWidthReadMm: Threshold,
    sharpEdgeWidthPx: Threshold,
    maxEdgeWidthPerPicture: Share,
    minPitchPx: Threshold,
    minResolutionDpi: Threshold,
    minResolutionReadDpi: Threshold,
    minResolutionUnseenDpi: Threshold,
    minMeanConfidence: Share,
    maxTiltDeg: Angle,
    maxTiltReadDeg: Angle,
    maxSpanShare: Threshold,
    maxSpanReadShare: Threshold,
    maxMissingShare: Share,
    maxMissingReadShare: Share,
  }),
})

export interface QualityThresholds {
  /** Mean luminance below which the document is too dark. */
  readonly darkLuminance: number
  /** Mean luminance below which low light is named as the reason for a failed reading. */
  readonly dimLuminance: number
  /** Clipped share above which an unread picture counts as overexposed. */
  readonly clippedShare: number
  /** Maximum share of the document under glare. */
  readonly maxGlareShare: number
  /** Maximum clipped share of the printed face. */
  readonly maxPortraitGlareShare: number
  /** Edge width above which the document is blurred. */
  readonly maxEdgeWidthMm: number
  /** The same if the MRZ was read. */
  readonly maxEdgeWidthReadMm: number
  /** Edge width up to which sharpness is limited only by the pixels. */
  readonly sharpEdgeWidthPx: number
  /** The same without a detected document, relative to the picture's longer side. */
  readonly maxEdgeWidthPerPicture: number
  /** Minimum character pitch that can be read. */
  readonly minPitchPx: number
  /** Resolution of the document below which a closer picture is requested. */
  readonly minResolutionDpi: number
  /** The same if the MRZ was read. */
  readonly minResolutionReadDpi: number
  /** The same if only print or an uncertain network proposal indicates a document. */
  readonly minResolutionUnseenDpi: number
  /** Minimum mean character probability of a reading. */
  readonly minMeanConfidence: number
  /** Maximum tilt, without and with a read MRZ. */
  readonly maxTiltDeg: number
  readonly maxTiltReadDeg: number
  /** Document length relative to the picture beyond which the camera was too close. */
  readonly maxSpanShare: number
  /** The same if the MRZ was read. */
  readonly maxSpanReadShare: number
  /** Maximum share of the document outside the picture, without and with a read MRZ. */
  readonly maxMissingShare: number
  readonly maxMissingReadShare: number
}

const DEFAULT_PATH = fileURLToPath(new URL('../../../resources/quality.json', import.meta.url))

/** Throws `configuration_invalid` if the file is missing, no JSON, or of another shape. */
export function loadQualityThresholds(path: string = DEFAULT_PATH): QualityThresholds {
  const entries = Object.entries(parseFile(path).thresholds)
  return Object.fromEntries(entries.map(([name, { value }]) => [name, value])) as unknown as QualityThresholds
}

function parseFile(path: string): z.infer<typeof QualityFile> {
  try {
    return QualityFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new AppError('configuration_invalid', { file: 'quality.json' }, { cause })
  }
}
