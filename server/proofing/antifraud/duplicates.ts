/** Checks DUPLICATE_DOCUMENT and DUPLICATE_FACE. The same person may return, so a match is a hint, never a rejection. */
import { checked, doubted, notChecked, type Finding } from './finding.ts'

/** @param documents documents that were read, each with the number of other identities to which it was presented */
export function judgeDuplicateDocument(
  documents: readonly { readonly evidenceId: string; readonly others: number }[],
  facts: { readonly electedWasRead: boolean },
): Finding {
  const found = documents.filter(({ others }) => others > 0)
  const most = Math.max(0, ...found.map(({ others }) => others))
  const measured = { documents: documents.length, otherIdentities: most }
  if (found.length > 0) {
    const foundIn = found.map(({ evidenceId }) => evidenceId).join(' ')
    return doubted('DUPLICATE_DOCUMENT', { ...measured, foundIn })
  }
  const isAnswer = documents.length > 0 && facts.electedWasRead
  return isAnswer ? checked('DUPLICATE_DOCUMENT', measured) : notChecked('DUPLICATE_DOCUMENT', measured)
}

/** UNKNOWN: there is no template, or some stored templates could not be compared. */
export function judgeDuplicateFace(outcome: 'NONE' | 'FOUND' | 'UNKNOWN', retentionDays: number): Finding {
  const measured = { retentionDays }
  if (outcome === 'FOUND') return doubted('DUPLICATE_FACE', measured)
  return outcome === 'NONE' ? checked('DUPLICATE_FACE', measured) : notChecked('DUPLICATE_FACE')
}
