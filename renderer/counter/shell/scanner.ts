/** Tells a scanner from a person at the same keyboard: characters faster than fingers, then Enter. Pure. */
import type { SearchBody } from '../../../server/counter/contract/today.ts'

export interface Keystroke {
  readonly key: string
  /** Milliseconds, of any clock. */
  readonly at: number
}

// Starting values: hand scanners type a sign every 1-20 ms, the fastest typists one every 60; receipts hold 8 signs or more.
const FASTEST_FINGER_MS = 35
const SHORTEST = 8
const LONGEST = 200

export interface ScannerEar {
  /** What was scanned, when this stroke ends a scan. */
  hear(stroke: Keystroke): string | null
}

export function createScannerEar(): ScannerEar {
  let text = ''
  let last = Number.NEGATIVE_INFINITY
  return {
    hear({ key, at }) {
      const fast = at - last <= FASTEST_FINGER_MS
      last = at
      // A pause ends whatever was typed before it.
      if (!fast) text = ''
      if (key === 'Enter') {
        const scanned = fast && text.length >= SHORTEST && text.length <= LONGEST ? text : null
        text = ''
        return scanned
      }
      if (key.length !== 1) return null // Shift and its like come between the signs of a scan
      text += key
      return null
    },
  }
}

/** What somebody typed or scanned: eight signs are a reference; what has more is a code, or whatever the receipt holds. */
export function searchBodyOf(text: string): SearchBody {
  const trimmed = text.trim()
  if (/^[0-9a-z]{4}[-\s]?[0-9a-z]{4}$/i.test(trimmed)) return { reference: trimmed }
  if (/^[0-9a-z][0-9a-z\s-]{6,38}[0-9a-z]$/i.test(trimmed)) return { code: trimmed }
  return { text: trimmed.slice(0, 200) }
}
