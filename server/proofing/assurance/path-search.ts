/**
 * Finds all minimal sets of submissions that meet a profile together with existing evidence. Adds only submissions that
 * help with a missing need, smallest sets first. Works on one profile and one agreeing set.
 */
import { needsIn, type Need } from './needs.ts'
import type { Offer } from './offers.ts'
import type { Profile } from './policy.ts'
import { listGivenChecks, isAlike, sceneWith, type Ground, type Scene } from './scene.ts'

/**
 * @param longest maximum number of submissions in a set
 * @param isKnown true for a set that equals or extends one already found
 */
export function searchPaths(
  ground: Ground,
  profile: Profile,
  longest: number,
  isKnown: (chosen: readonly Offer[]) => boolean,
  report: (found: readonly Offer[]) => void,
): void {
  const lacking = needsIn(ground.policy, profile)
  let open: ReadonlyMap<string, readonly Offer[]> = new Map([[nameOffers([]), []]])
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
        const next = sortOffers([...chosen, offer])
        longer.set(nameOffers(next), next)
      }
    }
    open = longer
  }
}

export function sortOffers(offers: readonly Offer[]): readonly Offer[] {
  return [...offers].sort((a, b) => a.position - b.position)
}

/** Requires offers in order. */
export function nameOffers(offers: readonly Offer[]): string {
  return offers.map(({ position }) => position).join(' ')
}

/** One submission per type of evidence, and each fraud check once. */
export function isOpenOffer(offer: Offer, chosen: readonly Offer[]): boolean {
  if (offer.evidence === null) return !chosen.includes(offer)
  return chosen.filter((other) => isAlike(other, offer)).length < offer.types.length
}

/** Sets with fewer checks come first, so that more demanding ones are recognised as known. */
function fewestChecks(a: readonly Offer[], b: readonly Offer[]): number {
  const checks = (set: readonly Offer[]): number => set.reduce((sum, { rule }) => sum + rule.checks.length, 0)
  return checks(a) - checks(b)
}

/** @param choices per need: every set that meets it contains one of these */
function worthTrying(choices: readonly (readonly Offer[])[], left: number): readonly Offer[] {
  const narrowest = choices.reduce((best, next) => (next.length < best.length ? next : best))
  // The last submission must help with all needs; needs without common offers take one each.
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

/** Offers that meet the need directly or change the situation so that another one does. */
function helpful(ground: Ground, scene: Scene, chosen: readonly Offer[], need: Need): readonly Offer[] {
  return ground.offers.filter((offer) => {
    if (!isOpenOffer(offer, chosen)) return false
    if (listGivenChecks(offer).some((check) => need.checks.has(check))) return true
    if (need.byScore && offer.rule.evidence === 'ID_DOCUMENT') return true
    const piece = scene.next(offer)
    return piece !== null && need.isMetBy(piece)
  })
}
