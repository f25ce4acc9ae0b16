/** Starts the updates of the watchlists that have a source. */
import { resolve } from 'node:path'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import { readSecretFile } from './config/secret-file.ts'
import type { Log } from './log.ts'
import type { Store } from './store/open.ts'
import type { ListSource } from './watchlists/list-source.ts'
import { scheduleListUpdates } from './watchlists/update-lists.ts'

/** Throws as `readListSources` does. */
export function startListUpdates(config: Config, store: Store, clock: Clock, log: Log) {
  const updates = scheduleListUpdates(readListSources(config), { store, dataDir: config.dataDir }, clock, log)
  void updates.tick()
  return updates
}

/** Throws `configuration_invalid` with the field of a file that cannot be used. */
export function readListSources({ antifraud, dataDir }: Config): ListSource[] {
  return antifraud.watchlist.sources.map(
    ({ name, url, file = '', caFile, format, everyHours, silenceSeconds }, at) => {
      const section = `antifraud.watchlist.sources[${at}].caFile`
      const authorities = caFile === undefined ? null : readSecretFile(dataDir, caFile, section, 'public')
      const from =
        url === undefined
          ? { kind: 'file' as const, path: resolve(dataDir, file) }
          : { kind: 'address' as const, url, authorities, silenceMs: silenceSeconds * 1000 }
      return { name, format, from, everyHours }
    },
  )
}
