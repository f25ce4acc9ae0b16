/**
 * Performs one action of the operator's command line: on the database, or through the process that holds it.
 */
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { CentralConfig } from '../config.ts'
import { openContext, type OpenOptions } from '../open-context.ts'
import { systemClock } from '../../clock.ts'
import { runAction, type ActionInput, type ActionName } from './actions.ts'
import { callRunningCentralService } from './socket.ts'

/** A central service that is starting has the lock but no socket yet. */
const PATIENCE_MS = 15_000
const PAUSE_MS = 250

export interface PerformOptions extends OpenOptions {
  /** Name of the person at the command line; default: the account of this process. */
  readonly by?: string
}

/**
 * Throws the errors of the action, and `configuration_invalid` if the process that holds the folder does not
 * answer.
 */
export async function perform<A extends ActionName>(
  config: CentralConfig,
  log: Log,
  name: A,
  input: ActionInput<A>,
  { by = userInfo().username, ...options }: PerformOptions = {},
): Promise<unknown> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    if (config.database.kind === 'embedded') {
      const answer = await callRunningCentralService(config.dataDir, name, { by, input })
      if (answer !== undefined) return answer
    }
    try {
      const opened = await openContext(config, log, systemClock, options)
      try {
        return await runAction(opened.context, name, input, by)
      } finally {
        await opened.close()
      }
    } catch (error) {
      const isHeld =
        error instanceof AppError &&
        error.details.reason === 'another central service runs on this data folder'
      if (!isHeld || Date.now() > until) throw error
      await sleep(PAUSE_MS)
    }
  }
}
