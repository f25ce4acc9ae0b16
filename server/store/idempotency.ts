/**
 * Idempotency keys: request and stored answer per key. Keys and bodies are stored as keyed hashes, answers encrypted with
 * the identity's key, so that erasing the identity erases them too.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Db } from './db.ts'
import { runStorageWork } from './storage-faults.ts'
import type { Vault } from './vault.ts'

/** An answer as it was sent. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RepeatKey {
  readonly apiKeyId: string
  /** Operation, and path with ids. */
  readonly route: string
  readonly key: string
  /** Fingerprint of the request. */
  readonly request: string
}

export type Reservation =
  | { readonly outcome: 'reserved'; readonly id: string }
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer }
  /** The key was used for another request. */
  | { readonly outcome: 'reused' }
  | { readonly outcome: 'running' }
  /** The request was processed, but the answer was lost in a crash. */
  | { readonly outcome: 'answer-lost'; readonly id: string }

export interface Idempotency {
  reserve(key: RepeatKey, at: Date, expiresAt: Date): Reservation
  /** Marks the work as done. Call inside the transaction that does it. */
  commit(id: string): void
  answered(id: string, identityId: string, answer: KeptAnswer): void
  /** Frees the key unless the work was committed. */
  release(id: string): void
  /** After a crash: removes requests that ran without a commit. */
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
      runStorageWork(() => db.transaction(() => reserve(key, at, expiresAt)).immediate()),
    commit: (id) => void markCommitted.run(id),
    answered: (id, identityId, answer) => {
      // The identity was erased meanwhile, so there is no key to encrypt with and nothing to repeat.
      if (!exists.get(identityId)) remove.run(id)
      else keep.run(identityId, vault.sealJson(identityId, `idempotency_keys:${id}`, answer), id)
    },
    release: (id) => void runStorageWork(() => removeUndone.run(id)),
    recover: () => removeRunning.run().changes,
  }
}
