/** Applications and their API keys. A key is shown once and stored as SHA-256; 256 random bits need no slow hash. */
import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { fieldProblem } from '../errors.ts'
import { isReservedName, RESERVED_APPLICATIONS } from '../proofing/applications.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { Db } from './db.ts'

export interface Authenticated {
  readonly keyId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly role: CallerRole
}

export interface NewKeys {
  readonly applicationId: string
  /** Records of both keys, the back-end key first. */
  readonly keyIds: readonly string[]
  readonly relyingServiceKey: string
  readonly userAgentKey: string
}

export interface ApiKeys {
  /** Returns the application with this name, creating it if necessary. */
  ensureApplication(tenantId: string, name: string, at: Date): string
  /** Name of the application; null if it does not exist. */
  findApplicationName(tenantId: string, applicationId: string): string | null
  /** True if keys were ever created for it. Kiosk and counter call without one. */
  hasKeys(applicationId: string): boolean
  /** All applications of the tenant including the built-in ones, in order of creation. */
  applications(tenantId: string): readonly Application[]
  /**
   * Creates a key pair for the application (creating it if necessary), without expiry unless `expiresAt` is given.
   * Earlier keys stay valid, so that rotation overlaps. Throws `validation_failed` for a reserved name.
   */
  createPair(tenantId: string, applicationName: string, at: Date, expiresAt?: Date): NewKeys
  /** Holder of this key; null if it is unknown, expired, revoked, or belongs to a built-in application. */
  authenticate(key: string, at: Date): Authenticated | null
  list(tenantId: string): readonly KeyListing[]
  /** Limits the currently valid keys of the application to `until`, unless they end earlier. Returns their ids. */
  limit(tenantId: string, applicationName: string, at: Date, until: Date): readonly string[]
  /** Returns false if there is no such key. */
  revoke(keyId: string, at: Date): boolean
}

export interface Application {
  readonly id: string
  readonly name: string
}

export interface KeyListing {
  readonly keyId: string
  readonly application: string
  readonly role: CallerRole
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

const KEY_PREFIX = 'cp_'
const digest = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest()

export function createApiKeys(db: Db): ApiKeys {
  const findApplication = db.prepare<[string, string], { id: string }>(
    'SELECT id FROM applications WHERE tenant_id = ? AND name = ?',
  )
  const nameById = db.prepare<[string, string], { name: string }>(
    'SELECT name FROM applications WHERE tenant_id = ? AND id = ?',
  )
  const anyKey = db.prepare<[string], { id: string }>(
    'SELECT id FROM api_keys WHERE application_id = ? LIMIT 1',
  )
  const ofTenant = db.prepare<[string], Application>(
    'SELECT id, name FROM applications WHERE tenant_id = ? ORDER BY created_at, id',
  )
  const addApplication = db.prepare(
    'INSERT INTO applications (id, tenant_id, name, created_at) VALUES (?, ?, ?, ?)',
  )
  const addKey = db.prepare(
    'INSERT INTO api_keys (id, application_id, role, sha256, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const findKey = db.prepare<
    [Buffer, number],
    { id: string; tenant_id: string; application_id: string; name: string; role: CallerRole }
  >(
    `SELECT k.id, a.tenant_id, k.application_id, a.name, k.role FROM api_keys k JOIN applications a ON a.id = k.application_id
     WHERE k.sha256 = ? AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?)`,
  )
  const listKeys = db.prepare<
    [string],
    {
      id: string
      name: string
      role: CallerRole
      created_at: number
      expires_at: number | null
      revoked_at: number | null
    }
  >(
    `SELECT k.id, a.name, k.role, k.created_at, k.expires_at, k.revoked_at FROM api_keys k
     JOIN applications a ON a.id = k.application_id WHERE a.tenant_id = ? ORDER BY k.created_at`,
  )
  const revokeKey = db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const limitKeys = db.prepare<[{ tenant: string; name: string; at: number; until: number }], { id: string }>(
    `UPDATE api_keys SET expires_at = min(coalesce(expires_at, @until), @until)
     WHERE application_id IN (SELECT id FROM applications WHERE tenant_id = @tenant AND name = @name)
       AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @at)
     RETURNING id`,
  )

  const ensureApplication = (tenantId: string, name: string, at: Date): string => {
    const present = findApplication.get(tenantId, name)
    if (present) return present.id
    const id = uuidv7()
    addApplication.run(id, tenantId, name, at.getTime())
    return id
  }
  return {
    ensureApplication,
    findApplicationName: (tenantId, id) => nameById.get(tenantId, id)?.name ?? null,
    hasKeys: (applicationId) => anyKey.get(applicationId) !== undefined,
    applications: (tenantId) => ofTenant.all(tenantId),
    createPair: (tenantId, applicationName, at, expiresAt) =>
      db
        .transaction((): NewKeys => {
          requireKeyName(applicationName)
          const applicationId = ensureApplication(tenantId, applicationName, at)
          const keyIds: string[] = []
          const issue = (role: CallerRole): string => {
            const key = KEY_PREFIX + randomBytes(32).toString('base64url')
            const id = uuidv7()
            keyIds.push(id)
            addKey.run(id, applicationId, role, digest(key), at.getTime(), expiresAt?.getTime() ?? null)
            return key
          }
          return {
            applicationId,
            keyIds,
            relyingServiceKey: issue('RELYING_SERVICE'),
            userAgentKey: issue('USER_AGENT'),
          }
        })
        .immediate(),
    authenticate: (key, at) => {
      const row = findKey.get(digest(key), at.getTime())
      return row && !RESERVED_APPLICATIONS.includes(row.name)
        ? { keyId: row.id, tenantId: row.tenant_id, applicationId: row.application_id, role: row.role }
        : null
    },
    list: (tenantId) =>
      listKeys.all(tenantId).map((row) => ({
        keyId: row.id,
        application: row.name,
        role: row.role,
        createdAt: new Date(row.created_at),
        expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
        revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
      })),
    limit: (tenantId, applicationName, at, until) =>
      limitKeys
        .all({ tenant: tenantId, name: applicationName, at: at.getTime(), until: until.getTime() })
        .map(({ id }) => id),
    revoke: (keyId, at) => revokeKey.run(at.getTime(), keyId).changes > 0,
  }
}

/** Letters, marks and digits of any script, spaces between words, and some signs that every list can display. */
const READABLE = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._&+'()@-]*$/u

/** A Cyrillic letter in a Latin word makes a lookalike of another name. */
function mixesScripts(name: string): boolean {
  const letters = [...name].filter((letter) => /\p{L}/u.test(letter))
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter))
  return latin.length > 0 && latin.length < letters.length
}

/** Throws `validation_failed` for a reserved name or a possible lookalike. */
export function requireKeyName(application: string): void {
  if (isReservedName(application)) {
    const names = RESERVED_APPLICATIONS.join(' and ')
    const message = `is a name of the appliance itself (${names}); choose another one`
    throw fieldProblem('reserved', 'application', message)
  }
  if (!READABLE.test(application) || mixesScripts(application)) {
    const message =
      "must begin with a letter or digit, and hold letters of one script, digits, spaces and . _ - & + ' ( ) @ alone"
    throw fieldProblem('wrong_form', 'application', message)
  }
}
