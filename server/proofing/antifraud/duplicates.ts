/** Checks DUPLICATE_DOCUMENT and DUPLICATE_FACE. The same person may return, so a match is a hint, never a rejection. */
import { createOkFinding, createWarningFinding, createUnverifiedFinding, type Finding } from './finding.ts'

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
    return createWarningFinding('DUPLICATE_DOCUMENT', { ...measured, foundIn })
  }
  const isAnswer = documents.length > 0 && facts.electedWasRead
  return isAnswer
    ? createOkFinding('DUPLICATE_DOCUMENT', measured)
    : createUnverifiedFinding('DUPLICATE_DOCUMENT', measured)
}

/** UNKNOWN: there is no template, or some stored templates could not be compared. */
export function judgeDuplicateFace(outcome: 'NONE' | 'FOUND' | 'UNKNOWN', retentionDays: number): Finding {
  const measured = { retentionDays }
  if (outcome === 'FOUND') return createWarningFinding('DUPLICATE_FACE', measured)
  return outcome === 'NONE'
    ? createOkFinding('DUPLICATE_FACE', measured)
    : createUnverifiedFinding('DUPLICATE_FACE')
}
