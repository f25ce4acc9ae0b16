/**
 * Screens persons against the imported watchlists, only on this machine: no name leaves it and none is logged. It loads
 * the lists into memory at the first screening, and again after another process has imported. `proofing/watchlist`
 * decides how much a match is worth, and `proofing/antifraud` decides the consequence.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ScreenedPerson, Screening } from '../proofing/antifraud/watchlist.ts'
import { decideScreening, type Decision } from '../proofing/watchlist/decide.ts'
import type { MatchLimits } from '../proofing/watchlist/limits.ts'
import { prepareSought } from '../proofing/watchlist/score.ts'
import type { Store } from '../store/open.ts'
import type { ListUpdate, StoredWatchlist } from '../store/watchlists.ts'
import { loadMatchLimits } from './limits.ts'
import { ScreeningIndex } from './screening-index.ts'

/** Rows between two turns of the event loop: a few milliseconds. */
const AT_ONCE = 250

export interface Watchlists {
  /** Returns UNKNOWN if no list is imported. Throws `storage_damaged` for an unreadable entry. */
  screen(person: ScreenedPerson): Promise<Screening>
  /** Like `screen`, with the reasons, for the person who reviews the matches. */
  explain(person: ScreenedPerson): Promise<Decision>
  lists(): readonly StoredWatchlist[]
  /** The last update of each list that has a source, by name. */
  updates(): ReadonlyMap<string, ListUpdate>
}

interface Loaded {
  readonly version: number
  readonly lists: readonly StoredWatchlist[]
  readonly index: ScreeningIndex
}

export function openWatchlists(
  store: Pick<Store, 'watchlists'>,
  limits: MatchLimits = loadMatchLimits(),
): Watchlists {
  let loading: { readonly version: number; readonly loaded: Promise<Loaded> } | null = null
  const current = (): Promise<Loaded> => {
    const version = store.watchlists.version()
    if (loading?.version !== version) {
      const loaded = load(store, limits)
      loading = { version, loaded }
      // The next caller tries again.
      loaded.catch(() => {
        if (loading?.loaded === loaded) loading = null
      })
    }
    return loading.loaded
  }
  const decide = async (person: ScreenedPerson) => {
    const sought = prepareSought(person)
    const { lists, index } = await current()
    const canBeCleared = sought.canBeCleared && lists.length > 0
    return { lists, ...decideScreening(index.search(sought), canBeCleared, limits) }
  }
  return {
    screen: async (person) => {
      const { lists, outcome, score, matches } = await decide(person)
      return {
        outcome,
        score: lists.length === 0 ? null : roundScore(score),
        threshold: limits.possible,
        lists: lists.map(({ name, date, confirmedOn, sha256 }) => ({ name, date, confirmedOn, sha256 })),
        entries: matches.map(({ id }) => id),
      }
    },
    explain: decide,
    lists: () => store.watchlists.list(),
    updates: () => store.watchlists.updates(),
  }
}

/** Loads in turns so that other work continues; starts again if a list is replaced meanwhile. */
async function load(store: Pick<Store, 'watchlists'>, limits: MatchLimits): Promise<Loaded> {
  for (;;) {
    const version = store.watchlists.version()
    const lists = store.watchlists.list()
    const index = new ScreeningIndex(limits)
    for (const list of lists) await addList(store, index, list)
    if (store.watchlists.version() === version) return { version, lists, index }
  }
}

/** Entries are distinguished by the name of their list, because two lists may use the same numbers. */
async function addList(store: Pick<Store, 'watchlists'>, index: ScreeningIndex, list: StoredWatchlist) {
  for (let read = 0; ; read += AT_ONCE) {
    const persons = store.watchlists.persons(list.id, read, AT_ONCE)
    for (const person of persons) index.add({ ...person, id: `${list.name}:${person.id}` })
    if (persons.length < AT_ONCE) return
    await nextTurn()
  }
}

/** Four decimals; more digits would only show rounding. */
function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000
}
