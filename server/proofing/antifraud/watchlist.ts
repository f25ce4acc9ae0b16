/**
 * Check WATCHLIST: query, answer and judgement of a screening. A hit is a question for an officer, never a rejection,
 * because lists contain many namesakes. Contains no list and no search.
 */
import { DAY_MS } from '../time.ts'
import { createOkFinding, createWarningFinding, createUnverifiedFinding, type Finding } from './finding.ts'

/** The person to search for. Stays in memory on the appliance. */
export interface ScreenedPerson {
  readonly givenNames: readonly string[]
  readonly surname: string | null
  /** Single string if the name's parts are unknown. */
  readonly fullname: string | null
  /** yyyy-MM-dd; unknown parts are absent from the end: "1974", "1974-08". Null if unknown. */
  readonly dateOfBirth: string | null
  /** ISO 3166-1 alpha-3 codes of nationality and issuing states. */
  readonly countries: readonly string[]
  readonly documentNumbers: readonly string[]
}

/**
 * CLEAR: no similar entry. POSSIBLE: similar enough for an officer to check. HIT: equal as far as lists allow. UNKNOWN:
 * no list, or nothing to search for.
 */
export type ScreeningOutcome = 'CLEAR' | 'POSSIBLE' | 'HIT' | 'UNKNOWN'

export interface Screening {
  readonly outcome: ScreeningOutcome
  /** Score of the most similar entry, 0 to 1; null if nothing was compared. */
  readonly score: number | null
  /** Minimum score for a check by an officer. */
  readonly threshold: number
  readonly lists: readonly ScreenedList[]
  /** Published ids of the most similar entries; no names. */
  readonly entries: readonly string[]
}

interface ScreenedList {
  readonly name: string
  /** Date of the list, or of its import if the file states none: yyyy-MM-dd. */
  readonly date: string
  /** Last day on which the publisher still had this edition: yyyy-MM-dd; null if that is not known. */
  readonly confirmedOn: string | null
  readonly sha256: string
}

interface WatchlistLimits {
  /** Maximum age of a list in days: an older one misses recent entries. */
  readonly listDays: number
}

/** @param today latest possible current day: in doubt a list is too old */
export function judgeWatchlist(
  { outcome, score, threshold, lists, entries }: Screening,
  { listDays }: WatchlistLimits,
  today: string,
): Finding {
  const measured = {
    threshold,
    ...(score === null ? {} : { score }),
    listDays,
    lists: lists.length,
    ...Object.fromEntries(
      lists.flatMap(({ name, date, confirmedOn, sha256 }, index) => [
        [`list${index + 1}`, name],
        [`list${index + 1}Date`, date],
        ...(confirmedOn === null ? [] : [[`list${index + 1}ConfirmedOn`, confirmedOn] as const]),
        [`list${index + 1}Sha256`, sha256],
      ]),
    ),
    ...(entries.length > 0 ? { entries: entries.join(' ') } : {}),
  }
  // A person on an outdated list is probably still listed, so an officer checks in any case.
  if (outcome === 'HIT' || outcome === 'POSSIBLE') {
    return createWarningFinding('WATCHLIST', measured)
  }
  if (outcome === 'UNKNOWN' || isOutdated(lists, listDays, today))
    return createUnverifiedFinding('WATCHLIST', measured)
  return createOkFinding('WATCHLIST', measured)
}

/** True if there is no list or any list is too old. */
export function isOutdated(lists: readonly ListAge[], listDays: number, today: string): boolean {
  return lists.length === 0 || lists.some((list) => isOlderThan(currentOn(list), listDays, today))
}

type ListAge = Pick<ScreenedList, 'date' | 'confirmedOn'>

/** The last day on which the list is known to be the newest edition. */
export function currentOn({ date, confirmedOn }: ListAge): string {
  return confirmedOn !== null && confirmedOn > date ? confirmedOn : date
}

/** Also true if the date cannot be parsed. */
export function isOlderThan(date: string, days: number, today: string): boolean {
  return !((Date.parse(today) - Date.parse(date)) / DAY_MS <= days)
}
