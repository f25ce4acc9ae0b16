export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Date-times of the API: UTC, `yyyy-MM-ddTHH:mm:ss.SSS`, without zone suffix (spec "Resources"). */
export function formatSpecDateTime(at: Date): string {
  return at.toISOString().slice(0, 23)
}

/** First and last possible current day. */
export type Today = readonly [first: string, last: string]

export function getToday(span: { readonly earliest: Date; readonly latest: Date }): Today {
  return [formatSpecDate(span.earliest), formatSpecDate(span.latest)]
}

/** Dates of the API: `yyyy-MM-dd`, UTC. */
export function formatSpecDate(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** Local calendar day as `YYYY-MM-DD` in the machine's time zone. */
export function getLocalDay(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
