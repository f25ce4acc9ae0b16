/** The appliance of a data folder, opened for a command: beside a running server, or without one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from '../backup/contents.ts'
import { loadConfig, type Config } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import { AppError } from '../errors.ts'
import { openStore, type Store } from '../store/open.ts'

export const OPERATOR = { actor: 'operator' }

/** The configuration of the folder that --data names, else of the default one. */
export function configOf({ data }: { readonly data?: string | undefined }): Config {
  return loadConfig(data === undefined ? {} : { dataDir: data })
}

/**
 * For what an appliance that was never started may be asked, too: the first command makes its folder and its keys, as
 * the first start does.
 */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T> | T): Promise<T> {
  const store = openStore(config.dataDir, loadKek(config))
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/** For everything else. Throws `configuration_invalid`: a folder that was mistyped is no new appliance. */
export async function withPresentStore<T>(
  config: Config,
  work: (store: Store) => Promise<T> | T,
): Promise<T> {
  requireDatabase(config)
  return withStore(config, work)
}

/** Before a master key is loaded, which would be made where there is none. Throws `configuration_invalid`. */
export function requireDatabase({ dataDir }: Config): void {
  if (existsSync(join(dataDir, DATABASE))) return
  throw new AppError('configuration_invalid', { folder: dataDir, reason: 'no database in this folder' })
}

/** The tenant of the configuration has its row, as after a start. */
export function ensureTenant(store: Store, { tenant }: Config): void {
  const { id, name, mode, policy } = tenant
  store.tenants.ensure({ id, name, mode, policyId: policy }, new Date())
}

/** The result for a machine as one line of JSON, or in words. */
export function tell(json: boolean, result: unknown, words: string): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : words)
}
