/** Keeps the configured watchlists up to date: fetches each one at its interval, and sooner after a failure. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { describeError, type Log } from '../log.ts'
import { formatSpecDate } from '../proofing/time.ts'
import type { Store } from '../store/open.ts'
import type { ListUpdate } from '../store/watchlists.ts'
import { importList, type Imported, type ImportOptions } from './import-list.ts'
import { fetchList, type ListSource } from './list-source.ts'
import { ListRefused } from './parsed-list.ts'

export interface ListUpdates {
  /** Updates every list that is due; never rejects. */
  tick(): Promise<void>
  /** Number of the lists that have a source. */
  readonly count: number
  /** Fetches every list, due or not; a repeated call joins the first. Resolves to whether each one came; never rejects. */
  fetchNow(): Promise<boolean>
  /** Null: no list is being fetched. */
  progress(): { readonly done: number; readonly total: number } | null
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
const LOOK_MS = 60_000
/** A publisher's fault usually ends within hours, and the age of a list counts in days. */
const AFTER_FAILURE_HOURS = 1

interface UpdateParts {
  readonly store: Store
  /** Folder of the downloads, of this process alone. */
  readonly folder: string
  readonly signal: AbortSignal
}

/**
 * Fetches the list of one source, imports it, and records the time and the trouble. The lists are imported one after the other:
 * each may take hundreds of megabytes of memory. Returns the trouble; null: none.
 */
export function createListUpdate({ store, folder, signal }: UpdateParts, clock: Clock, log: Log) {
  let importing: Promise<unknown> = Promise.resolve()
  const importInTurn = (options: ImportOptions): Promise<Imported> => {
    const run = () => importList(store, options, clock.now())
    const imported = importing.then(run, run)
    importing = imported
    return imported
  }
  return async (source: ListSource): Promise<string | null> => {
    const { name, format } = source
    let trouble: string | null = null
    let confirmed: ListUpdate['confirmed'] = null
    try {
      const imported = await fetchList(source, folder, signal, (file, fallbackDate) =>
        importInTurn({ file, format, name, fallbackDate, force: false, skipsSame: true }),
      )
      // A file says nothing of what its publisher has now.
      if (source.from.kind === 'address')
        confirmed = { sha256: imported.list.sha256, on: formatSpecDate(clock.now()) }
      log.info(
        { list: name, entries: imported.list.entries, isSame: imported.isSame },
        'a watchlist was updated',
      )
    } catch (error) {
      if (signal.aborted) return 'the update was stopped'
      const isRefused = error instanceof ListRefused
      trouble = isRefused ? error.message : 'it cannot be read or stored'
      const reason = isRefused ? { reason: trouble } : describeError(error)
      log.error({ list: name, ...reason }, 'a watchlist could not be updated')
    }
    store.watchlists.noteUpdate(name, { at: clock.now().getTime(), trouble, confirmed })
    return trouble
  }
}

export function scheduleListUpdates(
  sources: readonly ListSource[],
  { store, dataDir }: { readonly store: Store; readonly dataDir: string },
  clock: Clock,
  log: Log,
): ListUpdates {
  const folder = join(dataDir, 'watchlist-downloads')
  const closing = new AbortController()
  let running: Promise<boolean> | null = null
  let fetching: Promise<boolean> | null = null
  let progress: { readonly done: number; readonly total: number } | null = null
  // A process that was killed may have left a part of a list.
  rmSync(folder, { recursive: true, force: true })

  const isDue = ({ name, everyHours }: ListSource): boolean => {
    const last = store.watchlists.updates().get(name)
    if (!last) return true
    const hours = last.trouble === null ? everyHours : Math.min(everyHours, AFTER_FAILURE_HOURS)
    return clock.now().getTime() - last.at >= hours * HOUR_MS
  }
  const update = createListUpdate({ store, folder, signal: closing.signal }, clock, log)
  const updateAll = async (chosen: readonly ListSource[]): Promise<boolean> => {
    let done = 0
    const total = chosen.length
    progress = { done, total }
    // All together: a publisher that hangs must not delay the others.
    const troubles = await Promise.all(
      chosen.map(async (source) => {
        const trouble = await update(source)
        progress = { done: ++done, total }
        return trouble
      }),
    )
    return troubles.every((trouble) => trouble === null)
  }
  const run = (chosen: readonly ListSource[]): Promise<boolean> =>
    (running ??= updateAll(chosen)
      .catch((error: unknown) => {
        log.error(describeError(error), 'the update of a watchlist could not be recorded')
        return false
      })
      .finally(() => {
        running = null
        progress = null
      }))
  const tick = async (): Promise<void> => {
    await run(sources.filter(isDue))
  }
  // A scheduled run may leave out lists that are not due.
  const fetchAll = async (): Promise<boolean> => {
    await running
    return run(sources)
  }
  const timer = setInterval(() => void tick(), LOOK_MS)
  timer.unref()
  return {
    tick,
    count: sources.length,
    fetchNow: () =>
      (fetching ??= fetchAll().finally(() => {
        fetching = null
      })),
    progress: () => progress,
    stop: async () => {
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}
