/** The text of a barcode → facts. */
import type { AamvaFacts } from './facts.ts'

/** Null when the text is no card of this standard. */
export function parseAamva(_text: string): AamvaFacts | null {
  return null
}
