export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Date-times as the API writes them: UTC, `yyyy-MM-ddTHH:mm:ss.SSS`, no zone suffix (spec "Resources"). */
export function specDateTime(at: Date): string {
  return at.toISOString().slice(0, 23)
}

/** The first and the last day that may be today. */
export type Today = readonly [first: string, last: string]

export function todayIn(span: { readonly earliest: Date; readonly latest: Date }): Today {
  return [specDate(span.earliest), specDate(span.latest)]
}

/** A date as the API writes it: `yyyy-MM-dd`, UTC. */
export function specDate(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** The day on the wall of the branch, as `YYYY-MM-DD` in the machine's time zone. */
export function localDay(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
