/** Makes the appliance of a test start `seeing-worker.ts` instead of its vision worker. */
import type * as Processes from 'node:child_process'
import { join } from 'node:path'

/** Path of the file that defines what is seen. */
export const SIGHT_FILE = 'SEEING_WORKER_SIGHT'

/** For `vi.mock('node:child_process')`. */
export function withSeeingWorker(real: typeof Processes): typeof Processes {
  const worker = join(import.meta.dirname, 'seeing-worker.ts')
  // Not in the sandbox, where it could not read its file.
  const own = { execPath: process.execPath, execArgv: [] }
  const fork = (_path: string, _args: readonly string[], options: Processes.ForkOptions) =>
    real.fork(worker, [process.env[SIGHT_FILE] ?? ''], { ...options, ...own })
  return { ...real, fork: fork as typeof real.fork }
}
