/**
 * Phase one of an upload: a kiosk says what it will send. The same announcement again answers where the upload stands; a
 * different one for a known proof or number is a conflict, raised as an alarm. Only the packet may change before the
 * proof is stored: it is made anew when the kiosk lost it, when the centre's key changed, or when the proof was erased.
 */
import { AppError, fieldProblem } from '../../errors.ts'
import { signStatement } from '../../protocol/statements.ts'
import type { Announcement, UploadState } from '../../protocol/wire.ts'
import type { CentreContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { isDuplicate } from '../db/faults.ts'
import { createObject, removeObject } from '../storage/large-objects.ts'
import { raiseAlarm, resolveAlarms } from './alarms.ts'
import { findEntries, findSettled, hasSameFacts, type Entry } from './entries.ts'
import { accountFor } from './ledger.ts'
import { lockKiosk, type Kiosk } from './kiosk.ts'

/** Unfinished uploads of one kiosk; it sends a few at a time. */
const MOST_UPLOADS = 1000
/** Year 9999: beyond it neither a date-time of the spec nor PostgreSQL's own text form goes. */
export const LATEST_MOMENT = 253_402_300_799_999

type Outcome = UploadState | 'conflict' | 'clone' | 'too-many'

/**
 * Throws `revision_conflict` (and an alarm stays), `validation_failed`, `rate_limited`, and `unauthorized` for a kiosk
 * that was revoked meanwhile.
 */
export async function announce(
  ctx: CentreContext,
  kioskId: string,
  announcement: Announcement,
): Promise<UploadState> {
  check(ctx, announcement)
  const run = (): Promise<Outcome> =>
    ctx.db.transaction(SYSTEM, (queries) => announceIn(ctx, queries, kioskId, announcement))
  // Of two kiosks that announce one proof id at the same time, the second one finds the first at its next look.
  const outcome = await run().catch((error: unknown) => {
    if (isDuplicate(error)) return run()
    throw error
  })
  if (outcome === 'too-many') throw new AppError('rate_limited', { uploads: MOST_UPLOADS })
  if (typeof outcome === 'string') throw new AppError('revision_conflict', { conflict: outcome })
  return outcome
}

function check({ config }: CentreContext, { sealedAt, packet }: Announcement): void {
  if (sealedAt > LATEST_MOMENT) throw fieldProblem('too_large', 'sealedAt', 'a moment before the year 10000')
  if (packet && packet.bytes > config.maxPacketBytes) {
    const message = `at most ${config.maxPacketBytes} bytes are taken here`
    throw fieldProblem('too_large', 'packet.bytes', message)
  }
}

async function announceIn(
  ctx: CentreContext,
  queries: Queries,
  kioskId: string,
  announcement: Announcement,
): Promise<Outcome> {
  const kiosk = await lockKiosk(queries, kioskId)
  const { byProof, bySequence } = await findEntries(queries, kioskId, announcement)
  const known = byProof ?? bySequence
  if (known && !hasSameFacts(known, kioskId, announcement)) {
    await raiseConflict(ctx, queries, kiosk, announcement, byProof)
    return byProof ? 'conflict' : 'clone'
  }
  if (known && known.state !== 'UPLOADING') {
    const settled = await findSettled(queries, kioskId, known.proofId)
    if (settled) return settled
  }
  if (announcement.packet === null) return withdraw(ctx, queries, kiosk, announcement)
  if (known) return goOn(ctx, queries, kiosk, announcement)
  const { proofId, sequence } = announcement
  const begun = await queries.query(
    `INSERT INTO uploads (proof_id, tenant_id, kiosk_id, sequence, announcement, packet, state, created_at, touched_at)
     SELECT $1, $2, $3, $4, $5::jsonb, lo_create(0), 'RECEIVING', $6, $6
     WHERE (SELECT count(*) FROM uploads WHERE kiosk_id = $3) < ${MOST_UPLOADS}
     RETURNING 1`,
    [proofId, kiosk.tenantId, kioskId, sequence, JSON.stringify(announcement), ctx.clock.now()],
  )
  if (begun.length === 0) return 'too-many'
  return { state: 'RECEIVING', offset: 0 }
}

async function raiseConflict(
  ctx: CentreContext,
  queries: Queries,
  kiosk: Kiosk,
  { proofId, sequence }: Announcement,
  byProof: Entry | null,
): Promise<void> {
  const kind = byProof ? 'CONFLICT' : 'CLONE'
  const subject = byProof ? proofId : String(sequence)
  await raiseAlarm(queries, kiosk, kind, subject, { proofId, sequence }, ctx.clock.now())
}

/** An upload that was announced before. */
async function goOn(
  ctx: CentreContext,
  queries: Queries,
  kiosk: Kiosk,
  announcement: Announcement,
): Promise<UploadState> {
  const { proofId } = announcement
  const [upload] = await queries.query<{
    announcement: Announcement
    packet: number
    received: number
    state: 'RECEIVING' | 'REFUSED'
    problems: string[] | null
    refused_at: Date | null
    location: string | null
  }>(
    `SELECT announcement, packet, received, state, problems, refused_at, location FROM uploads
     WHERE proof_id = $1 FOR UPDATE`,
    [proofId],
  )
  if (!upload) throw new AppError('not_found')
  const { packet: before } = upload.announcement
  const isSamePacket =
    before?.sha256 === announcement.packet?.sha256 && before?.bytes === announcement.packet?.bytes
  if (!isSamePacket) {
    if (upload.location !== null) await ctx.storage.remove(upload.location, queries)
    await removeObject(queries, upload.packet)
    await queries.query(
      `UPDATE uploads SET announcement = $2::jsonb, packet = $3::oid, received = 0, state = 'RECEIVING', problems = NULL,
         refused_at = NULL, location = NULL, touched_at = $4 WHERE proof_id = $1`,
      [proofId, JSON.stringify(announcement), await createObject(queries), ctx.clock.now()],
    )
    return { state: 'RECEIVING', offset: 0 }
  }
  if (upload.state === 'RECEIVING') return { state: 'RECEIVING', offset: upload.received }
  // The kiosk has told of other keys since: what was refused for its signature is judged again when it is completed.
  if (upload.refused_at && kiosk.proofKeysAt > upload.refused_at) {
    await queries.query(
      `UPDATE uploads SET state = 'RECEIVING', problems = NULL, refused_at = NULL, touched_at = $2 WHERE proof_id = $1`,
      [proofId, ctx.clock.now()],
    )
    return { state: 'RECEIVING', offset: upload.received }
  }
  return { state: 'REFUSED', offset: upload.received, problems: upload.problems ?? [] }
}

/** Erased at the kiosk before it was stored here. */
async function withdraw(
  ctx: CentreContext,
  queries: Queries,
  kiosk: Kiosk,
  announcement: Announcement,
): Promise<UploadState> {
  const { proofId, identityId, sequence, sha256, previousHash, hash, sealedAt } = announcement
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
    { kioskId: kiosk.id, proofId, sequence, sha256, state: 'WITHDRAWN', storedAt: at.getTime() },
    ctx.keys.current().statementKey,
  )
  await queries.query(
    `INSERT INTO withdrawn (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash, sealed_at,
       withdrawn_at, receipt) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
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
    ],
  )
  await accountFor(queries, kiosk, announcement, at, ctx.config.gapGraceSeconds * 1000)
  await resolveAlarms(queries, kiosk.id, 'REFUSED', at, proofId)
  return { state: 'WITHDRAWN', offset: 0, receipt }
}
