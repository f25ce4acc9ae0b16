/**
 * Packets of proofs in the outbox folder: sealed to the central service's key piece by piece, flushed to the disk, and only then
 * noted in the row. A file without such a note is swept at start; one that is missing or damaged is made again.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { sealPacket } from '../protocol/packet.ts'
import type { CentreTrust } from '../protocol/wire.ts'
import type { OutboxEntry } from '../store/outbox.ts'
import { createSealedFiles } from '../store/sealed-files.ts'

export interface Packet {
  /** Of the packet, not of the archive in it. */
  readonly sha256: string
  readonly bytes: number
}

export interface Packets {
  /** The packet of this row, made if it is not there as noted. Throws `storage_damaged` when the proof itself is. */
  ensure(entry: OutboxEntry, trust: CentreTrust): Promise<Packet>
  read(proofId: string, offset: number, length: number): Promise<Buffer>
  remove(proofId: string): void
  /** Removes what no row refers to. Returns how many files. */
  sweep(): number
}

type PacketContext = Pick<Context, 'store' | 'config'>

export function openPackets({ store, config }: PacketContext): Packets {
  const files = createSealedFiles(join(config.dataDir, 'outbox'))
  const isIntact = async ({ proofId, packet }: OutboxEntry): Promise<boolean> =>
    packet !== null &&
    files.sizeOf(proofId) === packet.bytes &&
    (await hashOfFile(files.pathOf(proofId))) === packet.sha256
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
      const file = await open(files.pathOf(proofId), 'r')
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
 * The proof of this row as a packet for this central service, its archive never whole in memory. Throws `storage_damaged` when
 * the archive is gone or is not the one that was sealed.
 */
export async function* sealProof(
  store: Context['store'],
  entry: OutboxEntry,
  trust: CentreTrust,
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
