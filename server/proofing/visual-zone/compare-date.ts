/** Compares a printed date with one that may be incomplete. */
import type { Comparison } from '../consistency.ts'
import type { PartialDate } from '../mrz/dates.ts'
import { CERTAIN, type PageFacts, type PageField } from './page-facts.ts'
import { MIN_ERRORS, readingErrors } from './spelling.ts'

export function compareDate(
  page: PageFacts,
  name: 'birthDate' | 'expiryDate',
  expected: PartialDate,
): Comparison {
  const printed = page.fields.find(({ field }) => field === name) ?? null
  if (Object.values(expected).every((part) => part === undefined)) return 'unclear'
  if (printed && agreesWith(printed.value, expected)) return 'same'
  if (!printed || !isWhole(expected)) return 'unclear'
  const others = (page.dates ?? []).filter((date) => date.value !== printed.value)
  if (others.some(({ value }) => agreesWith(value, expected))) return 'unclear'
  return isCertain(printed) &&
    readingErrors(toMrzDate(printed.value), toMrzDate(toIso(expected))) >= MIN_ERRORS
    ? 'different'
    : 'unclear'
}

function isCertain({ confidence, foundBy }: PageField): boolean {
  return confidence >= CERTAIN && foundBy !== 'form'
}

/** Compares the parts that both state. The MRZ has no century, so the VIZ decides an ambiguous one. */
export function agreesWith(printed: string, { year, month, day }: PartialDate): boolean {
  const [y, m, d] = printed.split('-').map(Number)
  const same = (a: number | undefined, b: number | undefined) => a === undefined || b === undefined || a === b
  return same(y % 100, year === undefined ? undefined : year % 100) && same(m, month) && same(d, day)
}

const isWhole = ({ year, month, day }: PartialDate): boolean =>
  year !== undefined && month !== undefined && day !== undefined

export function toIso({ year = 0, month = 0, day = 0 }: PartialDate): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

export const toMrzDate = (date: string): string => date.slice(2).replaceAll('-', '')
