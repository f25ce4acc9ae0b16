/** Chooses the sandbox for processes that handle hostile input, once at start: from the configuration and the machine. */
import { AppError, type SafeDetails } from '../errors.ts'
import { findSandbox, type Sandbox, type SandboxGap } from './bubblewrap.ts'

export const SANDBOX_SETTINGS = ['auto', 'required', 'off'] as const
export type SandboxSetting = (typeof SANDBOX_SETTINGS)[number]

/** `gap`: the reason for a missing sandbox. */
type Isolated =
  | { readonly sandbox: Sandbox; readonly gap: null }
  | { readonly sandbox: null; readonly gap: SandboxGap }

/** Remedies for the operator; `field` is the setting. */
const ADVICE: Readonly<Record<SandboxGap, (field: string) => string>> = {
  OFF: (field) => `set ${field} to auto`,
  NOT_SUPPORTED: (field) => `it needs Linux on x64 or arm64; set ${field} to auto to run without`,
  NOT_INSTALLED: (field) =>
    `install bubblewrap (Debian package bubblewrap), or set ${field} to auto to run without`,
  REFUSED: (field) =>
    `allow user namespaces to the service and leave its /proc unmasked (resources/kiosk/README.md), or set ${field} to auto to run without`,
}

/**
 * @param field the setting's name, for the refusal
 * @param log called if there is no sandbox although the setting does not switch it off
 * @throws `configuration_invalid` if a sandbox is required and unavailable
 */
export async function isolate(
  setting: SandboxSetting,
  field: string,
  log: (details: SafeDetails) => void,
): Promise<Isolated> {
  if (setting === 'off') return { sandbox: null, gap: 'OFF' }
  const found = await findSandbox(process.execPath)
  if (found.kind === 'bubblewrap') return { sandbox: found.sandbox, gap: null }
  const { gap, complaint } = found
  log({ gap, complaint })
  if (setting === 'required') throw unavailable(field, gap, complaint)
  return { sandbox: null, gap }
}

function unavailable(field: string, gap: SandboxGap, complaint: string): AppError {
  const said = complaint === '' ? '' : ` (${complaint})`
  const message = `is required, and this machine offers no sandbox: ${gap}${said}; ${ADVICE[gap](field)}`
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unavailable', field, message }] },
  )
}
