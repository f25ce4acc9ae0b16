/**
 * Compares the error rates of groups of people at one fixed threshold. NIST SP 800-63A-4 asks that no group's rate is more
 * than 25 % worse than the mean of the groups.
 */
import { computeRates, type ByPerson } from '../by-person.ts'

/** A group with fewer people shows nothing about others like them. */
const MIN_PEOPLE = 30
const MAX_RATIO = 1.25

/** Groups of each person, by attribute: `{ sex: 'female', skin: 'Monk 1 to 4' }`. */
type GroupsOf = ReadonlyMap<string, Readonly<Record<string, string>>>

interface GroupRates {
  readonly attribute: string
  readonly group: string
  readonly people: number
  /** Fewer than 30 people: the group is left out of the mean and of the gate. */
  readonly isSmall: boolean
  readonly genuine: number
  /** Both people of the pair are in the group. */
  readonly impostor: number
  readonly fmr: number | null
  readonly fnmr: number | null
  /** Rate over the mean of the attribute's groups; null for small groups and without errors. */
  readonly fmrRatio: number | null
  readonly fnmrRatio: number | null
}

/** Rates of each group at the threshold, in the order of the attributes' and groups' names. */
export function compareGroups(all: ByPerson, groupsOf: GroupsOf, threshold: number): readonly GroupRates[] {
  const attributes = new Set([...groupsOf.values()].flatMap((groups) => Object.keys(groups)))
  return [...attributes].flatMap((attribute) => {
    const groupOf = all.names.map((name) => groupsOf.get(name)?.[attribute])
    const groups = [...new Set(groupOf.filter((group) => group !== undefined))].sort()
    const rates = groups.map((group) => {
      const mask = Uint8Array.from(groupOf, (own) => (own === group ? 1 : 0))
      const people = mask.reduce((sum, isIn) => sum + isIn, 0)
      return { attribute, group, people, isSmall: people < MIN_PEOPLE, ...computeRates(all, threshold, mask) }
    })
    const large = rates.filter(({ isSmall }) => !isSmall)
    const mean = (rate: 'fmr' | 'fnmr'): number =>
      large.reduce((sum, one) => sum + (one[rate] ?? 0), 0) / large.length
    const ratio = (isSmall: boolean, rate: number | null, of: number): number | null =>
      isSmall || rate === null || large.length < 2 || !(of > 0) ? null : rate / of
    return rates.map((one) => ({
      ...one,
      fmrRatio: ratio(one.isSmall, one.fmr, mean('fmr')),
      fnmrRatio: ratio(one.isSmall, one.fnmr, mean('fnmr')),
    }))
  })
}

/** The groups that miss the rule, by attribute and group. */
export function findUnequalGroups(rates: readonly GroupRates[]): readonly string[] {
  return rates.flatMap(({ attribute, group, fmrRatio, fnmrRatio }) => [
    ...((fmrRatio ?? 0) > MAX_RATIO ? [`${attribute} ${group}: FMR`] : []),
    ...((fnmrRatio ?? 0) > MAX_RATIO ? [`${attribute} ${group}: FNMR`] : []),
  ])
}
