/** What a document says: by its machine-readable zone or its barcode where it has one, completed by its print. */
import { dataOfLicence } from '../proofing/aamva/to-document.ts'
import { dataOfPage, dataOfZone, withPrint } from '../proofing/document-data.ts'
import type { IdDocumentData } from '../proofing/evidence.ts'
import { checkCodedNumber, type CodedNumberCheck } from '../proofing/licences/coded-number.ts'
import type { LicenceHolder } from '../proofing/licences/holder.ts'
import { isAcceptableReading } from '../proofing/mrz/acceptance.ts'
import type { DocumentType } from '../proofing/types.ts'
import type { ReadDocument } from './read-document.ts'

/** Null where it says too little, is no document, or its zone names a kind of evidence that we do not take. */
export function dataOf(
  { zone, licence, page, classification }: ReadDocument,
  declaredType: DocumentType | null,
): IdDocumentData | null {
  // What is no document has no values, whatever stands on it.
  if (classification.layout === 'NONE') return null
  if (!zone) return licence ? dataOfLicence(licence.facts) : dataOfPage(page, declaredType)
  const data = dataOfZone(zone.facts, zone.reading.lines)
  return data && withPrint(data, page, { isZoneSure: isAcceptableReading(zone.reading) })
}

/** Null where the card's number repeats nothing of its holder, or none was read. */
export function codedNumberOf(document: ReadDocument): CodedNumberCheck | null {
  const data = dataOf(document, null)
  if (data?.idDocumentNumber === undefined) return null
  return checkCodedNumber(data.idDocumentNumber, document.licence?.facts ?? holderOf(data), data)
}

function holderOf({ personalAttributes }: IdDocumentData): LicenceHolder {
  const { surname, givenNames, dateOfBirth, gender } = personalAttributes
  const sex = gender?.value
  return {
    surname: surname?.value ?? '',
    givenNames: (givenNames ?? []).map(({ value }) => value),
    birthDate: dateOfBirth?.value ?? null,
    sex: sex === 'M' || sex === 'F' || sex === 'X' ? sex : null,
  }
}
