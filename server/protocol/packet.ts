/**
 * An encrypted proof for transport: an envelope to the central service's key (JWE) with the content key and
 * the facts of the content, then the archive as an encrypted stream. No other party, including the kiosk, can
 * decrypt it. Layout: "CPP1" | length of the JWE (4, big-endian) | JWE, compact | encrypted stream.
 */
import { CompactEncrypt, compactDecrypt, importJWK, type JWK } from 'jose'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { openStream, sealStream, type Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'

const MAGIC = Buffer.from('CPP1', 'ascii')
const HEAD_BYTES = MAGIC.length + 4
const LARGEST_ENVELOPE = 16 * 1024
const ALGORITHM = 'ECDH-ES+A256KW'
const ENCRYPTION = 'A256GCM'

const EnvelopeSchema = z.strictObject({
  kioskId: z.string(),
  proofId: z.string(),
  /** SHA-256 of the decrypted archive. */
  sha256: z.string(),
  /** base64url, 256 bits. */
  key: z.string(),
})
export type PacketFacts = Omit<z.infer<typeof EnvelopeSchema>, 'key'>

/** @param packetKey public key of the central service with its `kid` */
export async function* sealPacket(
  facts: PacketFacts,
  archive: Bytes,
  packetKey: JWK,
): AsyncGenerator<Buffer> {
  const key = randomBytes(32)
  const envelope = await new CompactEncrypt(
    Buffer.from(JSON.stringify({ ...facts, key: key.toString('base64url') }), 'utf8'),
  )
    .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION, ...(packetKey.kid ? { kid: packetKey.kid } : {}) })
    .encrypt(await importJWK(packetKey, ALGORITHM))
  const jwe = Buffer.from(envelope, 'ascii')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(jwe.length)
  yield Buffer.concat([MAGIC, length, jwe])
  yield* sealStream(key, buildPacketContext(facts), archive)
}

/**
 * Decrypts a packet with any of the central service's private keys. Throws `packet_refused` if it is
 * malformed or for another recipient; reading `archive` throws `storage_damaged` if the content was altered
 * or truncated.
 */
export async function openPacket(
  packet: Bytes,
  privateKeys: readonly JWK[],
): Promise<{ readonly facts: PacketFacts; readonly archive: AsyncGenerator<Buffer> }> {
  const source = inPieces(packet)
  const head = await source.take(HEAD_BYTES)
  if (!head.subarray(0, MAGIC.length).equals(MAGIC))
    throw new AppError('packet_refused', { reason: 'no packet' })
  const length = head.readUInt32BE(MAGIC.length)
  if (length > LARGEST_ENVELOPE) throw new AppError('packet_refused', { reason: 'envelope too large' })
  const { key, ...facts } = await openEnvelope((await source.take(length)).toString('ascii'), privateKeys)
  return {
    facts,
    archive: openStream(Buffer.from(key, 'base64url'), buildPacketContext(facts), source.rest()),
  }
}

async function openEnvelope(jwe: string, privateKeys: readonly JWK[]) {
  for (const privateKey of privateKeys) {
    try {
      const { plaintext } = await compactDecrypt(jwe, await importJWK(privateKey, ALGORITHM), {
        keyManagementAlgorithms: [ALGORITHM],
        contentEncryptionAlgorithms: [ENCRYPTION],
      })
      return EnvelopeSchema.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')))
    } catch {
      // Another key may fit.
    }
  }
  throw new AppError('packet_refused', { reason: 'not encrypted to a key of this central service' })
}

function buildPacketContext({ kioskId, proofId, sha256 }: PacketFacts): string {
  return `packet:${kioskId}:${proofId}:${sha256}`
}

function inPieces(source: Bytes) {
  const iterator = (async function* () {
    for await (const piece of source) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
  })()
  let held: Buffer = Buffer.alloc(0)
  return {
    take: async (count: number): Promise<Buffer> => {
      while (held.length < count) {
        const next = await iterator.next()
        if (next.done) throw new AppError('packet_refused', { reason: 'cut off' })
        held = Buffer.concat([held, next.value])
      }
      const taken = held.subarray(0, count)
      held = held.subarray(count)
      return taken
    },
    rest: async function* (): AsyncGenerator<Buffer> {
      if (held.length > 0) yield held
      yield* iterator
    },
  }
}
