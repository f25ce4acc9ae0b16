/**
 * Sessions of the kiosk's page that have not ended, so that a visit continues after the server was dead. What tells of the person
 * is sealed under the identity's key and goes with it; before the person has agreed there is nothing of the kind.
 */
import type { Db } from './open.ts'
import type { Vault } from './vault.ts'

export interface KeptSession {
  readonly id: string
  /** From `hashOf`: the token itself is in the page's cookie alone. */
  readonly tokenHash: string
  readonly visitId: string | null
  readonly identityId: string | null
  readonly language: string
  readonly startedAt: Date
  /** Sealed. Null before there is an identity, and where nobody can open them any more. As they were read: to be parsed. */
  readonly facts: unknown
}

export interface KioskSessions {
  hashOf(token: string): string
  /** Added, or put in the place of what was kept of it. */
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
  const contextOf = (id: string): string => `kiosk_sessions:${id}`
  const opened = ({ id, identity_id: identityId, facts_ct: sealed }: Row): unknown => {
    if (identityId === null || sealed === null) return null
    try {
      return vault.unsealJson(identityId, contextOf(id), sealed)
    } catch {
      return null
    }
  }
  return {
    hashOf: (token) => lookupHash(`kiosk-session\n${token}`).toString('base64url'),
    keep: ({ id, tokenHash, visitId, identityId, language, startedAt, facts }) =>
      void put.run({
        id,
        token_hash: Buffer.from(tokenHash, 'base64url'),
        visit_id: visitId,
        identity_id: identityId,
        language,
        started_at: startedAt.getTime(),
        facts_ct:
          identityId === null || facts === null ? null : vault.sealJson(identityId, contextOf(id), facts),
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
