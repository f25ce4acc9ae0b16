/**
 * Starting points of the search for upgrade paths: for each agreeing set and each name in it, what exists and what could
 * be added. Knows no path.
 */
import { LEVELS } from '../types.ts'
import { agreeingSets } from './agreeing-sets.ts'
import type { AssuranceFacts, EvidenceFacts } from './facts.ts'
import type { Offer } from './offers.ts'
import { listFraudChecks, listHolderChecks, holderShownBy } from './pieces.ts'
import type { Policy } from './policy.ts'
import { buildMember, type Ground, type Member } from './scene.ts'
import { pickHigher } from './scores.ts'
import { countedAt, fraudChecksPassed, referencesIn, listUsableEvidence } from './level-candidates.ts'

/** Caches results, because mostly the same evidence counts at all levels. */
export function findGrounds(
  policy: Policy,
  facts: AssuranceFacts,
  offers: readonly Offer[],
): (rank: number) => readonly Ground[] {
  const usable = listUsableEvidence(facts)
  const sets = agreeingSets(usable)
  const made = new Map<string, readonly Ground[]>()
  return (rank) =>
    sets.flatMap((agreeing) => {
      const counted = countedAt(policy, agreeing, rank)
      const name = counted.map(({ id }) => id).join(' ')
      const grounds = made.get(name) ?? groundsOn(policy, facts, offers, usable, counted)
      made.set(name, grounds)
      return grounds
    })
}

function groundsOn(
  policy: Policy,
  facts: AssuranceFacts,
  offers: readonly Offer[],
  usable: readonly EvidenceFacts[],
  counted: readonly EvidenceFacts[],
): readonly Ground[] {
  const known = counted.map((evidence) => {
    const given = [...listHolderChecks(evidence, counted), ...listFraudChecks(evidence, facts.fraudChecks)]
    return buildMember(evidence, given, canBeCompared(evidence), LEVELS[0])
  })
  const shown = counted.filter(({ kind }) => kind === 'PORTRAIT').flatMap(holderShownBy)
  const offered = offers.map(({ evidence }) => evidence && newMember(evidence, shown, usable))
  return fraudFindings(facts, counted).map((fraudPassed) => ({
    policy,
    offers,
    known,
    offered,
    fraudPassed,
  }))
}

function newMember(
  evidence: EvidenceFacts,
  shown: readonly string[],
  usable: readonly EvidenceFacts[],
): Member {
  const isDocument = evidence.kind === 'ID_DOCUMENT'
  const scores = usable.filter(canBeCompared).map(({ score }) => score)
  return buildMember(evidence, isDocument ? shown : [], isDocument, scores.reduce(pickHigher, LEVELS[0]))
}

/** True if the document has a portrait. */
function canBeCompared({ kind, codingQuality }: EvidenceFacts): boolean {
  return kind === 'ID_DOCUMENT' && codingQuality > 0
}

/** Passed fraud checks per name, where they add to those of earlier names. */
function fraudFindings(
  facts: AssuranceFacts,
  counted: readonly EvidenceFacts[],
): readonly (readonly string[])[] {
  const findings: (readonly string[])[] = []
  for (const reference of referencesIn(counted)) {
    const passed = fraudChecksPassed(facts, reference, counted)
    if (!findings.some((found) => passed.every((check) => found.includes(check)))) findings.push(passed)
  }
  return findings
}
