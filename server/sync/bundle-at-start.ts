/**
 * Chooses the bundle of a start. New settings are on trial until a start with them has succeeded: if it
 * fails, the bundle before is restored, and the new one is reported to the central service as refused.
 */
import type { Context } from '../context.ts'
import type { Config } from '../config/config.ts'
import { loadTenantPolicies } from '../config/policies.ts'
import { systemClock, type Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { describeError, type Log } from '../log.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { openStore } from '../store/open.ts'
import { appliedBody, readContent, refusedBody, validateBundle } from './bundles.ts'

interface Trial {
  readonly version: number
  readonly starts: number
}
/** The last version of a successful start, and the version on trial. */
const PROVEN = 'bundle-proven'
const TRIAL = 'bundle-trial'
/** Starts that may end without an error (power cut, kill) before the settings count as the cause. */
const SILENT_STARTS = 3

type Store = Context['store']

interface InForce {
  readonly config: Config
  readonly policies: ReadonlyMap<string, Policy>
}

/** @param own the configuration of the machine itself */
export function bundleAtStart(store: Store, own: Config, clock: Clock, log: Log): InForce {
  for (;;) {
    const applied = store.bundles.applied()
    if (!applied) return { config: own, policies: loadTenantPolicies(own) }
    const { version } = applied
    const starts = noteStart(store, version)
    const validated = validateBundle(readContent(applied.jws), own)
    if (!validated.problems && starts <= SILENT_STARTS) return validated
    // The bundle was written for another product version, or config.json has changed, or no start succeeds.
    const problems = validated.problems ?? ['no start with it has succeeded']
    log.error({ version, problems }, 'the bundle in force is no longer valid; the previous one is used')
    goBack(store, clock, version, problems)
  }
}

/** Runs after a successful start. */
export function markBundleProven(store: Store): void {
  const version = store.bundles.applied()?.version
  if (version === undefined || store.meta.getJson(PROVEN) === version) return
  store.transaction(() => {
    store.meta.setJson(PROVEN, version)
    store.meta.setJson(TRIAL, null)
  })
}

interface Startable {
  readonly config: Config
  readonly kek: Buffer
  readonly log: Log
  readonly clock?: Clock
}

/** Starts; if that fails with a bundle on trial, starts again with the bundle before. */
export async function startOrRollBack<O extends Startable, A>(
  options: O,
  startOnce: (options: O) => Promise<A>,
): Promise<A> {
  const { config, kek, log, clock = systemClock } = options
  const onStore = <T>(work: (store: Store) => T): T => {
    const store = openStore(config.dataDir, kek)
    try {
      return work(store)
    } finally {
      store.close()
    }
  }
  try {
    return await startOnce(options)
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'internal'
    const version = rolledBack(() => onStore((store) => rollBack(store, clock, code)))
    if (version === null) throw error
    log.error(
      { version, ...describeError(error) },
      'the start with a new bundle failed; the previous one is used',
    )
    try {
      return await startOnce(options)
    } catch {
      // The bundle was not the cause: keep it.
      onStore((store) => undoRollBack(store, clock, version))
      throw error
    }
  }
}

/** Null also if the database does not open. */
function rolledBack(work: () => number | null): number | null {
  try {
    return work()
  } catch {
    return null
  }
}

/**
 * Returns the version that was rolled back; null if a start with it has succeeded before, so the cause is
 * another.
 */
function rollBack(store: Store, clock: Clock, problem: string): number | null {
  const applied = store.bundles.applied()
  if (!applied || store.meta.getJson(PROVEN) === applied.version) return null
  goBack(store, clock, applied.version, [`the start with it failed: ${problem}`])
  return applied.version
}

/** The bundle was not the cause: the start without it failed as well. */
function undoRollBack(store: Store, clock: Clock, version: number): void {
  store.transaction(() => {
    const now = clock.now()
    store.bundles.apply(version, now)
    store.events.append('bundle.applied', null, appliedBody(store, version), now)
  })
}

/** Returns the number of starts with an unproven version, including this one; 0: it is proven. */
function noteStart(store: Store, version: number): number {
  if (store.meta.getJson(PROVEN) === version) return 0
  const before = store.meta.getJson(TRIAL) as Trial | null
  const starts = before?.version === version ? before.starts + 1 : 1
  store.meta.setJson(TRIAL, { version, starts } satisfies Trial)
  return starts
}

function goBack(store: Store, clock: Clock, version: number, problems: readonly string[]): void {
  store.transaction(() => {
    store.bundles.refuse(version, problems)
    const now = clock.now()
    store.events.append('bundle.refused', null, refusedBody(store, version), now)
    const before = store.bundles.list().find(({ state }) => state === 'SUPERSEDED')
    if (!before) return
    store.bundles.apply(before.version, now)
    store.events.append('bundle.applied', null, appliedBody(store, before.version), now)
  })
}
