/**
 * Repeat keys (Idempotency-Key): who sent which request under which key, and what it was answered. Keys and bodies are
 * kept as keyed hashes, answers sealed under the identity's key: erasing the identity takes them along.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Db } from './open.ts'
import { storing } from './storage-faults.ts'
import type { Vault } from './vault.ts'

/** An answer as it was sent. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RepeatKey {
  readonly apiKeyId: string
  /** Operation and path with ids. */
  readonly route: string
  readonly key: string
  /** A fingerprint of what was sent. */
  readonly request: string
}

export type Reservation =
  | { readonly outcome: 'reserved'; readonly id: string }
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer }
  /** Another request came under this key. */
  | { readonly outcome: 'reused' }
  | { readonly outcome: 'running' }
  /** Carried out, but a crash took the answer. */
  | { readonly outcome: 'answer-lost'; readonly id: string }

export interface Idempotency {
  reserve(key: RepeatKey, at: Date, expiresAt: Date): Reservation
  /** Inside the transaction that does the work: from here on it is done. */
  commit(id: string): void
  answered(id: string, identityId: string, answer: KeptAnswer): void
  /** The key is free again, unless the work was committed. */
  release(id: string): void
  /** After a crash: what ran without a commit never happened. */
  recover(): number
}

interface Row {
  id: string
  body_hash: Buffer
  identity_id: string | null
  state: 'running' | 'committed' | 'answered'
  answer_ct: Buffer | null
  expires_at: number
}

export function createIdempotency(db: Db, vault: Vault, lookupHash: (value: string) => Buffer): Idempotency {
  const find = db.prepare<[string, string, Buffer], Row>(
    'SELECT * FROM idempotency_keys WHERE api_key_id = ? AND route = ? AND key_hash = ?',
  )
  const insert = db.prepare(
    `INSERT INTO idempotency_keys (id, api_key_id, route, key_hash, body_hash, state, expires_at)
     VALUES (?, ?, ?, ?, ?, 'running', ?)`,
  )
  const purge = db.prepare('DELETE FROM idempotency_keys WHERE expires_at <= ?')
  const markCommitted = db.prepare(
    `UPDATE idempotency_keys SET state = 'committed' WHERE id = ? AND state = 'running'`,
  )
  const keep = db.prepare(
    `UPDATE idempotency_keys SET state = 'answered', identity_id = ?, answer_ct = ? WHERE id = ?`,
  )
  const exists = db.prepare<[string], { id: string }>('SELECT id FROM identities WHERE id = ?')
  const remove = db.prepare(`DELETE FROM idempotency_keys WHERE id = ?`)
  const removeRunning = db.prepare(`DELETE FROM idempotency_keys WHERE state = 'running'`)
  const removeUndone = db.prepare(`DELETE FROM idempotency_keys WHERE id = ? AND state = 'running'`)

  const reserve = (key: RepeatKey, at: Date, expiresAt: Date): Reservation => {
    purge.run(at.getTime())
    const keyHash = lookupHash(`repeat-key\n${key.key}`)
    const bodyHash = lookupHash(`repeat-body\n${key.request}`)
    const row = find.get(key.apiKeyId, key.route, keyHash)
    if (!row) {
      const id = uuidv7()
      insert.run(id, key.apiKeyId, key.route, keyHash, bodyHash, expiresAt.getTime())
      return { outcome: 'reserved', id }
    }
    if (!row.body_hash.equals(bodyHash)) return { outcome: 'reused' }
    if (row.state === 'running') return { outcome: 'running' }
    if (row.identity_id === null || row.answer_ct === null) return { outcome: 'answer-lost', id: row.id }
    const answer = vault.unsealJson(row.identity_id, `idempotency_keys:${row.id}`, row.answer_ct)
    return { outcome: 'answered', answer: answer as KeptAnswer }
  }
  return {
    reserve: (key, at, expiresAt) =>
      storing(() => db.transaction(() => reserve(key, at, expiresAt)).immediate()),
    commit: (id) => void markCommitted.run(id),
    answered: (id, identityId, answer) => {
      // Erased meanwhile: there is no key to seal with, and nothing to repeat.
      if (!exists.get(identityId)) remove.run(id)
      else keep.run(identityId, vault.sealJson(identityId, `idempotency_keys:${id}`, answer), id)
    },
    release: (id) => void storing(() => removeUndone.run(id)),
    recover: () => removeRunning.run().changes,
  }
}
