/**
 * The shell's log: the same format and stream as the server's, so that the machine's journal has one
 * sequence. Owns: the format. Never: an address of a page, a key, or a text from outside.
 */
type ShellFields = Readonly<Record<string, string | number | boolean>>

export interface ShellLog {
  info(fields: ShellFields, message: string): void
  warn(fields: ShellFields, message: string): void
}

/** Levels of the server's log (pino). */
const LEVELS = { info: 30, warn: 40 } as const

export function createShellLog(write: (line: string) => void = toStandardError): ShellLog {
  const line = (level: number, fields: ShellFields, message: string): void => {
    const head = { level, time: new Date().toISOString(), pid: process.pid, from: 'shell' }
    write(`${JSON.stringify({ ...head, ...fields, msg: message })}\n`)
  }
  return {
    info: (fields, message) => line(LEVELS.info, fields, message),
    warn: (fields, message) => line(LEVELS.warn, fields, message),
  }
}

function toStandardError(line: string): void {
  process.stderr.write(line)
}
