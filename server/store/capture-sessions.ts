/** Capture sessions: settings and expiry. Settings describe a person, so they are encrypted. */
import type { EmptyEnd, LivenessSettings } from '../proofing/capture-session.ts'
import type { DocumentSide, DocumentType } from '../proofing/types.ts'
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

type SessionEnd = 'DONE' | EmptyEnd
type SessionState = 'OPEN' | SessionEnd

export interface DocumentSessionSettings {
  readonly issuingCountry?: string
  readonly documentType?: DocumentType
  readonly sidesFollowKind?: boolean
  readonly sidesToCapture: readonly DocumentSide[]
}

interface Common {
  /** Random UUIDv4, not ordered by time, because possession of it allows capturing. */
  readonly id: string
  readonly identityId: string
  readonly evidenceId: string
  readonly state: SessionState
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly endedAt: Date | null
}
export type CaptureSession = Common &
  (
    | { readonly kind: 'DOCUMENT'; readonly settings: DocumentSessionSettings }
    | { readonly kind: 'PORTRAIT'; readonly settings: LivenessSettings }
  )

export interface CaptureSessions {
  add(session: CaptureSession): void
  find(id: string): CaptureSession | null
  findByEvidence(evidenceId: string): CaptureSession | null
  changeSettings(session: CaptureSession, settings: DocumentSessionSettings): void
  /** Returns false if it had already ended. */
  end(id: string, state: SessionEnd, at: Date): boolean
  listOpen(kind: CaptureSession['kind']): readonly CaptureSession[]
}

interface Row {
  id: string
  identity_id: string
  evidence_id: string
  kind: CaptureSession['kind']
  state: SessionState
  settings_ct: Buffer
  created_at: number
  expires_at: number
  ended_at: number | null
}

export function createCaptureSessions(db: Db, vault: Vault): CaptureSessions {
  const insert = db.prepare(
    `INSERT INTO capture_sessions (id, identity_id, evidence_id, kind, state, settings_ct, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM capture_sessions WHERE id = ?')
  const byEvidence = db.prepare<[string], Row>(
    'SELECT * FROM capture_sessions WHERE evidence_id = ? ORDER BY created_at DESC LIMIT 1',
  )
  const open = db.prepare<[string], Row>(
    `SELECT * FROM capture_sessions WHERE state = 'OPEN' AND kind = ? ORDER BY created_at`,
  )
  const finish = db.prepare(
    `UPDATE capture_sessions SET state = ?, ended_at = ? WHERE id = ? AND state = 'OPEN'`,
  )
  const change = db.prepare(`UPDATE capture_sessions SET settings_ct = ? WHERE id = ? AND state = 'OPEN'`)
  const sealed = (session: Pick<CaptureSession, 'id' | 'identityId'>, settings: CaptureSession['settings']) =>
    vault.sealJson(session.identityId, `capture_sessions:${session.id}`, settings)
  const fromRow = (row: Row): CaptureSession =>
    ({
      id: row.id,
      identityId: row.identity_id,
      evidenceId: row.evidence_id,
      kind: row.kind,
      state: row.state,
      settings: vault.unsealJson(row.identity_id, `capture_sessions:${row.id}`, row.settings_ct),
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
      endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    }) as CaptureSession
  const found = (row: Row | undefined): CaptureSession | null => (row ? fromRow(row) : null)

  return {
    add: (session) =>
      void insert.run(
        session.id,
        session.identityId,
        session.evidenceId,
        session.kind,
        session.state,
        sealed(session, session.settings),
        session.createdAt.getTime(),
        session.expiresAt.getTime(),
      ),
    find: (id) => found(byId.get(id)),
    findByEvidence: (evidenceId) => found(byEvidence.get(evidenceId)),
    changeSettings: (session, settings) => void change.run(sealed(session, settings), session.id),
    end: (id, state, at) => finish.run(state, at.getTime(), id).changes > 0,
    listOpen: (kind) => open.all(kind).map(fromRow),
  }
}
