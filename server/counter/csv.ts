/** Tables as CSV (RFC 4180) that a spreadsheet opens and does not carry out. */
import type { Response } from 'express'

export type Cell = string | number | null

/** What a spreadsheet takes for a formula, or for the beginning of one (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n|%]/

export function toCsv(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

/** Numbers stand as they are, also negative ones; a text that could be a formula gets an apostrophe before it. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : ''
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return `"${safe.replaceAll('"', '""')}"`
}

/** @param name of fixed words only */
export function sendCsv(
  res: Response,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${name}.csv"`)
  // A byte order mark: spreadsheets take the text for UTF-8 by it alone.
  res.send(`\uFEFF${toCsv(columns, rows)}`)
}
