/**
 * Writes structured log lines (JSON, one per event): a fixed message with ids, states and numbers. The type accepts no Error
 * and no nested value, so that no value of a document, face or form can enter the log. A message is a sentence: subject, verb.
 */
import { fstatSync } from 'node:fs'
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

const STANDARD_ERROR = 2

/**
 * Standard error. If it is journald's (systemd.exec(5), JOURNAL_STREAM), each line begins with its priority (sd-daemon(3)), which
 * journald takes off: `journalctl -p warning` works, and the message stays JSON.
 */
export function openErrorStream({ JOURNAL_STREAM }: NodeJS.ProcessEnv = process.env): DestinationStream {
  const stream = pino.destination({ dest: STANDARD_ERROR, sync: true })
  const { dev, ino } = fstatSync(STANDARD_ERROR)
  return JOURNAL_STREAM === `${dev}:${ino}` ? withPriorities(stream) : stream
}

/** Adds the priority of syslog to each line. pino sets `lastLevel` before it writes a line. */
export function withPriorities(stream: DestinationStream): DestinationStream {
  return Object.assign(
    {
      lastLevel: 30,
      write(line: string) {
        stream.write(`<${toPriority(this.lastLevel)}>${line}`)
      },
    },
    { [Symbol.for('pino.metadata')]: true },
  )
}

/** Levels of pino → priorities of RFC 5424: critical, error, warning, informational, debug. */
function toPriority(level: number): number {
  if (level >= 60) return 2
  if (level >= 50) return 3
  if (level >= 40) return 4
  return level >= 30 ? 6 : 7
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
