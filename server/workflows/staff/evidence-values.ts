/** Returns every value of evidence by field, for staff. The values are personal. Changes nothing. */
import { CONTACT_KINDS } from '../../proofing/contact-kinds.ts'
import type { AddressData, Evidence, NamedValue, PersonalAttributes } from '../../proofing/evidence.ts'

type Value = { readonly field: string; readonly value: string; readonly verified: boolean }

/** Returns every value of an evidence by its field. Personal data. */
export function listValues({ content }: Evidence): readonly Value[] {
  const { document, attributes, address, trustedClaim, claim } = content
  const of = (field: string, value: string | undefined): readonly Value[] =>
    value === undefined ? [] : [{ field, value, verified: false }]
  const shared = trustedClaim?.shared
  return [
    ...(document
      ? [
          ...personValues(document.personalAttributes),
          ...of('documentNumber', document.idDocumentNumber),
          ...of('cardNumber', document.cardNumber),
          ...of('issuingCountry', document.issuingCountry),
          ...of('issuingState', document.issuingState),
          ...of('issuingDate', document.issuingDate),
          ...of('expiryDate', document.expiryDate),
          ...(document.address ? addressValues(document.address) : []),
        ]
      : []),
    ...(attributes ? personValues(attributes) : []),
    ...(address ? addressValues(address) : []),
    ...(shared?.personalAttributes ? personValues(shared.personalAttributes) : []),
    ...(claim?.attributesData ? personValues(claim.attributesData) : []),
    ...CONTACT_KINDS.flatMap((kind) => {
      const contact = content[kind]
      return contact ? [{ field: kind, ...contact }] : []
    }),
  ]
}

function personValues(person: PersonalAttributes): readonly Value[] {
  const of = (field: string, named: NamedValue | undefined): readonly Value[] =>
    named ? [{ field, value: named.value, verified: named.verified }] : []
  const given = person.givenNames ?? []
  return [
    ...of('name', person.fullname),
    ...(given.length > 0
      ? [
          {
            field: 'givenNames',
            value: given.map(({ value }) => value).join(' '),
            verified: given.every(({ verified }) => verified),
          },
        ]
      : []),
    ...of('familyName', person.surname),
    ...of('birthDate', person.dateOfBirth),
    ...of('sex', person.gender),
    ...of('nationality', person.nationality),
    ...of('height', person.height),
    ...of('eyeColor', person.eyeColor),
  ]
}

function addressValues(address: AddressData): readonly Value[] {
  const { streetDetails, postcode, city, state, country, fullAddress, verified } = address
  const lines = [
    fullAddress,
    ...(streetDetails?.streetLines ?? []),
    [postcode, city].filter((part) => part !== undefined).join(' '),
    state,
    country,
  ].filter((line) => line !== undefined && line !== '')
  return lines.length > 0 ? [{ field: 'address', value: lines.join('\n'), verified }] : []
}
