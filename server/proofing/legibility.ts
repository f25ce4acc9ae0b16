/**
 * Can a document be read on the picture of each of its sides? An uploaded picture is judged by that; how the document lies in
 * the picture counts only where a live capture can still be corrected. Pure rule.
 */
import { CERTAIN, type PageFacts, type PageFieldName } from './visual-zone/page-facts.ts'

export interface SideReadings {
  /** A machine-readable zone was read without a doubt. */
  readonly hasSureZone: boolean
  /** Machine-readable lines were seen and could not be read: a better picture is needed. */
  readonly hasUnreadZone: boolean
  /** A barcode with the card's data was read. */
  readonly hasBarcode: boolean
}

/** Fields that tell a document. One or two of them may be found on a picture of something else. */
const TELLING: readonly PageFieldName[] = [
  'documentNumber',
  'surname',
  'givenNames',
  'fullName',
  'birthDate',
  'issueDate',
  'expiryDate',
]
const MIN_TELLING = 3

/** One answer per side, in the order of the pictures. */
export function legibleSides(
  sides: readonly SideReadings[],
  { fields }: Pick<PageFacts, 'fields'>,
): readonly boolean[] {
  return sides.map(({ hasSureZone, hasUnreadZone, hasBarcode }, side) => {
    const telling = fields.filter(
      ({ field, captureIndex, confidence }) =>
        captureIndex === side && TELLING.includes(field) && confidence >= CERTAIN,
    )
    return hasSureZone || hasBarcode || (!hasUnreadZone && telling.length >= MIN_TELLING)
  })
}
