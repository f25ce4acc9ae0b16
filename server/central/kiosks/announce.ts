/**
 * Phase one of an upload: a kiosk states what it will send. Repeating the announcement returns the progress
 * of the upload; different facts for a known proof are a conflict, which raises an alarm. Another proof with a known
 * number belongs to another line of the kiosk (lines.ts). Only the packet may change before the proof is
 * stored, by a newer announcement: the kiosk encrypts it again if it lost the file, if the central service's
 * key changed, or for a USB stick. A kiosk has a budget of unfinished uploads.
 */
import { AppError, fieldProblem } from '../../errors.ts'
import { signStatement } from '../../protocol/statements.ts'
import type { Announcement, UploadState } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { isDuplicate } from '../db/faults.ts'
import { removeObject } from '../storage/large-objects.ts'
import { raiseAlarm, resolveAlarms } from './alarms.ts'
import { findEntries, findSettled, hasSameFacts } from './entries.ts'
import { settleNumber } from './ledger.ts'
import { lockKiosk, type Kiosk } from './kiosk.ts'
import { placeEntry } from './lines.ts'

/** The time at which an announcement was signed. */
export interface AnnouncedAt {
  /** Time of the kiosk's clock, milliseconds since 1970. */
  readonly kioskMs: number
  /** Time of the nonce in the signature; null on a USB stick, and for a kiosk of a version without nonces. */
  readonly nonceAt: Date | null
  /** The packet came with the announcement: it replaces an upload in progress, whatever its age. */
  readonly isWhole?: boolean
}

/** Rows of one kiosk, including refused uploads, which hold no packet. */
const MAX_UPLOADS = 1000
/** An unfinished upload that was idle this long gives way to another one: the kiosk starts it again. */
const IDLE_MS = 60 * 60_000
/** Year 9999: neither a date-time of the spec nor PostgreSQL's own text format goes beyond. */
export const LATEST_MOMENT = 253_402_300_799_999

type Outcome = UploadState | 'conflict' | 'full'

/**
 * Throws `revision_conflict` (the alarm is stored), `announcement_stale`, `too_many_uploads` (also for a full quarantine),
 * `validation_failed`, and `unauthorized` for a kiosk that was revoked meanwhile.
 */
export async function announce(
  ctx: CentralContext,
  kioskId: string,
  announcement: Announcement,
  announcedAt: AnnouncedAt,
): Promise<UploadState> {
  check(ctx, announcement)
  const run = (): Promise<Outcome> =>
    ctx.db.transaction(SYSTEM, (queries) => announceIn(ctx, queries, kioskId, announcement, announcedAt))
  // If two kiosks announce one proof id simultaneously, the second one finds the first on its second run.
  const outcome = await run().catch((error: unknown) => {
    if (isDuplicate(error)) return run()
    throw error
  })
  if (outcome === 'conflict') throw new AppError('revision_conflict', { conflict: outcome })
  // The freeze and its alarm are stored.
  if (outcome === 'full') throw new AppError('too_many_uploads', { part: 'quarantine' })
  return outcome
}

function check({ config }: CentralContext, { sealedAt, packet }: Announcement): void {
  if (sealedAt > LATEST_MOMENT) throw fieldProblem('too_large', 'sealedAt', 'a time before the year 10000')
  if (packet && packet.bytes > config.maxPacketBytes) {
    const message = `at most ${config.maxPacketBytes} bytes are taken here`
    throw fieldProblem('too_large', 'packet.bytes', message)
  }
}

async function announceIn(
  ctx: CentralContext,
  queries: Queries,
  kioskId: string,
  announcement: Announcement,
  announcedAt: AnnouncedAt,
): Promise<Outcome> {
  const kiosk = await lockKiosk(queries, kioskId)
  const { byProof, bySequence } = await findEntries(queries, kioskId, announcement)
  const known = byProof
  if (known && !hasSameFacts(known, kioskId, announcement)) {
    const { proofId, sequence } = announcement
    await raiseAlarm(queries, kiosk, 'CONFLICT', proofId, { proofId, sequence }, ctx.clock.now())
    return 'conflict'
  }
  if (known && known.state !== 'UPLOADING') {
    const settled = await findSettled(queries, kioskId, known.proofId)
    // A proof that is stored here stays unchanged. The head office must still learn that the kiosk lost its
    // own.
    if (settled?.state === 'STORED' && announcement.lost)
      await raiseLost(ctx, queries, kiosk, announcement, true)
    if (settled) return settled
  }
  const line = known?.line ?? (await placeEntry(ctx, queries, kiosk, announcement, bySequence !== null))
  if (line === 'full') return line
  if (announcement.packet === null) return giveUp(ctx, queries, kiosk, announcement, line)
  if (known) return goOn(ctx, queries, kiosk, announcement, announcedAt)
  const { proofId, sequence } = announcement
  await makeRoom(ctx, queries, kiosk, announcement)
  await queries.query(
    `INSERT INTO uploads (proof_id, tenant_id, kiosk_id, sequence, announcement, announced_kiosk_ms,
       announced_nonce_at, packet, location, state, created_at, touched_at, line)
     VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, lo_create(0), $9, 'RECEIVING', $8, $8, $10)`,
    [
      proofId,
      kiosk.tenantId,
      kioskId,
      sequence,
      JSON.stringify(announcement),
      announcedAt.kioskMs,
      announcedAt.nonceAt,
      ctx.clock.now(),
      locate(ctx, kiosk, announcement),
      line,
    ],
  )
  return { state: 'RECEIVING', offset: 0 }
}

/** Returns where the packet will be outside the database: the row names it before anything is written there. Null: nowhere. */
function locate({ storage }: CentralContext, { tenantId }: Kiosk, announcement: Announcement): string | null {
  const { proofId, packet } = announcement
  return packet && storage.locatePacket({ tenantId, proofId, ...packet })
}

/**
 * Keeps the kiosk, whose row is locked, within its budget of unfinished uploads: drops idle ones, the longest idle first.
 * Throws `too_many_uploads`.
 */
async function makeRoom(
  { config, clock, storage }: CentralContext,
  queries: Queries,
  kiosk: Kiosk,
  { proofId, packet }: Announcement,
): Promise<void> {
  const others = await queries.query<{
    proof_id: string
    state: 'RECEIVING' | 'REFUSED'
    bytes: number
    packet: number
    location: string | null
    touched_at: Date
  }>(
    `SELECT proof_id, state, (announcement -> 'packet' ->> 'bytes')::bigint AS bytes, packet, location, touched_at
     FROM uploads WHERE kiosk_id = $1 AND proof_id <> $2 ORDER BY touched_at, proof_id`,
    [kiosk.id, proofId],
  )
  const idleSince = clock.now().getTime() - IDLE_MS
  const unfinished = others.filter(({ state }) => state === 'RECEIVING')
  let bytes = unfinished.reduce((sum, other) => sum + other.bytes, packet?.bytes ?? 0)
  let count = unfinished.length + 1
  for (const other of unfinished) {
    if (count <= config.unfinishedUploads && bytes <= config.unfinishedBytes) break
    if (other.touched_at.getTime() > idleSince) break
    await queries.query('DELETE FROM uploads WHERE proof_id = $1', [other.proof_id])
    await removeObject(queries, other.packet)
    if (other.location !== null) await storage.remove(other.location, queries)
    bytes -= other.bytes
    count--
  }
  const isWithin = count <= config.unfinishedUploads && bytes <= config.unfinishedBytes
  if (isWithin && others.length < MAX_UPLOADS) return
  throw new AppError('too_many_uploads', { unfinished: count - 1, bytes })
}

/** Continues an upload that was announced before. Throws `announcement_stale`, `too_many_uploads`. */
async function goOn(
  ctx: CentralContext,
  queries: Queries,
  kiosk: Kiosk,
  announcement: Announcement,
  announcedAt: AnnouncedAt,
): Promise<UploadState> {
  const { proofId } = announcement
  const [upload] = await queries.query<UploadRow>(
    `SELECT announcement, announced_kiosk_ms, announced_nonce_at, packet, received, state, problems, refused_at, location
     FROM uploads WHERE proof_id = $1 FOR UPDATE`,
    [proofId],
  )
  if (!upload) throw new AppError('not_found')
  const { packet: before } = upload.announcement
  const isSamePacket =
    before?.sha256 === announcement.packet?.sha256 && before?.bytes === announcement.packet?.bytes
  const isNew = isNewer(announcedAt, upload)
  if (!isSamePacket && !isNew && announcedAt.isWhole !== true)
    throw new AppError('announcement_stale', { proofId })
  // The kiosk has reported other keys since: an upload that was refused for its signature is verified again
  // at its completion.
  const isJudgedAgain = upload.refused_at !== null && kiosk.proofKeysAt > upload.refused_at
  const startsAgain = !isSamePacket || isJudgedAgain
  if (startsAgain) {
    await makeRoom(ctx, queries, kiosk, announcement)
    if (upload.location !== null) await ctx.storage.remove(upload.location, queries)
    await removeObject(queries, upload.packet)
    await queries.query(
      `UPDATE uploads SET announcement = $2::jsonb, packet = lo_create(0), received = 0, state = 'RECEIVING',
         problems = NULL, refused_at = NULL, location = $4, placed = false, touched_at = $3 WHERE proof_id = $1`,
      [proofId, JSON.stringify(announcement), ctx.clock.now(), locate(ctx, kiosk, announcement)],
    )
  }
  if (isNew) {
    await queries.query(
      'UPDATE uploads SET announced_kiosk_ms = $2, announced_nonce_at = coalesce($3, announced_nonce_at) WHERE proof_id = $1',
      [proofId, announcedAt.kioskMs, announcedAt.nonceAt],
    )
  }
  if (startsAgain) return { state: 'RECEIVING', offset: 0 }
  if (upload.state === 'RECEIVING') return { state: 'RECEIVING', offset: upload.received }
  return { state: 'REFUSED', offset: upload.received, problems: upload.problems ?? [] }
}

interface UploadRow {
  readonly announcement: Announcement
  readonly announced_kiosk_ms: number | null
  readonly announced_nonce_at: Date | null
  readonly packet: number
  readonly received: number
  readonly state: 'RECEIVING' | 'REFUSED'
  readonly problems: string[] | null
  readonly refused_at: Date | null
  readonly location: string | null
}

/**
 * Whether an announcement is newer than the stored one, and not a replay. The time of a nonce is by this
 * service's clock and takes precedence; on a USB stick there is none, and the kiosk's clock orders its
 * announcements.
 */
function isNewer({ kioskMs, nonceAt }: AnnouncedAt, upload: UploadRow): boolean {
  if (nonceAt !== null) return upload.announced_nonce_at === null || nonceAt > upload.announced_nonce_at
  return upload.announced_kiosk_ms === null || kioskMs > upload.announced_kiosk_ms
}

async function raiseLost(
  ctx: CentralContext,
  queries: Queries,
  kiosk: Kiosk,
  { proofId, identityId, sequence }: Announcement,
  isStored: boolean,
): Promise<void> {
  const details = { proofId, identityId, sequence, stored: isStored }
  await raiseAlarm(queries, kiosk, 'LOST', proofId, details, ctx.clock.now())
}

/** The kiosk erased or lost the proof before it was stored here: its number is no gap, and a loss raises an alarm. */
async function giveUp(
  ctx: CentralContext,
  queries: Queries,
  kiosk: Kiosk,
  announcement: Announcement,
  line: number,
): Promise<UploadState> {
  const { proofId, identityId, sequence, sha256, previousHash, hash, sealedAt } = announcement
  const state = announcement.lost ? 'LOST' : 'WITHDRAWN'
  const at = ctx.clock.now()
  const dropped = await queries.query<{ packet: number; location: string | null }>(
    'DELETE FROM uploads WHERE proof_id = $1 RETURNING packet, location',
    [proofId],
  )
  for (const { packet, location } of dropped) {
    await removeObject(queries, packet)
    if (location !== null) await ctx.storage.remove(location, queries)
  }
  const receipt = await signStatement(
    'receipt',
    { kioskId: kiosk.id, proofId, sequence, sha256, state, storedAt: at.getTime() },
    ctx.keys.current().statementKey,
  )
  await queries.query(
    `INSERT INTO withdrawn (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash, sealed_at,
       withdrawn_at, receipt, state, line) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      proofId,
      kiosk.tenantId,
      kiosk.id,
      sequence,
      identityId,
      sha256,
      previousHash,
      hash,
      new Date(sealedAt),
      at,
      receipt,
      state,
      line,
    ],
  )
  if (line === 0) await settleNumber(queries, kiosk, announcement, at, ctx.config.gapGraceSeconds * 1000)
  await resolveAlarms(queries, kiosk.id, 'REFUSED', at, proofId)
  if (state === 'LOST') await raiseLost(ctx, queries, kiosk, announcement, false)
  return { state, offset: 0, receipt }
}
