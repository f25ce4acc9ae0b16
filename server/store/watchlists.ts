/**
 * Imported watchlists, and a counter of their changes for caches, because another process imports. Published data without
 * applicants.
 */
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { ListedPerson } from '../proofing/watchlist/listed.ts'
import type { Meta } from './meta.ts'
import type { Db } from './db.ts'

export interface ListFile {
  /** Contents: `list`, `aliases`, `comments`, `addresses`. */
  readonly role: string
  readonly sha256: string
  readonly bytes: number
}

export interface StoredWatchlist {
  readonly id: string
  readonly name: string
  readonly format: string
  readonly sha256: string
  readonly files: readonly ListFile[]
  /** yyyy-MM-dd: date of the list itself. */
  readonly date: string
  readonly importedAt: Date
  readonly entries: number
  /** yyyy-MM-dd: last day on which the publisher still had this edition; null if that is not known. */
  readonly confirmedOn: string | null
}

/** The last update of a list from its configured source. */
export interface ListUpdate {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Null: it succeeded. */
  readonly trouble: string | null
  /** The edition that the publisher had, and the day (yyyy-MM-dd); null if that is not known. */
  readonly confirmed: { readonly sha256: string; readonly on: string } | null
}

export interface Watchlists {
  /** Sorted by name. */
  list(): readonly StoredWatchlist[]
  find(name: string): StoredWatchlist | null
  /** Replaces the list of that name. Call inside a transaction. */
  replace(list: Omit<StoredWatchlist, 'entries' | 'confirmedOn'>, persons: readonly ListedPerson[]): void
  /** Returns true if there was one. Call inside a transaction. */
  remove(name: string): boolean
  /** Up to `limit` persons after this number, in order. */
  persons(listId: string, after: number, limit: number): readonly ListedPerson[]
  /** The last update of each list that has a source, by name. */
  updates(): ReadonlyMap<string, ListUpdate>
  /** A failed update keeps the confirmation of the one before. */
  noteUpdate(name: string, update: ListUpdate): void
  /** Increases with every change by any process. */
  version(): number
}

interface Row {
  id: string
  name: string
  format: string
  sha256: string
  files: string
  list_date: string
  imported_at: number
  entries: number
}

const VERSION = 'watchlists-version'
const UPDATES = 'watchlist-updates'

const Updates = z.record(
  z.string(),
  z.object({
    at: z.number(),
    trouble: z.string().nullable(),
    confirmed: z.strictObject({ sha256: z.string(), on: z.string() }).nullable(),
  }),
)

const Entry = z.strictObject({
  id: z.string().min(1),
  names: z.array(z.strictObject({ text: z.string(), isWeak: z.boolean() })).min(1),
  births: z.array(z.strictObject({ from: z.string(), to: z.string() })),
  countries: z.array(z.string()),
  documents: z.array(z.string()),
})

export function createWatchlists(db: Db, meta: Meta): Watchlists {
  const insert = db.prepare(
    `INSERT INTO watchlists (id, name, format, sha256, files, list_date, imported_at, entries)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertEntry = db.prepare('INSERT INTO watchlist_entries (list_id, number, entry) VALUES (?, ?, ?)')
  const erase = db.prepare('DELETE FROM watchlists WHERE name = ?')
  const all = db.prepare<[], Row>('SELECT * FROM watchlists ORDER BY name')
  const one = db.prepare<[string], Row>('SELECT * FROM watchlists WHERE name = ?')
  const some = db.prepare<[string, number, number], { entry: string }>(
    'SELECT entry FROM watchlist_entries WHERE list_id = ? AND number > ? ORDER BY number LIMIT ?',
  )
  const version = (): number => z.int().parse(meta.getJson(VERSION) ?? 0)
  const countUp = (): void => {
    meta.setJson(VERSION, version() + 1)
  }
  const updates = (): ReadonlyMap<string, ListUpdate> =>
    new Map(Object.entries(Updates.parse(meta.getJson(UPDATES) ?? {})))
  const fromRow = (row: Row): StoredWatchlist => {
    const confirmed = updates().get(row.name)?.confirmed
    return { ...parseRow(row), confirmedOn: confirmed?.sha256 === row.sha256 ? confirmed.on : null }
  }
  return {
    list: () => all.all().map(fromRow),
    find: (name) => {
      const row = one.get(name)
      return row ? fromRow(row) : null
    },
    updates,
    noteUpdate: (name, { at, trouble, confirmed }) => {
      const before = updates()
      const noted = { at, trouble, confirmed: confirmed ?? before.get(name)?.confirmed ?? null }
      meta.setJson(UPDATES, Object.fromEntries([...before, [name, noted]]))
    },
    replace: ({ id, name, format, sha256, files, date, importedAt }, persons) => {
      erase.run(name)
      insert.run(id, name, format, sha256, JSON.stringify(files), date, importedAt.getTime(), persons.length)
      persons.forEach((person, index) => insertEntry.run(id, index + 1, JSON.stringify(person)))
      countUp()
    },
    remove: (name) => {
      const wasThere = erase.run(name).changes > 0
      if (wasThere) countUp()
      return wasThere
    },
    persons: (listId, after, limit) => some.all(listId, after, limit).map(({ entry }) => parseEntry(entry)),
    version,
  }
}

function parseEntry(text: string): ListedPerson {
  try {
    return Entry.parse(JSON.parse(text))
  } catch {
    // The cause is left out, because it would quote the entry.
    throw new AppError('storage_damaged', { table: 'watchlist_entries' })
  }
}

function parseRow(row: Row): Omit<StoredWatchlist, 'confirmedOn'> {
  return {
    id: row.id,
    name: row.name,
    format: row.format,
    sha256: row.sha256,
    files: JSON.parse(row.files) as readonly ListFile[],
    date: row.list_date,
    importedAt: new Date(row.imported_at),
    entries: row.entries,
  }
}
