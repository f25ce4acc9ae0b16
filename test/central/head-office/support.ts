/** The head-office side over HTTP on a real database, with proofs stored as the kiosks' side stores them. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { HeadOfficeOptionsSchema } from '../../../server/central/head-office/options.ts'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { createKey } from '../../../server/central/head-office/consumers.ts'
import {
  SCOPES,
  type BundleSummary,
  type Delivery,
  type Kiosk,
  type Proof,
  type Scope,
  type Webhook,
} from '../../../server/central/head-office/contract.ts'
import { enqueueEvent } from '../../../server/central/head-office/index.ts'
import { LARGE_OBJECT, writeObject } from '../../../server/central/storage/large-objects.ts'
import { createLog, type Log } from '../../../server/log.ts'
import {
  startCentralService,
  type TestCentralService,
  type TestCentralOptions,
} from '../../support/central.ts'
import { sealPacket } from '../../../server/protocol/packet.ts'

export interface TestOffice extends TestCentralService {
  call(key: string | null, method: string, path: string, body?: unknown): Promise<Answer>
}

/** Members of answers that tests look at; each answer has some of them. */
export interface Shown extends Readonly<Record<string, unknown>> {
  readonly proofs: readonly Proof[]
  readonly kiosks: readonly Kiosk[]
  readonly alarms: readonly { readonly alarmId: string }[]
  readonly webhooks: readonly Webhook[]
  readonly deliveries: readonly z.infer<typeof Delivery>[]
  readonly bundles: readonly z.infer<typeof BundleSummary>[]
  readonly errors: readonly { readonly code: string; readonly field?: string }[]
  readonly next: string | null
  readonly more: boolean
  readonly type: string
  readonly consumerId: string
  readonly webhookId: string
  readonly secret: string
  readonly code: string
  readonly acknowledgedAt: string | null
  readonly revokedAt: string | null
}
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Shown
  readonly text: string
}

export interface OfficeOptions extends TestCentralOptions {
  readonly options?: z.input<typeof HeadOfficeOptionsSchema>
}

export async function startOffice({ options, config, ...given }: OfficeOptions = {}): Promise<TestOffice> {
  const central = await startCentralService({
    ...given,
    config: { ...config, headOffice: HeadOfficeOptionsSchema.parse(options ?? {}) },
  })
  return { ...central, call: (key, method, path, body) => call(central.url, key, method, path, body) }
}

async function call(
  url: string,
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await fetch(`${url}${path.startsWith('/head-office') ? '' : '/head-office/v1'}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = (answer.headers.get('content-type') ?? '').includes('json')
  const shown = (isJson && text !== '' ? JSON.parse(text) : {}) as Shown
  return { status: answer.status, headers: answer.headers, body: shown, text }
}

// The content of the database
// ----------------------------------------------------------------------------------------

export async function addTenant(office: TestOffice, tenantId: string): Promise<void> {
  await office.context.db.query(
    SYSTEM,
    'INSERT INTO tenants (tenant_id, name, created_at, takes_test_proofs) VALUES ($1, $1, now(), true) ON CONFLICT DO NOTHING',
    [tenantId],
  )
}

export async function addKey(
  office: TestOffice,
  tenantId: string,
  scopes: readonly Scope[] = SCOPES,
  name = 'archive',
): Promise<string> {
  const { db } = office.context
  return (await createKey(db, { tenantId, name, scopes, expiresAt: null }, new Date(), async () => undefined))
    .key
}

export async function addKiosk(
  office: TestOffice,
  tenantId: string,
  more: {
    readonly name?: string
    readonly status?: unknown
    readonly seenAt?: Date
    readonly proofKeys?: unknown
  } = {},
): Promise<string> {
  const id = randomUUID()
  await office.context.db.query(
    SYSTEM,
    `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at, status,
       status_at) VALUES ($1, $2, $3, '{}', '', $4::jsonb, now(), now(), $5::jsonb, $6)`,
    [
      id,
      tenantId,
      more.name ?? 'Harbour branch',
      JSON.stringify(more.proofKeys ?? [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'k1' }]),
      more.status === undefined ? null : JSON.stringify(more.status),
      more.seenAt ?? null,
    ],
  )
  return id
}

export interface NewProof {
  readonly proofId: string
  readonly sha256: string
  readonly archive: Buffer
  readonly identityId: string
}

/**
 * Adds a proof with its packet, its place in the feed and its event, in one transaction as at the end of an
 * upload.
 */
export async function addProof(
  office: TestOffice,
  tenantId: string,
  kioskId: string,
  sequence: number,
  more: {
    readonly correlationId?: string
    readonly archive?: Buffer
    readonly beforeCommit?: () => Promise<void>
  } = {},
): Promise<NewProof> {
  const { db, keys } = office.context
  const proofId = randomUUID()
  const identityId = randomUUID()
  const archive = more.archive ?? randomBytes(2000)
  const sha256 = createHash('sha256').update(archive).digest('hex')
  const packetKey = keys.current().trust.packetKeys.keys[0]
  if (!packetKey) throw new TypeError('no packet key')
  const pieces: Buffer[] = []
  for await (const piece of sealPacket({ kioskId, proofId, sha256 }, [archive], packetKey)) pieces.push(piece)
  const packet = Buffer.concat(pieces)
  await db.transaction(SYSTEM, async (queries) => {
    const [{ oid }] = await queries.query<{ oid: number }>('SELECT lo_create(0) AS oid')
    await writeObject(queries, oid, 0, packet)
    await queries.query(
      `INSERT INTO proofs (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash,
         level_of_assurance, test, signed_by, archive_bytes, sealed_at, stored_at, correlation_hash, packet_sha256,
         packet_bytes, location, receipt)
       VALUES ($1, $2, $3, $4, $5, $6, $6, $6, 'LOA2', true, 'k1', $7, now(), now(), $8, '', $9, $10, 'receipt')`,
      [
        proofId,
        tenantId,
        kioskId,
        sequence,
        identityId,
        sha256,
        archive.byteLength,
        more.correlationId ? keys.current().correlationHash(tenantId, more.correlationId) : null,
        packet.byteLength,
        LARGE_OBJECT + String(oid),
      ],
    )
    await enqueueEvent(queries, {
      tenantId,
      type: 'proof.stored',
      at: new Date(),
      data: { proofId, kioskId, identityId },
    })
    await more.beforeCommit?.()
  })
  return { proofId, sha256, archive, identityId }
}

export async function addAlarm(
  office: TestOffice,
  tenantId: string,
  kioskId: string,
  kind = 'GAP',
): Promise<string> {
  const id = randomUUID()
  await office.context.db.query(
    SYSTEM,
    `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at)
     VALUES ($1, $2, $3, $4, $5, '{"ranges":["7","9-12"]}', now(), now())`,
    [id, tenantId, kioskId, kind, id],
  )
  return id
}

/** A status as a kiosk in good order sends it. */
export function aStatus(more: Readonly<Record<string, unknown>> = {}) {
  return {
    counter: 1,
    productVersion: '0.1.0',
    at: Date.now(),
    nonce: 'n'.repeat(20),
    backlog: 0,
    oldestPendingAt: null,
    lastSequence: 0,
    audit: { seq: 0, hash: '0'.repeat(64) },
    bundleVersion: 0,
    bundleProblems: [],
    frozen: [],
    health: { database: 'UP', disk: 'UP', vision: 'UP', camera: 'UP' },
    freeDiskBytes: 120_000_000_000,
    clock: { source: 'CENTRE', uncertaintyMs: 20, steps: 0 },
    proofKeys: { keys: [] },
    restoredAt: null,
    ...more,
  }
}

export function collectLog(): { log: Log; text: () => string } {
  const lines: string[] = []
  const log = createLog({ write: (line: string) => void lines.push(line) })
  return { log, text: () => lines.join('') }
}
