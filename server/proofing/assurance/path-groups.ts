/**
 * Condenses sets of submissions to a short list for people: alternatives of one step become one step. Adds and removes no
 * set.
 */
import type { UpgradeStep } from '../identity.ts'
import type { Offer } from './offers.ts'
import { sortOffers, isOpenOffer, nameOffers } from './path-search.ts'

/** Alternatives of one step, all from one rule. */
type Step = readonly Offer[]

/**
 * @param sets shortest first
 * @param most maximum length of the list; longer lists begin with the same entries
 */
export function groupPaths(
  sets: readonly (readonly Offer[])[],
  offers: readonly Offer[],
  most: number,
): readonly (readonly UpgradeStep[])[] {
  const wanted = new Set(sets.map(nameOffers))
  const covered = new Set<string>()
  const paths: (readonly UpgradeStep[])[] = []
  for (const set of sets) {
    if (paths.length === most) break
    if (covered.has(nameOffers(set))) continue
    const steps = widened(set, offers, wanted)
    for (const meant of choices(steps)) covered.add(nameOffers(sortOffers(meant)))
    paths.push(steps.map(toUpgradeStep))
  }
  return paths
}

/** Extends each step to as many types as possible, so that every choice is one of the wanted sets. */
function widened(
  set: readonly Offer[],
  offers: readonly Offer[],
  wanted: ReadonlySet<string>,
): readonly Step[] {
  let steps: readonly Step[] = set.map((offer) => [offer])
  for (const [index, { rule }] of set.entries()) {
    for (const other of offers.filter((offer) => offer.rule === rule && offer !== set[index])) {
      const added = choices(steps.with(index, [other]))
      const isWanted = added.length > 0 && added.every((chosen) => wanted.has(nameOffers(sortOffers(chosen))))
      if (isWanted) steps = steps.with(index, sortOffers([...steps[index], other]))
    }
  }
  return steps
}

/** All choices that the steps allow, each type once. */
function choices(steps: readonly Step[]): readonly (readonly Offer[])[] {
  return steps.reduce<readonly (readonly Offer[])[]>(
    (sets, step) =>
      sets.flatMap((set) => step.filter((offer) => isOpenOffer(offer, set)).map((offer) => [...set, offer])),
    [[]],
  )
}

function toUpgradeStep(step: Step): UpgradeStep {
  const [{ rule }] = step
  const { evidence, checks } = rule
  const open = step.flatMap(({ types }) => types)
  return {
    evidence,
    ...(rule.types ? { types: rule.types.filter((type) => open.includes(type)) } : {}),
    checks,
  }
}
