/**
 * When something last happened, by the audit log: to an identity, and to the clock. A moment that was written before the
 * clock was set is not believed: the deletion policy counts from the setting on.
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
  const last = db.prepare<[string], Row>(
    'SELECT seq, at FROM events WHERE identity_id = ? ORDER BY seq DESC LIMIT 1',
  )
  const lastOfType = db.prepare<[string, string], Row>(
    'SELECT seq, at FROM events WHERE identity_id = ? AND type = ? ORDER BY seq DESC LIMIT 1',
  )
  const lastStep = db.prepare<[number], { at: number | null }>(
    `SELECT max(at) AS at FROM events WHERE seq > ? AND type = 'clock.stepped'`,
  )
  const worstCase = (row: Row | undefined): Date | null =>
    row ? new Date(Math.max(row.at, lastStep.get(row.seq)?.at ?? row.at)) : null
  return {
    ofIdentity: (identityId) => worstCase(last.get(identityId)),
    ofType: (identityId, type) => worstCase(lastOfType.get(identityId, type)),
  }
}
