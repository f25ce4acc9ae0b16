/**
 * Capture sessions of an external biometric server, and its processed callbacks, so that a repeated callback has no
 * effect even after a restart.
 */
import type { Db } from './db.ts'

interface DelegatedSession {
  readonly sessionId: string
  readonly identityId: string
  /** When the server reported the end; null while pending. */
  readonly reportedAt: Date | null
}

export interface DelegatedSessions {
  add(session: Pick<DelegatedSession, 'sessionId' | 'identityId'>): void
  find(sessionId: string): DelegatedSession | null
  setReported(sessionId: string, at: Date): void
  /** Returns false for a callback that was processed before. Call inside the transaction that processes it. */
  takeCallback(id: string, at: Date): boolean
  wasTaken(id: string): boolean
}

interface Row {
  session_id: string
  identity_id: string
  reported_at: number | null
}

/**
 * Senders repeat for some days at most (Standard Webhooks proposes little more than one); the session is long over by
 * then.
 */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000

export function createDelegatedSessions(db: Db, lookupHash: (value: string) => Buffer): DelegatedSessions {
  const insert = db.prepare('INSERT INTO delegated_sessions (session_id, identity_id) VALUES (?, ?)')
  const select = db.prepare<[string], Row>('SELECT * FROM delegated_sessions WHERE session_id = ?')
  const report = db.prepare(
    'UPDATE delegated_sessions SET reported_at = ? WHERE session_id = ? AND reported_at IS NULL',
  )
  const take = db.prepare('INSERT INTO callbacks (id_hash, received_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const taken = db.prepare<[Buffer], { received_at: number }>(
    'SELECT received_at FROM callbacks WHERE id_hash = ?',
  )
  const forget = db.prepare('DELETE FROM callbacks WHERE received_at < ?')
  const hashCallback = (id: string): Buffer => lookupHash(`biometrics-callback\n${id}`)
  return {
    add: ({ sessionId, identityId }) => void insert.run(sessionId, identityId),
    find: (sessionId) => {
      const row = select.get(sessionId)
      if (!row) return null
      const reportedAt = row.reported_at === null ? null : new Date(row.reported_at)
      return { sessionId, identityId: row.identity_id, reportedAt }
    },
    setReported: (sessionId, at) => void report.run(at.getTime(), sessionId),
    takeCallback: (id, at) => {
      forget.run(at.getTime() - REMEMBERED_MS)
      return take.run(hashCallback(id), at.getTime()).changes > 0
    },
    wasTaken: (id) => taken.get(hashCallback(id)) !== undefined,
  }
}
