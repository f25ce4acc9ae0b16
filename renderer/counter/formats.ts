/**
 * Dates, spans and numbers of the counter: in the reader's language, local time, 24 hours, by Intl. Pure
 * except for the clock that it is given.
 */
import type { KitTranslate } from './text.tsx'

export interface Formats {
  /** "21 Nov 2026, 14:05", in local time. */
  dateTime(iso: string): string
  /** `14:05` */
  readonly time: (iso: string) => string
  /** "21 Nov 2026" */
  readonly day: (iso: string) => string
  /** Shows a read or typed value; formats it if it is a date. */
  readonly value: (text: string) => string
  /** "5 minutes ago", "in 2 hours" */
  relative(iso: string, now?: number): string
  /** "4 min 12 s"; with hours and days if it is longer. */
  span(ms: number): string
  number(value: number, digits?: number): string
  percent(share: number): string
  bytes(count: number): string
  language(tag: string): string
  country(code: string): string
  /** "a, b, c" with the comma of the language. */
  list(words: readonly string[]): string
  /** "a, b and c" */
  and(words: readonly string[]): string
  /** "a, b or c" */
  or(words: readonly string[]): string
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

const SIZES = [
  ['gigabyte', 1_000_000_000, 1],
  ['megabyte', 1_000_000, 1],
  ['kilobyte', 1_000, 0],
] as const

export function createFormats(tag: string, t: KitTranslate): Formats {
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  // References, times and counts are compared with paper: their digits stay 0-9.
  const numbers = `${tag}-u-nu-latn`
  // Intl reads a bare "en" as American English.
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag === 'en' ? 'en-GB-u-nu-latn' : numbers, {
      dateStyle: 'medium',
      calendar: 'gregory',
      ...options,
    })
  const [local, asWritten] = [dates({}), dates({ timeZone: 'UTC' })]
  // A date without a time is the same day in every time zone.
  const day = (iso: string) =>
    WHOLE_DAY.test(iso) ? asWritten.format(new Date(`${iso}T00:00Z`)) : local.format(parseUtcTime(iso))
  const languages = new Intl.DisplayNames(tag, { type: 'language' })
  const countries = new Intl.DisplayNames(tag, { type: 'region' })
  const all = new Intl.ListFormat(tag, { type: 'conjunction' })
  const any = new Intl.ListFormat(tag, { type: 'disjunction' })
  const lists = new Intl.ListFormat(tag, { style: 'short', type: 'unit' })
  return {
    list: (words) => lists.format(words),
    and: (words) => all.format(words),
    or: (words) => any.format(words),
    // A list by Intl would put "and" between the two in French, Spanish and Arabic.
    dateTime: (iso) => `${day(iso)}${tag === 'ar' ? '،' : ','} ${time(iso)}`,
    time,
    day,
    value: (text) => (WHOLE_DAY.test(text) && !text.includes('-00') ? day(text) : text),
    relative: (iso, now = Date.now()) => {
      const ms = parseUtcTime(iso).getTime() - now
      for (const [unit, size] of STEPS)
        if (Math.abs(ms) >= size) return relative.format(Math.trunc(ms / size), unit)
      return t('time.now')
    },
    span: (ms) => {
      if (ms < MINUTE) return t('span.seconds', { seconds: Math.round(ms / SECOND) })
      if (ms < HOUR)
        return t('span.minutes', {
          minutes: Math.floor(ms / MINUTE),
          seconds: Math.floor((ms % MINUTE) / SECOND),
        })
      if (ms < DAY)
        return t('span.hours', { hours: Math.floor(ms / HOUR), minutes: Math.floor((ms % HOUR) / MINUTE) })
      // A limit of whole days: "1 day", not "1 d 0 h".
      if (ms % DAY < HOUR)
        return new Intl.NumberFormat(numbers, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(
          Math.floor(ms / DAY),
        )
      return t('span.days', { days: Math.floor(ms / DAY), hours: Math.floor((ms % DAY) / HOUR) })
    },
    number: (value, digits = 2) =>
      new Intl.NumberFormat(numbers, { maximumFractionDigits: digits }).format(value),
    percent: (share) =>
      new Intl.NumberFormat(numbers, { style: 'percent', maximumFractionDigits: 1 }).format(share),
    bytes: (count) => {
      const [unit, size, maximumFractionDigits] = SIZES.find(([, least]) => count >= least) ?? SIZES[2]
      const amount = maximumFractionDigits === 0 ? Math.ceil(count / size) : count / size
      return new Intl.NumberFormat(numbers, { style: 'unit', unit, maximumFractionDigits }).format(amount)
    },
    language: (code) => findDisplayName(languages, code),
    country: (code) => findDisplayName(countries, code),
  }
}

/** Parses a timestamp of the server, which is UTC even without a zone. */
export function parseUtcTime(iso: string): Date {
  return new Date(/T.*(Z|[+-]\d{2}:?\d{2})$/.test(iso) ? iso : `${iso}Z`)
}

const two = (value: number): string => String(value).padStart(2, '0')

const WHOLE_DAY = /^\d{4}-\d{2}-\d{2}$/

/** `2026-11-21` in local time, as date fields and addresses use it. */
export function isoDay(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

function time(iso: string): string {
  const at = parseUtcTime(iso)
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Codes that Intl does not know, such as Utopia, stay unchanged. */
function findDisplayName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
