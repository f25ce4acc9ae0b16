/**
 * Opens the appliance's SQLite file and provides its tables. Owns durability settings, migrations, and encryption at
 * rest. Contains no rules about identities or evidence.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { v7 as uuidv7 } from 'uuid'
import { AppError } from '../errors.ts'
import { makePrivateFile, makePrivateFolder } from '../files/own-files.ts'
import { compileLate, type Db } from './db.ts'
import { deriveKey, computeKeyedHash, seal, unseal } from './crypto.ts'
import { requireCurrentKeys } from './identity-keys.ts'
import { moveKeys, openVault, type Vault } from './vault.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { createTenants, type Tenants } from './tenants.ts'
import { createApiKeys, type ApiKeys } from './api-keys.ts'
import { createSigningKeys, type SigningKeys } from './signing-keys.ts'
import { createIdentities, type Identities } from './identities.ts'
import { createEvidences, type Evidences } from './evidences.ts'
import { createImages, type Images } from './images.ts'
import { createConsents, type Consents } from './consents.ts'
import { createOperations, type Operations } from './operations.ts'
import { createJobs, type Jobs } from './jobs.ts'
import type { AuditFinding } from './event-chain.ts'
import { auditEvents, chainUp, createEvents, type Events } from './events.ts'
import { createProofs, type Proofs } from './proofs.ts'
import { createAdjudicationDecisions, type AdjudicationDecisions } from './adjudication-decisions.ts'
import { createAdjudications, type Adjudications } from './adjudications.ts'
import { createCaptureSessions, type CaptureSessions } from './capture-sessions.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { createDeskWorks, type DeskWorks } from './desk-work.ts'
import { createDeviceLedger, type DeviceLedger } from './device-ledger.ts'
import { createDocumentFingerprints, type DocumentFingerprints } from './document-fingerprints.ts'
import { createDocumentRegisters, type DocumentRegisters } from './document-register.ts'
import { createDelegatedSessions, type DelegatedSessions } from './delegated-sessions.ts'
import { createFaceIndex, type FaceIndex } from './face-index.ts'
import { createFaceTemplates, type FaceTemplates } from './face-templates.ts'
import { createFraudChecks, type FraudChecks } from './fraud-checks.ts'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import { createOidcRequests, type OidcRequests } from './oidc-requests.ts'
import { createOtps, type Otps } from './otps.ts'
import { createMeta, type Meta } from './meta.ts'
import { createErasures, type Erasures } from './erasures.ts'
import { createLastChanges, type LastChanges } from './last-changes.ts'
import { createKioskSessions, type KioskSessions } from './kiosk-sessions.ts'
import { createLegalHolds, type LegalHolds } from './legal-holds.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createEnrolments, type Enrolments } from './enrolment.ts'
import { createBundles, type Bundles } from './bundles.ts'
import { createCheckpoints, type Checkpoints } from './checkpoints.ts'
import { createWatchlists, type Watchlists } from './watchlists.ts'
import { createTrust, type Trust } from './trust.ts'
import { createEventPages, type EventPages } from './event-pages.ts'
import { createStaff, type Staff } from './staff.ts'
import { createStaffAttempts, type StaffAttempts } from './staff-attempts.ts'
import { createStaffDevices, type StaffDevices } from './staff-devices.ts'
import { createSteps, type Steps } from './steps.ts'
import { createUsage, type Usage } from './usage.ts'
import { createVelocityMarks, type VelocityMarks } from './velocity.ts'
import { createTenantEvents, type TenantEvents } from './tenant-events.ts'
import { createUserAgentTokens, type UserAgentTokens } from './user-agent-tokens.ts'
import { createVideos, type Videos } from './videos.ts'
import { createVisits, type Visits } from './visits.ts'
import { createWebhookDeliveries, type WebhookDeliveries } from './webhook-deliveries.ts'
import { createWebhookEndpoints, type WebhookEndpoints } from './webhook-endpoints.ts'
import { runStorageWork, settleLog } from './storage-faults.ts'
import { DATABASE } from '../files/database-files.ts'

export interface Store {
  readonly tenants: Tenants
  readonly apiKeys: ApiKeys
  readonly userAgentTokens: UserAgentTokens
  readonly signingKeys: SigningKeys
  /** Stored amounts per identity and application. */
  readonly usage: Usage
  readonly identities: Identities
  readonly evidences: Evidences
  readonly images: Images
  readonly consents: Consents
  readonly operations: Operations
  readonly steps: Steps
  readonly jobs: Jobs
  readonly events: Events
  readonly proofs: Proofs
  readonly captureSessions: CaptureSessions
  readonly adjudications: Adjudications
  readonly adjudicationDecisions: AdjudicationDecisions
  readonly deskWork: DeskWorks
  readonly fraudChecks: FraudChecks
  readonly otps: Otps
  readonly oidcRequests: OidcRequests
  readonly deadlines: Deadlines
  readonly documentFingerprints: DocumentFingerprints
  readonly documentRegisters: DocumentRegisters
  readonly velocity: VelocityMarks
  readonly deviceLedger: DeviceLedger
  readonly faceTemplates: FaceTemplates
  readonly faceIndex: FaceIndex
  readonly delegatedSessions: DelegatedSessions
  readonly idempotency: Idempotency
  readonly vault: Vault
  readonly videos: Videos
  readonly erasures: Erasures
  readonly legalHolds: LegalHolds
  readonly lastChanges: LastChanges
  readonly outbox: Outbox
  readonly enrolments: Enrolments
  readonly bundles: Bundles
  readonly checkpoints: Checkpoints
  readonly tenantEvents: TenantEvents
  readonly webhookEndpoints: WebhookEndpoints
  readonly webhookDeliveries: WebhookDeliveries
  /** Keyed hash of a card number, hexadecimal. */
  hashPaymentCard(digits: string): string
  readonly watchlists: Watchlists
  readonly trust: Trust
  readonly visits: Visits
  readonly kioskSessions: KioskSessions
  readonly staff: Staff
  readonly staffAttempts: StaffAttempts
  readonly staffDevices: StaffDevices
  readonly eventPages: EventPages
  readonly meta: Meta
  /** Created at the first start: the kiosk's id at its central service, and part of every hash of the audit log. */
  readonly applianceId: string
  /** Problems of the audit log or of its newest rows; empty if all rows are authentic. */
  auditEvents(newest?: number): readonly AuditFinding[]
  /** Problems that SQLite finds in its file or references; empty if there are none. */
  checkIntegrity(): readonly string[]
  /** A consistent copy of the database in use, without keys and files. */
  backup(path: string): Promise<void>
  /**
   * Runs `work` in one immediate transaction. Deliberately synchronous. Throws `status_not_stored` if the disk or the
   * database fails.
   */
  transaction<T>(work: () => T): T
  /** Called after each committed transaction of this process. One listener, which must not throw. */
  onCommit(listener: () => void): void
  /** Overwrites remains of deleted rows in the write-ahead log. */
  scrub(): void
  /** Throws if the database does not answer. */
  ping(): void
  close(): void
}

export const SCHEMA_VERSION = MIGRATIONS.length

export const KEK_CHECK = 'kek-check'
/** The schema version that introduced the chained audit log. */
const CHAINED_SINCE = 3
/** The schema version that introduced the generation of the identity keys. */
const GENERATIONS_SINCE = 13
const APPLIANCE_ID = 'appliance-id'

interface OpenOptions {
  /**
   * Opens the store even if identity keys are missing or older than the database. For a start that accepts the loss, for
   * examining a copy, and for recovering the master key: none of them reads or removes an identity's data.
   */
  readonly anyKeys?: boolean
}

/** Throws `key_unavailable` if identity keys are missing or older than the database; no file was changed then. */
export function openStore(dataDir: string, kek: Uint8Array, { anyKeys = false }: OpenOptions = {}): Store {
  if (!anyKeys) requireCurrentKeys(dataDir)
  makePrivateFolder(dataDir)
  const path = join(dataDir, DATABASE)
  makePrivateFile(path)
  const db = compileLate(new Database(path))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('secure_delete = ON')
  db.pragma('busy_timeout = 5000')
  const auditKey = deriveKey(kek, 'audit')
  let meta: Meta
  let vault: Vault
  let applianceId: string
  try {
    const before = Number(db.pragma('user_version', { simple: true }))
    migrate(db)
    checkKek(db, kek)
    meta = createMeta(db)
    applianceId = ensureApplianceId(meta)
    if (before > 0 && before < CHAINED_SINCE) db.transaction(() => chainUp(db, meta, applianceId, auditKey))()
    vault = openVault(dataDir, kek)
    moveKeys(db, dataDir)
    // A key file of that version does not record destroyed keys; the recorded erasures do.
    if (before > 0 && before < GENERATIONS_SINCE) vault.catchUp(0, erasedIds(db))
  } catch (error) {
    db.close()
    throw error
  }

  const lookupKey = deriveKey(kek, 'lookup')
  const lookupHash = (value: string): Buffer => computeKeyedHash(lookupKey, value)
  const usage = createUsage(db)
  const noteGeneration = db.prepare('UPDATE keys_generation SET number = @number WHERE number < @number')
  let committed = (): void => undefined
  return {
    tenants: createTenants(db),
    apiKeys: createApiKeys(db),
    userAgentTokens: createUserAgentTokens(db),
    signingKeys: createSigningKeys(db, kek),
    usage,
    identities: createIdentities(db, vault, lookupHash, usage),
    evidences: createEvidences(db, vault, usage),
    images: createImages(db, vault, join(dataDir, 'images'), usage),
    consents: createConsents(db),
    operations: createOperations(db, vault),
    steps: createSteps(db, vault),
    jobs: createJobs(db),
    events: createEvents(db, meta, applianceId, auditKey),
    proofs: createProofs(db, vault, join(dataDir, 'proofs')),
    captureSessions: createCaptureSessions(db, vault),
    adjudications: createAdjudications(db, vault),
    adjudicationDecisions: createAdjudicationDecisions(db, vault, lookupHash),
    deskWork: createDeskWorks(db, vault, lookupHash),
    fraudChecks: createFraudChecks(db),
    otps: createOtps(db, lookupHash),
    oidcRequests: createOidcRequests(db, vault, lookupHash),
    deadlines: createDeadlines(db),
    documentFingerprints: createDocumentFingerprints(db, lookupHash),
    documentRegisters: createDocumentRegisters(db, lookupHash),
    velocity: createVelocityMarks(db, lookupHash),
    deviceLedger: createDeviceLedger(db),
    faceTemplates: createFaceTemplates(db, vault),
    faceIndex: createFaceIndex(db, vault, kek),
    delegatedSessions: createDelegatedSessions(db, lookupHash),
    idempotency: createIdempotency(db, vault, lookupHash),
    vault,
    videos: createVideos(db, vault, join(dataDir, 'videos'), usage),
    erasures: createErasures(db),
    legalHolds: createLegalHolds(db, vault),
    lastChanges: createLastChanges(db),
    outbox: createOutbox(db, applianceId, auditKey),
    enrolments: createEnrolments(db, kek),
    bundles: createBundles(db),
    checkpoints: createCheckpoints(db),
    tenantEvents: createTenantEvents(db),
    webhookEndpoints: createWebhookEndpoints(db, kek),
    webhookDeliveries: createWebhookDeliveries(db),
    watchlists: createWatchlists(db, meta),
    trust: createTrust(db),
    hashPaymentCard: (digits) => lookupHash(`payment-card\n${digits}`).toString('hex'),
    visits: createVisits(db, lookupHash),
    kioskSessions: createKioskSessions(db, vault, lookupHash),
    staff: createStaff(db, kek, lookupHash),
    staffAttempts: createStaffAttempts(db, lookupHash),
    staffDevices: createStaffDevices(db, lookupHash),
    eventPages: createEventPages(db),
    meta,
    applianceId,
    auditEvents: (newest) => auditEvents(db, meta, applianceId, auditKey, newest),
    checkIntegrity: () => integrityProblems(db),
    backup: async (path) => void (await db.backup(path)),
    transaction: <T>(work: () => T): T => {
      const noting = (): T => {
        const value = work()
        // Keys are created and destroyed before the commit that records it (`vault`).
        noteGeneration.run({ number: vault.generation() })
        return value
      }
      const result = runStorageWork(() => db.transaction(noting).immediate())
      if (!db.inTransaction) committed()
      return result
    },
    onCommit: (listener) => {
      committed = listener
    },
    scrub: () => void db.pragma('wal_checkpoint(TRUNCATE)'),
    ping: () => void db.prepare('SELECT 1').get(),
    close: () => {
      vault.close()
      settleLog(db)
      db.close()
    },
  }
}

/**
 * Migrates the schema, one migration per transaction. Throws `database_newer` if a newer product wrote the file. The
 * version is read inside the transaction, because `npm start` and `npm run keys` may run at the same time.
 */
export function migrate(db: Db, migrations: readonly string[] = MIGRATIONS): void {
  const step = db.transaction((): boolean => {
    const present = Number(db.pragma('user_version', { simple: true }))
    if (present > migrations.length) {
      throw new AppError('database_newer', { present, supported: migrations.length })
    }
    if (present === migrations.length) return false
    db.exec(migrations[present])
    db.pragma(`user_version = ${present + 1}`)
    return true
  })
  while (step.immediate());
}

/** Rejects the master key of another database before anything is written with it. */
function checkKek(db: Db, kek: Uint8Array): void {
  const value = seal(kek, Buffer.from(KEK_CHECK), KEK_CHECK)
  db.prepare('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(KEK_CHECK, value)
  const row = db.prepare<[string], { value: Buffer }>('SELECT value FROM meta WHERE name = ?').get(KEK_CHECK)
  if (!row) throw new AppError('storage_damaged', { row: KEK_CHECK })
  try {
    unseal(kek, row.value, KEK_CHECK)
  } catch (cause) {
    throw new AppError(
      'key_unavailable',
      { reason: 'master key does not belong to this database' },
      { cause },
    )
  }
}

function ensureApplianceId(meta: Meta): string {
  const kept = meta.get(APPLIANCE_ID)?.toString('utf8')
  if (kept) return kept
  const made = uuidv7()
  meta.set(APPLIANCE_ID, Buffer.from(made, 'utf8'))
  return made
}

function erasedIds(db: Db): string[] {
  return db
    .prepare<[], { id: string }>('SELECT identity_id AS id FROM erasures')
    .all()
    .map(({ id }) => id)
}

function integrityProblems(db: Db): string[] {
  const rows = db.pragma('integrity_check(20)') as { integrity_check: string }[]
  const broken = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
  const dangling = db.pragma('foreign_key_check') as { table: string; parent: string }[]
  const references = dangling.map(({ table, parent }) => `a row of ${table} refers to no row of ${parent}`)
  return [...broken, ...new Set(references)]
}
