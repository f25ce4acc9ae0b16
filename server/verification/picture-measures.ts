/**
 * Maps measurements of submitted pictures and live frames to the input of the quality rules. Contains no
 * rules.
 */
import type { PictureMeasures } from '../proofing/document-quality.ts'
import { resultError } from '../proofing/error-codes.ts'
import type { ResultError } from '../proofing/types.ts'
import type { DocumentMeasurement, FrameMeasurement } from '../vision/protocol.ts'
import type { QualityThresholds } from './thresholds.ts'

export function isDocumentSeen({ mrzBand, mrz, portrait, outline }: DocumentMeasurement): boolean {
  return mrzBand !== null || mrz !== null || portrait !== null || outline !== null
}

/**
 * Names low light as the reason when reading failed, even if the picture was bright enough to be measured.
 */
export function addDimLightError(
  sides: readonly DocumentMeasurement[],
  { dimLuminance }: Pick<QualityThresholds, 'dimLuminance'>,
): readonly ResultError[] {
  return sides.some(({ quality }) => quality.luminanceMean < dimLuminance) ? [resultError('1531')] : []
}

export function toPictureMeasures(side: DocumentMeasurement): PictureMeasures {
  const { widthPx, heightPx } = side.image
  return {
    ...side.quality,
    pictureSidePx: Math.max(widthPx, heightPx),
    pixelPx: 1,
    isDocumentSeen: isDocumentSeen(side),
    isRead: side.mrz !== null,
  }
}

/** Live frames are measured on a smaller copy, without reading text. */
export function measuresOfFrame({
  image,
  quality,
  seenBy,
  pixelPx,
  faceWidthPx = null,
}: FrameMeasurement): PictureMeasures {
  return {
    ...quality,
    pictureSidePx: Math.max(image.widthPx, image.heightPx) * pixelPx,
    pixelPx,
    isDocumentSeen: seenBy !== null,
    faceWidthPx,
    isRead: false,
  }
}
