/**
 * Chooses the size of the next chunk: small at first, larger while the network is fast, smaller after a
 * failure. A chunk that exceeds the time limit is lost as a whole, so at 1 kB/s only small ones arrive.
 */
const SMALLEST_BYTES = 1024
const FIRST_BYTES = 16 * 1024

export interface ChunkSize {
  next(): number
  /** Reports a successful chunk with its size and time. */
  went(bytes: number, tookMs: number): void
  failed(): void
}

/**
 * @param largest bytes @param timeoutMs for one request @param bytesPerSecond limit of the upload rate; 0:
 * none
 */
export function createChunkSize(largest: number, timeoutMs: number, bytesPerSecond: number): ChunkSize {
  // The limit makes a chunk take two seconds at most, so that other requests of the kiosk are not delayed.
  const most = Math.max(
    SMALLEST_BYTES,
    bytesPerSecond === 0 ? largest : Math.min(largest, 2 * bytesPerSecond),
  )
  let size = Math.min(FIRST_BYTES, most)
  return {
    next: () => size,
    went: (bytes, tookMs) => {
      if (bytes >= size && tookMs < timeoutMs / 16) size = Math.min(most, size * 4)
      else if (tookMs > timeoutMs / 2) size = Math.max(SMALLEST_BYTES, Math.floor(size / 2))
    },
    failed: () => {
      size = Math.max(SMALLEST_BYTES, Math.floor(size / 4))
    },
  }
}
