/** Tables as CSV (RFC 4180) in which a spreadsheet executes no formula. */
import type { Response } from 'express'

export type Cell = string | number | null

/** Characters that a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n|%]/

export function toCsv(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map(toCsvLine).join('')
}

export function toCsvLine(row: readonly Cell[]): string {
  return `${row.map(cellText).join(',')}\r\n`
}

/** Numbers stay unchanged, also negative ones; a text that could be a formula gets an apostrophe in front. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : ''
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return `"${safe.replaceAll('"', '""')}"`
}

/** A byte order mark: spreadsheets detect UTF-8 only by it. */
export const CSV_START = '\uFEFF'

/** @param name consists of fixed words */
export function setCsvHeaders(res: Response, name: string): void {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${name}.csv"`)
}

/** @param name consists of fixed words */
export function sendCsv(
  res: Response,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  setCsvHeaders(res, name)
  res.send(CSV_START + toCsv(columns, rows))
}
