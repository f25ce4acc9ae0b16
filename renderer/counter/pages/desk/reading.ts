/**
 * Values typed from the picture of a document: the draft of the form, its missing and its impossible fields.
 * Pure.
 */
import type { DeskCase, DraftBody } from '../../../../server/counter/contract/desk.ts'
import { splitGivenNames, NO_NAME, type NameDraft } from '../assist/name-fields.tsx'

type Values = NonNullable<DraftBody['values']>
export type ReadingOffer = NonNullable<DeskCase['reading']>
export type Kind = ReadingOffer['kinds'][number]

export interface ReadingDraft extends NameDraft {
  readonly kind: Kind | ''
  readonly number: string
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  /** Abbreviation; for driving licences that a state issues. */
  readonly state: string
  readonly expires: string
}
export type ReadingField = Exclude<keyof ReadingDraft, 'givenNames'>

export const NOTHING_READ: ReadingDraft = {
  ...NO_NAME,
  kind: '',
  number: '',
  country: '',
  state: '',
  expires: '',
}

/** Countries whose states issue driving licences (spec "Issuing states"). */
const FEDERAL: readonly string[] = ['AUS', 'USA']

export function needsState({ kind, country }: ReadingDraft): boolean {
  return kind === 'DRIVING_LICENSE' && FEDERAL.includes(country)
}

/** Lists the missing fields in the order of the form. */
export function listMissingFields(draft: ReadingDraft): readonly ReadingField[] {
  const { kind, country, state, givenNames, surname, birthDate, number } = draft
  const isEmpty: readonly (readonly [ReadingField, boolean])[] = [
    ['kind', kind === ''],
    ['country', country === ''],
    ['state', needsState(draft) && state.trim() === ''],
    // A single name may be in either field.
    ['surname', `${givenNames}${surname}`.trim() === ''],
    ['birthDate', birthDate === ''],
    ['number', number.trim() === ''],
  ]
  return isEmpty.flatMap(([field, empty]) => (empty ? [field] : []))
}

/** Lists the dates that no valid document can have. `today`: yyyy-MM-dd. */
export function listImpossibleDates(
  { birthDate, expires }: ReadingDraft,
  today: string,
): readonly ReadingField[] {
  return [
    ...(birthDate > today ? (['birthDate'] as const) : []),
    ...(expires !== '' && expires < today ? (['expires'] as const) : []),
  ]
}

/** Null while a field is missing or impossible. */
export function toValues(draft: ReadingDraft, today: string): Values | null {
  if (
    listMissingFields(draft).length > 0 ||
    listImpossibleDates(draft, today).length > 0 ||
    draft.kind === ''
  )
    return null
  const { kind, number, country, state, expires, givenNames, surname, birthDate } = draft
  const family = surname.trim()
  const given = splitGivenNames(givenNames)
  const name = family
    ? {
        surname: { value: family },
        ...(given.length > 0 ? { givenNames: given.map((value) => ({ value })) } : {}),
      }
    : { fullname: { value: given.join(' ') } }
  return {
    idDocumentType: kind,
    idDocumentNumber: number.trim(),
    issuingCountry: country,
    ...(needsState(draft) ? { issuingState: state.trim().toUpperCase() } : {}),
    ...(expires ? { expiryDate: expires } : {}),
    personalAttributes: { ...name, dateOfBirth: { value: birthDate } },
  }
}

/** Restores the form of a withdrawn decision; otherwise only the known kind is filled in. */
export function toDraft({ typed, kinds }: ReadingOffer, type: string): ReadingDraft {
  const known = kinds.find((kind) => kind === type) ?? ''
  if (!typed) return { ...NOTHING_READ, kind: known }
  const { givenNames, surname, fullname, dateOfBirth } = typed.personalAttributes ?? {}
  return {
    kind: typed.idDocumentType ?? known,
    number: typed.idDocumentNumber ?? '',
    country: typed.issuingCountry ?? '',
    state: typed.issuingState ?? '',
    expires: typed.expiryDate ?? '',
    givenNames: givenNames?.map(({ value }) => value).join(' ') ?? fullname?.value ?? '',
    surname: surname?.value ?? '',
    birthDate: dateOfBirth?.value ?? '',
  }
}
