/**
 * Phase two of an upload: bytes are appended at the end of the packet. Bytes at other offsets are ignored
 * without an error. A packet that comes in one piece goes straight to a storage outside the database, so that the
 * database and its log (WAL) do not hold its bytes.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError, fieldProblem } from '../../errors.ts'
import type { Announcement, UploadState } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { writeObject } from '../storage/large-objects.ts'
import { findSettled } from './entries.ts'

/**
 * Returns the present progress: a repeated, late or overlapping chunk changes nothing, and the kiosk
 * continues from the returned offset. Throws `not_found` for an unknown announcement, `validation_failed` for
 * more bytes than announced.
 */
export async function receiveChunk(
  ctx: CentralContext,
  kioskId: string,
  proofId: string,
  offset: number,
  bytes: Uint8Array,
): Promise<UploadState> {
  const placed = offset === 0 && ctx.storage.isOutside ? await placeWhole(ctx, kioskId, proofId, bytes) : null
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const [upload] = await queries.query<{
      announcement: Announcement
      packet: number
      received: number
      state: 'RECEIVING' | 'REFUSED'
      problems: string[] | null
    }>(
      `SELECT announcement, packet, received, state, problems FROM uploads
       WHERE proof_id = $1 AND kiosk_id = $2 FOR UPDATE`,
      [proofId, kioskId],
    )
    if (!upload) {
      const settled = await findSettled(queries, kioskId, proofId)
      if (!settled) throw new AppError('not_found')
      return settled
    }
    const { received, state } = upload
    if (state === 'REFUSED') return { state, offset: received, problems: upload.problems ?? [] }
    if (offset !== received || bytes.byteLength === 0) return { state, offset: received }
    const total = upload.announcement.packet?.bytes ?? 0
    const end = received + bytes.byteLength
    if (end > total) {
      throw fieldProblem('too_long', 'body', `the packet was announced with ${total} bytes`)
    }
    // Another announcement has replaced the packet meanwhile if its large object is another one.
    const isPlaced = placed === upload.packet
    if (!isPlaced) await writeObject(queries, upload.packet, received, bytes)
    await queries.query(
      'UPDATE uploads SET received = $2, touched_at = $3, placed = $4 WHERE proof_id = $1',
      [proofId, end, ctx.clock.now(), isPlaced],
    )
    return { state, offset: end }
  })
}

/**
 * Writes a whole packet to its location outside the database, with no transaction open. Returns the large object that
 * stays empty; null if these bytes are not the announced packet, and for an upload that has no location yet.
 */
async function placeWhole(
  ctx: CentralContext,
  kioskId: string,
  proofId: string,
  bytes: Uint8Array,
): Promise<number | null> {
  const [upload] = await ctx.db.query<{
    tenant_id: string
    announcement: Announcement
    packet: number
    location: string
  }>(
    SYSTEM,
    `SELECT tenant_id, announcement, packet, location FROM uploads
     WHERE proof_id = $1 AND kiosk_id = $2 AND received = 0 AND state = 'RECEIVING' AND location IS NOT NULL`,
    [proofId, kioskId],
  )
  const announced = upload?.announcement.packet
  if (!upload || announced?.bytes !== bytes.byteLength) return null
  if (createHash('sha256').update(bytes).digest('hex') !== announced.sha256) return null
  const facts = { tenantId: upload.tenant_id, proofId, ...announced }
  // The configuration may have changed since the announcement.
  if (ctx.storage.locatePacket(facts) !== upload.location) return null
  await ctx.storage.put(upload.location, facts, Readable.from([bytes]))
  return upload.packet
}
