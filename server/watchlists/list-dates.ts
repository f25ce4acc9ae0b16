/** Reads the dates of published lists as spans of days. Returns null for a date that it does not understand. */
import { spanFrom, parseSpan } from '../proofing/watchlist/births.ts'
import type { DateSpan } from '../proofing/watchlist/listed.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** "circa 1960" may be a year off. Our choice: a further year off still counts as near. */
const CIRCA_YEARS = 1
/** Width of a span of birth years with an open end. */
const MAX_LIFE_YEARS = 120

/** "12 Mar 1960", "Mar 1960", "1960", "circa 1960", "1958 to 1960", and ISO 8601. */
export function readListDate(text: string): DateSpan | null {
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const ends = plain.split(/ to | - /)
  if (ends.length === 2) {
    const [first, last] = ends.map(readListDate)
    return first && last ? spanFrom(first, last) : null
  }
  const circa = /^(?:circa|approximately|c\.) (.+)$/.exec(plain)
  return circa ? widened(readDate(circa[1])) : readDate(plain)
}

/** Builds a date from parts; month and day may be missing. */
export function dateOfParts(year: string, month = '', day = ''): DateSpan | null {
  const parts = [year, month, month && day].filter((part) => part !== '')
  return parseSpan(parts.map((part, i) => part.padStart(i === 0 ? 4 : 2, '0')).join('-'))
}

/** A span of birth years of which one end may not be stated. Null if neither is. */
export function spanOfYears(first = '', last = ''): DateSpan | null {
  const from = first === '' ? Number(last) - MAX_LIFE_YEARS : Number(first)
  const to = last === '' ? Number(first) + MAX_LIFE_YEARS : Number(last)
  const [begin, end] = [from, to].map((year) => dateOfParts(String(year)))
  return begin && end ? spanFrom(begin, end) : null
}

function readDate(text: string): DateSpan | null {
  const worded = /^(?:(\d{1,2}) )?([a-z]{3,9})\.? (\d{4})$/.exec(text)
  if (!worded) return parseSpan(text.replace(/t\d\d:.*$/, ''))
  const [, day, name, year] = worded
  const month = MONTHS.indexOf(name.slice(0, 3)) + 1
  return month === 0 ? null : dateOfParts(year, String(month), day)
}

function widened(span: DateSpan | null): DateSpan | null {
  if (span === null) return null
  const shift = (day: string, years: number): string => `${Number(day.slice(0, 4)) + years}`
  return spanFrom(
    { from: `${shift(span.from, -CIRCA_YEARS)}-01-01`, to: span.to },
    { from: span.from, to: `${shift(span.to, CIRCA_YEARS)}-12-31` },
  )
}
