/**
 * The tables of the database from its own catalogue, each after the tables that it refers to. Unlogged ones are no part of a
 * backup. The rows of partitions are rows of their table, because the restored one has other months.
 */
import type { Queries } from '../db/db.ts'

/** The migrations fill them themselves; `continueFeed` adapts the clock of the feed to the restored proofs. */
const OWN_TABLES = ['schema_migrations', 'feed_clock']

export async function listTables(queries: Queries): Promise<string[]> {
  const tables = await queries.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
       AND c.relname <> ALL ($1::text[]) ORDER BY c.relname`,
    [OWN_TABLES],
  )
  const references = await queries.query<{ table: string; refers: string }>(
    `SELECT conrelid::regclass::text AS "table", confrelid::regclass::text AS refers FROM pg_constraint
     WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
  )
  return sortByReference(
    tables.map(({ name }) => name),
    references,
  )
}

/** Pure. Throws a TypeError for references in a circle. */
export function sortByReference(
  tables: readonly string[],
  references: readonly { readonly table: string; readonly refers: string }[],
): string[] {
  const sorted: string[] = []
  const open = new Set(tables)
  while (open.size > 0) {
    const ready = [...open].filter(
      (table) =>
        !references.some(({ table: from, refers }) => from === table && refers !== table && open.has(refers)),
    )
    if (ready.length === 0) throw new TypeError('the tables refer to each other in a circle')
    for (const table of ready) {
      sorted.push(table)
      open.delete(table)
    }
  }
  return sorted
}
