/** Compares a date of birth with those of a list, which contain days, months, years and ranges of years. */
import type { DateSpan } from './listed.ts'

/**
 * DAY: the same day. RANGE: within the listed range, or both less precise than a day. NEAR: within a year, or the same
 * day with month and day swapped. UNKNOWN: one side states nothing.
 */
export const BIRTH_AGREEMENTS = ['DAY', 'RANGE', 'NEAR', 'UNKNOWN', 'DIFFERENT'] as const
export type BirthAgreement = (typeof BIRTH_AGREEMENTS)[number]

/** Domain rule: a date of birth counts if it is off by at most a year, including a leap day. */
const NEAR_DAYS = 366
const DAY_MS = 86_400_000

/** Parses "1974", "1974-08" or "1974-08-12"; null for anything else, such as 30 February. */
export function parseSpan(text: string): DateSpan | null {
  const parts = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text)
  if (!parts) return null
  const [, year, month, day] = parts
  if (month === undefined) return { from: `${year}-01-01`, to: `${year}-12-31` }
  if (day !== undefined) return isDay(text) ? { from: text, to: text } : null
  return isDay(`${text}-01`) ? { from: `${text}-01`, to: lastOfMonth(Number(year), Number(month)) } : null
}

/** The span from the first day of one to the last day of the other; null if they are in the wrong order. */
export function spanFrom(first: DateSpan, last: DateSpan): DateSpan | null {
  return first.from <= last.to ? { from: first.from, to: last.to } : null
}

/** The best agreement among all listed dates. */
export function birthAgreement(born: DateSpan | null, listed: readonly DateSpan[]): BirthAgreement {
  if (born === null || listed.length === 0) return 'UNKNOWN'
  const found = new Set(listed.map((span) => compareSpans(born, span)))
  return (['DAY', 'RANGE', 'NEAR'] as const).find((agreement) => found.has(agreement)) ?? 'DIFFERENT'
}

function compareSpans(one: DateSpan, other: DateSpan): Exclude<BirthAgreement, 'UNKNOWN'> {
  if (one.from <= other.to && other.from <= one.to) {
    return isOneDay(one) && isOneDay(other) && !isNewYear(one.from) ? 'DAY' : 'RANGE'
  }
  const gap = one.to < other.from ? daysBetween(one.to, other.from) : daysBetween(other.to, one.from)
  // Month and day swapped (1974-08-12 for 1974-12-08) are also within a year.
  return gap <= NEAR_DAYS ? 'NEAR' : 'DIFFERENT'
}

/** Authorities that know only the year write 1 January. */
function isNewYear(day: string): boolean {
  return day.endsWith('-01-01')
}

function isOneDay({ from, to }: DateSpan): boolean {
  return from === to
}

function daysBetween(earlier: string, later: string): number {
  return Math.round((Date.parse(later) - Date.parse(earlier)) / DAY_MS)
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

function lastOfMonth(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
}
