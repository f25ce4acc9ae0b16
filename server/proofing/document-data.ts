/**
 * What was read of a document → the data of its evidence. Nothing is `verified`: only an issuer or a chip can say that a
 * value is true.
 */
import type { AddressData, IdDocumentData, NamedValue, PersonalAttributes } from './evidence.ts'
import { toIsoDate } from './mrz/dates.ts'
import type { MrzFacts } from './mrz/parse.ts'
import type { PageFacts, PageFieldName } from './visual-zone/page-facts.ts'

const named = (value: string): NamedValue => ({ value, verified: false })

/** Null when the zone's document code stands for no kind of evidence that we take. */
export function dataOfZone(facts: MrzFacts, lines: readonly string[]): IdDocumentData | null {
  if (facts.documentClass === null) return null
  const birth = toIsoDate(facts.birthDate)
  const expiry = facts.expiryDate === null ? null : toIsoDate(facts.expiryDate)
  return {
    idDocumentType: facts.documentClass,
    idDocumentNumber: facts.documentNumber,
    issuingCountry: alpha3(facts.issuingState),
    ...(expiry ? { expiryDate: expiry } : {}),
    personalAttributes: {
      surname: named(facts.surname),
      givenNames: facts.givenNames.map(named),
      ...(birth ? { dateOfBirth: named(birth) } : {}),
      // Zones of driving licences have neither.
      ...(facts.sex === '' ? {} : { gender: named(facts.sex) }),
      ...(facts.nationality === '' ? {} : { nationality: named(alpha3(facts.nationality)) }),
    },
    mrz: lines,
  }
}

/** Germany is D in the zone and DEU everywhere else (ICAO Doc 9303-3 section 5). */
function alpha3(code: string): string {
  return code === 'D' ? 'DEU' : code
}

/** Null when the page does not say what kind of document it is. */
export function dataOfPage(page: PageFacts): IdDocumentData | null {
  if (page.kind === null) return null
  const value = (field: PageFieldName) => page.fields.find((found) => found.field === field)?.value
  const optional = <K extends keyof IdDocumentData>(name: K, text: string | undefined) =>
    text === undefined ? {} : { [name]: text }
  return {
    idDocumentType: page.kind,
    ...optional('idDocumentNumber', value('documentNumber')),
    ...optional('cardNumber', value('cardNumber')),
    ...optional('issuingCountry', page.country ?? undefined),
    ...optional('issuingState', page.state ?? undefined),
    ...optional('issuingDate', value('issueDate')),
    ...optional('expiryDate', value('expiryDate')),
    personalAttributes: attributesOfPage(value),
    ...addressOfPage(value('address')),
  }
}

function attributesOfPage(value: (field: PageFieldName) => string | undefined): PersonalAttributes {
  const attribute = (name: keyof PersonalAttributes, text: string | undefined): PersonalAttributes =>
    text === undefined ? {} : { [name]: named(text) }
  const given = value('givenNames')
  return {
    ...attribute('surname', value('surname')),
    ...(given === undefined ? {} : { givenNames: given.split(/\s+/).map(named) }),
    ...attribute('fullname', value('fullName')),
    ...attribute('dateOfBirth', value('birthDate')),
    ...attribute('gender', value('sex')),
    ...attribute('nationality', value('nationality')),
  }
}

function addressOfPage(text: string | undefined): { address?: AddressData } {
  return text === undefined ? {} : { address: { fullAddress: text, verified: false } }
}
