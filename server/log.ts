/**
 * Writes structured log lines (JSON, one per event): a fixed message with ids, states and numbers. The type accepts no Error
 * and no nested value, so that no value of a document, face or form can enter the log. A message is a sentence: subject, verb.
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
 * Returns the loggable facts of an error: its code, or its class and the place where it was thrown, and the system's code
 * (`ENOSPC`). Omits the message, which may quote the input.
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
