/** Builds the command that starts the vision worker's process, with or without the sandbox. */
import type { ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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
  { modelsDir, manifestPath }: { readonly modelsDir: string; readonly manifestPath?: string | undefined },
): Pick<ForkOptions, 'execPath' | 'execArgv'> {
  if (!sandbox) return { execArgv: [...nodeArgv] }
  const ours = OWN_PARTS.map((name) => fileURLToPath(new URL(`../../${name}`, import.meta.url)))
  const readOnly = [...ours, modelsDir, ...(manifestPath ? [manifestPath] : [])]
  return sandbox.command(process.execPath, nodeArgv, { readOnly })
}
