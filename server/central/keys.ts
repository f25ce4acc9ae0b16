/**
 * The central service's keys: its authority (CA), the key of its statements, the key that packets are
 * encrypted to, and the secret of its look-ups. They are in the database, wrapped by the master key; the
 * first instance creates them, all share them.
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { calculateJwkThumbprint, CompactSign, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { StatementKey } from '../protocol/statements.ts'
import type { CentralTrust } from '../protocol/wire.ts'
import type { CountName } from './call-counts.ts'
import { importAuthorityKey, makeAuthority, toPem, type Authority } from './certificates.ts'
import { SYSTEM, type Db, type Queries } from './db/db.ts'
import { ADVISORY_LOCKS } from './db/migrate.ts'
import { AppError } from '../errors.ts'
import { judgeFirstStart, type FirstStart } from './first-start.ts'
import { loadMasterKey, makeMasterKey, unwrap, wrap } from './master-key.ts'

type KeyPurpose = 'CA' | 'STATEMENT' | 'PACKET' | 'CORRELATION'
const ROTATABLE = ['STATEMENT', 'PACKET'] as const

interface CentralKeys {
  readonly centreId: string
  readonly authority: Authority
  /** Signed by the CA: the trust data that a kiosk stores. */
  readonly trust: CentralTrust
  /** The key in force. */
  readonly statementKey: StatementKey
  /** All keys ever published, the one in force first. */
  readonly packetKeys: readonly JWK[]
  /** Keyed per tenant: the same correlation id of two tenants has different hashes. */
  correlationHash(tenantId: string, correlationId: string): Buffer
  /** A caller as the count of a limit names it. */
  callerHash(limit: CountName, caller: string): Buffer
}

interface KeyRow {
  readonly kid: string
  readonly purpose: KeyPurpose
  readonly public_jwk: JWK | null
  readonly certificate: Uint8Array | null
  readonly wrapped: Uint8Array
  readonly retired_at: Date | null
}

/** A kiosk adopts a new packet key with its next status. */
export interface KeyStore {
  /** The keys as last read. */
  current(): CentralKeys
  /** Reads the keys again, because another instance or an operator may have rotated them. */
  reload(): Promise<CentralKeys>
  /** @param note stores the act in the access log, in the same transaction */
  rotate(
    purpose: (typeof ROTATABLE)[number],
    at: Date,
    note: (queries: Queries, kid: string) => Promise<void>,
  ): Promise<string>
}

/**
 * Returns the master key of the database. A database without a central service gets one, if `judgeFirstStart` allows it.
 * The lock makes instances that start together take turns: the first one makes the key file too.
 * @param mayBeNew the operator asks for a new central service with an existing key file
 * @throws AppError key_unavailable if key file and database do not belong together
 */
export async function openMasterKey(db: Db, file: string, at: Date, mayBeNew: boolean): Promise<Buffer> {
  // The transaction may run again, and then the file is there by its own doing.
  let made: Buffer | null = null
  return db.transaction(SYSTEM, async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.keys})`)
    const [found] = await queries.query<Pick<FirstStart, 'hasCentralService' | 'hasRows'>>(
      `SELECT EXISTS (SELECT FROM centre) AS "hasCentralService",
         EXISTS (SELECT FROM centre_keys) OR EXISTS (SELECT FROM tenants) AS "hasRows"`,
    )
    const hasKeyFile = made === null && existsSync(file)
    const judged = judgeFirstStart({
      hasCentralService: found?.hasCentralService === true,
      hasRows: found?.hasRows === true,
      hasKeyFile,
      mayBeNew,
    })
    if (judged === 'open') return made ?? loadMasterKey(file)
    made ??= hasKeyFile ? loadMasterKey(file) : makeMasterKey(file)
    await makeAll(queries, made, at)
    return made
  })
}

/** Throws `key_unavailable` if the master key is not that of the database. */
export async function openKeys(db: Db, masterKey: Uint8Array): Promise<KeyStore> {
  let keys = await load(db, masterKey)
  return {
    current: () => keys,
    reload: async () => (keys = await load(db, masterKey)),
    rotate: async (purpose, when, note) => {
      const kid = await db.transaction(SYSTEM, async (queries) => {
        await queries.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.keys})`)
        await queries.query(
          'UPDATE centre_keys SET retired_at = $2 WHERE purpose = $1 AND retired_at IS NULL',
          [purpose, when],
        )
        const made = await makePair(queries, masterKey, purpose, when)
        await note(queries, made)
        return made
      })
      keys = await load(db, masterKey)
      return kid
    },
  }
}

async function makeAll(queries: Queries, masterKey: Uint8Array, at: Date): Promise<void> {
  const centreId = randomUUID()
  await queries.query('INSERT INTO centre (id, created_at) VALUES ($1, $2)', [centreId, at])
  const authority = await makeAuthority(centreId, at)
  const jwk = await exportJWK(authority.privateKey)
  await save(queries, masterKey, at, { purpose: 'CA', secret: jwk, certificate: authority.certificate })
  await makePair(queries, masterKey, 'STATEMENT', at)
  await makePair(queries, masterKey, 'PACKET', at)
  await save(queries, masterKey, at, {
    purpose: 'CORRELATION',
    secret: { kty: 'oct', k: randomBytes(32).toString('base64url') },
  })
}

async function makePair(
  queries: Queries,
  masterKey: Uint8Array,
  purpose: (typeof ROTATABLE)[number],
  at: Date,
): Promise<string> {
  const algorithm = purpose === 'STATEMENT' ? 'ES256' : 'ECDH-ES+A256KW'
  const { privateKey } = await generateKeyPair(algorithm, { crv: 'P-256', extractable: true })
  return save(queries, masterKey, at, {
    purpose,
    secret: { ...(await exportJWK(privateKey)), alg: algorithm },
  })
}

async function save(
  queries: Queries,
  masterKey: Uint8Array,
  at: Date,
  key: { readonly purpose: KeyPurpose; readonly secret: JWK; readonly certificate?: Uint8Array },
): Promise<string> {
  const { kty, crv, x, y, alg } = key.secret
  const kid = await calculateJwkThumbprint(key.secret)
  const publicJwk = kty === 'EC' ? JSON.stringify({ kty, crv, x, y, kid, ...(alg ? { alg } : {}) }) : null
  await queries.query(
    `INSERT INTO centre_keys (kid, purpose, public_jwk, certificate, wrapped, created_at)
     VALUES ($1, $2, $3::jsonb, $4, $5, $6)`,
    [
      kid,
      key.purpose,
      publicJwk,
      key.certificate ?? null,
      wrap(masterKey, Buffer.from(JSON.stringify(key.secret), 'utf8'), buildKeyContext(kid)),
      at,
    ],
  )
  return kid
}

async function load(db: Db, masterKey: Uint8Array): Promise<CentralKeys> {
  const { central, rows } = await db.transaction(SYSTEM, async (queries) => ({
    central: (await queries.query<{ id: string }>('SELECT id FROM centre'))[0],
    rows: await queries.query<KeyRow>(
      `SELECT kid, purpose, public_jwk, certificate, wrapped, retired_at FROM centre_keys
       ORDER BY retired_at IS NOT NULL, created_at DESC, kid`,
    ),
  }))
  const unwrapSecret = ({ kid, wrapped }: KeyRow): JWK => ({
    ...(JSON.parse(unwrap(masterKey, wrapped, buildKeyContext(kid)).toString('utf8')) as JWK),
    kid,
  })
  const of = (purpose: KeyPurpose): KeyRow[] => rows.filter((row) => row.purpose === purpose)
  const first = (purpose: KeyPurpose): KeyRow => {
    const [row] = of(purpose)
    if (!row) throw new AppError('key_unavailable', { key: purpose, reason: 'missing in the database' })
    return row
  }
  if (!central) throw new AppError('key_unavailable', { reason: 'the database has no central service' })
  const ca = first('CA')
  const authority: Authority = {
    certificate: ca.certificate ?? new Uint8Array(),
    privateKey: await importAuthorityKey(unwrapSecret(ca)),
  }
  const statement = unwrapSecret(first('STATEMENT'))
  const correlation = Buffer.from(unwrapSecret(first('CORRELATION')).k ?? '', 'base64url')
  return {
    centreId: central.id,
    authority,
    trust: await signTrust(authority, {
      centreId: central.id,
      statementKeys: publicJwks(of('STATEMENT')),
      // A retired key decrypts packets in progress; no new packet is encrypted to it.
      packetKeys: publicJwks(of('PACKET').filter(({ retired_at: retired }) => retired === null)),
    }),
    statementKey: { kid: statement.kid ?? '', privateKey: await importJWK(statement, 'ES256') },
    packetKeys: of('PACKET').map(unwrapSecret),
    correlationHash: (tenantId, correlationId) =>
      createHmac('sha256', correlation).update(`${tenantId}\n${correlationId}`, 'utf8').digest(),
    // No id of a tenant has a colon.
    callerHash: (limit, caller) =>
      createHmac('sha256', correlation).update(`caller:${limit}\n${caller}`, 'utf8').digest(),
  }
}

async function signTrust(
  authority: Authority,
  stated: Pick<CentralTrust, 'centreId' | 'statementKeys' | 'packetKeys'>,
): Promise<CentralTrust> {
  const signature = await new CompactSign(Buffer.from(JSON.stringify(stated), 'utf8'))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(authority.privateKey)
  return { ...stated, caCertificate: toPem(authority.certificate), signature }
}

function publicJwks(rows: readonly KeyRow[]): CentralTrust['statementKeys'] {
  return { keys: rows.flatMap(({ public_jwk: jwk }) => (jwk ? [jwk as JWK & { kty: string }] : [])) }
}

function buildKeyContext(kid: string): string {
  return `centre-key:${kid}`
}
