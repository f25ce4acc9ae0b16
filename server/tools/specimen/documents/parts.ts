/** Values that several documents print, each with the truth that a reader should return. */
import type { PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'
import type { CalendarDate } from '../passport/holder.ts'
import { DATE_STYLES, truthDate, type CardFacts, type DateStyle } from './card-facts.ts'
import type { PrintedPart } from './layout.ts'
import { plainSpelling, type BirthDate } from './person.ts'

export type Parts = (facts: CardFacts) => readonly PrintedPart[]

const one =
  (field: PageFieldName | undefined, text: (facts: CardFacts) => string): Parts =>
  (facts) => [{ text: text(facts), field }]

export const fixed = (text: string, field?: PageFieldName): Parts => one(field, () => text)
export const surname = one('surname', ({ holder }) => holder.surname)
export const givenNames = one('givenNames', ({ holder }) => holder.givenNames.join(' '))
export const givenNamesWithCommas: Parts = ({ holder }) => [
  { text: holder.givenNames.join(', '), field: 'givenNames', truth: holder.givenNames.join(' ') },
]
export const documentNumber = one('documentNumber', (facts) => facts.documentNumber)
export const cardNumber = one('cardNumber', (facts) => facts.cardNumber)
export const personalNumber = one('personalNumber', (facts) => facts.personalNumber)
export const authority = one('authority', (facts) => facts.authority)
export const birthPlace = one('birthPlace', ({ holder }) => holder.birthPlace)
export const sex = one('sex', ({ holder }) => holder.sex)
export const nationality = fixed('UTOPIAN', 'nationality')

/** Names as North American and Australian cards print them: only letters A–Z. */
export const plainSurname = one('surname', ({ holder }) => plainSpelling(holder.surname))
export const plainGivenNames = one('givenNames', ({ holder }) =>
  holder.givenNames.map(plainSpelling).join(' '),
)

export const dateText = (
  date: BirthDate | CalendarDate,
  style: DateStyle,
  field: PageFieldName,
): PrintedPart => ({ text: DATE_STYLES[style](date), field, truth: truthDate(date) })

export const birthDate =
  (style: DateStyle): Parts =>
  ({ holder }) => [dateText(holder.birthDate, style, 'birthDate')]
export const issueDate =
  (style: DateStyle): Parts =>
  (facts) => [dateText(facts.issueDate, style, 'issueDate')]
export const expiryDate =
  (style: DateStyle): Parts =>
  (facts) => [dateText(facts.expiryDate, style, 'expiryDate')]

/** Street on the first line, town on the second; the truth is both, joined by a blank. */
export const street = one('address', ({ holder }) => holder.address.street)
export const town = one('address', ({ holder }) => `${holder.address.city} ${holder.address.postcode}`)
export const addressInOneLine = one(
  'address',
  ({ holder: { address } }) => `${address.street}, ${address.city} ${address.postcode}`,
)
