/**
 * Do the dates on a document fit each other, the day, and what its issuers do? A date of which a part is unknown is held
 * to be any date that it may stand for: only what cannot be true of any of them is a contradiction. Never says which
 * date is wrong, and never that a document is genuine.
 */
import type { Span } from './expiry.ts'
import type { CheckOutcome } from './judge.ts'
import type { PartialDate } from './mrz/dates.ts'

export const DATE_CONTRADICTIONS = [
  'BORN_IN_FUTURE',
  'OLDER_THAN_ANYBODY',
  'ISSUED_IN_FUTURE',
  'ISSUED_BEFORE_BIRTH',
  'ISSUED_AFTER_EXPIRY',
  'ISSUED_TO_CHILD',
  'VALID_TOO_LONG',
  'EXPIRES_TOO_LATE',
] as const
export type DateContradiction = (typeof DATE_CONTRADICTIONS)[number]

export interface DocumentDates {
  readonly birth: PartialDate | null
  readonly issue: PartialDate | null
  readonly expiry: PartialDate | null
}

/** In years; data (resources/authenticity.json). */
export interface DateLimits {
  /** The longest that documents of this kind are valid. */
  readonly validYears: number
  /** The least age at which documents of this kind are issued. */
  readonly leastAge: number
  /** The greatest age of a holder. */
  readonly mostAge: number
}

export interface DatePlausibility {
  readonly outcome: CheckOutcome
  readonly contradictions: readonly DateContradiction[]
  /** How many of the three dates are known well enough to be compared. */
  readonly datesKnown: number
}

/** A leap day, time zones and issuers who count the day of issue twice. */
const SLACK_DAYS = 3
const DAY_MS = 86_400_000
/** Gregorian mean. */
const YEAR_MS = 365.2425 * DAY_MS

/** `now`: the moments that may be now; a date lies in the future only where it does at every one of them. */
export function datePlausibility(dates: DocumentDates, limits: DateLimits, now: Span): DatePlausibility {
  const birth = rangeOf(dates.birth)
  const issue = rangeOf(dates.issue)
  const expiry = rangeOf(dates.expiry)
  const latestNow = now.latest.getTime() + DAY_MS
  const earliestNow = now.earliest.getTime() - DAY_MS
  const longest = limits.validYears * YEAR_MS + SLACK_DAYS * DAY_MS
  const holds: Readonly<Record<DateContradiction, boolean>> = {
    BORN_IN_FUTURE: birth !== null && birth.first > latestNow,
    OLDER_THAN_ANYBODY: birth !== null && birth.last < earliestNow - limits.mostAge * YEAR_MS,
    ISSUED_IN_FUTURE: issue !== null && issue.first > latestNow,
    ISSUED_BEFORE_BIRTH: issue !== null && birth !== null && issue.last < birth.first,
    ISSUED_AFTER_EXPIRY: issue !== null && expiry !== null && issue.first > expiry.last,
    ISSUED_TO_CHILD:
      issue !== null && birth !== null && issue.last < birth.first + limits.leastAge * YEAR_MS - DAY_MS,
    VALID_TOO_LONG: issue !== null && expiry !== null && expiry.first - issue.last > longest,
    EXPIRES_TOO_LATE: expiry !== null && expiry.first > now.latest.getTime() + longest,
  }
  const contradictions = DATE_CONTRADICTIONS.filter((name) => holds[name])
  const datesKnown = [birth, issue, expiry].filter((range) => range !== null).length
  const outcome = contradictions.length > 0 ? 'failed' : datesKnown >= 2 ? 'passed' : 'inconclusive'
  return { outcome, contradictions, datesKnown }
}

/** Days that the date may be, as milliseconds of their beginnings; null where not even the year is known. */
function rangeOf(date: PartialDate | null): { first: number; last: number } | null {
  if (date?.year === undefined) return null
  const { year, month, day } = date
  const first = Date.UTC(year, (month ?? 1) - 1, month === undefined ? 1 : (day ?? 1))
  const last =
    month === undefined
      ? Date.UTC(year, 11, 31)
      : day === undefined
        ? Date.UTC(year, month, 0)
        : Date.UTC(year, month - 1, day)
  return { first, last }
}

/** YYYY-MM-DD as parts; null for anything else. */
export function partsOf(isoDate: string | null | undefined): PartialDate | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(isoDate ?? '')
  return parts ? { year: Number(parts[1]), month: Number(parts[2]), day: Number(parts[3]) } : null
}
