/** Converts a North American card's facts to evidence data. No value is `verified`, because the barcode is unsigned. */
import type { IdDocumentData, NamedValue } from '../evidence.ts'
import type { AamvaFacts } from './facts.ts'

const named = (value: string): NamedValue => ({ value, verified: false })

export function dataOfLicence(facts: AamvaFacts): IdDocumentData {
  const { address } = facts
  return {
    idDocumentType: facts.kind,
    idDocumentNumber: facts.documentNumber,
    issuingCountry: facts.country,
    ...(facts.jurisdiction ? { issuingState: facts.jurisdiction } : {}),
    ...(facts.issueDate ? { issuingDate: facts.issueDate } : {}),
    ...(facts.expiryDate ? { expiryDate: facts.expiryDate } : {}),
    personalAttributes: {
      surname: named(facts.suffix === null ? facts.surname : `${facts.surname} ${facts.suffix}`),
      givenNames: facts.givenNames.map(named),
      ...(facts.birthDate ? { dateOfBirth: named(facts.birthDate) } : {}),
      ...(facts.sex ? { gender: named(facts.sex) } : {}),
    },
    ...(address
      ? {
          address: {
            streetDetails: { streetLines: address.streetLines, verified: false },
            ...(address.postcode ? { postcode: address.postcode } : {}),
            ...(address.city ? { city: address.city } : {}),
            ...(address.state ? { state: address.state } : {}),
            country: facts.country,
            verified: false,
          },
        }
      : {}),
  }
}
