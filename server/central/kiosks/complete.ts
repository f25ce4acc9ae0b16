/**
 * The end of an upload: the packet is decrypted, the archive verified, and only then stored and acknowledged,
 * in one transaction: for the head office, or in the quarantine of its line (lines.ts). If two instances, or two requests of one kiosk, compete, the first commit stores it,
 * and all get the same receipt.
 */
import { AppError } from '../../errors.ts'
import { signStatement } from '../../protocol/statements.ts'
import type { Announcement, UploadState } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { isDuplicate } from '../db/faults.ts'
import { enqueueEvent, type Metrics } from '../head-office/index.ts'
import { LARGE_OBJECT, readObject, removeObject } from '../storage/large-objects.ts'
import { raiseAlarm, resolveAlarms } from './alarms.ts'
import { findSettled } from './entries.ts'
import { judgePacket, type Judgement, type ProofFacts } from './judge-packet.ts'
import { settleNumber } from './ledger.ts'
import { findKioskIn, lockKiosk, type Kiosk } from './kiosk.ts'

interface Upload {
  readonly announcement: Announcement
  /** Large object with the received bytes; empty if the packet was placed. */
  readonly packet: number
  /** Place of the packet outside the database, which the row names before anything is there; null: none. */
  readonly location: string | null
  /** The whole packet is at `location`. */
  readonly placed: boolean
  readonly received: number
  readonly state: 'RECEIVING' | 'REFUSED'
  readonly problems: string[] | null
}

/**
 * Returns STORED with the receipt, RECEIVING if bytes are missing, or REFUSED with the reasons. Throws
 * `not_found` for an unknown announcement, `centre_unavailable` if database or storage are unavailable: then
 * nothing has changed.
 */
export async function complete(
  ctx: CentralContext,
  kioskId: string,
  proofId: string,
  metrics: Metrics | null = null,
): Promise<UploadState> {
  const startedAt = performance.now()
  const found = await ctx.db.transaction(SYSTEM, async (queries) => {
    const upload = await findUpload(queries, kioskId, proofId)
    const kiosk = upload && (await findKioskIn(queries, kioskId))
    return upload && kiosk ? { upload, kiosk } : { settled: await findSettled(queries, kioskId, proofId) }
  })
  if ('settled' in found) {
    if (!found.settled) throw new AppError('not_found')
    return found.settled
  }
  const { upload, kiosk } = found
  const { announcement, received } = upload
  if (upload.state === 'REFUSED')
    return { state: 'REFUSED', offset: received, problems: upload.problems ?? [] }
  if (received < (announcement.packet?.bytes ?? 0)) return { state: 'RECEIVING', offset: received }

  const judgement = await judge(ctx, kiosk, upload).catch((error: unknown) => {
    const isLost = upload.placed && error instanceof AppError && error.code === 'storage_damaged'
    if (isLost) return null
    throw error
  })
  if (judgement === null) return receiveAgain(ctx, kioskId, upload)
  if (!judgement.accepted) {
    metrics?.proofRefused(judgement.problems[0] ?? 'other')
    return refuse(ctx, kiosk, upload, judgement.problems)
  }
  const stored = await store(ctx, kiosk, upload, judgement.proof)
  if (stored.state === 'STORED') metrics?.proofStored((performance.now() - startedAt) / 1000)
  return stored
}

async function findUpload(queries: Queries, kioskId: string, proofId: string): Promise<Upload | null> {
  const [row] = await queries.query<Upload>(
    'SELECT announcement, packet, location, placed, received, state, problems FROM uploads WHERE proof_id = $1 AND kiosk_id = $2',
    [proofId, kioskId],
  )
  return row ?? null
}

async function judge(ctx: CentralContext, kiosk: Kiosk, upload: Upload): Promise<Judgement> {
  const before = ctx.keys.current().packetKeys.length
  let judgement = await judgeOnce(ctx, kiosk, upload)
  // Another instance may have rotated the packet key since this one read its keys.
  const isUnreadable = !judgement.accepted && judgement.problems.includes('packet_unreadable')
  if (isUnreadable && (await ctx.keys.reload()).packetKeys.length !== before) {
    judgement = await judgeOnce(ctx, kiosk, upload)
  }
  if (!judgement.accepted) return judgement
  if (!(await isKioskTenant(ctx, kiosk, judgement.proof.tenantId))) {
    return { accepted: false, problems: ['tenant_mismatch'] }
  }
  const isTaken = !judgement.proof.test || (await takesTestProofs(ctx, kiosk.tenantId))
  return isTaken ? judgement : { accepted: false, problems: ['test_proof_not_taken'] }
}

function judgeOnce(ctx: CentralContext, kiosk: Kiosk, upload: Upload): Promise<Judgement> {
  const { announcement } = upload
  return ctx.verifications({ tenant: kiosk.tenantId, id: kiosk.id }, announcement.packet?.bytes ?? 0, () =>
    judgePacket({
      kioskId: kiosk.id,
      announcement,
      packet: readReceived(ctx, upload),
      packetKeys: ctx.keys.current().packetKeys,
      proofKeys: kiosk.proofKeys,
      revokedKeys: kiosk.revokedKeys,
      verifier: ctx.verifier,
    }),
  )
}

function readReceived(ctx: CentralContext, upload: Upload): AsyncIterable<Uint8Array> {
  const { announcement, packet, location, placed } = upload
  const bytes = announcement.packet?.bytes ?? 0
  return placed && location !== null ? ctx.storage.read(location, bytes) : readObject(ctx.db, packet, bytes)
}

/** The placed packet is gone or cut: the kiosk, which still has the proof, sends it again. */
async function receiveAgain(ctx: CentralContext, kioskId: string, upload: Upload): Promise<UploadState> {
  const { proofId } = upload.announcement
  return ctx.db.transaction(SYSTEM, async (queries) => {
    await queries.query(
      'UPDATE uploads SET received = 0, placed = false WHERE proof_id = $1 AND packet = $2::oid AND placed',
      [proofId, upload.packet],
    )
    return standing(queries, kioskId, proofId)
  })
}

/**
 * A kiosk belongs to one tenant here, whatever its own configuration calls that tenant. Its first proof fixes
 * that name, which must not be the name of another tenant of this central service.
 */
async function isKioskTenant(ctx: CentralContext, kiosk: Kiosk, stated: string): Promise<boolean> {
  if (kiosk.proofTenantId !== null) return stated === kiosk.proofTenantId
  if (stated === kiosk.tenantId) return true
  const others = await ctx.db.query(SYSTEM, 'SELECT 1 FROM tenants WHERE tenant_id = $1', [stated])
  return others.length === 0
}

async function takesTestProofs({ db }: CentralContext, tenantId: string): Promise<boolean> {
  const rows = await db.query(SYSTEM, 'SELECT 1 FROM tenants WHERE tenant_id = $1 AND takes_test_proofs', [
    tenantId,
  ])
  return rows.length > 0
}

async function refuse(
  ctx: CentralContext,
  kiosk: Kiosk,
  upload: Upload,
  problems: readonly string[],
): Promise<UploadState> {
  const { proofId, sequence } = upload.announcement
  const at = ctx.clock.now()
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const changed = await queries.query(
      `UPDATE uploads SET state = 'REFUSED', problems = $3::jsonb, refused_at = $4, touched_at = $4, packet = 0,
         received = 0, placed = false
       WHERE proof_id = $1 AND packet = $2::oid RETURNING 1`,
      [proofId, upload.packet, JSON.stringify(problems), at],
    )
    if (changed.length === 0) return standing(queries, kiosk.id, proofId)
    // The kiosk keeps the proof: a packet that may never be stored takes no space here.
    await removeObject(queries, upload.packet)
    if (upload.placed && upload.location !== null) await ctx.storage.remove(upload.location, queries)
    await raiseAlarm(queries, kiosk, 'REFUSED', proofId, { proofId, sequence, problems: [...problems] }, at)
    return { state: 'REFUSED', offset: 0, problems: [...problems] }
  })
}

async function store(
  ctx: CentralContext,
  kiosk: Kiosk,
  upload: Upload,
  proof: ProofFacts,
): Promise<UploadState> {
  const { announcement } = upload
  const { proofId, sequence, sha256, packet } = announcement
  const place = await putAside(ctx, kiosk, upload)
  const storedAt = ctx.clock.now()
  const receipt = await signStatement(
    'receipt',
    { kioskId: kiosk.id, proofId, sequence, sha256, state: 'STORED', storedAt: storedAt.getTime() },
    ctx.keys.current().statementKey,
  )
  const save = (): Promise<UploadState> =>
    ctx.db.transaction(SYSTEM, async (queries) => {
      const locked = await lockKiosk(queries, kiosk.id)
      // During the verification the key was revoked, or another proof fixed the tenant's name: the kiosk asks
      // again, and the proof is verified again.
      const isAsJudged =
        locked.revokedKeys[proof.signedBy] === kiosk.revokedKeys[proof.signedBy] &&
        (locked.proofTenantId ?? proof.tenantId) === proof.tenantId
      if (!isAsJudged) {
        return standing(queries, kiosk.id, proofId)
      }
      const [mine] = await queries.query<{ line: number }>(
        'DELETE FROM uploads WHERE proof_id = $1 AND packet = $2::oid RETURNING line',
        [proofId, upload.packet],
      )
      if (!mine) return standing(queries, kiosk.id, proofId)
      if (place !== null) await removeObject(queries, upload.packet)
      if (locked.proofTenantId === null) {
        await queries.query('UPDATE kiosks SET proof_tenant_id = $2 WHERE id = $1', [
          kiosk.id,
          proof.tenantId,
        ])
      }
      await resolveAlarms(queries, kiosk.id, 'REFUSED', storedAt, proofId)
      const isOpen = mine.line === 0 && locked.frozenAt === null
      if (isOpen) {
        await settleNumber(queries, locked, announcement, storedAt, ctx.config.gapGraceSeconds * 1000)
        const { identityId } = announcement
        const data = { proofId, kioskId: kiosk.id, sequence, identityId, test: proof.test }
        await enqueueEvent(queries, { tenantId: kiosk.tenantId, type: 'proof.stored', at: storedAt, data })
      }
      const location = place ?? LARGE_OBJECT + String(upload.packet)
      const table = isOpen ? 'proofs' : 'quarantined'
      const stored = { table, line: mine.line, location, storedAt, receipt } as const
      await insertProof(ctx, queries, locked, upload, proof, stored)
      return { state: 'STORED', offset: packet?.bytes ?? 0, receipt }
    })
  return save().catch((error: unknown) => {
    if (isDuplicate(error))
      return ctx.db.transaction(SYSTEM, (queries) => standing(queries, kiosk.id, proofId))
    throw error
  })
}

/**
 * Copies the packet to its storage if that is outside the database. The row names the location before
 * anything is written there.
 */
async function putAside(ctx: CentralContext, kiosk: Kiosk, upload: Upload): Promise<string | null> {
  const { proofId, packet } = upload.announcement
  const facts = { tenantId: kiosk.tenantId, proofId, sha256: packet?.sha256 ?? '', bytes: packet?.bytes ?? 0 }
  const place = ctx.storage.locatePacket(facts)
  if (upload.placed) return upload.location
  if (place === null) return null
  if (upload.location !== place) {
    await ctx.db.query(SYSTEM, 'UPDATE uploads SET location = $3 WHERE proof_id = $1 AND packet = $2::oid', [
      proofId,
      upload.packet,
      place,
    ])
  }
  await ctx.storage.put(place, facts, readObject(ctx.db, upload.packet, facts.bytes))
  return place
}

async function insertProof(
  ctx: CentralContext,
  queries: Queries,
  kiosk: Kiosk,
  { announcement }: Upload,
  proof: ProofFacts,
  stored: {
    readonly table: 'proofs' | 'quarantined'
    readonly line: number
    readonly location: string
    readonly storedAt: Date
    readonly receipt: string
  },
): Promise<void> {
  const { correlationId } = proof
  await queries.query(
    `INSERT INTO ${stored.table} (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash,
       level_of_assurance, test, signed_by, archive_bytes, sealed_at, stored_at, correlation_hash, packet_sha256,
       packet_bytes, location, receipt, policy_id, line, figures)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22::jsonb)`,
    [
      announcement.proofId,
      kiosk.tenantId,
      kiosk.id,
      announcement.sequence,
      announcement.identityId,
      announcement.sha256,
      announcement.previousHash,
      announcement.hash,
      proof.levelOfAssurance,
      proof.test,
      proof.signedBy,
      proof.archiveBytes,
      new Date(announcement.sealedAt),
      stored.storedAt,
      correlationId === null ? null : ctx.keys.current().correlationHash(kiosk.tenantId, correlationId),
      announcement.packet?.sha256 ?? '',
      announcement.packet?.bytes ?? 0,
      stored.location,
      stored.receipt,
      proof.policyId,
      stored.line,
      JSON.stringify(proof.figures),
    ],
  )
}

/** Returns the present state: stored by another instance, or started again. */
async function standing(queries: Queries, kioskId: string, proofId: string): Promise<UploadState> {
  const settled = await findSettled(queries, kioskId, proofId)
  if (settled) return settled
  const [row] = await queries.query<{ received: number }>(
    `SELECT received FROM uploads WHERE proof_id = $1 AND kiosk_id = $2`,
    [proofId, kioskId],
  )
  if (!row) throw new AppError('not_found')
  return { state: 'RECEIVING', offset: row.received }
}
