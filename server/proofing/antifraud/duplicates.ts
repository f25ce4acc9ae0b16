/** The checks DUPLICATE_DOCUMENT and DUPLICATE_FACE. The same person may have come before: a hint, never a rejection. */
import { checked, doubted, notChecked, type Finding } from './finding.ts'

/** @param otherIdentities per document that was read: other identities to whom it was presented */
export function judgeDuplicateDocument(
  otherIdentities: readonly number[],
  facts: { readonly electedWasRead: boolean },
): Finding {
  const most = Math.max(0, ...otherIdentities)
  const measured = { documents: otherIdentities.length, otherIdentities: most }
  if (most > 0) return doubted('DUPLICATE_DOCUMENT', measured)
  const isAnswer = otherIdentities.length > 0 && facts.electedWasRead
  return isAnswer ? checked('DUPLICATE_DOCUMENT', measured) : notChecked('DUPLICATE_DOCUMENT', measured)
}

/** UNKNOWN: there is no template, or others that could not be compared and may be the same face. */
export function judgeDuplicateFace(outcome: 'NONE' | 'FOUND' | 'UNKNOWN', retentionDays: number): Finding {
  const measured = { retentionDays }
  if (outcome === 'FOUND') return doubted('DUPLICATE_FACE', measured)
  return outcome === 'NONE' ? checked('DUPLICATE_FACE', measured) : notChecked('DUPLICATE_FACE')
}
