/** The person that an evidence names, as lists and registers need it. Makes no decision. */
import type { ScreenedPerson } from '../../proofing/antifraud/watchlist.ts'
import type { Evidence } from '../../proofing/evidence.ts'

/** Null for evidence without a name. */
export function findPerson({ content }: Evidence): ScreenedPerson | null {
  const data = content.document ?? content.trustedClaim?.shared
  const attributes = data?.personalAttributes ?? content.claim?.attributesData
  if (!attributes) return null
  const { givenNames = [], surname, dateOfBirth, nationality } = attributes
  const fullname = data?.personalAttributes?.fullname
  if (!surname && !fullname) return null
  // No source confirms the nationality of a claim.
  const countries = data ? [nationality?.value, content.document?.issuingCountry] : []
  return {
    givenNames: givenNames.map(({ value }) => value),
    surname: surname?.value ?? null,
    fullname: fullname?.value ?? null,
    dateOfBirth: dateOfBirth?.value ?? null,
    countries: countries.filter((country) => country !== undefined),
    documentNumbers: data?.idDocumentNumber === undefined ? [] : [data.idDocumentNumber],
  }
}
