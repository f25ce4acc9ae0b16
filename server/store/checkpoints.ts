/** Signed statements of the audit log's length and hash. */
import type { Db } from './db.ts'

export interface Checkpoint {
  readonly eventSeq: number
  /** Compact JWS, RS256, by the key that signs proofs. */
  readonly jws: string
  readonly at: Date
}

export interface Checkpoints {
  add(checkpoint: Checkpoint): void
  latest(): Checkpoint | null
  /** Oldest first. */
  list(): readonly Checkpoint[]
}

interface Row {
  event_seq: number
  jws: string
  at: number
}

export function createCheckpoints(db: Db): Checkpoints {
  const insert = db.prepare(
    'INSERT INTO checkpoints (event_seq, jws, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const newest = db.prepare<[], Row>('SELECT * FROM checkpoints ORDER BY event_seq DESC LIMIT 1')
  const all = db.prepare<[], Row>('SELECT * FROM checkpoints ORDER BY event_seq')
  return {
    add: ({ eventSeq, jws, at }) => void insert.run(eventSeq, jws, at.getTime()),
    latest: () => {
      const row = newest.get()
      return row ? fromRow(row) : null
    },
    list: () => all.all().map(fromRow),
  }
}

function fromRow(row: Row): Checkpoint {
  return { eventSeq: row.event_seq, jws: row.jws, at: new Date(row.at) }
}
