/**
 * Keeps what was measured on the picture of a side when the capture component asked about it, so that the check of the same picture
 * need not measure it again. In memory alone, bound to one evidence and to the exact bytes, given out once, and soon forgotten.
 */
import { createHash } from 'node:crypto'
import type { DocumentMeasurement } from '../vision/protocol.ts'

export interface MeasuredSides {
  keep(evidenceId: string, image: Uint8Array, side: DocumentMeasurement): void
  /** Null: nothing was measured on these bytes for this evidence, or it was given out or forgotten. */
  take(evidenceId: string, image: Uint8Array): DocumentMeasurement | null
}

/** Both sides of the documents of four kiosks. */
const MAX_SIDES = 8
/** Between the picture of the front and the hand-in lies the back, which a person may have to try more than once. */
const KEPT_MS = 120_000

export function measuredSides(keptMs = KEPT_MS): MeasuredSides {
  // A map keeps the order of insertion: the first is the oldest.
  const kept = new Map<string, { readonly side: DocumentMeasurement; readonly timer: NodeJS.Timeout }>()
  const forget = (key: string) => {
    clearTimeout(kept.get(key)?.timer)
    kept.delete(key)
  }
  return {
    keep(evidenceId, image, side) {
      const key = keyOf(evidenceId, image)
      forget(key)
      kept.set(key, { side, timer: setTimeout(() => forget(key), keptMs).unref() })
      const [oldest] = kept.keys()
      if (kept.size > MAX_SIDES) forget(oldest)
    },
    take(evidenceId, image) {
      const key = keyOf(evidenceId, image)
      const side = kept.get(key)?.side ?? null
      forget(key)
      return side
    },
  }
}

const keyOf = (evidenceId: string, image: Uint8Array): string =>
  `${evidenceId} ${createHash('sha256').update(image).digest('base64')}`
