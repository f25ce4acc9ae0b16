/**
 * When something last happened to an identity, by the audit log, and by the worst case: the time since then may be
 * overstated by as much as the clock was set meanwhile, but it is at least the time since the clock was last set.
 */
import type { EventType } from './events.ts'
import type { Db } from './open.ts'

export interface LastChanges {
  /** Null: nothing is known of it. */
  ofIdentity(identityId: string): Date | null
  /** The last event of this type, of this identity. */
  ofType(identityId: string, type: EventType): Date | null
}

interface Row {
  seq: number
  at: number
}

export function createLastChanges(db: Db): LastChanges {
  // That a lifetime is over is what did not happen.
  const last = db.prepare<[string], Row>(
    `SELECT seq, at FROM events WHERE identity_id = ? AND type <> 'identity.expired' ORDER BY seq DESC LIMIT 1`,
  )
  const lastOfType = db.prepare<[string, string], Row>(
    'SELECT seq, at FROM events WHERE identity_id = ? AND type = ? ORDER BY seq DESC LIMIT 1',
  )
  // The types as in the index on them (migration 3).
  const settings = db.prepare<[number], { lastAt: number | null; bySeconds: number | null }>(
    `SELECT max(at) AS lastAt, sum(abs(json_extract(body, '$.bySeconds'))) AS bySeconds FROM events
     WHERE type IN ('clock.stepped', 'clock.confirmed') AND seq > ?`,
  )
  const worstCase = (row: Row | undefined): Date | null => {
    if (!row) return null
    const { lastAt, bySeconds } = settings.get(row.seq) ?? { lastAt: null, bySeconds: null }
    const overstated = Math.min(row.at + (bySeconds ?? 0) * 1000, lastAt ?? row.at)
    return new Date(Math.max(row.at, overstated))
  }
  return {
    ofIdentity: (identityId) => worstCase(last.get(identityId)),
    ofType: (identityId, type) => worstCase(lastOfType.get(identityId, type)),
  }
}
