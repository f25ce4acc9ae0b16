/** Which sandbox the workers get, by the configuration and by what the machine offers. Found out once, at start. */
import type { ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AppError, type SafeDetails } from '../errors.ts'
import { findSandbox, type Sandbox, type SandboxGap } from '../sandbox/bubblewrap.ts'
import type { WorkerIsolation } from './protocol.ts'

export type SandboxSetting = 'auto' | 'required' | 'off'

export interface Isolated {
  readonly sandbox: Sandbox | null
  readonly isolation: WorkerIsolation
}

/** Folders and files of the product that the worker reads. */
const OWN_PARTS = ['package.json', 'server', 'models', 'resources', 'node_modules']

/** What an operator can do about it. */
const ADVICE: Readonly<Record<SandboxGap, string>> = {
  OFF: 'set vision.sandbox to auto',
  NOT_SUPPORTED: 'it needs Linux on x64 or arm64; set vision.sandbox to auto to run without',
  NOT_INSTALLED:
    'install bubblewrap (Debian package bubblewrap), or set vision.sandbox to auto to run without',
  REFUSED:
    'allow user namespaces to the service and leave its /proc unmasked (resources/kiosk/README.md), or set vision.sandbox to auto to run without',
}

/** Throws `configuration_invalid` where a sandbox is required and cannot be had. */
export async function isolate(
  setting: SandboxSetting,
  log: (event: string, details: SafeDetails) => void,
): Promise<Isolated> {
  if (setting === 'off') return { sandbox: null, isolation: { by: null, gap: 'OFF' } }
  const found = await findSandbox(process.execPath)
  if (found.kind === 'bubblewrap') {
    return { sandbox: found.sandbox, isolation: { by: 'bubblewrap', gap: null } }
  }
  const { gap, complaint } = found
  log('vision_without_sandbox', { gap, complaint })
  if (setting === 'required') throw unavailable(gap, complaint)
  return { sandbox: null, isolation: { by: null, gap } }
}

/**
 * How the worker's process is begun, for `fork`: by Node itself, or by the sandbox. In it the worker sees its own code, its
 * packages and its models, and can change none of them.
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

function unavailable(gap: SandboxGap, complaint: string): AppError {
  const field = 'vision.sandbox'
  const said = complaint === '' ? '' : ` (${complaint})`
  const message = `is required, and this machine offers no sandbox: ${gap}${said}; ${ADVICE[gap]}`
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unavailable', field, message }] },
  )
}
