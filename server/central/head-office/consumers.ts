/**
 * Head-office systems and their keys. A key is shown once and stored as its SHA-256; 256 random bits need no
 * slow hash.
 */
import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { AppError } from '../../errors.ts'
import { decidedBefore } from '../decided-before.ts'
import { SYSTEM, type Db, type Queries } from '../db/db.ts'
import { SCOPES, type Scope } from './contract.ts'
import type { SystemHolder } from './guard.ts'

const KEY_PREFIX = 'cph_'
const digest = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest()

interface NewKey {
  readonly consumerId: string
  readonly keyId: string
  /** Shown only now. */
  readonly key: string
}
export interface KeyListing {
  readonly keyId: string
  readonly consumerId: string
  readonly tenantId: string
  readonly consumer: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

interface KeyOrder {
  readonly tenantId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
}

/**
 * Creates a key for the named consumer, and the consumer if necessary. Throws `not_found` for an unknown
 * tenant. @param note stores the act in the access log, in the same transaction
 */
export async function createKey(
  db: Db,
  order: KeyOrder,
  at: Date,
  note: (queries: Queries, keyId: string) => Promise<void>,
): Promise<NewKey> {
  const { tenantId, name, scopes, expiresAt } = order
  const key = KEY_PREFIX + randomBytes(32).toString('base64url')
  const keyId = uuidv7()
  const consumerId = await db.transaction(SYSTEM, async (queries) => {
    const [tenant] = await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1', [tenantId])
    if (!tenant) throw new AppError('not_found', { kind: 'tenant' })
    const id = await ensureConsumer(queries, tenantId, name, at)
    await queries.query(
      `INSERT INTO consumer_keys (id, tenant_id, consumer_id, sha256, scopes, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5::text[], $6, $7)`,
      [keyId, tenantId, id, digest(key), [...scopes], at, expiresAt],
    )
    await note(queries, keyId)
    return id
  })
  return { consumerId, keyId, key }
}

async function ensureConsumer(queries: Queries, tenantId: string, name: string, at: Date): Promise<string> {
  await queries.query(
    'INSERT INTO consumers (id, tenant_id, name, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id, name) DO NOTHING',
    [uuidv7(), tenantId, name, at],
  )
  const [row] = await queries.query<{ id: string }>(
    'SELECT id FROM consumers WHERE tenant_id = $1 AND name = $2',
    [tenantId, name],
  )
  if (!row) throw new TypeError('a consumer was not made')
  return row.id
}

/**
 * Null: unknown, expired or revoked. Read at every call, so that a revocation takes effect immediately on
 * every instance.
 */
export async function authenticate(db: Db, key: string, at: Date): Promise<SystemHolder | null> {
  const [row] = await db.query<{
    id: string
    consumer_id: string
    tenant_id: string
    name: string
    scopes: string[]
    expires_at: Date | null
  }>(
    SYSTEM,
    `SELECT k.id, k.consumer_id, k.tenant_id, c.name, k.scopes, k.expires_at
     FROM consumer_keys k JOIN consumers c ON c.id = k.consumer_id
     WHERE k.sha256 = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`,
    [digest(key), at],
  )
  if (!row) return null
  return {
    kind: 'system',
    keyId: row.id,
    consumerId: row.consumer_id,
    tenantId: row.tenant_id,
    name: row.name,
    scopes: row.scopes.filter(isScope),
    keyExpiresAt: row.expires_at,
  }
}

export async function listKeys(db: Db, tenantId: string | null): Promise<readonly KeyListing[]> {
  const rows = await db.query<{
    id: string
    consumer_id: string
    tenant_id: string
    name: string
    scopes: string[]
    created_at: Date
    expires_at: Date | null
    revoked_at: Date | null
  }>(
    SYSTEM,
    `SELECT k.id, k.consumer_id, k.tenant_id, c.name, k.scopes, k.created_at, k.expires_at, k.revoked_at
     FROM consumer_keys k JOIN consumers c ON c.id = k.consumer_id
     WHERE $1::text IS NULL OR k.tenant_id = $1 ORDER BY k.tenant_id, c.name, k.created_at`,
    [tenantId],
  )
  return rows.map((row) => ({
    keyId: row.id,
    consumerId: row.consumer_id,
    tenantId: row.tenant_id,
    consumer: row.name,
    scopes: row.scopes.filter(isScope),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }))
}

/** False if there is no such key. Throws `transition_refused` if it was revoked before. @param note as above */
export async function revokeKey(
  db: Db,
  keyId: string,
  at: Date,
  note: (queries: Queries, tenantId: string) => Promise<void>,
): Promise<boolean> {
  return db.transaction(SYSTEM, async (queries) => {
    const [key] = await queries.query<{ tenant_id: string; revoked_at: Date | null }>(
      'SELECT tenant_id, revoked_at FROM consumer_keys WHERE id = $1 FOR UPDATE',
      [keyId],
    )
    if (!key) return false
    if (key.revoked_at) throw decidedBefore('key', 'revoked', key.revoked_at)
    await queries.query('UPDATE consumer_keys SET revoked_at = $2 WHERE id = $1', [keyId, at])
    await note(queries, key.tenant_id)
    return true
  })
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}
