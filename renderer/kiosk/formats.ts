/**
 * Dates, numbers and names in the applicant's language, all by Intl. Printed values of a document (number,
 * code, reference) are never formatted: they keep their digits.
 */
import { getLanguage } from '../locales/index.ts'
import type { Formats } from './screen-context.ts'

export function createFormats(language: string): Formats {
  // Intl reads a bare "en" as American English; the screens use British dates ("5 July 1964").
  const tag = language === 'en' ? 'en-GB' : language
  // Documents count years in the Gregorian calendar, whatever calendar the language prefers.
  const date = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { calendar: 'gregory', timeZone: 'UTC', ...parts })
  const countries = new Intl.DisplayNames(tag, { type: 'region', fallback: 'code' })
  const numbers = new Intl.NumberFormat(tag)
  return {
    date: (isoDate, { withoutYear = false } = {}) => {
      const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(isoDate) ?? []
      const known: Intl.DateTimeFormatOptions = {
        ...(known00(year) && !withoutYear ? { year: 'numeric' } : {}),
        ...(known00(month) ? { month: 'long' } : {}),
        // A day without its month has no meaning.
        ...(known00(day) && known00(month) ? { day: 'numeric' } : {}),
      }
      if (Object.keys(known).length === 0) return ''
      const [y, m, d] = [Number(year) || 2000, Number(month) || 1, Number(day) || 1]
      const moment = new Date(0)
      moment.setUTCFullYear(y, m - 1, d)
      const written = date(known).format(moment)
      // Intl has no ordinal for the first of a month, but French requires it.
      return known.day && language === 'fr' ? written.replace(/^1(?= )/, '1er') : written
    },
    country: (iso2) => {
      // Show codes that Intl does not know (UTO, invalid codes) unchanged.
      try {
        return countries.of(iso2) ?? iso2
      } catch {
        return iso2
      }
    },
    number: (value) => numbers.format(value),
    language: (other) => getLanguage(other).name,
  }
}

function known00(part: string): boolean {
  return part !== '' && Number(part) !== 0
}
