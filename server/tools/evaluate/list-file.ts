/** Reads the list of a laboratory: comma-separated, the first line names the columns. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse } from 'csv-parse/sync'
import { UsageError } from '../../commands/usage.ts'

const MAX_LIST_BYTES = 256 * 1024 * 1024

export type ListRow = Readonly<Record<string, string>>

export interface ListFile {
  readonly rows: readonly ListRow[]
  readonly columns: readonly string[]
  readonly sha256: string
  /** Folder that the files of the list are relative to. */
  readonly folder: string
}

/** Throws UsageError if the file is missing, too large, no CSV, or lacks a column. `images` replaces the list's folder. */
export function readListFile(path: string, needed: readonly string[], images: string | undefined): ListFile {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new UsageError(`${path} does not exist`)
  if (size > MAX_LIST_BYTES) throw new UsageError(`${path} is larger than ${MAX_LIST_BYTES} bytes`)
  const text = readFileSync(path)
  const rows = parseRows(path, text)
  const columns = Object.keys(rows[0] ?? {})
  const missing = needed.filter((column) => !columns.includes(column))
  if (missing.length > 0)
    throw new UsageError(`${path} has no rows or lacks the columns ${missing.join(', ')}`)
  return {
    rows,
    columns,
    sha256: createHash('sha256').update(text).digest('hex'),
    folder: resolve(images ?? dirname(path)),
  }
}

function parseRows(path: string, text: Buffer): ListRow[] {
  try {
    return parse(text, { columns: true, bom: true, skip_empty_lines: true, trim: true })
  } catch (error) {
    throw new UsageError(`${path} is no comma-separated list: ${(error as Error).message}`)
  }
}
