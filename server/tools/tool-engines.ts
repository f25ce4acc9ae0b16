/** The engines that a bench or an evaluation measures: those that an appliance's configuration mounts, or ours. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../commands/usage.ts'
import { CONFIG_FILE, loadConfig } from '../config/config.ts'
import { openConfiguredEngines } from '../open-engines.ts'
import type { Engine, Engines } from '../vision/engines/engine.ts'
import { openEngines } from '../vision/engines/open-engines.ts'
import { openOwnEngines } from '../vision/engines/own-engines.ts'
import type { EngineFailure } from '../vision/protocol.ts'
import type { Sessions } from '../vision/sessions.ts'

/**
 * Throws UsageError without config.json, or if a model differs from its pinned file: no rate would be that of the product.
 * `dataDir`: folder whose config.json mounts engines; null: ours.
 */
export async function openToolEngines(sessions: Sessions, dataDir: string | null): Promise<Engines> {
  const damaged = sessions.refused.map(({ id }) => id)
  if (damaged.length > 0)
    throw new UsageError(
      `these models differ from the files that the manifest pins: ${damaged.join(', ')}. "npm run models" says what to do`,
    )
  if (dataDir === null) return openOwnEngines(sessions)
  const path = join(dataDir, CONFIG_FILE)
  if (!existsSync(path)) throw new UsageError(`${path} does not exist: no engine is mounted there`)
  const { mounts, ask } = openConfiguredEngines(loadConfig({ dataDir }))
  return openEngines(sessions, mounts, ask)
}

/** Throws UsageError if the engine cannot answer: a row without a score would look like a face that it cannot use. */
export async function requireAnswering(engine: Engine): Promise<void> {
  const trouble = await engine.check()
  if (trouble !== null) throw engineFailed({ engine: engine.about, trouble }, engine.fault)
}

export function engineFailed({ engine, trouble }: EngineFailure, fault?: string): UsageError {
  const why = fault === undefined ? trouble : `${trouble} (${fault})`
  return new UsageError(`the engine ${engine.id} ${engine.version} gives no answer: ${why}`)
}
