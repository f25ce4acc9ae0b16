/** Collects the values of a document: from its MRZ or barcode where present, completed from the VIZ. */
import { dataOfLicence } from '../proofing/aamva/to-document.ts'
import { dataOfPage, buildMrzData, withPrint } from '../proofing/document-data.ts'
import type { IdDocumentData } from '../proofing/evidence.ts'
import { checkCodedNumber, type CodedNumberCheck } from '../proofing/licences/coded-number.ts'
import type { LicenceHolder } from '../proofing/licences/holder.ts'
import { isAcceptableReading } from '../proofing/mrz/acceptance.ts'
import type { DocumentType } from '../proofing/types.ts'
import type { ReadDocument } from './read-document.ts'

/**
 * Returns null if too little was read, if the picture shows no document, or if the MRZ names a kind of
 * document that the product does not accept.
 */
export function buildDocumentData(
  { mrz, licence, page, classification }: ReadDocument,
  declaredType: DocumentType | null,
): IdDocumentData | null {
  // A picture that shows no document has no document values, even if it contains text.
  if (classification.layout === 'NONE') return null
  if (!mrz) return licence ? dataOfLicence(licence.facts) : dataOfPage(page, declaredType)
  const data = buildMrzData(mrz.facts, mrz.reading.lines)
  return data && withPrint(data, page, { isMrzSure: isAcceptableReading(mrz.reading) })
}

/**
 * Checks a document number that encodes data of its holder. Returns null if no number was read or the number
 * encodes nothing.
 */
export function checkNumberCoding(document: ReadDocument): CodedNumberCheck | null {
  const data = buildDocumentData(document, null)
  if (data?.idDocumentNumber === undefined) return null
  return checkCodedNumber(data.idDocumentNumber, document.licence?.facts ?? toHolder(data), data)
}

function toHolder({ personalAttributes }: IdDocumentData): LicenceHolder {
  const { surname, givenNames, dateOfBirth, gender } = personalAttributes
  const sex = gender?.value
  return {
    surname: surname?.value ?? '',
    givenNames: (givenNames ?? []).map(({ value }) => value),
    birthDate: dateOfBirth?.value ?? null,
    sex: sex === 'M' || sex === 'F' || sex === 'X' ? sex : null,
  }
}
