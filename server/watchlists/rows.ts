/** Reads the numbered rows of a CSV file one after the other, without interpreting them. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import type { TextFile } from './read-file.ts'
import { ListRefused } from './parsed-list.ts'

/** The longest remarks of published lists have a few thousand characters. */
const MAX_ROW_LENGTH = 1_000_000

const PROBLEMS: Readonly<Partial<Record<string, string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'ends within a quoted field: it is cut off',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'has a row of another length: it is cut off or damaged',
  CSV_RECORD_INCONSISTENT_COLUMNS: 'has a row of another length: it is cut off or damaged',
  CSV_MAX_RECORD_SIZE: 'has a row that is too long',
  CSV_INVALID_CLOSING_QUOTE: 'has a quote where none may be',
  INVALID_OPENING_QUOTE: 'has a quote where none may be',
}

export interface Row {
  readonly cells: readonly string[]
  /** Starts at 1 and counts the header; a row may span several lines. */
  readonly number: number
}

/** Yields rows of equal length and skips empty lines. Throws ListRefused with the line. */
export async function* readRows(file: TextFile): AsyncGenerator<Row> {
  const parser = parse({ bom: true, skip_empty_lines: true, trim: true, max_record_size: MAX_ROW_LENGTH })
  const piped = pipeline(Readable.from(file.text()), parser).catch(() => undefined)
  let number = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number++
      yield { cells, number }
    }
    await piped
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const problem = PROBLEMS[error.code] ?? 'is no CSV file'
    const line = typeof error.lines === 'number' ? `, line ${error.lines}` : ''
    throw new ListRefused(`${file.name} ${problem}${line}`)
  } finally {
    parser.destroy()
    await piped
  }
}
