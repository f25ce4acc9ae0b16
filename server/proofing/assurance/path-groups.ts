/** Sets of submissions → a short list for a person: steps that may be of several types are one step. Adds and leaves out none. */
import type { UpgradeStep } from '../identity.ts'
import type { Offer } from './offers.ts'
import { inOrder, isOpen, nameOf } from './path-search.ts'

/** Any one of these, all of one rule. */
type Step = readonly Offer[]

/** @param sets the shortest first; @param most of the list that comes out, which begins alike however long it is */
export function groupPaths(
  sets: readonly (readonly Offer[])[],
  offers: readonly Offer[],
  most: number,
): readonly (readonly UpgradeStep[])[] {
  const wanted = new Set(sets.map(nameOf))
  const covered = new Set<string>()
  const paths: (readonly UpgradeStep[])[] = []
  for (const set of sets) {
    if (paths.length === most) break
    if (covered.has(nameOf(set))) continue
    const steps = widened(set, offers, wanted)
    for (const meant of choices(steps)) covered.add(nameOf(inOrder(meant)))
    paths.push(steps.map(toUpgradeStep))
  }
  return paths
}

/** Each step by as many types as it can be: whatever is chosen, the set is one of those that are wanted. */
function widened(
  set: readonly Offer[],
  offers: readonly Offer[],
  wanted: ReadonlySet<string>,
): readonly Step[] {
  let steps: readonly Step[] = set.map((offer) => [offer])
  for (const [index, { rule }] of set.entries()) {
    for (const other of offers.filter((offer) => offer.rule === rule && offer !== set[index])) {
      const added = choices(steps.with(index, [other]))
      const isWanted = added.length > 0 && added.every((chosen) => wanted.has(nameOf(inOrder(chosen))))
      if (isWanted) steps = steps.with(index, inOrder([...steps[index], other]))
    }
  }
  return steps
}

/** All that the steps leave to choose, each type once. */
function choices(steps: readonly Step[]): readonly (readonly Offer[])[] {
  return steps.reduce<readonly (readonly Offer[])[]>(
    (sets, step) =>
      sets.flatMap((set) => step.filter((offer) => isOpen(offer, set)).map((offer) => [...set, offer])),
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
