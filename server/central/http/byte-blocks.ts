/**
 * Bytes that arrive in pieces of any size, copied into blocks of their own: a piece of one byte costs one byte.
 */
const FIRST_BLOCK_BYTES = 16 * 1024
const LARGEST_BLOCK_BYTES = 1024 * 1024

export class ByteBlocks {
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #block = new Uint8Array(0)
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    let rest = piece
    while (rest.length > 0) {
      if (this.#used === this.#block.length) this.#startBlock()
      const taken = rest.subarray(0, this.#block.length - this.#used)
      this.#block.set(taken, this.#used)
      this.#used += taken.length
      this.#length += taken.length
      rest = rest.subarray(taken.length)
    }
  }

  /** All bytes, in their order. Nothing may be appended afterwards. */
  blocks(): readonly Uint8Array<ArrayBuffer>[] {
    return [...this.#full, this.#block.subarray(0, this.#used)]
  }

  /** The bytes as UTF-8. Bytes that are none become U+FFFD. */
  text(): string {
    return Buffer.concat(this.blocks()).toString('utf8')
  }

  /** Blocks grow with the content, so that memory is at most twice the bytes that have arrived. */
  #startBlock(): void {
    if (this.#used > 0) this.#full.push(this.#block)
    const size = Math.min(LARGEST_BLOCK_BYTES, Math.max(FIRST_BLOCK_BYTES, this.#length))
    this.#block = new Uint8Array(size)
    this.#used = 0
  }
}
