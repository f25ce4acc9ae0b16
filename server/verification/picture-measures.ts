/** What the rules of picture quality need of a measurement, of a picture that was sent or of a live one. No rules here. */
import type { PictureMeasures } from '../proofing/document-quality.ts'
import { resultError } from '../proofing/error-codes.ts'
import type { ResultError } from '../proofing/types.ts'
import type { DocumentMeasurement, FrameMeasurement } from '../vision/protocol.ts'
import type { QualityThresholds } from './thresholds.ts'

export function isDocumentSeen({ mrzBand, mrz, portrait, outline }: DocumentMeasurement): boolean {
  return mrzBand !== null || mrz !== null || portrait !== null || outline !== null
}

/** Where something could not be read: the light is named as the reason, though no picture was too dark to be looked at. */
export function dimErrors(
  sides: readonly DocumentMeasurement[],
  { dimLuminance }: Pick<QualityThresholds, 'dimLuminance'>,
): readonly ResultError[] {
  return sides.some(({ quality }) => quality.luminanceMean < dimLuminance) ? [resultError('1531')] : []
}

export function measuresOf(side: DocumentMeasurement): PictureMeasures {
  const { widthPx, heightPx } = side.image
  return {
    ...side.quality,
    pictureSidePx: Math.max(widthPx, heightPx),
    pixelPx: 1,
    isDocumentSeen: isDocumentSeen(side),
    isRead: side.mrz !== null,
  }
}

/** Of a live picture nothing is read and no face is looked for, and a smaller copy of it is looked at. */
export function measuresOfFrame({ image, quality, seenBy, pixelPx }: FrameMeasurement): PictureMeasures {
  return {
    ...quality,
    pictureSidePx: Math.max(image.widthPx, image.heightPx) * pixelPx,
    pixelPx,
    isDocumentSeen: seenBy !== null,
    isRead: false,
  }
}
