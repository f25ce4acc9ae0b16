/**
 * The common part of commands that list and check files of the tenant: `--data`, `--json`, the actions `list`
 * and `check`.
 */
import { loadConfig, type Config } from '../config/config.ts'
import { printResult } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore } from './usage.ts'

export interface Asked {
  readonly config: Config
  /** The arguments after the action; `list` has none. */
  readonly names: readonly string[]
}
export interface Told {
  readonly result: unknown
  readonly words: string
  /** Exit status; default: 0. */
  readonly status?: number
}

export async function listOrCheck(
  argv: string[],
  help: string,
  actions: Readonly<Record<'list' | 'check', (asked: Asked) => Told>>,
): Promise<number> {
  const command = readAction(argv, help, {
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, ...names] = positionals
  const action = getAction(actions, name)
  if (name === 'list') refuseMore(names)
  const config = loadConfig(values.data === undefined ? {} : { dataDir: values.data })
  const { result, words, status = 0 } = action({ config, names })
  printResult(values.json, result, words)
  return status
}
