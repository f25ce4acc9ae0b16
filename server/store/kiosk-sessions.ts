/**
 * Open sessions of the kiosk's page, so that a visit continues after a server restart. Personal data is encrypted with
 * the identity's key and erased with it; before the consent there is none.
 */
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface KeptSession {
  readonly id: string
  /** Result of `hashToken`: only the page's cookie holds the token itself. */
  readonly tokenHash: string
  readonly visitId: string | null
  readonly identityId: string | null
  readonly language: string
  readonly startedAt: Date
  /** Encrypted. Null before there is an identity, or if it can no longer be decrypted. Must be parsed by the reader. */
  readonly facts: unknown
}

export interface KioskSessions {
  hashToken(token: string): string
  /** Adds or replaces the session. */
  keep(session: KeptSession): void
  forget(id: string): void
  /** Oldest first. */
  list(): readonly KeptSession[]
}

interface Row {
  id: string
  token_hash: Buffer
  visit_id: string | null
  identity_id: string | null
  language: string
  started_at: number
  facts_ct: Buffer | null
}

export function createKioskSessions(
  db: Db,
  vault: Vault,
  lookupHash: (value: string) => Buffer,
): KioskSessions {
  const put = db.prepare(
    `INSERT INTO kiosk_sessions (id, token_hash, visit_id, identity_id, language, started_at, facts_ct)
     VALUES (@id, @token_hash, @visit_id, @identity_id, @language, @started_at, @facts_ct)
     ON CONFLICT (id) DO UPDATE SET visit_id = @visit_id, identity_id = @identity_id, language = @language,
       facts_ct = @facts_ct`,
  )
  const remove = db.prepare('DELETE FROM kiosk_sessions WHERE id = ?')
  const all = db.prepare<[], Row>('SELECT * FROM kiosk_sessions ORDER BY started_at, id')
  const buildSealContext = (id: string): string => `kiosk_sessions:${id}`
  const opened = ({ id, identity_id: identityId, facts_ct: sealed }: Row): unknown => {
    if (identityId === null || sealed === null) return null
    try {
      return vault.unsealJson(identityId, buildSealContext(id), sealed)
    } catch {
      return null
    }
  }
  return {
    hashToken: (token) => lookupHash(`kiosk-session\n${token}`).toString('base64url'),
    keep: ({ id, tokenHash, visitId, identityId, language, startedAt, facts }) =>
      void put.run({
        id,
        token_hash: Buffer.from(tokenHash, 'base64url'),
        visit_id: visitId,
        identity_id: identityId,
        language,
        started_at: startedAt.getTime(),
        facts_ct:
          identityId === null || facts === null
            ? null
            : vault.sealJson(identityId, buildSealContext(id), facts),
      }),
    forget: (id) => void remove.run(id),
    list: () =>
      all.all().map((row) => ({
        id: row.id,
        tokenHash: row.token_hash.toString('base64url'),
        visitId: row.visit_id,
        identityId: row.identity_id,
        language: row.language,
        startedAt: new Date(row.started_at),
        facts: opened(row),
      })),
  }
}
