/**
 * The check WATCHLIST: what is asked of the lists, what they answer, and what the answer is worth. A hit is a question
 * for a person, never a rejection: lists are full of namesakes. Knows no list and searches none.
 */
import { DAY_MS } from '../time.ts'
import { checked, doubted, notChecked, type Finding } from './finding.ts'

/** Who is looked for. Never leaves the appliance, and never its memory. */
export interface ScreenedPerson {
  readonly givenNames: readonly string[]
  readonly surname: string | null
  /** In one piece, where nobody knows which part is which. */
  readonly fullname: string | null
  /** yyyy-MM-dd; parts that are not known are absent from the end: "1974", "1974-08". Null: not known at all. */
  readonly dateOfBirth: string | null
  /** ISO 3166-1 alpha-3, of nationality and of issuing states. */
  readonly countries: readonly string[]
  readonly documentNumbers: readonly string[]
}

/**
 * CLEAR: nobody on the lists comes near. POSSIBLE: near enough that a person should look. HIT: the same, as far as lists
 * can tell. UNKNOWN: there is no list, or nothing to look for.
 */
export type ScreeningOutcome = 'CLEAR' | 'POSSIBLE' | 'HIT' | 'UNKNOWN'

export interface Screening {
  readonly outcome: ScreeningOutcome
  /** Of the nearest entry, 0 to 1; null where nothing was compared. */
  readonly score: number | null
  /** The score from which on a person looks. */
  readonly threshold: number
  readonly lists: readonly ScreenedList[]
  /** Ids of the nearest entries in their lists, as published; not the names that they hold. */
  readonly entries: readonly string[]
}

export interface ScreenedList {
  readonly name: string
  /** Day of the list itself, or of its import where the file does not say: yyyy-MM-dd. */
  readonly date: string
  readonly sha256: string
}

/** What `server/watchlists` offers: every list that is imported is searched. Throws nothing that names the person. */
export type ScreenPerson = (person: ScreenedPerson) => Screening | Promise<Screening>

export interface WatchlistLimits {
  /** A list that is older says nothing about who was added since. */
  readonly listDays: number
}

/** @param today the last day that may be today: in doubt a list is too old */
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
      lists.flatMap(({ name, date, sha256 }, index) => [
        [`list${index + 1}`, name],
        [`list${index + 1}Date`, date],
        [`list${index + 1}Sha256`, sha256],
      ]),
    ),
    ...(entries.length > 0 ? { entries: entries.join(' ') } : {}),
  }
  // Who is on an old list is on it still, most likely: a person looks all the same.
  if (outcome === 'HIT' || outcome === 'POSSIBLE') {
    return doubted('WATCHLIST', measured)
  }
  if (outcome === 'UNKNOWN' || isOutdated(lists, listDays, today)) return notChecked('WATCHLIST', measured)
  return checked('WATCHLIST', measured)
}

/** None, or any of them too old. */
export function isOutdated(lists: readonly ScreenedList[], listDays: number, today: string): boolean {
  return lists.length === 0 || lists.some(({ date }) => isOlderThan(date, listDays, today))
}

/** Also where the day cannot be read. */
export function isOlderThan(date: string, days: number, today: string): boolean {
  return !((Date.parse(today) - Date.parse(date)) / DAY_MS <= days)
}
