/**
 * Transfers large pictures between client and worker in chunks: the process channel copies each message in one turn of
 * the event loop, and a message of 20 MiB would block it for 60 ms (`npm run bench:fuzz`).
 */
import type { Request, ServiceAnswer, ToWorker } from './messages.ts'

/** Chunk size: copied in two milliseconds. */
export const PIECE_BYTES = 1024 * 1024

/** Placeholder in the input for bytes that were sent before. */
interface SentBefore {
  readonly sentBefore: number
}

export interface PieceOfBytes {
  readonly kind: 'piece'
  /** Id of the request that follows. */
  readonly id: number
  /** Index of the byte array, its total length, and the chunk's offset. */
  readonly index: number
  readonly length: number
  readonly at: number
  readonly bytes: Uint8Array
}

/** Replaces large byte arrays in the input by placeholders, and returns the arrays in the order of their index. */
export function takeOutLarge(input: unknown): {
  readonly input: unknown
  readonly large: readonly Uint8Array[]
} {
  const large: Uint8Array[] = []
  const rest = replace(input, (value) => {
    if (!(value instanceof Uint8Array) || value.byteLength <= PIECE_BYTES) return undefined
    return { sentBefore: large.push(value) - 1 } satisfies SentBefore
  })
  return { input: rest, large }
}

export function* cutPieces(id: number, large: readonly Uint8Array[]): Generator<PieceOfBytes> {
  for (const [index, bytes] of large.entries()) {
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      yield { kind: 'piece', id, index, length: bytes.byteLength, at, bytes: piece }
    }
  }
}

/** The worker's side: collects the chunks of the next request only. */
export class ArrivedBytes {
  #id = 0
  #large: Uint8Array[] = []

  /** Returns the complete request after its last message; null for a chunk. */
  take(message: Exclude<ToWorker, ServiceAnswer>): Request | null {
    if ('kind' in message) {
      this.#add(message)
      return null
    }
    const large = this.#large
    this.#large = []
    const input = replace(message.input, (value) =>
      isSentBefore(value) ? large[value.sentBefore] : undefined,
    )
    return { ...message, input } as Request
  }

  #add({ id, index, length, at, bytes }: PieceOfBytes): void {
    if (id !== this.#id) this.#large = []
    this.#id = id
    const whole = (this.#large[index] ??= new Uint8Array(length))
    whole.set(bytes, at)
  }
}

const isSentBefore = (value: unknown): value is SentBefore =>
  typeof value === 'object' && value !== null && 'sentBefore' in value

/**
 * Copies the value, replacing everything for which `by` returns a value; byte arrays and other classes are passed on
 * unchanged.
 */
function replace(value: unknown, by: (value: unknown) => unknown): unknown {
  const other = by(value)
  if (other !== undefined) return other
  if (Array.isArray(value)) return value.map((member) => replace(member, by))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replace(member, by)]))
}
