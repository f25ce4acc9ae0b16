/** Reads one page of a list that its reader sorts and filters. The cursor is the id of the last row of the page before. */
import type { Parameter, Queries } from './db.ts'

export interface List {
  /** SELECT of all rows; its columns are the ones below and what the caller shows. Values are numbered from $1. */
  readonly rows: string
  /** Column with the id, a uuid. */
  readonly key: string
  /** SQL; a row is in the list if all are true. They may change between two pages, so the row of the cursor need not meet them. */
  readonly conditions: readonly string[]
  readonly values: readonly Parameter[]
}

export interface PageOrder {
  /** Columns without nulls; the id is the last one. A row whose value changes between two pages may be missing, or come twice. */
  readonly columns: readonly string[]
  readonly order: 'asc' | 'desc'
  readonly after: string | null
  readonly limit: number
}

export async function readPage<Row extends object>(
  queries: Queries,
  { rows, key, conditions, values }: List,
  { columns, order, after, limit }: PageOrder,
): Promise<{ readonly rows: Row[]; readonly isMore: boolean }> {
  const sorted = [...columns, key]
  // A plain comparison of rows: an index begins at the cursor.
  const isBehind = `(${sorted.join(', ')}) ${order === 'asc' ? '>' : '<'}
    (SELECT ${sorted.join(', ')} FROM (${rows}) AS cursor_row WHERE ${key} = $${values.length + 2}::uuid)`
  const met = after === null ? conditions : [...conditions, isBehind]
  const found = await queries.query<Row>(
    `SELECT * FROM (${rows}) AS listed ${met.length > 0 ? `WHERE ${met.join(' AND ')}` : ''}
     ORDER BY ${sorted.map((column) => `${column} ${order}`).join(', ')} LIMIT $${values.length + 1}`,
    [...values, limit + 1, ...(after === null ? [] : [after])],
  )
  return { rows: found.slice(0, limit), isMore: found.length > limit }
}

/** Collects the conditions of the filters that are set, and their values. */
export class Filters {
  readonly conditions: string[] = []
  readonly values: Parameter[]

  /** @param values of the rows, $1 and so on */
  constructor(values: readonly Parameter[] = []) {
    this.values = [...values]
  }

  /** @param condition gets the placeholder of the value */
  add(value: string | undefined, condition: (placeholder: string) => string): this {
    if (value !== undefined) {
      this.values.push(value)
      this.conditions.push(condition(`$${this.values.length}`))
    }
    return this
  }
}

/** SQL: one of the columns contains the text, in any case. */
export function contains(placeholder: string, columns: readonly string[]): string {
  return `(${columns.map((column) => `position(lower(${placeholder}) IN lower(${column})) > 0`).join(' OR ')})`
}
