/** How a worker's process is begun, with the walls that the machine offers. */
import type { ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../sandbox/bubblewrap.ts'

/** Folders and files of the product that the worker reads. */
const OWN_PARTS = ['package.json', 'server', 'models', 'resources', 'node_modules']

/**
 * For `fork`: by Node itself, or by the sandbox. In it the worker sees its own code, its packages and its models, and can
 * change none of them.
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
