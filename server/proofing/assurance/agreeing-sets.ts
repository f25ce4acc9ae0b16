/** Which evidence can count together: sets in which no two pieces contradict each other. Knows no policy. */
import type { Disagreement, EvidenceFacts } from './facts.ts'

/** One side is enough to make the two disagree. */
export function agree(a: EvidenceFacts, b: EvidenceFacts): boolean {
  return a.id === b.id || !(namesAsOther(a, b) || namesAsOther(b, a))
}

function namesAsOther({ disagreements }: EvidenceFacts, { id }: EvidenceFacts): boolean {
  return disagreements.some(({ evidenceId }) => evidenceId === id)
}

/**
 * Every set that agrees with itself and to which nothing can be added: what any agreeing set supports, one of these
 * supports. One set where nobody disagrees; with evidence of several persons, about one for each. Each set by id. (Bron and
 * Kerbosch 1973, with a pivot.)
 */
export function agreeingSets(evidences: readonly EvidenceFacts[]): readonly (readonly EvidenceFacts[])[] {
  const found: (readonly EvidenceFacts[])[] = []
  grow([], evidences, [], (set) => found.push([...set].sort(byId)))
  return found
}

/** @param left agrees with all of `chosen` and was tried with it before: a set that could take one of it in was found */
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
  // A set without the pivot holds something that contradicts it, else the pivot could be added.
  for (const next of candidates.filter((one) => one.id === pivot.id || !agree(one, pivot))) {
    const goesWith = (one: EvidenceFacts): boolean => one.id !== next.id && agree(one, next)
    grow([...chosen, next], open.filter(goesWith), tried.filter(goesWith), report)
    open = open.filter(({ id }) => id !== next.id)
    tried = [...tried, next]
  }
}

/** What contradicts evidence of the set, and in which attributes. */
export function disagreementsWith(
  set: readonly EvidenceFacts[],
  evidences: readonly EvidenceFacts[],
): readonly Disagreement[] {
  return evidences
    .filter((evidence) => set.some((counted) => !agree(counted, evidence)))
    .sort(byId)
    .map((evidence) => {
      const attributes = set.flatMap((counted) => [...said(counted, evidence), ...said(evidence, counted)])
      return { evidenceId: evidence.id, attributes: [...new Set(attributes)].sort() }
    })
}

function said({ disagreements }: EvidenceFacts, { id }: EvidenceFacts): readonly string[] {
  return disagreements.filter(({ evidenceId }) => evidenceId === id).flatMap(({ attributes }) => attributes)
}

/** By code units: the same order on every machine, whatever its language. No two ids are alike. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}
