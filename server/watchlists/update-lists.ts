/** Keeps the configured watchlists up to date: fetches each one at its interval, and sooner after a failure. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { describeError, type Log } from '../log.ts'
import { formatSpecDate } from '../proofing/time.ts'
import type { Store } from '../store/open.ts'
import type { ListUpdate } from '../store/watchlists.ts'
import { importList } from './import-list.ts'
import { fetchList, type ListSource } from './list-source.ts'
import { ListRefused } from './parsed-list.ts'

interface ListUpdates {
  /** Updates every list that is due, one after the other; never rejects. */
  tick(): Promise<void>
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
const LOOK_MS = 60_000
/** A publisher's fault usually ends within hours, and the age of a list counts in days. */
const AFTER_FAILURE_HOURS = 1

export function scheduleListUpdates(
  sources: readonly ListSource[],
  { store, dataDir }: { readonly store: Store; readonly dataDir: string },
  clock: Clock,
  log: Log,
): ListUpdates {
  const folder = join(dataDir, 'watchlist-downloads')
  const closing = new AbortController()
  let running: Promise<void> | null = null
  // A process that was killed may have left a part of a list.
  rmSync(folder, { recursive: true, force: true })

  const isDue = ({ name, everyHours }: ListSource): boolean => {
    const last = store.watchlists.updates().get(name)
    if (!last) return true
    const hours = last.trouble === null ? everyHours : Math.min(everyHours, AFTER_FAILURE_HOURS)
    return clock.now().getTime() - last.at >= hours * HOUR_MS
  }
  const update = async (source: ListSource): Promise<void> => {
    const { name, format } = source
    let trouble: string | null = null
    let confirmed: ListUpdate['confirmed'] = null
    try {
      const imported = await fetchList(source, folder, closing.signal, (file, fallbackDate) =>
        importList(store, { file, format, name, fallbackDate, force: false, skipsSame: true }, clock.now()),
      )
      // A file says nothing of what its publisher has now.
      if (source.from.kind === 'address')
        confirmed = { sha256: imported.list.sha256, on: formatSpecDate(clock.now()) }
      log.info(
        { list: name, entries: imported.list.entries, isSame: imported.isSame },
        'a watchlist was updated',
      )
    } catch (error) {
      if (closing.signal.aborted) return
      const isRefused = error instanceof ListRefused
      trouble = isRefused ? error.message : 'it cannot be read or stored'
      const reason = isRefused ? { reason: trouble } : describeError(error)
      log.error({ list: name, ...reason }, 'a watchlist could not be updated')
    }
    store.watchlists.noteUpdate(name, { at: clock.now().getTime(), trouble, confirmed })
  }
  const updateAll = async (): Promise<void> => {
    for (const source of sources) if (!closing.signal.aborted && isDue(source)) await update(source)
  }
  const tick = (): Promise<void> =>
    (running ??= updateAll()
      .catch((error: unknown) => {
        log.error(describeError(error), 'the update of a watchlist could not be recorded')
      })
      .finally(() => {
        running = null
      }))
  const timer = setInterval(() => void tick(), LOOK_MS)
  timer.unref()
  return {
    tick,
    stop: async () => {
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}
