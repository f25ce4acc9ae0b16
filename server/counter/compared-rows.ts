/** Lists MRZ, VIZ and typed values of a document for comparison. Numbers of other documents are left out. */
import { comparedSources, type ComparedRow } from '../proofing/compared-sources.ts'
import type { Evidence } from '../proofing/evidence.ts'

/** @param all all evidence of the identity */
export function comparedRows(
  document: Evidence,
  all: readonly Evidence[],
  now: Date,
): readonly ComparedRow[] {
  if (document.family !== 'IDDOCUMENT') return []
  const typed = all.filter(({ deletedAt }) => deletedAt === null).flatMap((one) => typedFor(document, one))
  return comparedSources(document, typed, now)
}

/**
 * Returns the typed values about this document. A typed document of another type contributes only personal
 * data, because its number and dates are its own.
 */
function typedFor({ type }: Evidence, { family, type: typedType, content }: Evidence) {
  if (family === 'ATTRIBUTES') return [{ content }]
  if (content.submittedAsText !== true) return []
  if (typedType === type) return [{ content }]
  const { document } = content
  return document ? [{ content: { attributes: document.personalAttributes } }] : []
}
