/**
 * How large the next chunk is: small at first, larger while the line is quick, smaller after a failure. A chunk that
 * does not get through within the time limit is lost as a whole, so on a line of 1 kB/s only small ones ever arrive.
 */
const SMALLEST_BYTES = 1024
const FIRST_BYTES = 16 * 1024

export interface ChunkSize {
  next(): number
  /** A chunk of this size got through in this time. */
  went(bytes: number, tookMs: number): void
  failed(): void
}

/**
 * @param largest bytes
 * @param timeoutMs for one request
 * @param bytesPerSecond cap on what is sent; 0: none
 */
export function createChunkSize(largest: number, timeoutMs: number, bytesPerSecond: number): ChunkSize {
  // With a cap, a chunk takes two seconds at most: other requests of the kiosk come in between.
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
