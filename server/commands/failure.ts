/** Ends a failed command: a sentence, and every problem on its own line. */
import { CONFIG_FILE } from '../config/config.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { explainSystemError } from '../files/system-errors.ts'
import { KeyRefused } from '../keys/refused.ts'
import { explainStorageFault } from '../store/storage-faults.ts'
import { UsageError } from './usage.ts'

const CONFIG_HINT =
  'Correct what each line names. server/config/README.md describes every option of config.json.'

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  configuration_invalid: 'The configuration is not valid.',
  key_unavailable: 'A key cannot be used; nothing was changed.',
  database_newer: 'The data was written by a newer version of Counterproof. Use that version.',
  vision_unavailable: 'The vision worker did not start.',
  storage_damaged: 'Stored data does not decrypt.',
  validation_failed: 'The input is not valid.',
  transition_refused: 'The present state does not allow this; nothing was changed.',
  revision_conflict: 'The data was changed meanwhile; nothing was changed by this command.',
  legal_hold: 'A legal hold forbids the erasure; nothing was erased. Release the hold first.',
  malformed_body: 'The file is not JSON.',
  not_found: 'There is no entry with this name or id.',
  centre_unavailable: 'The central service or its database does not answer. Repeat the command later.',
  enrolment_refused: 'The central service refused the enrolment.',
  backup_refused: 'The backup was refused.',
  packet_refused: 'The packets were refused.',
  file_refused: 'A file or folder was refused.',
}

/** Status 2: the command was not understood, and nothing was done. */
export function isWrongUse(error: unknown): boolean {
  return error instanceof UsageError || readErrorCode(error)?.startsWith('ERR_PARSE_ARGS') === true
}

export function describeFailure(error: unknown): string {
  if (error instanceof AppError) {
    const details = Object.entries(error.details).map(([name, value]) => `  ${name}: ${String(value)}`)
    const problems = error.problems.map((problem) => `  ${problem.field ?? ''}: ${problem.message}`)
    if (error.sentence !== null) return `${error.sentence}\n`
    const fault = error.code === 'status_not_stored' ? explainStorageFault(error) : null
    if (fault !== null) return `${fault}\n`
    const hint = error.details.file === CONFIG_FILE ? [CONFIG_HINT] : []
    return [SENTENCES[error.code] ?? `Failed: ${error.code}`, ...details, ...problems, ...hint, ''].join('\n')
  }
  if (isWrongUse(error)) return `${(error as Error).message}\nSee --help.\n`
  if (error instanceof KeyRefused) return `${error.message}\n`
  const code = readErrorCode(error)
  if (code === 'EADDRINUSE') return describeAddressInUse(error as Partial<ListenError>)
  const system = explainSystemError(error) ?? explainStorageFault(error)
  if (system !== null) return `${system}\n`
  return `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
}

/** Node adds to EADDRINUSE the port of an address, or the path of a socket alone. */
export interface ListenError {
  readonly address: string
  readonly port: number
}

/** @param option the option that names the port */
export function describeAddressInUse(
  { address = 'this machine', port = -1 }: Partial<ListenError>,
  option = 'the option port of config.json',
): string {
  if (port < 0)
    return `Another process serves the socket ${address}. Stop that process, then start this command again.\n`
  return (
    `Another process uses port ${port} of ${address}. Stop that process (ss -ltnp "sport = :${port}" names it), or choose another port: ` +
    `with --port N (0 takes a free one), or with ${option}.\n`
  )
}

/** A DOMException, such as a time-out, has a number there. */
function readErrorCode(error: unknown): string | undefined {
  const code: unknown = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}
