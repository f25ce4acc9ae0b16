/**
 * Short-lived tokens with which an applicant's user agent accesses a single identity. Only hashes are stored, and they
 * are deleted with the identity (ON DELETE CASCADE).
 */
import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Db } from './db.ts'

interface NewToken {
  readonly identityId: string
  /** The back-end key that requested it: the token ends with that key. */
  readonly apiKeyId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

interface TokenHolder {
  readonly tokenId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly identityId: string
}

export interface UserAgentTokens {
  /** The token is shown once. At most `most` tokens per identity are valid: the oldest excess ones end. */
  issue(token: NewToken, most: number): { readonly tokenId: string; readonly token: string }
  /**
   * Returns null for a token that is unknown or expired, whose key was revoked or has expired, or whose identity is
   * closed, erased or being erased.
   */
  authenticate(token: string, at: Date): TokenHolder | null
  /** Revokes all tokens of an identity. Returns their number. */
  revokeByIdentity(identityId: string): number
  /** Deletes expired tokens. */
  purge(at: Date): void
}

const TOKEN_PREFIX = 'cpt_'
const digest = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest()

export function createUserAgentTokens(db: Db): UserAgentTokens {
  const insert = db.prepare(
    `INSERT INTO user_agent_tokens (id, identity_id, api_key_id, sha256, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const dropOldest = db.prepare(
    `DELETE FROM user_agent_tokens WHERE identity_id = @identity AND id NOT IN (
       SELECT id FROM user_agent_tokens WHERE identity_id = @identity ORDER BY created_at DESC, id DESC LIMIT @most
     )`,
  )
  const find = db.prepare<
    [{ hash: Buffer; at: number }],
    { id: string; tenant_id: string; application_id: string; identity_id: string }
  >(
    `SELECT t.id, a.tenant_id, k.application_id, t.identity_id FROM user_agent_tokens t
     JOIN api_keys k ON k.id = t.api_key_id
     JOIN applications a ON a.id = k.application_id
     JOIN identities i ON i.id = t.identity_id
     WHERE t.sha256 = @hash AND t.expires_at > @at
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > @at)
       AND i.status <> 'CLOSED' AND i.id NOT IN (SELECT identity_id FROM erasures)`,
  )
  const dropOf = db.prepare('DELETE FROM user_agent_tokens WHERE identity_id = ?')
  const dropOver = db.prepare('DELETE FROM user_agent_tokens WHERE expires_at <= ?')
  return {
    issue: ({ identityId, apiKeyId, createdAt, expiresAt }, most) => {
      const token = TOKEN_PREFIX + randomBytes(32).toString('base64url')
      const tokenId = uuidv7()
      insert.run(tokenId, identityId, apiKeyId, digest(token), createdAt.getTime(), expiresAt.getTime())
      dropOldest.run({ identity: identityId, most })
      return { tokenId, token }
    },
    authenticate: (token, at) => {
      if (!token.startsWith(TOKEN_PREFIX)) return null
      const row = find.get({ hash: digest(token), at: at.getTime() })
      return row
        ? {
            tokenId: row.id,
            tenantId: row.tenant_id,
            applicationId: row.application_id,
            identityId: row.identity_id,
          }
        : null
    },
    revokeByIdentity: (identityId) => dropOf.run(identityId).changes,
    purge: (at) => void dropOver.run(at.getTime()),
  }
}
