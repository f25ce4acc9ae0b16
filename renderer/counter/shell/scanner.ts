/** Distinguishes a scanner from typing: characters faster than fingers, then Enter. Pure. */
import type { TakeOverBody } from '../../../server/counter/contract/assist.ts'
import type { SearchBody } from '../../../server/counter/contract/today.ts'

interface Keystroke {
  readonly key: string
  /** Milliseconds, of any clock. */
  readonly at: number
}

// Starting values: hand scanners type a character every 1-20 ms, the fastest typists one every 60; receipts
// have 8 characters or more.
const FASTEST_FINGER_MS = 35
const SHORTEST = 8
const LONGEST = 200

interface ScannerEar {
  /** Returns the scanned text if this stroke ends a scan. */
  hear(stroke: Keystroke): string | null
}

export function createScannerEar(): ScannerEar {
  let text = ''
  let last = Number.NEGATIVE_INFINITY
  return {
    hear({ key, at }) {
      const fast = at - last <= FASTEST_FINGER_MS
      last = at
      // A pause discards the text before it.
      if (!fast) text = ''
      if (key === 'Enter') {
        const scanned = fast && text.length >= SHORTEST && text.length <= LONGEST ? text : null
        text = ''
        return scanned
      }
      if (key.length !== 1) return null // modifier keys come between the characters of a scan
      text += key
      return null
    },
  }
}

/**
 * Classifies typed or scanned text by its number of characters without hyphens and spaces: eight are a
 * reference, fifteen a code. The server reads everything else, such as the QR code of a receipt.
 */
export function toSearchBody(text: string): SearchBody {
  const trimmed = text.trim()
  const signs = trimmed.replaceAll(/[\s-]/g, '')
  if (/^[0-9a-z]{8}$/i.test(signs)) return { reference: trimmed.slice(0, 40) }
  if (/^[0-9a-z]{15}$/i.test(signs)) return { code: trimmed.slice(0, 40) }
  return { text: trimmed.slice(0, 200) }
}

/** Asks for the visit of a receipt. A reference opens no visit: the server refuses it. */
export function toTakeOverBody(text: string): TakeOverBody {
  const asked = toSearchBody(text)
  return 'reference' in asked ? { text: asked.reference } : asked
}
