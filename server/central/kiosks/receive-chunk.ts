/**
 * Phase two of an upload: bytes are appended at the end of the packet. Bytes at other offsets are ignored
 * without an error.
 */
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
    await writeObject(queries, upload.packet, received, bytes)
    await queries.query('UPDATE uploads SET received = $2, touched_at = $3 WHERE proof_id = $1', [
      proofId,
      end,
      ctx.clock.now(),
    ])
    return { state, offset: end }
  })
}
