/** Tells from its answer to reset how a card is connected. Pure. */

export type CardKind = 'contact' | 'contactless'

/**
 * A contactless reader makes the answer to reset itself: 3B 8n 80 01, historical bytes and a check byte, n being their number (PC/SC part
 * 3, 3.1.3.2.3). Every other card has contacts. Null without an answer.
 */
export function findCardKind(atr: Uint8Array): CardKind | null {
  const [ts, t0 = 0, td1, td2] = atr
  if (ts === undefined) return null
  const isMadeByReader = ts === 0x3b && t0 >> 4 === 8 && td1 === 0x80 && td2 === 0x01
  return isMadeByReader && atr.length === 5 + (t0 & 0x0f) ? 'contactless' : 'contact'
}
