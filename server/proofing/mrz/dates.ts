/** MRZ dates: two-digit years, unknown parts as fillers. */

/** Unknown or impossible parts are absent and never replaced by 1 January. */
export interface PartialDate {
  readonly year?: number
  readonly month?: number
  readonly day?: number
}

/**
 * The latest century in which the date is not after `now`, because a birth lies in the past (our rule: the standard has
 * none).
 */
export function readBirthDate(text: string, now: Date): PartialDate {
  const { yy, month, day } = readParts(text)
  if (yy === undefined) return { month, day }
  const century = Math.floor(now.getUTCFullYear() / 100) * 100
  const inFuture = Date.UTC(century + yy, (month ?? 1) - 1, day ?? 1) > now.getTime()
  return { year: inFuture ? century - 100 + yy : century + yy, month, day }
}

/** Longest known human life (122 years and 164 days, 1997). */
const MAX_LIFE_YEARS = 123

/**
 * All years that a two-digit birth year may mean, most likely first: a child or a person over a hundred. A printed
 * four-digit year decides.
 */
export function possibleBirthYears(text: string, now: Date): readonly number[] {
  const { year } = readBirthDate(text, now)
  if (year === undefined) return []
  const earlier = year - 100
  return now.getUTCFullYear() - earlier <= MAX_LIFE_YEARS ? [year, earlier] : [year]
}

/** The century closest to `now`. Covers the usual ten years back to fifteen ahead, and long expired documents. */
export function readExpiryDate(text: string, now: Date): PartialDate {
  const { yy, month, day } = readParts(text)
  if (yy === undefined) return { month, day }
  const thisYear = now.getUTCFullYear()
  const century = Math.floor(thisYear / 100) * 100
  const years = [century - 100 + yy, century + yy, century + 100 + yy]
  const year = years.reduce((best, y) => (Math.abs(y - thisYear) < Math.abs(best - thisYear) ? y : best))
  return { year, month, day }
}

/** YYYY-MM-DD if all parts are known and the date exists, else null. */
export function toIsoDate(date: PartialDate): string | null {
  const { year, month, day } = date
  if (year === undefined || month === undefined || day === undefined) return null
  const at = new Date(Date.UTC(year, month - 1, day))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.toISOString().slice(0, 10) : null
}

function readParts(text: string): { yy?: number; month?: number; day?: number } {
  return {
    yy: numberIn(text.slice(0, 2), 0, 99),
    month: numberIn(text.slice(2, 4), 1, 12),
    day: numberIn(text.slice(4, 6), 1, 31),
  }
}

function numberIn(text: string, least: number, most: number): number | undefined {
  if (!/^\d\d$/.test(text)) return undefined
  const value = Number(text)
  return value >= least && value <= most ? value : undefined
}
