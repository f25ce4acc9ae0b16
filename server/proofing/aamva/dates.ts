/**
 * Dates of the AAMVA standard: eight digits whose order varies by edition, country and state. No eight digits are a date
 * between 1900 and 2199 in two of the orders, because a month is never a century.
 */

/** Placeholders for a missing value. */
const NOTHING = /^(0+|9+|-*|NONE|NO ?EXP\w*|UNAVL|UNAVAIL\w*|N\/?A|UNK\w*)$/i

export type DateOrder = 'month-first' | 'year-first' | 'day-first'

interface AamvaDate {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly order: DateOrder
}

export function isNothing(value: string): boolean {
  return NOTHING.test(value.trim())
}

/** Returns null for a date that does not exist. Ignores separators and text after the eight digits. */
export function readDate(value: string): AamvaDate | null {
  const figures = eightFigures(value)
  if (figures === null) return null
  const [a, b, c, d] = [figures.slice(0, 2), figures.slice(2, 4), figures.slice(4), figures.slice(0, 4)]
  const orders: readonly [DateOrder, string, string, string][] = [
    ['month-first', c, a, b],
    ['year-first', d, figures.slice(4, 6), figures.slice(6)],
    ['day-first', c, b, a],
  ]
  for (const [order, year, month, day] of orders) {
    if (isDay(Number(year), Number(month), Number(day))) return { date: `${year}-${month}-${day}`, order }
  }
  return null
}

function eightFigures(value: string): string | null {
  const plain = /^\D?(\d{8})(?!\d)/.exec(value.trim())
  if (plain) return plain[1]
  const parted = /^(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{1,4})(?!\d)/.exec(value.trim())
  const joined = parted
    ?.slice(1)
    .map((part) => (part.length === 1 ? `0${part}` : part))
    .join('')
  return joined?.length === 8 ? joined : null
}

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1900 || year > 2199 || month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Order that the edition prescribes: month first everywhere in 2003, later not in Canada. */
export function prescribedOrder(version: number, country: string): DateOrder {
  if (version <= 1) return 'year-first'
  return version > 2 && country === 'CAN' ? 'year-first' : 'month-first'
}
