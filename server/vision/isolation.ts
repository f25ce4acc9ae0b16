/** Builds the command that starts the vision worker's process, with or without the sandbox. */
import type { ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { EngineMounts } from './engines/engine-manifest.ts'
import type { Sandbox } from '../sandbox/bubblewrap.ts'

/** Product folders and files that the worker reads. */
const OWN_PARTS = ['package.json', 'server', 'models', 'resources', 'node_modules']

/**
 * Returns options for `fork`, which starts Node directly or through the sandbox. In the sandbox the worker can read its own
 * code, packages and models but can change none of them.
 */
export function workerCommand(
  sandbox: Sandbox | null,
  nodeArgv: readonly string[],
  {
    modelsDir,
    manifestPath,
    engines = {},
  }: {
    readonly modelsDir: string
    readonly manifestPath?: string | undefined
    readonly engines?: EngineMounts | undefined
  },
): Pick<ForkOptions, 'execPath' | 'execArgv'> {
  if (!sandbox) return { execArgv: [...nodeArgv] }
  const ours = OWN_PARTS.map((name) => fileURLToPath(new URL(`../../${name}`, import.meta.url)))
  const mounted = [engines.faceMatching, engines.attackDetection].flatMap((engine) => engine?.folder ?? [])
  const readOnly = [...ours, modelsDir, ...(manifestPath ? [manifestPath] : []), ...mounted]
  return sandbox.command(process.execPath, nodeArgv, { readOnly })
}
