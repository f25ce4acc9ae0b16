/** Decrypts the archive of a stored proof. It was verified before it was stored. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'
import { openPacket } from '../../protocol/packet.ts'
import type { CentralContext } from '../context.ts'

interface StoredPacket {
  readonly kioskId: string
  readonly proofId: string
  /** SHA-256 of the decrypted archive. */
  readonly sha256: string
  readonly location: string
  readonly packetBytes: number
}

/**
 * Throws `storage_damaged`, also while it streams: an altered, truncated or exchanged archive does not reach
 * its end.
 */
export async function openArchive(
  ctx: Pick<CentralContext, 'storage' | 'keys'>,
  stored: StoredPacket,
): Promise<Readable> {
  const packet = ctx.storage.read(stored.location, stored.packetBytes)
  const { facts, archive } = await openPacket(packet, ctx.keys.current().packetKeys).catch(
    (cause: unknown) => {
      throw cause instanceof AppError && cause.code === 'packet_refused'
        ? new AppError('storage_damaged', { part: 'packet' }, { cause })
        : cause
    },
  )
  const fits =
    facts.kioskId === stored.kioskId && facts.proofId === stored.proofId && facts.sha256 === stored.sha256
  if (!fits) throw new AppError('storage_damaged', { part: 'packet' })
  return Readable.from(checked(archive, stored.sha256), { objectMode: false })
}

async function* checked(archive: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const piece of archive) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') !== sha256) throw new AppError('storage_damaged', { part: 'archive' })
}
