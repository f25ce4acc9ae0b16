/**
 * Structured log lines (JSON, one per event): ids, states and numbers plus a fixed message of our own. The type takes
 * no Error and no nested value, so that nothing read from a document, a face or a form can slip in.
 */
import { pino, type DestinationStream } from 'pino'
import { AppError, type SafeDetails } from './errors.ts'

export interface Log {
  info(fields: SafeDetails, message: string): void
  warn(fields: SafeDetails, message: string): void
  error(fields: SafeDetails, message: string): void
}

export function createLog(destination?: DestinationStream, level = 'info'): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  }
  return destination ? pino(options, destination) : pino(options)
}

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * What may be said of an error: our code, or its class and where it was thrown, and the code of the system (`ENOSPC`). Never
 * its message, which may quote the input.
 */
export function describeError(error: unknown): SafeDetails {
  if (error instanceof AppError) {
    const cause = error.cause instanceof Error ? error.cause.constructor.name : null
    return { code: error.code, ...error.details, ...(cause ? { cause } : {}) }
  }
  if (!(error instanceof Error)) return { code: 'internal', class: typeof error }
  const at = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  const { code, syscall } = error as NodeJS.ErrnoException
  const system: SafeDetails = syscall !== undefined && code !== undefined ? { errno: code, syscall } : {}
  return { code: 'internal', class: error.constructor.name, ...system, at: at?.trim().slice(0, 160) ?? '' }
}
