/** Rates how well a document's portrait can be compared, from the measurements at its extraction. */
import type { VerificationRecord } from './verification-record.ts'

/**
 * At this width the networks' input is filled: 150 pixels of face are 0.6 of a portrait framed like a passport
 * photograph. Larger ones add nothing.
 */
const ENOUGH_PX = 250
/** Coarse, so that a few more pixels do not outweigh a later portrait. */
const STEPS = 5

/** 0 if unknown, otherwise 1 to 5; higher is better. */
export function portraitCoding(records: readonly VerificationRecord[]): number {
  const width = records
    .flatMap(({ measurements }) => measurements)
    .find(({ check, outcome }) => check === 'DOCUMENT_PORTRAIT' && outcome === 'passed')?.measured.widthPx
  if (typeof width !== 'number' || !(width > 0)) return 0
  return Math.min(STEPS, Math.ceil((width / ENOUGH_PX) * STEPS))
}
