/** How a command ends that could not do its work: a sentence, and every problem on its own line. */
import { AppError, type ErrorCode } from '../errors.ts'

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  configuration_invalid: 'The configuration does not fit.',
  key_unavailable: 'A key cannot be used; nothing was changed.',
  database_newer: 'The data was written by a newer version of Counterproof. Use that version.',
  vision_unavailable: 'The vision worker did not start.',
  storage_damaged: 'Stored data does not decrypt.',
}

export function describeFailure(error: unknown): string {
  if (error instanceof AppError) {
    const details = Object.entries(error.details).map(([name, value]) => `  ${name}: ${String(value)}`)
    const problems = error.problems.map((problem) => `  ${problem.field ?? ''}: ${problem.message}`)
    return [SENTENCES[error.code] ?? `Failed: ${error.code}`, ...details, ...problems, ''].join('\n')
  }
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (code === 'EADDRINUSE') return 'The port is in use. Choose another with --port N (0 takes a free one).\n'
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${(error as Error).message}\nSee --help.\n`
  return `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
}
