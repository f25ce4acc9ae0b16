/** Reads a manifest: tab-separated, with column names in the first line. */

/** Throws TypeError if a column is missing, because a bench on the wrong file must not report a figure. */
export function readTable<Column extends string>(
  text: string,
  columns: readonly Column[],
): Record<Column, string>[] {
  const [header = '', ...rows] = text.split(/\r?\n/).filter((row) => row !== '')
  const names = header.split('\t')
  const places = columns.map((column) => {
    const place = names.indexOf(column)
    if (place < 0) throw new TypeError(`the manifest has no column ${column}`)
    return [column, place] as const
  })
  return rows.map((row) => {
    const cells = row.split('\t')
    return Object.fromEntries(places.map(([column, place]) => [column, cells[place] ?? ''])) as Record<
      Column,
      string
    >
  })
}
