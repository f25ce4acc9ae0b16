/**
 * Time of the last event of an identity in the audit log, in the worst case: the elapsed time may be overstated by later
 * clock adjustments, but is at least the time since the last adjustment.
 */
import type { EventType } from './events.ts'
import type { Db } from './db.ts'

export interface LastChanges {
  /** Null if nothing is known. */
  ofIdentity(identityId: string): Date | null
  /** Last event of this type for this identity. */
  ofType(identityId: string, type: EventType): Date | null
}

interface Row {
  seq: number
  at: number
}

export function createLastChanges(db: Db): LastChanges {
  // The end of a lifetime is not an event of the identity itself.
  const last = db.prepare<[string], Row>(
    `SELECT seq, at FROM events WHERE identity_id = ? AND type <> 'identity.expired' ORDER BY seq DESC LIMIT 1`,
  )
  const lastOfType = db.prepare<[string, string], Row>(
    'SELECT seq, at FROM events WHERE identity_id = ? AND type = ? ORDER BY seq DESC LIMIT 1',
  )
  // Same types as in the index on them (migration 3).
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
