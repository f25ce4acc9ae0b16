/**
 * Decides whether each side of a document is legible. Uploads are judged by this; framing counts only in live captures,
 * where it can be corrected. Pure rule.
 */
import { CERTAIN, type PageFacts, type PageFieldName } from './visual-zone/page-facts.ts'

interface SideReadings {
  /** An MRZ was read with certainty. */
  readonly hasSureMrz: boolean
  /** Machine-readable lines were detected but could not be read: a better picture is needed. */
  readonly hasUnreadMrz: boolean
  /** A barcode with card data was read. */
  readonly hasBarcode: boolean
}

/** Fields that indicate a document. Up to two may occur by chance on other pictures. */
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

/** One result per side, in the order of the pictures. */
export function legibleSides(
  sides: readonly SideReadings[],
  { fields }: Pick<PageFacts, 'fields'>,
): readonly boolean[] {
  return sides.map(({ hasSureMrz, hasUnreadMrz, hasBarcode }, side) => {
    const telling = fields.filter(
      ({ field, captureIndex, confidence }) =>
        captureIndex === side && TELLING.includes(field) && confidence >= CERTAIN,
    )
    return hasSureMrz || hasBarcode || (!hasUnreadMrz && telling.length >= MIN_TELLING)
  })
}
