/** Limits the rate of packets and of downloaded files: tokens are bytes; one second's worth may be sent at once. */
import { setTimeout as wait } from 'node:timers/promises'

export interface TokenBucket {
  /** Resolves when this many bytes may be sent. Rejects when the signal aborts. */
  take(bytes: number, signal?: AbortSignal): Promise<void>
}

/** @param bytesPerSecond 0: no limit @param nowMs a monotonic clock */
export function createTokenBucket(bytesPerSecond: number, nowMs = () => performance.now()): TokenBucket {
  if (bytesPerSecond === 0) return { take: async () => undefined }
  let available = bytesPerSecond
  let lookedAt = nowMs()
  return {
    take: async (bytes, signal) => {
      const now = nowMs()
      available = Math.min(bytesPerSecond, available + ((now - lookedAt) / 1000) * bytesPerSecond)
      lookedAt = now
      // A request for more than is available creates a debt and waits until it is paid: later callers wait
      // longer.
      available -= bytes
      if (available < 0) await wait((-available / bytesPerSecond) * 1000, undefined, signal ? { signal } : {})
    },
  }
}
