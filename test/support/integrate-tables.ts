/**
 * The tables of errors in docs/integrate.md, generated from the server's catalogues. Run directly, this file
 * writes them (`node test/support/integrate-tables.ts`, Node 24).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROBLEMS, type ProblemText } from '../../server/http/problems.ts'
import type { SafeDetails } from '../../server/errors.ts'
import { ERROR_CATALOGUE, type CatalogueEntry, type RetryAdvice } from '../../server/proofing/error-codes.ts'

export const INTEGRATE_DOCUMENT = join(import.meta.dirname, '../../docs/integrate.md')

const RETRY_WORDS: Readonly<Record<RetryAdvice, string>> = {
  none: 'nothing',
  later: 'the same, later',
  'new-picture': 'another picture',
  'new-session': 'another session',
  'correct-input': 'other input',
}

/** Placeholders for texts that depend on the details. */
const EXAMPLES: Readonly<Record<string, SafeDetails>> = {
  too_many_open_jobs: { owner: 'application', limit: 'N' },
  upload_too_large: { fileLimitBytes: 20_971_520 },
  quota_reached: { owner: 'application', count: 'identities', limit: 'N' },
}

/** Replaces each between its markers. */
export const writeTables = (markdown: string): string =>
  replaceBetween(replaceBetween(markdown, 'error codes', errorCodes()), 'problem types', problemTypes())

function replaceBetween(markdown: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`]
  const [from, to] = [markdown.indexOf(begin), markdown.indexOf(end)]
  if (from < 0 || to < from) throw new TypeError(`the document has no markers for ${name}`)
  return markdown.slice(0, from + begin.length) + table + markdown.slice(to)
}

function errorCodes(): string {
  const rows = Object.entries<CatalogueEntry>(ERROR_CATALOGUE).map(([code, entry]) => [
    code,
    entry.meaning,
    entry.httpStatus === null ? '' : String(entry.httpStatus),
    RETRY_WORDS[entry.retry],
    entry.advice,
  ])
  return writeTable(['code', 'means', 'status', 'what helps', 'do'], rows)
}

function problemTypes(): string {
  const told = Object.entries<ProblemText>(PROBLEMS).sort(([, a], [, b]) => a.status - b.status)
  const rows = told.map(([code, { status, title, detail, retryAfterSeconds, specCode }]) => ({
    code: `\`${code}\``,
    cells: [
      String(status),
      specCode === undefined ? title : `${title} (${specCode})`,
      typeof detail === 'string' ? detail : detail(EXAMPLES[code] ?? {}),
      retryAfterSeconds === undefined ? '' : `${retryAfterSeconds} s`,
    ],
  }))
  // Faults of the appliance itself share one text.
  const groups = Map.groupBy(rows, ({ cells }) => cells.join('|'))
  return writeTable(
    ['type', 'status', 'title', 'do', 'Retry-After'],
    [...groups.values()].map((same) => [same.map(({ code }) => code).join(', '), ...(same[0]?.cells ?? [])]),
  )
}

function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return line(head) + `|${'---|'.repeat(head.length)}\n` + rows.map(line).join('')
}

if (import.meta.main) {
  writeFileSync(INTEGRATE_DOCUMENT, writeTables(readFileSync(INTEGRATE_DOCUMENT, 'utf8')))
}
