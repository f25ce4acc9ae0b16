/**
 * A data folder as an appliance of a branch leaves it: six identities, five proofs, an outbox with acknowledged,
 * withdrawn and waiting rows, one erasure, three checkpoints, legal holds, bundles and two signing keys; and a copy of its database as it was before the last of it.
 */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { JWK } from 'jose'
import { canonicalBytes } from '../../../server/proof/verify/canonical-json.ts'
import { RECEIPT_TYPE, RECEIPT_VERSION } from '../../../server/proof/verify/deletion-receipt.ts'
import { createKeySigner, type Signer } from '../../../server/proof/sign.ts'
import { formatSpecDateTime } from '../../../server/proofing/time.ts'
import { signStatement } from '../../../server/protocol/statements.ts'
import { createKey } from '../../../server/store/crypto.ts'
import type { PublicJwk } from '../../../server/store/signing-keys.ts'
import { openStore, type Store } from '../../../server/store/open.ts'
import type { StoredProof } from '../../../server/store/proofs.ts'
import { addSigningKey, certifySigningKey, rotateSigningKeys } from '../../../server/keys/rotation.ts'
import { appliedBody, refusedBody } from '../../../server/sync/bundles.ts'
import { liftHold, placeHold } from '../../../server/workflows/retention/legal-hold.ts'
import { makeCheckpoint } from '../../../server/workflows/health/audit-log.ts'
import { anIdentity, AT } from '../../support/store.ts'

export interface ALog {
  readonly dataDir: string
  readonly kek: Buffer
  readonly publicJwk: JWK
  readonly proofs: readonly StoredProof[]
  /** Checkpoints as the operator has taken them elsewhere, oldest first. */
  readonly checkpoints: readonly string[]
  /** A copy of the data folder, with what the test does to it; removed at the end of the test. */
  copy(): Copy
  close(): void
}

export interface Copy {
  readonly dataDir: string
  /** Runs on the raw database: no keys, no checks. */
  tamper(work: (db: Database.Database) => void): void
  [Symbol.dispose](): void
}

/** A copy of the database from before the last proof and the last receipt. */
export const EARLIER = 'earlier.sqlite'

/** Keys in files leave nothing behind. */
const discard = () => undefined
const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000)

export async function makeLog(): Promise<ALog> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-audit-'))
  const kek = createKey()
  const store = openStore(dataDir, kek)
  store.tenants.ensure({ id: 'tenant', name: 'Test', mode: 'test', policyId: 'default' }, AT)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signer = createKeySigner(privateKey)
  const publicJwk = (await signer.publicJwk()) as PublicJwk
  addSigningKey(store, { signer, kept: { source: 'key-file', publicJwk, privateKey }, discard }, AT)
  const central = joinCentralService(store)

  const applicationId = store.apiKeys.ensureApplication('tenant', 'test', AT)
  const proofs: StoredProof[] = []
  const checkpoints: string[] = []
  const checkpoint = async (minutes: number): Promise<void> => {
    const at = later(minutes)
    const time = { source: 'SYSTEM', earliest: at, latest: at, uncertaintyMs: null, steps: 0 } as const
    checkpoints.push((await makeCheckpoint({ store, signer, config: { dataDir } }, time)).jws)
  }
  for (let index = 0; index < 5; index++) {
    proofs.push(await sealOne(store, applicationId, later(index * 10)))
    if (index === 1) await checkpoint(15)
  }
  await acknowledge(store, proofs[0], central, later(55))
  store.events.append('proof.retrieved', proofs[0].identityId, { proofId: proofs[0].id }, later(56))
  store.proofs.markRetrieved(proofs[0].id, later(56))
  await erase(store, signer, proofs[1], later(57))
  await checkpoint(60)
  const keeping = { store, clock: { now: () => later(61) } }
  for (const [index, reference] of [
    [2, 'case 7'],
    [3, 'case 8'],
    [4, 'case 9'],
  ] as const) {
    store.transaction(() => placeHold(keeping, proofs[index].identityId, { reference }, 'operator'))
  }
  for (const version of [1, 2]) takeBundle(store, version, later(61 + version))
  await store.backup(join(dataDir, EARLIER))
  await acknowledge(store, proofs[2], central, later(70))
  const now = { store, clock: { now: () => later(71) } }
  const next = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const nextSigner = createKeySigner(next)
  const kept = {
    source: 'key-file',
    publicJwk: (await nextSigner.publicJwk()) as PublicJwk,
    privateKey: next,
  } as const
  rotateSigningKeys(store, { signer: nextSigner, kept, discard }, later(10_000_000), later(71), {
    actor: 'operator',
  })
  certifySigningKey(store, publicJwk.kid, { pem: 'not looked at', sha256: '0'.repeat(64) }, later(72))
  store.transaction(() => {
    liftHold(now, proofs[3].identityId, 'operator')
    placeHold(now, proofs[2].identityId, { reference: 'case 10' }, 'operator')
  })
  takeBundle(store, 3, later(73))
  store.transaction(() => {
    store.bundles.add(4, 'head.payload.signature', later(74))
    store.bundles.refuse(4, ['settings.x: is unknown'])
    store.events.append('bundle.refused', null, refusedBody(store, 4), later(74), { actor: 'centre' })
  })
  proofs.push(await sealOne(store, applicationId, later(80)))
  await checkpoint(90)
  store.close()

  return {
    dataDir,
    kek,
    publicJwk,
    proofs,
    checkpoints,
    copy: () => copyOf(dataDir),
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

function copyOf(original: string): Copy {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-audit-copy-'))
  cpSync(original, dataDir, { recursive: true })
  return {
    dataDir,
    tamper: (work) => {
      const db = new Database(join(dataDir, 'appliance.sqlite'))
      db.pragma('foreign_keys = OFF')
      db.prepare('ATTACH ? AS earlier').run(join(dataDir, EARLIER))
      work(db)
      db.close()
    },
    [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

async function sealOne(store: Store, applicationId: string, at: Date): Promise<StoredProof> {
  const identity = anIdentity(applicationId)
  const body = { status: identity.status } as const
  const author = { actor: `RELYING_SERVICE:${applicationId}` }
  store.transaction(() => {
    store.identities.add(identity, [])
    store.events.append('identity.created', identity.id, body, at, author)
  })
  const archive = randomBytes(2000)
  const proof: StoredProof = {
    id: randomUUID(),
    identityId: identity.id,
    fileName: `${identity.id}_${at.toISOString().replace(/\D/g, '')}.zip`,
    sha256: createHash('sha256').update(archive).digest('hex'),
    bytes: archive.length,
    levelOfAssurance: 'LOA2',
    sealedAt: at,
    expiresAt: new Date(at.getTime() + 86_400_000),
  }
  await store.proofs.put(proof, [archive])
  store.transaction(() => {
    store.proofs.addRow(proof)
    const { id: proofId, identityId, sha256, bytes, levelOfAssurance, expiresAt } = proof
    const sealed = { proofId, sha256, bytes, levelOfAssurance, expiresAt: expiresAt.getTime() }
    store.events.append('proof.sealed', identityId, sealed, at, author)
    const sequence = store.outbox.add({ proofId, identityId, tenantId: 'tenant', sha256, sealedAt: at })
    store.events.append('outbox.queued', identityId, { proofId, sequence, sha256 }, at)
  })
  return proof
}

function joinCentralService(store: Store) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'centre' } as JWK & { kty: string }
  const kiosk = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = {
    publicJwk: kiosk.publicKey.export({ format: 'jwk' }) as JWK,
    privateJwk: kiosk.privateKey.export({ format: 'jwk' }) as JWK,
  }
  store.enrolments.begin({ centralUrl: '', ...keys }, AT)
  const trust = {
    centreId: randomUUID(),
    caCertificate: 'not looked at',
    statementKeys: { keys: [jwk] },
    packetKeys: { keys: [] },
    signature: 'not looked at',
  }
  store.enrolments.complete({ certificate: 'not looked at', tenantId: 'tenant', trust, enrolledAt: AT })
  const joined = { centreId: trust.centreId, ...store.enrolments.fingerprints() }
  store.events.append('sync.enrolled', null, joined, AT, { actor: 'operator' })
  return { kid: 'centre', privateKey }
}

function takeBundle(store: Store, version: number, at: Date): void {
  store.transaction(() => {
    store.bundles.add(version, `head.payload${version}.signature`, at)
    store.bundles.apply(version, at)
    store.events.append('bundle.applied', null, appliedBody(store, version), at, { actor: 'centre' })
  })
}

async function acknowledge(
  store: Store,
  { id: proofId, identityId, sha256 }: StoredProof,
  key: Parameters<typeof signStatement>[2],
  at: Date,
): Promise<void> {
  const sequence = store.outbox.findByProof(proofId)?.sequence ?? 0
  const receipt = await signStatement(
    'receipt',
    { kioskId: store.applianceId, proofId, sequence, sha256, state: 'STORED', storedAt: at.getTime() },
    key,
  )
  store.transaction(() => {
    store.outbox.acknowledge(sequence, receipt, at)
    store.events.append('outbox.acknowledged', identityId, { proofId, sequence }, at, { actor: 'centre' })
  })
}

async function erase(store: Store, signer: Signer, proof: StoredProof, at: Date): Promise<void> {
  const { identityId, id: proofId, sha256: proofSha256 } = proof
  const begun = {
    identityId,
    tenantId: 'tenant',
    applicationId: null,
    reason: 'DELETE',
    actor: 'operator',
    proofId,
    begunAt: at,
  } as const
  const author = { actor: 'operator', reason: 'DELETE' } as const
  store.transaction(() => {
    store.events.append('erasure.begun', identityId, {}, at, author)
    store.erasures.begin(begun)
    const sequence = store.outbox.findByProof(proofId)?.sequence ?? 0
    store.outbox.withdraw(sequence)
    store.events.append('outbox.withdrawn', identityId, { sequence, proofId }, at, author)
  })
  store.vault.destroy(identityId)
  const now = formatSpecDateTime(at)
  const { seq, hash } = store.events.head()
  const receipt = {
    type: RECEIPT_TYPE,
    version: RECEIPT_VERSION,
    receiptId: randomUUID(),
    applianceId: store.applianceId,
    tenantId: 'tenant',
    identityId,
    reason: 'DELETE',
    proofId,
    proofSha256,
    begunAt: now,
    erasedAt: now,
    time: { source: 'SYSTEM', uncertaintyMs: null, earliest: now, latest: now },
    destroyed: { dataKey: true, rows: { identities: 1 }, files: 1 },
    audit: { seq, hash },
  }
  const jws = await signer.sign(canonicalBytes(receipt))
  store.transaction(() => {
    store.erasures.deleteRows(identityId)
    store.events.append('identity.erased', identityId, {}, at, author)
    store.erasures.end(identityId, at, jws)
  })
  store.proofs.unlink(proof)
}
