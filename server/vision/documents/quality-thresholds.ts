/** The limits of picture quality, as data with their origin. What happens beyond a limit is the verification's business. */
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
  /** Mean luminance below which the light is named where something could not be read. */
  readonly dimLuminance: number
  /** Clipped share above which a picture that was not read is white all over. */
  readonly clippedShare: number
  /** Of the document under glare. */
  readonly maxGlareShare: number
  /** Of the printed face blown out. */
  readonly maxPortraitGlareShare: number
  /** Edge width above which the document is blurred. */
  readonly maxEdgeWidthMm: number
  /** The same where the zone was read. */
  readonly maxEdgeWidthReadMm: number
  /** Edge width up to which a picture is as sharp as its pixels. */
  readonly sharpEdgeWidthPx: number
  /** The same where no document was found, over the picture's longer side. */
  readonly maxEdgeWidthPerPicture: number
  /** Character distance below which nothing is read. */
  readonly minPitchPx: number
  /** Resolution of the document below which a closer picture should be asked for. */
  readonly minResolutionDpi: number
  /** The same where the zone was read. */
  readonly minResolutionReadDpi: number
  /** The same where nothing but print or a network's guess shows a document. */
  readonly minResolutionUnseenDpi: number
  /** Mean character probability below which a band is not taken for a reading. */
  readonly minMeanConfidence: number
  /** Tilt beyond which a picture was taken at too steep an angle, where its zone was not read and where it was. */
  readonly maxTiltDeg: number
  readonly maxTiltReadDeg: number
  /** Document's length over the picture's beyond which the camera was too close. */
  readonly maxSpanShare: number
  /** The same where the zone was read. */
  readonly maxSpanReadShare: number
  /** Of the document beyond the picture's edges, where its zone was not read and where it was. */
  readonly maxMissingShare: number
  readonly maxMissingReadShare: number
}

const DEFAULT_PATH = fileURLToPath(new URL('../../../resources/quality.json', import.meta.url))

/** Throws `configuration_invalid` when the file is missing, no JSON, or not of this shape. */
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
