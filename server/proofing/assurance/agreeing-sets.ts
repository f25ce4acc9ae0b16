/** Finds sets of evidence without contradictions. Knows no policy. */
import type { Disagreement, EvidenceFacts } from './facts.ts'

/** A disagreement of one side is enough. */
export function isInAgreement(a: EvidenceFacts, b: EvidenceFacts): boolean {
  return a.id === b.id || !(namesAsOther(a, b) || namesAsOther(b, a))
}

function namesAsOther({ disagreements }: EvidenceFacts, { id }: EvidenceFacts): boolean {
  return disagreements.some(({ evidenceId }) => evidenceId === id)
}

/**
 * All maximal agreeing sets: whatever any agreeing set supports, one of these supports. One set if there is no
 * disagreement; with evidence of several persons, about one for each. Sorted by id. (Bron and Kerbosch 1973, with pivot.)
 */
export function agreeingSets(evidences: readonly EvidenceFacts[]): readonly (readonly EvidenceFacts[])[] {
  const found: (readonly EvidenceFacts[])[] = []
  grow([], evidences, [], (set) => found.push([...set].sort(byId)))
  return found
}

/**
 * @param left agrees with all of `chosen` and was tried before: sets that could include one of these were already found
 */
function grow(
  chosen: readonly EvidenceFacts[],
  candidates: readonly EvidenceFacts[],
  left: readonly EvidenceFacts[],
  report: (set: readonly EvidenceFacts[]) => void,
): void {
  if (candidates.length === 0) {
    if (left.length === 0) report(chosen)
    return
  }
  const [pivot] = candidates
  let [open, tried] = [candidates, left]
  // A set without the pivot contains a contradiction to it; otherwise the pivot could be added.
  for (const next of candidates.filter((one) => one.id === pivot.id || !isInAgreement(one, pivot))) {
    const goesWith = (one: EvidenceFacts): boolean => one.id !== next.id && isInAgreement(one, next)
    grow([...chosen, next], open.filter(goesWith), tried.filter(goesWith), report)
    open = open.filter(({ id }) => id !== next.id)
    tried = [...tried, next]
  }
}

/** Evidence that contradicts the set, with the attributes. */
export function disagreementsWith(
  set: readonly EvidenceFacts[],
  evidences: readonly EvidenceFacts[],
): readonly Disagreement[] {
  return evidences
    .filter((evidence) => set.some((counted) => !isInAgreement(counted, evidence)))
    .sort(byId)
    .map((evidence) => {
      const attributes = set.flatMap((counted) => [...said(counted, evidence), ...said(evidence, counted)])
      return { evidenceId: evidence.id, attributes: [...new Set(attributes)].sort() }
    })
}

function said({ disagreements }: EvidenceFacts, { id }: EvidenceFacts): readonly string[] {
  return disagreements.filter(({ evidenceId }) => evidenceId === id).flatMap(({ attributes }) => attributes)
}

/** Compares code units, so that the order does not depend on the locale. Ids are unique. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}
