/**
 * Encrypts and authenticates a stream that is too large to hold in memory: a proof, a video, a packet, a backup. Uses
 * AES-256-GCM in chunks (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015): the nonce counts
 * the chunks and marks the last one. A stream that was cut, reordered or joined with another one therefore does not
 * open. Layout: version byte | nonce prefix (7) | chunks of ciphertext and tag. Each chunk except the last has 1 MiB.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'

/** Distinguishes it from values of `store/crypto`, which begin with 1. */
export const CHUNKED_VERSION = 2
export const CHUNK_BYTES = 1024 * 1024
const PREFIX_BYTES = 7
const TAG_BYTES = 16
const HEADER_BYTES = 1 + PREFIX_BYTES

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** @param context bound to every chunk: a stream sealed for one purpose does not open for another */
export async function* sealStream(
  key: Uint8Array,
  context: string,
  plaintext: Bytes,
): AsyncGenerator<Buffer> {
  const prefix = randomBytes(PREFIX_BYTES)
  yield Buffer.concat([Buffer.from([CHUNKED_VERSION]), prefix])
  for await (const { bytes, index, isLast } of inChunks(plaintext, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, buildNonce(prefix, index, isLast), {
      authTagLength: TAG_BYTES,
    })
    cipher.setAAD(Buffer.from(context, 'utf8'))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/**
 * Throws `storage_damaged` if the stream was altered, cut or reordered, or if it was sealed with another key or for
 * another context.
 */
export async function* openStream(key: Uint8Array, context: string, sealed: Bytes): AsyncGenerator<Buffer> {
  let prefix: Buffer | null = null
  let head: Buffer = Buffer.alloc(0)
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of sealed) {
      if (prefix) {
        yield piece
        continue
      }
      head = Buffer.concat([head, piece])
      if (head.length < HEADER_BYTES) continue
      if (head[0] !== CHUNKED_VERSION) throw new AppError('storage_damaged')
      prefix = Buffer.from(head.subarray(1, HEADER_BYTES))
      yield head.subarray(HEADER_BYTES)
    }
  }
  for await (const { bytes, index, isLast } of inChunks(body(), CHUNK_BYTES + TAG_BYTES)) {
    if (!prefix || bytes.length < TAG_BYTES) throw new AppError('storage_damaged')
    const decipher = createDecipheriv('aes-256-gcm', key, buildNonce(prefix, index, isLast), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(context, 'utf8'))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    try {
      yield Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()])
    } catch (cause) {
      throw new AppError('storage_damaged', {}, { cause })
    }
  }
}

function buildNonce(prefix: Buffer, index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  prefix.copy(nonce)
  nonce.writeUInt32BE(index, PREFIX_BYTES)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

interface Chunk {
  readonly bytes: Buffer
  readonly index: number
  readonly isLast: boolean
}

/** Yields full chunks and a last chunk. The last chunk is empty only if the whole stream is empty. */
async function* inChunks(source: Bytes, size: number): AsyncGenerator<Chunk> {
  let waiting: Buffer[] = []
  let length = 0
  let index = 0
  for await (const piece of source) {
    waiting.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    length += piece.length
    // A chunk is yielded only when one more byte has arrived: otherwise it may be the last one.
    while (length > size) {
      const all = Buffer.concat(waiting)
      yield { bytes: all.subarray(0, size), index: index++, isLast: false }
      waiting = [all.subarray(size)]
      length -= size
    }
  }
  yield { bytes: Buffer.concat(waiting), index, isLast: true }
}
