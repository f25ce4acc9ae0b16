/**
 * Bytes that arrive in pieces of any size, copied into blocks: a million pieces of one byte would otherwise take a hundred
 * times their size in memory.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

const FIRST_BLOCK_BYTES = 16 * 1024
const LARGEST_BLOCK_BYTES = 1024 * 1024
/** Bytes that one turn of the event loop copies in about 2 ms; most of that time is the first use of the memory. */
const JOINED_BYTES = 4 * 1024 * 1024

export class ByteBlocks {
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #block: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  #used = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  append(piece: Uint8Array): void {
    let from = 0
    while (from < piece.byteLength) {
      if (this.#used === this.#block.byteLength) this.#startBlock()
      const bytes = Math.min(piece.byteLength - from, this.#block.byteLength - this.#used)
      this.#block.set(piece.subarray(from, from + bytes), this.#used)
      this.#used += bytes
      this.#size += bytes
      from += bytes
    }
  }

  /** All bytes in their order, each block with a buffer of its own. Nothing may be appended afterwards. */
  blocks(): readonly Uint8Array<ArrayBuffer>[] {
    return [...this.#full, this.#block.subarray(0, this.#used)]
  }

  /** All bytes in one piece. Frees each block once it is copied. Nothing may be appended afterwards. */
  async join(): Promise<Buffer<ArrayBuffer>> {
    const joined = Buffer.allocUnsafeSlow(this.#size)
    const blocks = [...this.#full.splice(0), this.#block.subarray(0, this.#used)]
    this.#block = new Uint8Array(0)
    let joinedBytes = 0
    let turnBytes = 0
    for (let block = blocks.shift(); block; block = blocks.shift()) {
      joined.set(block, joinedBytes)
      joinedBytes += block.byteLength
      turnBytes += block.byteLength
      if (turnBytes < JOINED_BYTES) continue
      await nextTurn()
      turnBytes = 0
    }
    return joined
  }

  /** Blocks grow with the content: the memory is at most twice the bytes that have arrived. */
  #startBlock(): void {
    if (this.#used > 0) this.#full.push(this.#block)
    const size = Math.min(LARGEST_BLOCK_BYTES, Math.max(FIRST_BLOCK_BYTES, this.#size))
    this.#block = Buffer.allocUnsafeSlow(size)
    this.#used = 0
  }
}
