/**
 * Caches the measurement that the capture component requested for a side, so that verification does not
 * repeat it. Entries stay in memory, are bound to one evidence and the exact bytes, can be taken once, and
 * expire.
 */
import { createHash } from 'node:crypto'
import type { DocumentMeasurement } from '../vision/protocol.ts'

export interface MeasuredSides {
  keep(evidenceId: string, image: Uint8Array, side: DocumentMeasurement): void
  /** Removes and returns the measurement. Returns null if there is none for these bytes and this evidence. */
  take(evidenceId: string, image: Uint8Array): DocumentMeasurement | null
}

/** Both sides of one document on each of four kiosks. */
const MAX_SIDES = 8
/** Must cover the time in which an applicant photographs the back, possibly several times. */
const KEPT_MS = 120_000

export function measuredSides(keptMs = KEPT_MS): MeasuredSides {
  // A Map keeps insertion order, so the first entry is the oldest.
  const kept = new Map<string, { readonly side: DocumentMeasurement; readonly timer: NodeJS.Timeout }>()
  const forget = (key: string) => {
    clearTimeout(kept.get(key)?.timer)
    kept.delete(key)
  }
  return {
    keep(evidenceId, image, side) {
      const key = buildKey(evidenceId, image)
      forget(key)
      kept.set(key, { side, timer: setTimeout(() => forget(key), keptMs).unref() })
      const [oldest] = kept.keys()
      if (kept.size > MAX_SIDES) forget(oldest)
    },
    take(evidenceId, image) {
      const key = buildKey(evidenceId, image)
      const side = kept.get(key)?.side ?? null
      forget(key)
      return side
    },
  }
}

const buildKey = (evidenceId: string, image: Uint8Array): string =>
  `${evidenceId} ${createHash('sha256').update(image).digest('base64')}`
