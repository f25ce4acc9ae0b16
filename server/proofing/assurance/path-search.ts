/**
 * Which submissions meet a profile together with what is there: a search that only ever adds what can help with something that
 * is still missing, the least first. Finds all smallest sets. Knows one profile and one set of evidence that agrees.
 */
import { needsIn, type Need } from './needs.ts'
import type { Offer } from './offers.ts'
import type { Profile } from './policy.ts'
import { givenBy, isAlike, sceneWith, type Ground, type Scene } from './scene.ts'

/**
 * @param longest submissions in one set, at most
 * @param isKnown a set that need not be looked at: it is, or asks for more than, one that was found
 */
export function searchPaths(
  ground: Ground,
  profile: Profile,
  longest: number,
  isKnown: (chosen: readonly Offer[]) => boolean,
  report: (found: readonly Offer[]) => void,
): void {
  const lacking = needsIn(ground.policy, profile)
  let open: ReadonlyMap<string, readonly Offer[]> = new Map([[nameOf([]), []]])
  for (let left = longest; left >= 0; left--) {
    const longer = new Map<string, readonly Offer[]>()
    for (const chosen of [...open.values()].sort(fewestChecks)) {
      if (isKnown(chosen)) continue
      const scene = sceneWith(ground, chosen)
      const needs = lacking(scene)
      if (needs.length === 0) report(chosen)
      if (needs.length === 0 || left === 0) continue
      const choices = needs.map((need) => helpful(ground, scene, chosen, need))
      for (const offer of worthTrying(choices, left)) {
        const next = inOrder([...chosen, offer])
        longer.set(nameOf(next), next)
      }
    }
    open = longer
  }
}

export function inOrder(offers: readonly Offer[]): readonly Offer[] {
  return [...offers].sort((a, b) => a.position - b.position)
}

/** Of offers in order. */
export function nameOf(offers: readonly Offer[]): string {
  return offers.map(({ position }) => position).join(' ')
}

/** One submission for each type of evidence, each fraud check once. */
export function isOpen(offer: Offer, chosen: readonly Offer[]): boolean {
  if (offer.evidence === null) return !chosen.includes(offer)
  return chosen.filter((other) => isAlike(other, offer)).length < offer.types.length
}

/** Then those that ask for more are known when their turn comes. */
function fewestChecks(a: readonly Offer[], b: readonly Offer[]): number {
  const checks = (set: readonly Offer[]): number => set.reduce((sum, { rule }) => sum + rule.checks.length, 0)
  return checks(a) - checks(b)
}

/** @param choices for each need: all sets that meet it hold one of these */
function worthTrying(choices: readonly (readonly Offer[])[], left: number): readonly Offer[] {
  const narrowest = choices.reduce((best, next) => (next.length < best.length ? next : best))
  // The last one has to help with all of them; and what has nothing in common takes one each.
  if (left === 1) return narrowest.filter((offer) => choices.every((choice) => choice.includes(offer)))
  return apart(choices) > left ? [] : narrowest
}

function apart(choices: readonly (readonly Offer[])[]): number {
  const taken = new Set<Offer>()
  let count = 0
  for (const choice of choices.toSorted((a, b) => a.length - b.length)) {
    if (choice.some((offer) => taken.has(offer))) continue
    for (const offer of choice) taken.add(offer)
    count++
  }
  return count
}

/** Whatever meets the need in the end holds one of these: it meets it as things are, or it changes how they are. */
function helpful(ground: Ground, scene: Scene, chosen: readonly Offer[], need: Need): readonly Offer[] {
  return ground.offers.filter((offer) => {
    if (!isOpen(offer, chosen)) return false
    if (givenBy(offer).some((check) => need.checks.has(check))) return true
    if (need.byScore && offer.rule.evidence === 'ID_DOCUMENT') return true
    const piece = scene.next(offer)
    return piece !== null && need.isMetBy(piece)
  })
}
