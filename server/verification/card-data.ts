/** What a card without a machine-readable zone says: by its barcode where it has one, else by its print. */
import { dataOfLicence } from '../proofing/aamva/to-document.ts'
import { dataOfPage } from '../proofing/document-data.ts'
import type { IdDocumentData } from '../proofing/evidence.ts'
import { checkCodedNumber, type CodedNumberCheck } from '../proofing/licences/coded-number.ts'
import type { LicenceHolder } from '../proofing/licences/holder.ts'
import type { ReadDocument } from './read-document.ts'

export function dataOfCard({ licence, page }: ReadDocument): IdDocumentData | null {
  return licence ? dataOfLicence(licence.facts) : dataOfPage(page)
}

/** Null where the card's number repeats nothing of its holder, or none was read. */
export function codedNumberOf(document: ReadDocument): CodedNumberCheck | null {
  const data = dataOfCard(document)
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
