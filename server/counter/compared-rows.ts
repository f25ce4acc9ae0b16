/** What zone, print and hands say of a document, one below the other; a number of another document is none of this one's. */
import { comparedSources, type ComparedRow } from '../proofing/compared-sources.ts'
import type { Evidence } from '../proofing/evidence.ts'

/** @param all of the identity */
export function comparedRows(
  document: Evidence,
  all: readonly Evidence[],
  now: Date,
): readonly ComparedRow[] {
  if (document.family !== 'IDDOCUMENT') return []
  const typed = all.filter(({ deletedAt }) => deletedAt === null).flatMap((one) => typedFor(document, one))
  return comparedSources(document, typed, now)
}

/** Of a typed document of another type only what it says of the person: its number and its dates are its own. */
function typedFor({ type }: Evidence, { family, type: typedType, content }: Evidence) {
  if (family === 'ATTRIBUTES') return [{ content }]
  if (content.submittedAsText !== true) return []
  if (typedType === type) return [{ content }]
  const { document } = content
  return document ? [{ content: { attributes: document.personalAttributes } }] : []
}
