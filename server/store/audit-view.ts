/**
 * A snapshot of the database for the verifier of the audit log: a second, read-only connection in one long transaction,
 * while the server continues writing. Returns rows unchanged and verifies only their keyed hashes.
 */
import { createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { JWK } from 'jose'
import { AppError } from '../errors.ts'
import { createCheckpoints, type Checkpoint } from './checkpoints.ts'
import { deriveKey, unseal } from './crypto.ts'
import { createEnrolments } from './enrolment.ts'
import { createErasures, type Erasure } from './erasures.ts'
import { openHead, walkChain, type ChainHead, type ChainWalk, type EventRow } from './event-chain.ts'
import { HEAD, highestSeq } from './events.ts'
import { createMeta, type Meta } from './meta.ts'
import { createLegalHolds } from './legal-holds.ts'
import { KEK_CHECK, SCHEMA_VERSION } from './open.ts'
import { createOutbox, type OutboxEntry, type OutboxFinding } from './outbox.ts'
import { createProofs, type StoredProof } from './proofs.ts'
import { createSigningKeys } from './signing-keys.ts'
import { openVault } from './vault.ts'
import { DATABASE } from '../files/database-files.ts'

export interface AuditView {
  readonly applianceId: string
  events(): IterableIterator<EventRow>
  walk(): ChainWalk
  /** The stored record of the newest row. */
  readonly keptHead: unknown
  readonly highestSeq: number
  /** Reads a head stored outside the database; null if it is not from this appliance. */
  readHead(kept: unknown): ChainHead | null
  checkpoints(): readonly Checkpoint[]
  proofs(): readonly StoredProof[]
  retrievedAt(proofId: string): Date | null
  /** The decrypted archive. Throws `storage_damaged` or `not_found` if it cannot be read. */
  readProof(proof: StoredProof): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  outbox(): readonly OutboxEntry[]
  auditOutbox(): readonly OutboxFinding[]
  erasures(): readonly Erasure[]
  /** Rows of tables that only the log's events can confirm. */
  signingKeyRows(): readonly SigningKeyRow[]
  /** True if the stored private key decrypts and matches the public key. */
  hasPrivateHalf(row: SigningKeyRow): boolean
  enrolment(): EnrolmentRow | null
  bundleRows(): readonly BundleRow[]
  holdRows(): readonly HoldRow[]
  /** True if the hold's reference decrypts. */
  holdOpens(identityId: string): boolean
  /** A stored text of the appliance; null if there is none. */
  note(name: string): string | null
  /** The value by which a database recognises its master key. */
  knowsKek(): boolean
  hasIdentity(id: string): boolean
  /** Queries the live database: the identity was or is being erased. */
  isErasedNow(identityId: string): boolean
  /** Public keys of all signing keys ever used here, including revoked ones. */
  signingKeys(): readonly JWK[]
  /** Keys with which the central service signs receipts; empty if the kiosk has not joined one. */
  centralKeys(): readonly JWK[]
  close(): void
}

/** Row of the table. */
export interface SigningKeyRow {
  readonly kid: string
  readonly algorithm: string
  readonly source: string
  readonly public_jwk: string
  readonly wrapped_private: Buffer | null
  readonly certificate_chain: string | null
  readonly created_at: number
  readonly active_from: number
  readonly retired_at: number | null
  readonly revoked_at: number | null
}

interface EnrolmentRow {
  readonly state: string
  readonly enrolmentSha256: string
  readonly trustSha256: string
  /** True if the stored private key decrypts and matches the public key. */
  readonly hasPrivateHalf: boolean
}

/** Row of the table. */
export interface BundleRow {
  readonly version: number
  readonly jws: string
  readonly state: string
  readonly problems: string
  readonly received_at: number
  readonly applied_at: number | null
}

/** Row of the table. */
interface HoldRow {
  readonly identity_id: string
  readonly actor: string
  readonly placed_at: number
  readonly until_at: number | null
}

function isTrue(holds: () => boolean): boolean {
  try {
    return holds()
  } catch {
    return false
  }
}

function parsed(text: string): JWK[] {
  try {
    return [JSON.parse(text) as JWK]
  } catch {
    return []
  }
}

/** Unreadable contents are not from this appliance. */
function readKeptHead(meta: Meta): unknown {
  try {
    return meta.getJson(HEAD)
  } catch {
    return 'unreadable'
  }
}

/** Throws `configuration_invalid` if there is no database or it has another version. */
export function openAuditView(dataDir: string, kek: Uint8Array): AuditView {
  const path = join(dataDir, DATABASE)
  if (!existsSync(path)) throw new AppError('configuration_invalid', { reason: 'no database in this folder' })
  const db = new Database(path, { readonly: true })
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version !== SCHEMA_VERSION) {
    db.close()
    throw new AppError('configuration_invalid', {
      reason: 'the database is of another version',
      version,
      expected: SCHEMA_VERSION,
    })
  }
  const live = new Database(path, { readonly: true })
  const vault = openVault(dataDir, kek)
  const auditKey = deriveKey(kek, 'audit')
  db.exec('BEGIN')
  const meta = createMeta(db)
  const applianceId = meta.get('appliance-id')?.toString('utf8') ?? ''
  const proofs = createProofs(db, vault, join(dataDir, 'proofs'))
  const outbox = createOutbox(db, applianceId, auditKey)
  const signingKeys = createSigningKeys(db, kek)
  const keyRows = db.prepare<[], SigningKeyRow>('SELECT * FROM signing_keys ORDER BY created_at, rowid')
  const enrolments = createEnrolments(db, kek)
  const enrolmentState = db.prepare<[], { state: string }>('SELECT state FROM enrolment')
  const identity = db.prepare<[string]>('SELECT 1 FROM identities WHERE id = ?')
  const erasedNow = live.prepare<[string]>('SELECT 1 FROM erasures WHERE identity_id = ?')
  return {
    applianceId,
    events: () => db.prepare<[], EventRow>('SELECT * FROM events ORDER BY seq').iterate(),
    walk: () => walkChain(applianceId, auditKey),
    keptHead: readKeptHead(meta),
    highestSeq: highestSeq(db),
    readHead: (kept) => openHead(auditKey, kept),
    checkpoints: () => createCheckpoints(db).list(),
    proofs: () => proofs.list(),
    retrievedAt: (id) => proofs.retrievedAt(id),
    readProof: (proof) => proofs.read(proof),
    outbox: () => outbox.list(0, Number.MAX_SAFE_INTEGER),
    auditOutbox: () => outbox.audit(),
    erasures: () => createErasures(db).list(Number.MAX_SAFE_INTEGER),
    hasIdentity: (id) => identity.get(id) !== undefined,
    isErasedNow: (id) => erasedNow.get(id) !== undefined,
    signingKeys: () => keyRows.all().flatMap(({ public_jwk: jwk }) => parsed(jwk)),
    signingKeyRows: () => keyRows.all(),
    hasPrivateHalf: ({ kid, public_jwk: jwk }) =>
      isTrue(() => {
        const halves = createPublicKey(signingKeys.privateKey(kid)).export({ format: 'jwk' })
        const kept = JSON.parse(jwk) as JWK
        return halves.n === kept.n && halves.e === kept.e
      }),
    enrolment: () => {
      const prints = enrolments.fingerprints()
      const state = enrolmentState.get()?.state
      if (!prints || state === undefined) return null
      const hasPrivateHalf = isTrue(() => {
        const kept = enrolments.find()?.publicJwk
        const own = enrolments.privateJwk()
        return own !== null && own.x === kept?.x && own.y === kept?.y
      })
      return { ...prints, state, hasPrivateHalf }
    },
    bundleRows: () => db.prepare<[], BundleRow>('SELECT * FROM bundles ORDER BY version').all(),
    holdRows: () =>
      db.prepare<[], HoldRow>('SELECT identity_id, actor, placed_at, until_at FROM legal_holds').all(),
    holdOpens: (id) => isTrue(() => createLegalHolds(db, vault).find(id) !== null),
    note: (name) => meta.get(name)?.toString('utf8') ?? null,
    knowsKek: () => isTrue(() => unseal(kek, meta.get(KEK_CHECK) ?? Buffer.alloc(0), KEK_CHECK).length > 0),
    centralKeys: () => {
      try {
        return enrolments.find()?.membership?.trust.statementKeys.keys ?? []
      } catch {
        return []
      }
    },
    close: () => {
      vault.close()
      live.close()
      db.close()
    },
  }
}
