/** How well a portrait printed on a document can be made into numbers to compare, by what was measured when it was cut out. */
import type { VerificationRecord } from './verification-record.ts'

/**
 * From this width on the networks' input is filled: 150 pixels of face are 0.6 of a portrait cut like a passport
 * photograph. What is wider adds nothing.
 */
const ENOUGH_PX = 250
/** Coarse on purpose: a few pixels more make no portrait better than a later one. */
const STEPS = 5

/** 0 where nothing is known, else 1 to 5: higher is better. */
export function portraitCoding(records: readonly VerificationRecord[]): number {
  const width = records
    .flatMap(({ measurements }) => measurements)
    .find(({ check, outcome }) => check === 'DOCUMENT_PORTRAIT' && outcome === 'passed')?.measured.widthPx
  if (typeof width !== 'number' || !(width > 0)) return 0
  return Math.min(STEPS, Math.ceil((width / ENOUGH_PX) * STEPS))
}
