/** The audit log for readers: newest first, filtered, in pages; and completely in order for an export. */
import type { SafeDetails } from '../errors.ts'
import type { EventRow } from './event-chain.ts'
import type { EventType, StoredEvent } from './events.ts'
import type { Db } from './db.ts'

export interface EventFilter {
  readonly since?: Date
  /** Exclusive. */
  readonly until?: Date
  /** A type, or a common prefix ending in a dot. */
  readonly type?: string
  readonly identityId?: string
  /** One of these actors, as in the log: `operator`, `STAFF:<id>`. */
  readonly actors?: readonly string[]
  /** Only rows with a smaller number. */
  readonly before?: number
  readonly limit: number
}

export interface EventPages {
  page(filter: EventFilter): readonly StoredEvent[]
  /** Types that occur in the log, sorted. */
  types(): readonly string[]
  /** All rows up to the current newest one, read a thousand at a time so that others can write. */
  rows(): IterableIterator<EventRow>
}

const ROWS_AT_ONCE = 1000

export function createEventPages(db: Db): EventPages {
  const select = db.prepare<[Record<string, unknown>], EventRow>(
    `SELECT * FROM events
     WHERE (@before IS NULL OR seq < @before) AND (@since IS NULL OR at >= @since) AND (@until IS NULL OR at < @until)
       AND (@type IS NULL OR type = @type) AND (@family IS NULL OR substr(type, 1, length(@family)) = @family)
       AND (@identityId IS NULL OR identity_id = @identityId) AND (@actors IS NULL OR actor IN (SELECT value FROM json_each(@actors)))
     ORDER BY seq DESC LIMIT @limit`,
  )
  const types = db.prepare<[], { type: string }>('SELECT DISTINCT type FROM events ORDER BY type')
  const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM events')
  const some = db.prepare<[number, number, number], EventRow>(
    'SELECT * FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  return {
    page: ({ since, until, type, identityId, actors, before, limit }) => {
      const isFamily = type?.endsWith('.') ?? false
      const found = select.all({
        since: since?.getTime() ?? null,
        until: until?.getTime() ?? null,
        type: isFamily ? null : (type ?? null),
        family: isFamily ? type : null,
        identityId: identityId ?? null,
        actors: actors ? JSON.stringify(actors) : null,
        before: before ?? null,
        limit,
      })
      return found.map(fromRow)
    },
    types: () => types.all().map(({ type }) => type),
    *rows() {
      const last = newest.get()?.seq ?? 0
      let at = 0
      for (;;) {
        const rows = some.all(at, last, ROWS_AT_ONCE)
        yield* rows
        const end = rows.at(-1)
        if (!end) return
        at = end.seq
      }
    },
  }
}

function fromRow(row: EventRow): StoredEvent {
  const { seq, id, actor, reason } = row
  return {
    seq,
    id,
    type: row.type as EventType,
    identityId: row.identity_id,
    actor,
    reason,
    body: JSON.parse(row.body) as SafeDetails,
    at: new Date(row.at),
    hash: row.hash.toString('hex'),
  }
}
