/** The configured sources of watchlists, with the files that they name. */
import { resolve } from 'node:path'
import type { ListSource } from '../watchlists/list-source.ts'
import type { Config } from './config.ts'
import { readSecretFile } from './secret-file.ts'

/** Throws `configuration_invalid` with the field of a file that cannot be used. */
export function readListSources({ antifraud, dataDir }: Pick<Config, 'antifraud' | 'dataDir'>): ListSource[] {
  return antifraud.watchlist.sources.map(({ name, url, file = '', caFile, format, everyHours }, at) => {
    const section = `antifraud.watchlist.sources[${at}].caFile`
    const authorities = caFile === undefined ? null : readSecretFile(dataDir, caFile, section, 'public')
    const from =
      url === undefined
        ? { kind: 'file' as const, path: resolve(dataDir, file) }
        : { kind: 'address' as const, url, authorities }
    return { name, format, from, everyHours }
  })
}
