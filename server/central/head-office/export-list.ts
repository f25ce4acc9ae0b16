/** Exports a list: its columns as a table of heading and cell, and its rows, one page in memory at a time. */
import type { Cell } from '../../http/csv.ts'
import type { CsvReply } from './http.ts'

/** Heading of a column, and the cell of a row in it. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

interface ExportedPage<Row> {
  readonly rows: readonly Row[]
  /** Id of the last row; undefined or null: no more rows. */
  readonly last: string | null | undefined
}

/**
 * @param name of the file; fixed words
 * @param read the page behind the row with this id; undefined: the first one
 */
export function exportList<Row>(
  name: string,
  columns: Columns<Row>,
  read: (after: string | undefined) => Promise<ExportedPage<Row>>,
): CsvReply {
  const cells = Object.values(columns)
  const walk = async function* () {
    let after: string | null | undefined
    do {
      const page: ExportedPage<Row> = await read(after ?? undefined)
      yield page.rows.map((row) => cells.map((cell) => cell(row)))
      after = page.last
    } while (after)
  }
  return { name, columns: Object.keys(columns), pages: walk() }
}
