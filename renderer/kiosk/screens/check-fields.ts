/** How a field of the document is shown: its word, its value for people, and what is kept from a neighbour's eyes. */
import type { CheckField, CheckFieldName, CountryView } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import { isolated } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'

/** Shown behind "Show": what others could use or should not know. */
const PRIVATE: readonly CheckFieldName[] = ['documentNumber', 'birthDate']
const NAMES: readonly CheckFieldName[] = ['name', 'givenNames', 'familyName']
const DATES: readonly CheckFieldName[] = ['birthDate', 'expiryDate']
const COUNTRIES: readonly CheckFieldName[] = ['issuingCountry', 'nationality']

export const isPrivate = ({ name, value }: CheckField) => PRIVATE.includes(name) && value !== null
export const isDate = (name: CheckFieldName) => DATES.includes(name)

/** What is to be shown at all: a person with a single name has no other part to miss. */
export function shownFields(fields: readonly CheckField[]): readonly CheckField[] {
  const shown = fields.filter(({ name, value }) => !(NAMES.includes(name) && value === null))
  // What was hard to read comes first.
  return [...shown].sort((a, b) => Number(b.hardToRead) - Number(a.hardToRead))
}

/** Dates in words, numbers with their end alone, the rest as printed. */
export function wordsOf({ formats, t }: ScreenContext, field: CheckField, isShown: boolean): string {
  const value = field.typed ?? field.value
  if (value === null) return t('check.missing')
  if (isDate(field.name)) {
    if (field.name !== 'birthDate' || isShown) return formats.date(value)
    return t('check.born', { date: formats.date(value, { withoutYear: true }), year: '••••' })
  }
  if (COUNTRIES.includes(field.name)) return countryWords((iso2) => formats.country(iso2), value)
  if (field.name === 'documentNumber' && !isShown) return masked(value)
  return value
}

/** The value and, where the document has it, the same in its own script above. */
export function valueOf(context: ScreenContext, field: CheckField, isShown: boolean): HTMLElement {
  const { t } = context
  const words = wordsOf(context, field, isShown)
  const isLatin = field.name === 'documentNumber'
  const main = isolated(words, isLatin ? 'ltr' : 'auto', isLatin ? 'mono' : '')
  return h(
    'span',
    { class: 'value', 'data-personal': true },
    field.original ? isolated(field.original.value, 'auto', 'value-original') : null,
    h('span', { class: field.original ? 'value-latin' : 'value-main' }, main),
    field.original ? h('span', { class: 'detail' }, t('check.latin')) : null,
    field.typed !== null && field.value !== null
      ? h('span', { class: 'detail' }, t('check.printed'), ' ', isolated(printed(context, field), 'auto'))
      : null,
    field.shortened ? h('span', { class: 'detail' }, t('check.shortened')) : null,
  )
}

function printed(context: ScreenContext, field: CheckField): string {
  return wordsOf(context, { ...field, typed: null }, true)
}

/** The last two characters stay, so that one's own number is known again. */
export function masked(value: string): string {
  const end = value.slice(-2)
  return `${'•'.repeat(Math.max(value.length - end.length, 3))}${end}`
}

function countryWords(country: (iso2: string) => string, iso3: string): string {
  const known = COUNTRY_OF.get(iso3)
  // No code flashes up before the names are there.
  if (known === undefined && !isLearned) return ''
  return known === undefined ? iso3 : `${known.name ?? country(known.iso2)} (${iso3})`
}

/** What a document's three letters stand for; learned from the list of countries, for Intl knows the two letters alone. */
const COUNTRY_OF = new Map<string, { readonly iso2: string; readonly name: string | null }>()
let isLearned = false
export function learnCountries(countries: readonly CountryView[]): void {
  isLearned = true
  for (const { iso3, iso2, name } of countries) COUNTRY_OF.set(iso3, { iso2, name })
}
