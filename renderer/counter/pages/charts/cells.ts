/** Formats a cell of a chart's table by its column's unit. Pure. */
import type { Chart } from '../../../../server/counter/contract/charts.ts'
import type { Texts } from '../../text.tsx'
import { spellCode } from '../../words.ts'

type Column = Chart['columns'][number]
type Cell = string | number | null

/** The column does not name the family of its codes; steps, outcomes, advice and flags share no codes. */
const FAMILIES = ['step', 'outcome', 'advice', 'assist.guidance', 'flag', 'channel', 'age']

export function formatCell(
  column: Column,
  cell: Cell,
  { known, formats }: Pick<Texts, 'known' | 'formats'>,
): string {
  if (cell === null) return '–'
  const text = String(cell)
  if (column.type === 'TIME') return /T\d{2}:/.test(text) ? formats.dateTime(text) : formats.value(text)
  for (const family of FAMILIES) {
    const word = known(`${family}.${text}`, '')
    if (word !== '') return word
  }
  return /^[A-Z0-9_.-]+$/.test(text) || /^[a-z0-9-]+$/.test(text) ? spellCode(text) : text
}

interface NamedValue {
  readonly cell: Cell
  readonly value: number | null
  readonly rows: Chart['rows']
}

/** Returns one bar per name: adds up the rows of several days, largest first. */
export function addUpPoints(
  rows: Chart['rows'],
  at: { readonly name: number; readonly value: number },
): readonly NamedValue[] {
  const byName = new Map<Cell, NamedValue>()
  for (const row of rows) {
    const cell = row[at.name] ?? null
    const value = row[at.value]
    const before = byName.get(cell)
    const sum = typeof value === 'number' ? (before?.value ?? 0) + value : (before?.value ?? null)
    byName.set(cell, { cell, value: sum, rows: [...(before?.rows ?? []), row] })
  }
  const points = [...byName.values()]
  return points.length === rows.length ? points : points.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0))
}

export function cellText(column: Column, cell: Cell, texts: Pick<Texts, 'known' | 'formats'>): string {
  if (typeof cell !== 'number') return formatCell(column, cell, texts)
  const { formats } = texts
  switch (column.unit) {
    case 'SECONDS':
      return formats.span(cell * 1_000)
    case 'MINUTES':
      return formats.span(cell * 60_000)
    case 'HOURS':
      return formats.span(cell * 3_600_000)
    case 'SHARE':
      return formats.percent(cell)
    case 'COUNT':
    case null:
      return formats.number(cell)
  }
}
