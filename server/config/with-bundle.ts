/**
 * Applies the settings of a central service over those of config.json. Everything else (addresses, keys, the tenant,
 * connectors and their secrets) stays under the local operator's control.
 */
import { isDeepStrictEqual } from 'node:util'
import { AppError, type FieldProblem } from '../errors.ts'
import { checkConfig, type Config } from './config.ts'

/** Options of config.json, with the members that stay local nevertheless. */
const CENTRAL_SETTINGS = {
  retention: [],
  lifetimes: [],
  rateLimits: [],
  otp: [],
  liveness: [],
  sync: ['caFile'],
} as const satisfies Partial<Record<keyof Config, readonly string[]>>

type Tree = Readonly<Record<string, unknown>>

/** Throws `configuration_invalid` with one problem per field, of all settings together. */
export function withSettings(config: Config, settings: Tree): Config {
  const judged = Object.entries(settings).map(
    ([name, value]) => [name, value, localProblems(name, value)] as const,
  )
  const problems = judged.flatMap(([, , found]) => found)
  const central = Object.fromEntries(
    judged.flatMap(([name, value, found]) => (found.length > 0 ? [] : [[name, value]])),
  )
  const { dataDir, ...own } = config
  const checked = checkOrCollect(() => checkConfig(merged(own, central), dataDir, 'bundle'), problems)
  if (checked === null || problems.length > 0)
    throw new AppError('configuration_invalid', { file: 'bundle' }, { problems })
  return checked
}

/** Null if the check fails; its problems are added. */
function checkOrCollect(check: () => Config, problems: FieldProblem[]): Config | null {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problems.push(...error.problems)
    return null
  }
}

export function isSameConfig(a: Config, b: Config): boolean {
  return isDeepStrictEqual(a, b)
}

function localProblems(name: string, value: unknown): FieldProblem[] {
  const message = 'is not for the central service to decide'
  if (!Object.hasOwn(CENTRAL_SETTINGS, name)) return [{ code: 'local_setting', field: name, message }]
  const local: readonly string[] = CENTRAL_SETTINGS[name as keyof typeof CENTRAL_SETTINGS]
  if (!isTree(value)) return [{ code: 'invalid_type', field: name, message: 'is an object' }]
  return Object.keys(value)
    .filter((member) => local.includes(member))
    .map((member) => ({ code: 'local_setting', field: `${name}.${member}`, message }))
}

/** Merges objects member by member and replaces everything else. */
function merged(below: Tree, above: Tree): Tree {
  const entries = Object.entries(above).map(([name, value]) => {
    const before = below[name]
    return [name, isTree(before) && isTree(value) ? merged(before, value) : value] as const
  })
  return { ...below, ...Object.fromEntries(entries) }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
