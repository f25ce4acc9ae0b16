/**
 * Structured log lines (JSON, one per event): an event name from our code plus ids, states and numbers. The type
 * takes no free text and no Error, so that nothing read from a document, a face or a form can slip in.
 */
import { pino, type DestinationStream } from 'pino'
import { AppError, type SafeDetails } from './errors.ts'

export interface Log {
  info(event: string, details?: SafeDetails): void
  warn(event: string, details?: SafeDetails): void
  error(event: string, details?: SafeDetails): void
}

export function createLog(destination?: DestinationStream, level = 'info'): Log {
  const options = { level, base: { pid: process.pid }, timestamp: () => `,"time":"${new Date().toISOString()}"` }
  const logger = destination ? pino(options, destination) : pino(options)
  return {
    info: (event, details) => {
      logger.info({ event, ...details })
    },
    warn: (event, details) => {
      logger.warn({ event, ...details })
    },
    error: (event, details) => {
      logger.error({ event, ...details })
    },
  }
}

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * What may be said of an error: our code, or its class and where it was thrown. Never its message, which may quote
 * the input.
 */
export function describeError(error: unknown): SafeDetails {
  if (error instanceof AppError) {
    const cause = error.cause instanceof Error ? error.cause.constructor.name : null
    return { code: error.code, ...error.details, ...(cause ? { cause } : {}) }
  }
  if (!(error instanceof Error)) return { code: 'internal', class: typeof error }
  const at = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return { code: 'internal', class: error.constructor.name, at: at?.trim().slice(0, 160) ?? '' }
}
