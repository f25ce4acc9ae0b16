/** Reads the list of a laboratory: comma-separated, the first line names the columns. Checks the files that it names. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, normalize, resolve } from 'node:path'
import { parse } from 'csv-parse/sync'
import { UsageError } from '../../commands/usage.ts'

const MAX_LIST_BYTES = 256 * 1024 * 1024
/** An uncompressed TIFF of the most pixels that the product decodes. */
const MAX_FILE_BYTES = 256 * 1024 * 1024
/** Problems that a message names; it counts the others. */
const MAX_NAMED = 10

export type ListRow = Readonly<Record<string, string>>

export interface ListFile {
  readonly rows: readonly ListRow[]
  readonly columns: readonly string[]
  readonly sha256: string
  /** Hash of the names and sizes of the files: results of other pictures are not continued. */
  readonly filesSha256: string
  /** Folder that the files of the list are relative to. */
  readonly folder: string
}

/** The columns of a list. */
export interface ListKind {
  /** Columns that every list has; together they are different in each row. */
  readonly needed: readonly string[]
  /** Further columns that name files; their cells may be empty. */
  readonly optional?: readonly string[]
  /** The only labels; undefined: any. */
  readonly labels?: readonly string[]
}

export const COMPARISONS: ListKind = { needed: ['probe', 'reference'], labels: ['genuine', 'impostor'] }

/**
 * Throws UsageError if the file is missing, too large, no CSV, or lacks a column, if a row repeats another, or if a file that it
 * names is missing or no regular file. `images` replaces the list's folder.
 */
export function readListFile(path: string, kind: ListKind, images: string | undefined): ListFile {
  const folder = images === undefined ? resolve(dirname(path)) : requireFolder(images)
  const { rows, columns, sha256 } = readRows(path, kind)
  const names = [...kind.needed, ...(kind.optional ?? [])]
  const filesSha256 = checkFiles(
    path,
    rows,
    (row) => names.flatMap((name) => (row[name] || !kind.optional?.includes(name) ? [row[name] ?? ''] : [])),
    (file) => measureFile(resolve(folder, file)),
  )
  return { rows, columns, sha256, filesSha256, folder }
}

/** The same without the check of files. */
export function readRows(path: string, kind: ListKind): Pick<ListFile, 'rows' | 'columns' | 'sha256'> {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) throw new UsageError(`${path} does not exist`)
  if (!entry.isFile()) throw new UsageError(`${path} is no regular file`)
  if (entry.size > MAX_LIST_BYTES) throw new UsageError(`${path} is larger than ${MAX_LIST_BYTES} bytes`)
  const text = readFileSync(path)
  const rows = parseRows(path, text)
  const columns = Object.keys(rows[0] ?? {})
  const missing = kind.needed.filter((column) => !columns.includes(column))
  if (missing.length > 0)
    throw new UsageError(`${path} has no rows or lacks the columns ${missing.join(', ')}`)
  requireDifferent(path, rows, kind.needed)
  if (kind.labels) requireLabels(path, rows, kind.labels)
  return { rows, columns, sha256: createHash('sha256').update(text).digest('hex') }
}

function parseRows(path: string, text: Buffer): ListRow[] {
  if (!isUtf8(text)) throw new UsageError(`${path} is not encoded in UTF-8`)
  try {
    return parse(text, { columns: requireDifferentNames, bom: true, skip_empty_lines: true, trim: true })
  } catch (error) {
    throw new UsageError(`${path} is no comma-separated list: ${(error as Error).message}`)
  }
}

/** Throws if two columns have one name: the last would count in silence. */
function requireDifferentNames(columns: string[]): string[] {
  const repeated = columns.find((name, i) => columns.indexOf(name) < i)
  if (repeated !== undefined) throw new Error(`two columns are named ${JSON.stringify(repeated)}`)
  return columns
}

type Cells = Readonly<Partial<Record<string, string>>>

/** A row that is there twice would count twice, also with another spelling of a path or with the pair exchanged. */
export function requireDifferent(path: string, rows: readonly Cells[], key: readonly string[]): void {
  const first = new Map<string, number>()
  const repeated = rows.flatMap((row, i) => {
    const files = key.map((column) => row[column] && normalize(row[column])).sort()
    const name = JSON.stringify(files)
    const before = first.get(name)
    first.set(name, before ?? i)
    return before === undefined ? [] : [`row ${i + 1} repeats row ${before + 1}`]
  })
  refuse(path, repeated)
}

/** A row with another label would count nowhere. */
export function requireLabels(path: string, rows: readonly Cells[], labels: readonly string[]): void {
  const unknown = [...new Set(rows.map(({ label = '' }) => label))].filter(
    (label) => label !== '' && !labels.includes(label.toLowerCase()),
  )
  refuse(
    path,
    unknown.map((label) => `the label ${JSON.stringify(label)} is none of ${labels.join(', ')}`),
  )
}

/**
 * Returns the hash of the names and sizes of the files of all rows.
 * @param measure the size of the file, or why it cannot be used
 */
export function checkFiles(
  path: string,
  rows: readonly ListRow[],
  listFiles: (row: ListRow) => readonly string[],
  measure: (file: string) => number | string,
): string {
  const hash = createHash('sha256')
  const seen = new Map<string, number | string>()
  const problems: string[] = []
  for (const [i, row] of rows.entries())
    for (const file of listFiles(row)) {
      const size = seen.get(file) ?? (file === '' ? 'is an empty cell' : measure(file))
      if (typeof size === 'string') problems.push(`row ${i + 1}: ${JSON.stringify(file)} ${size}`)
      else if (!seen.has(file)) hash.update(`${JSON.stringify(file)} ${size}\n`)
      seen.set(file, size)
    }
  refuse(path, problems)
  return hash.digest('hex')
}

/** A file that is not there is no failure of the biometrics, and a pipe would never end. */
function measureFile(path: string): number | string {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return 'does not exist'
  if (!entry.isFile()) return entry.isDirectory() ? 'is a folder' : 'is no regular file'
  return entry.size > MAX_FILE_BYTES ? `is larger than ${MAX_FILE_BYTES} bytes` : entry.size
}

function refuse(path: string, problems: readonly string[]): void {
  if (problems.length === 0) return
  const more = problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : []
  const lines = [...problems.slice(0, MAX_NAMED), ...more].map((line) => `\n  ${line}`)
  throw new UsageError(
    `${path} is refused: ${problems.length} of its cells or rows cannot be used${lines.join('')}`,
  )
}

/** Throws UsageError if there is no such folder. */
export function requireFolder(path: string): string {
  const folder = resolve(path)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${folder} is no folder`)
  return folder
}
