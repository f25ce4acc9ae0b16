/**
 * Formats events for the log collector of a security team (SIEM): a line of JSON, or of syslog (RFC 5424). Pure. The
 * callers pass ids, kinds and counts only.
 */
import type { SafeDetails } from '../errors.ts'

export interface LogLine {
  readonly at: Date
  /** Name of the program: `counterproof`. */
  readonly program: string
  /** Kind of the event, which becomes MSGID. */
  readonly kind: string
  readonly facts: SafeDetails
}

export type LineFormat = 'json' | 'syslog'

/** The line without its end. @param host name of this machine, for syslog */
export function formatLogLine(line: LogLine, format: LineFormat, host: string): string {
  return format === 'json' ? formatJson(line) : formatSyslog(line, host)
}

function formatJson({ at, program, kind, facts }: LogLine): string {
  return JSON.stringify({ time: at.toISOString(), program, kind, ...facts })
}

/** Facility 13 (log audit), severity 6 (informational): RFC 5424, 6.2.1. */
const PRIORITY = 13 * 8 + 6
/** The number for examples of RFC 5612: the product has no enterprise number of its own. */
const ELEMENT = 'event@32473'
const MAX_HOST = 255
/** RFC 5424, 6: program 48, MSGID and names of values 32 characters. */
const MAX_PROGRAM = 48
const MAX_NAME = 32

function formatSyslog({ at, program, kind, facts }: LogLine, host: string): string {
  const values = Object.entries(facts).flatMap(([name, value]) =>
    value === null ? [] : [`${toParameterName(name)}="${escapeValue(toText(value))}"`],
  )
  const header = [
    `<${PRIORITY}>1`,
    at.toISOString(),
    toPrintable(host, MAX_HOST),
    toPrintable(program, MAX_PROGRAM),
    '-',
    toPrintable(kind, MAX_NAME),
  ]
  return `${header.join(' ')} [${[ELEMENT, ...values].join(' ')}]`
}

const toText = (value: NonNullable<SafeDetails[string]>): string =>
  Array.isArray(value) ? value.join(' ') : String(value)

/** Printable ASCII without spaces; `-` stands for nothing (NILVALUE). */
function toPrintable(text: string, most: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, most) || '-'
}

function toParameterName(name: string): string {
  return toPrintable(name, MAX_NAME).replaceAll(/[=\]"]/g, '_')
}

/** RFC 5424, 6.3.3. A line break would end the line in most collectors. */
function escapeValue(text: string): string {
  return text.replaceAll(/["\\\]]/g, String.raw`\$&`).replaceAll(/[\r\n]+/g, ' ')
}
