/**
 * Packets of proofs in the outbox folder: encrypted to the central service's key chunk by chunk, flushed to
 * disk, and only then recorded in the row. A file without a record is removed at start; a missing or damaged
 * one is created again.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { sealPacket } from '../protocol/packet.ts'
import type { CentralTrust } from '../protocol/wire.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { createSealedFiles } from '../store/sealed-files.ts'

interface Packet {
  /** SHA-256 of the packet, not of the archive in it. */
  readonly sha256: string
  readonly bytes: number
}

export interface Packets {
  /**
   * Returns the packet of this row, and creates it if it is missing. Throws `storage_damaged` if the proof
   * itself is damaged.
   */
  ensure(entry: OutboxEntry, trust: CentralTrust): Promise<Packet>
  read(proofId: string, offset: number, length: number): Promise<Buffer>
  remove(proofId: string): void
  /** Removes files without a row. Returns their number. */
  sweep(): number
}

type PacketContext = Pick<Context, 'store' | 'config'>

export function openPackets({ store, config }: PacketContext): Packets {
  const files = createSealedFiles(join(config.dataDir, 'outbox'))
  const isIntact = async ({ proofId, packet }: OutboxEntry): Promise<boolean> =>
    packet !== null &&
    files.measureSize(proofId) === packet.bytes &&
    (await hashOfFile(files.buildPath(proofId))) === packet.sha256
  return {
    ensure: async (entry, trust) => {
      if (entry.packet && (await isIntact(entry))) return entry.packet
      const hash = createHash('sha256')
      const sealed = async function* () {
        for await (const piece of sealProof(store, entry, trust)) {
          hash.update(piece)
          yield piece
        }
      }
      const bytes = await files.writeStream(entry.proofId, sealed())
      const packet = { sha256: hash.digest('hex'), bytes }
      store.outbox.setPacket(entry.sequence, packet)
      return packet
    },
    read: async (proofId, offset, length) => {
      const file = await open(files.buildPath(proofId), 'r')
      try {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    remove: (proofId) => {
      files.remove(proofId)
    },
    sweep: () =>
      files.sweep((proofId) => {
        const entry = store.outbox.findByProof(proofId)
        return entry !== null && entry.receipt === null && entry.packet !== null
      }),
  }
}

/**
 * Yields the proof of this row as a packet for this central service; the archive is never completely in
 * memory. Throws `storage_damaged` if the archive is missing or is not the sealed one.
 */
export async function* sealProof(
  store: Context['store'],
  entry: OutboxEntry,
  trust: CentralTrust,
): AsyncGenerator<Buffer> {
  const { proofId, sha256 } = entry
  const proof = store.proofs.get(proofId)
  if (!proof) throw new AppError('storage_damaged', { proofId, reason: 'the proof is not here any more' })
  const hash = createHash('sha256')
  const archive = async function* () {
    for await (const piece of store.proofs.read(proof)) {
      hash.update(piece)
      yield piece
    }
    if (hash.digest('hex') !== sha256) throw new AppError('storage_damaged', { proofId })
  }
  const facts = { kioskId: store.applianceId, proofId, sha256 }
  yield* sealPacket(facts, archive(), trust.packetKeys.keys[0])
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}
