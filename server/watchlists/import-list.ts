/**
 * Imports a list: reads it completely, then saves it in one transaction that replaces the list of that name. If the list
 * is refused, the earlier one stays unchanged. May run beside a server in use.
 */
import { v7 as uuidv7 } from 'uuid'
import { parseSpan } from '../proofing/watchlist/births.ts'
import { writeName } from '../proofing/watchlist/words.ts'
import { DAY_MS, formatSpecDate } from '../proofing/time.ts'
import type { Store } from '../store/open.ts'
import type { StoredWatchlist } from '../store/watchlists.ts'
import { ListRefused } from './parsed-list.ts'
import { LIST_NAME, type ListFormat } from '../proofing/watchlist/list-formats.ts'
import { readList, type ListInput, type ReadList } from './read-list.ts'

const DEFAULT_NAMES: Readonly<Record<ListFormat, string | null>> = {
  'ofac-csv': 'ofac-sdn',
  'ofac-xml': 'ofac-sdn',
  'un-xml': 'un-consolidated',
  'eu-xml': 'eu-consolidated',
  'uk-xml': 'uk-sanctions',
  'swiss-xml': 'swiss-seco',
  csv: null,
}
/** A list that lost more than this share of its persons was most likely cut off. Our choice. */
const MAX_LOST = 0.5

export interface ImportOptions extends ListInput {
  readonly name?: string | undefined
  /** yyyy-MM-dd */
  readonly date?: string | undefined
  /** Accepts a list that shrank or is older than the one it replaces. */
  readonly force: boolean
  /** Day for a file that states none and without `date`. */
  readonly fallbackDate?: string | undefined
  /** Changes nothing if the present list of that name has the same content. */
  readonly skipsSame?: boolean
}

export interface Imported {
  readonly list: StoredWatchlist
  readonly leftOut: number
  /** Persons whose names cannot be written in Latin letters; only a document number or identical characters find them. */
  readonly unwritable: number
  readonly before: number | null
  /** `skipsSame` was set, and the present list has the same content. */
  readonly isSame: boolean
}

/** Throws ListRefused, and then changes nothing. */
export async function importList(
  store: Store,
  options: ImportOptions,
  now: Date,
  author?: { readonly actor: string },
): Promise<Imported> {
  const read = await readList(options)
  const name = chooseName(options, read.format)
  const same = options.skipsSame === true ? store.watchlists.find(name) : null
  if (same?.sha256 === read.sha256)
    return { list: same, leftOut: read.leftOut, unwritable: 0, before: same.entries, isSame: true }
  const date = chooseDate(options, read, now)
  const { format, sha256, files, persons } = read
  const list = { id: uuidv7(), name, format, sha256, files, date, importedAt: now }
  const before = store.transaction(() => {
    const present = store.watchlists.find(name)
    if (present && !options.force) refuseStepBack(present, persons.length, date)
    store.watchlists.replace(list, persons)
    const body = { listId: list.id, sha256, entries: persons.length }
    store.events.append('watchlist.imported', null, body, now, author)
    return present
  })
  return {
    list: { ...list, entries: persons.length, confirmedOn: null },
    leftOut: read.leftOut,
    unwritable: persons.filter(({ names }) => names.every(({ text }) => writeName(text) === null)).length,
    before: before?.entries ?? null,
    isSame: false,
  }
}

/** Returns whether the list existed. */
export function removeList(
  store: Store,
  name: string,
  now: Date,
  author?: { readonly actor: string },
): boolean {
  return store.transaction(() => {
    const present = store.watchlists.find(name)
    if (!present) return false
    store.watchlists.remove(name)
    store.events.append('watchlist.removed', null, { listId: present.id }, now, author)
    return true
  })
}

function refuseStepBack(present: StoredWatchlist, persons: number, date: string): void {
  if (persons < present.entries * (1 - MAX_LOST))
    throw new ListRefused(
      `${persons} persons are less than half of the ${present.entries} before: the file may be cut off`,
      { option: '--force imports it anyway' },
    )
  if (date < present.date)
    throw new ListRefused(`the list is of ${date}, older than the present one (${present.date})`, {
      option: '--force imports it anyway',
    })
}

function chooseName({ name, file }: ImportOptions, format: ListFormat): string {
  const ofFile = (file.split(/[\\/]/).at(-1) ?? '').replace(/\.[^.]*$/, '')
  const wanted = (name ?? DEFAULT_NAMES[format] ?? ofFile).toLowerCase()
  if (!LIST_NAME.test(wanted))
    throw new ListRefused('--name takes up to 40 letters, digits, dots, hyphens and underscores')
  return wanted
}

/** The age of a list decides how much the absence of a match is worth, so a list without a date is refused. */
function chooseDate({ date, fallbackDate }: ImportOptions, { date: inFile }: ReadList, now: Date): string {
  if (date !== undefined && (!/^\d{4}-\d{2}-\d{2}$/.test(date) || parseSpan(date) === null))
    throw new ListRefused('--date takes a day as yyyy-MM-dd')
  if (date !== undefined && inFile !== null && date !== inFile)
    throw new ListRefused(`the file says that it is of ${inFile}`)
  const day = inFile ?? date ?? fallbackDate
  if (day === undefined)
    throw new ListRefused('the file does not say of which day it is', {
      option: 'give the day it was published with --date',
    })
  // Allows one day more, because the publisher's calendar may be ahead.
  if (day > formatSpecDate(new Date(now.getTime() + DAY_MS))) throw new ListRefused(`${day} is still to come`)
  return day
}
