/**
 * Pictures of many megabytes between client and worker, in pieces: the process channel copies a message in one turn of the
 * event loop, and 20 MiB in one message keep it for 60 ms (`npm run bench:fuzz`).
 */
import type { Request, ToWorker } from './messages.ts'

/** One turn of the event loop copies so much: two milliseconds. */
export const PIECE_BYTES = 1024 * 1024

/** Stands in the input for bytes that were sent before it. */
interface SentBefore {
  readonly sentBefore: number
}

export interface PieceOfBytes {
  readonly kind: 'piece'
  /** Of the request that follows. */
  readonly id: number
  /** Which of its large byte arrays this belongs to, how long that is, and where the piece goes. */
  readonly index: number
  readonly length: number
  readonly at: number
  readonly bytes: Uint8Array
}

/** The input without its large byte arrays, and those by the number that stands in their place. */
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

export function* piecesOf(id: number, large: readonly Uint8Array[]): Generator<PieceOfBytes> {
  for (const [index, bytes] of large.entries()) {
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      yield { kind: 'piece', id, index, length: bytes.byteLength, at, bytes: piece }
    }
  }
}

/** The worker's side: keeps the pieces of the next request alone. */
export class ArrivedBytes {
  #id = 0
  #large: Uint8Array[] = []

  /** The request as the client made it, once its last message is here; null for a piece of one. */
  take(message: ToWorker): Request | null {
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

/** A copy in which every value that `by` answers for is replaced; byte arrays and other classes are handed on as they are. */
function replace(value: unknown, by: (value: unknown) => unknown): unknown {
  const other = by(value)
  if (other !== undefined) return other
  if (Array.isArray(value)) return value.map((member) => replace(member, by))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replace(member, by)]))
}
