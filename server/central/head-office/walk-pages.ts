/** Reads a list to its end for an export, one page in memory at a time. */
import type { Cell } from '../../http/csv.ts'

interface ExportedPage {
  readonly cells: readonly (readonly Cell[])[]
  /** Id of the last row; undefined: no more rows. */
  readonly last: string | undefined
}

/** @param read the page behind the row with this id; undefined: the first one */
export async function* walkPages(
  read: (after: string | undefined) => Promise<ExportedPage>,
): AsyncGenerator<readonly (readonly Cell[])[]> {
  let after: string | undefined
  do {
    const page = await read(after)
    yield page.cells
    after = page.last
  } while (after !== undefined)
}
