/** Shows a field of the document: its label, its readable value, and the masking against bystanders. */
import type { CheckField, CheckFieldName, CountryView } from '../../../server/kiosk/contract/index.ts'
import { h } from '../../dom.ts'
import { isolateText } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'

/** Hidden behind "Show": values that bystanders could misuse. */
const PRIVATE: readonly CheckFieldName[] = ['documentNumber', 'birthDate']
const NAMES: readonly CheckFieldName[] = ['name', 'givenNames', 'familyName']
const DATES: readonly CheckFieldName[] = ['birthDate', 'expiryDate']
const COUNTRIES: readonly CheckFieldName[] = ['issuingCountry', 'nationality']

export const isPrivate = ({ name, value }: CheckField) => PRIVATE.includes(name) && value !== null
export const isDate = (name: CheckFieldName) => DATES.includes(name)

/** Selects the fields to show. A person with a single name has no missing name part. */
export function shownFields(fields: readonly CheckField[]): readonly CheckField[] {
  const shown = fields.filter(({ name, value }) => !(NAMES.includes(name) && value === null))
  // Fields that were hard to read come first.
  return [...shown].sort((a, b) => Number(b.hardToRead) - Number(a.hardToRead))
}

/** Formats a value: dates in words, private numbers masked, the rest as printed. */
export function formatField({ formats, t }: ScreenContext, field: CheckField, isShown: boolean): string {
  const value = field.typed ?? field.value
  if (value === null) return t('check.missing')
  if (isDate(field.name)) {
    if (field.name !== 'birthDate' || isShown) return formats.date(value)
    return t('check.born', { date: formats.date(value, { withoutYear: true }), year: '••••' })
  }
  if (COUNTRIES.includes(field.name)) return countryWords((iso2) => formats.country(iso2), value)
  if (field.name === 'documentNumber' && !isShown) return maskValue(value)
  return value
}

/** The value, with the original script above it if the document has one. */
export function drawValue(context: ScreenContext, field: CheckField, isShown: boolean): HTMLElement {
  const { t } = context
  const words = formatField(context, field, isShown)
  const isLatin = field.name === 'documentNumber'
  const main = isolateText(words, isLatin ? 'ltr' : 'auto', isLatin ? 'mono' : '')
  return h(
    'span',
    { class: 'value', 'data-personal': true },
    field.original ? isolateText(field.original.value, 'auto', 'value-original') : null,
    h('span', { class: field.original ? 'value-latin' : 'value-main' }, main),
    field.original ? h('span', { class: 'detail' }, t('check.latin')) : null,
    field.typed !== null && field.value !== null
      ? h('span', { class: 'detail' }, t('check.printed'), ' ', isolateText(printed(context, field), 'auto'))
      : null,
    field.shortened ? h('span', { class: 'detail' }, t('check.shortened')) : null,
  )
}

function printed(context: ScreenContext, field: CheckField): string {
  return formatField(context, { ...field, typed: null }, true)
}

/** Keeps the last two characters, so that applicants recognise their own number. */
export function maskValue(value: string): string {
  const end = value.slice(-2)
  return `${'•'.repeat(Math.max(value.length - end.length, 3))}${end}`
}

function countryWords(country: (iso2: string) => string, iso3: string): string {
  const known = COUNTRY_OF.get(iso3)
  // Show nothing until the names are loaded, so that no code appears first.
  if (known === undefined && !isLearned) return ''
  return known === undefined ? iso3 : `${known.name ?? country(known.iso2)} (${iso3})`
}

/** Maps three-letter codes to countries, from the server's list: Intl knows only two-letter codes. */
const COUNTRY_OF = new Map<string, { readonly iso2: string; readonly name: string | null }>()
let isLearned = false
export function learnCountries(countries: readonly CountryView[]): void {
  isLearned = true
  for (const { iso3, iso2, name } of countries) COUNTRY_OF.set(iso3, { iso2, name })
}
