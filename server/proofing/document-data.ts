/** Converts a document's readings to evidence data. No value is `verified` yet: `verified-values` decides that. */
import type { AddressData, IdDocumentData, NamedValue, PersonalAttributes } from './evidence.ts'
import { toIsoDate } from './mrz/dates.ts'
import type { MrzFacts } from './mrz/parse.ts'
import type { DocumentType } from './types.ts'
import { toAlpha3 } from './country-codes.ts'
import { splitAllComponents, continuesAfterName, isSame } from './visual-zone/compare-name.ts'
import { isSameNumber } from './visual-zone/compare-number.ts'
import { CERTAIN, type PageFacts, type PageFieldName } from './visual-zone/page-facts.ts'

const named = (value: string): NamedValue => ({ value, verified: false })

/** Returns null if the MRZ's document code is no accepted kind of evidence. */
export function buildMrzData(facts: MrzFacts, lines: readonly string[]): IdDocumentData | null {
  if (facts.documentClass === null) return null
  const birth = toIsoDate(facts.birthDate)
  const expiry = facts.expiryDate === null ? null : toIsoDate(facts.expiryDate)
  return {
    idDocumentType: facts.documentClass,
    idDocumentNumber: facts.documentNumber,
    issuingCountry: toAlpha3(facts.issuingState),
    ...(expiry ? { expiryDate: expiry } : {}),
    personalAttributes: {
      surname: named(facts.surname),
      givenNames: facts.givenNames.map(named),
      ...(birth ? { dateOfBirth: named(birth) } : {}),
      // MRZs of driving licences have neither.
      ...(facts.sex === '' ? {} : { gender: named(facts.sex) }),
      ...(facts.nationality === '' ? {} : { nationality: named(toAlpha3(facts.nationality)) }),
    },
    mrz: lines,
  }
}

/**
 * Completes MRZ data from the VIZ: day of issue, address, and names with their marks where the MRZ spells the same name.
 */
export function withPrint(
  data: IdDocumentData,
  page: PageFacts,
  { isMrzSure }: { readonly isMrzSure: boolean },
): IdDocumentData {
  const value = valueIn(page)
  const { personalAttributes: own } = data
  // The MRZ does not contain it and the result has no confidence, so two recognisers must have read it alike.
  const issued = page.fields.find(({ field }) => field === 'issueDate')
  const isCertain = issued !== undefined && issued.confidence >= CERTAIN
  const issuingDate = data.issuingDate ?? (isCertain ? issued.value : undefined)
  const number = value('documentNumber')
  // Recognisers confuse O and 0 in a poor MRZ; the VIZ may be clearer.
  const isClearer = !isMrzSure && number !== undefined && isSameNumber(number, data.idDocumentNumber ?? '')
  return {
    ...data,
    ...(isClearer ? { idDocumentNumber: number } : {}),
    ...(issuingDate === undefined ? {} : { issuingDate }),
    personalAttributes: {
      ...own,
      ...(own.surname ? { surname: named(printedName(own.surname.value, value('surname'))) } : {}),
      ...(own.givenNames ? { givenNames: printedNames(own.givenNames, value('givenNames'), page) } : {}),
    },
    ...(data.address ? {} : addressOfPage(value('address'))),
  }
}

function printedName(inMrz: string, printed: string | undefined): string {
  const components = splitAllComponents(inMrz)
  return printed !== undefined && components.length > 0 && isSame(printed, components, false)
    ? printed
    : inMrz
}

function printedNames(
  inMrz: readonly NamedValue[],
  printed: string | undefined,
  { print = [] }: PageFacts,
): readonly NamedValue[] {
  const joined = inMrz.map(({ value }) => value).join(' ')
  const components = splitAllComponents(joined)
  // A father's name after the given names belongs to the holder if the page also prints them as in the MRZ.
  const isLonger =
    printed !== undefined &&
    continuesAfterName(printed, components) &&
    print.some(({ text }) => isSame(text, components, false))
  const name = isLonger ? printed : printedName(joined, printed)
  return name === joined ? inMrz : name.split(/\s+/).map(named)
}

const valueIn = (page: PageFacts) => (field: PageFieldName) =>
  page.fields.find((found) => found.field === field)?.value

/** Fewer values on a page of unknown kind are accidental. */
const MIN_VALUES = 3

/**
 * Returns null if the page states too little. `declaredType` is the caller's declaration; the page's own words have
 * precedence.
 */
export function dataOfPage(page: PageFacts, declaredType: DocumentType | null = null): IdDocumentData | null {
  const kind = page.kind ?? (page.fields.length >= MIN_VALUES ? (declaredType ?? 'ID_DOCUMENT') : null)
  if (kind === null) return null
  const value = valueIn(page)
  const optional = <K extends keyof IdDocumentData>(name: K, text: string | undefined) =>
    text === undefined ? {} : { [name]: text }
  return {
    idDocumentType: kind,
    ...optional('idDocumentNumber', value('documentNumber')),
    ...optional('cardNumber', value('cardNumber')),
    ...optional('issuingCountry', page.country ?? undefined),
    ...optional('issuingState', page.state ?? undefined),
    ...optional('issuingDate', value('issueDate')),
    ...optional('expiryDate', value('expiryDate')),
    personalAttributes: attributesOfPage(value, page.nationality),
    ...addressOfPage(value('address')),
  }
}

function attributesOfPage(
  value: (field: PageFieldName) => string | undefined,
  nationality: string | undefined,
): PersonalAttributes {
  const attribute = (name: keyof PersonalAttributes, text: string | undefined): PersonalAttributes =>
    text === undefined ? {} : { [name]: named(text) }
  const given = value('givenNames')
  return {
    ...attribute('surname', value('surname')),
    ...(given === undefined ? {} : { givenNames: given.split(/\s+/).map(named) }),
    ...attribute('fullname', value('fullName')),
    ...attribute('dateOfBirth', value('birthDate')),
    ...attribute('gender', value('sex')),
    ...attribute('nationality', nationality ?? value('nationality')),
  }
}

function addressOfPage(text: string | undefined): { address?: AddressData } {
  return text === undefined ? {} : { address: { fullAddress: text, verified: false } }
}
