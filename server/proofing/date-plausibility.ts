/**
 * Checks the dates on a document against each other, today and the validity of its kind. An incomplete date stands for
 * all dates it may be: only what none of them satisfies is a contradiction. Does not tell which date is wrong or that a
 * document is genuine.
 */
import type { Span } from './expiry.ts'
import type { CheckOutcome } from './judge.ts'
import type { PartialDate } from './mrz/dates.ts'

const DATE_CONTRADICTIONS = [
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

/** Unit: years; data (resources/authenticity.json). */
export interface DateLimits {
  /** Maximum validity of this kind of document. */
  readonly validYears: number
  /** Minimum age of a holder at issue. */
  readonly leastAge: number
  /** Maximum age of a holder. */
  readonly mostAge: number
}

interface DatePlausibility {
  readonly outcome: CheckOutcome
  readonly contradictions: readonly DateContradiction[]
  /** Number of dates (of three) that are complete enough to compare. */
  readonly datesKnown: number
}

/** Tolerance for leap days, time zones, and issuers who count the day of issue twice. */
const SLACK_DAYS = 3
const DAY_MS = 86_400_000
/** Mean Gregorian year. */
const YEAR_MS = 365.2425 * DAY_MS

/** `now`: interval of possible current times; a date is in the future only if it is for all of them. */
export function datePlausibility(dates: DocumentDates, limits: DateLimits, now: Span): DatePlausibility {
  const birth = computeRange(dates.birth)
  const issue = computeRange(dates.issue)
  const expiry = computeRange(dates.expiry)
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

/** First and last day that the date may be, as start of day in milliseconds; null without a year. */
function computeRange(date: PartialDate | null): { first: number; last: number } | null {
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

/** Parses YYYY-MM-DD; null for anything else. */
export function parseIsoDate(isoDate: string | null | undefined): PartialDate | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(isoDate ?? '')
  return parts ? { year: Number(parts[1]), month: Number(parts[2]), day: Number(parts[3]) } : null
}
