/** Opens the appliance of a data folder for a command, with or without a running server. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from '../files/database-files.ts'
import { loadConfig, type Config } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import { AppError } from '../errors.ts'
import { openStore, type Store } from '../store/open.ts'
import { UsageError } from './usage.ts'

export const OPERATOR = { actor: 'operator' }

/** The configuration of the folder of --data, or of the default one. */
export function readConfig({ data }: { readonly data?: string | undefined }): Config {
  return loadConfig(data === undefined ? {} : { dataDir: data })
}

/** For actions that may create a new appliance, only at the operator's explicit request. */
export const NEW_OPTION = { new: { type: 'boolean', default: false } } as const

/** Help lines of this option. @param column of the description */
export function formatNewOptionHelp(column: number): string {
  const does = [
    'the folder holds no appliance yet: makes one there, as the first start does. Without it such a folder is',
    'refused, because it was mistyped or is another user’s',
  ]
  return `  ${'--new'.padEnd(column - 2)}${does.join(`\n${' '.repeat(column)}`)}`
}

/** Throws UsageError for --new with an action that creates nothing. */
export function refuseNew(isGiven: boolean, action: string): void {
  if (isGiven) throw new UsageError(`--new does not go with ${action}`)
}

interface NewAsked {
  readonly isNew: boolean
}

/**
 * Throws `configuration_invalid` if there is no appliance, unless it is to be created, with folder and keys,
 * as by a first start.
 */
export async function withStore<T>(
  config: Config,
  { isNew }: NewAsked,
  work: (store: Store) => Promise<T> | T,
): Promise<T> {
  if (!isNew) requireDatabase(config, '; or add --new to make a new appliance there')
  const store = openStore(config.dataDir, loadKek(config))
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/**
 * For all other actions. Throws `configuration_invalid`: a mistyped folder must not become a new appliance.
 */
export async function withPresentStore<T>(
  config: Config,
  work: (store: Store) => Promise<T> | T,
): Promise<T> {
  requireDatabase(config)
  return withStore(config, { isNew: true }, work)
}

/**
 * Call it before loading a master key, which would create a missing one. Throws `configuration_invalid`.
 * @param more end of the sentence that says what to do
 */
export function requireDatabase({ dataDir }: Config, more = ''): void {
  if (existsSync(join(dataDir, DATABASE))) return
  const reason = 'no database in this folder'
  const advice = `Name its folder with --data, and run this as its user${more}.`
  const sentence = `There is no appliance in ${dataDir}: ${reason}. ${advice}`
  throw new AppError('configuration_invalid', { folder: dataDir, reason }, { sentence })
}

/**
 * Ensures that the tenant of the configuration has a row. An existing row stays: a new configuration takes
 * effect at the next start.
 */
export function ensureTenant(store: Store, { tenant }: Config): void {
  const { id, name, mode, policy } = tenant
  store.tenants.addMissing({ id, name, mode, policyId: policy }, new Date())
}

/** Prints the result as one line of JSON, or in words. */
export function printResult(json: boolean, result: unknown, words: string): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : words)
}
