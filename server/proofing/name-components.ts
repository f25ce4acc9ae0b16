/**
 * Compares the components of two names in their possible MRZ spellings: same surname, same given names, or a permutation.
 * Symmetric. Knows no statement and no evidence.
 */
import {
  beginsOriginal,
  shareOriginal,
  doesSpell,
  standardSpelling,
  type Script,
  type Spelling,
} from './name-spelling.ts'

/** Rules for a comparison. */
export interface NameRules {
  /** Scripts in which the name may originally have been written. */
  readonly scripts: readonly Script[]
  /** Additional equality of two components in standard spelling. */
  readonly alike?: (a: string, b: string) => boolean
}

export const LATIN_ALONE: NameRules = { scripts: ['LATIN'] }

/** `cut`: which of the two names an MRZ may have truncated. */
export type Within = NameRules & { readonly cut: readonly [boolean, boolean] }
export type SameNames = (a: readonly Spelling[], b: readonly Spelling[], within: Within) => boolean

/** Particles of many surnames: a common particle alone is no agreement. */
const PARTICLES: ReadonlySet<string> = new Set(
  'AF AL AP BEN BIN D DA DAS DE DEL DELLA DEN DER DES DI DO DOS DU E EL IBN LA LAS LE LOS MAC MC O SAN ST TEN TER VAN VON Y ZU ZUM ZUR'.split(
    ' ',
  ),
)

/**
 * Equal, or one is part of the other: a name before or after marriage, one of two family names, one without its particle.
 */
export function sameSurname(a: readonly Spelling[], b: readonly Spelling[], within: Within): boolean {
  if (sameComponents(a, b, within)) return true
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (shorter.length === longer.length) return false
  if (!shorter.some((component) => !PARTICLES.has(standardSpelling(component)))) return false
  return longer.some((_, from) =>
    shorter.every((component, i) => from + i < longer.length && equal(component, longer[from + i], within)),
  )
}

/** Component by component, or joined; components of a truncated name must be prefixes. */
export function sameComponents(a: readonly Spelling[], b: readonly Spelling[], within: Within): boolean {
  if (equal(a.flat(), b.flat(), within)) return true
  const [cutA, cutB] = within.cut
  const length = Math.min(a.length, b.length)
  if (a.length < b.length && !cutA) return false
  if (a.length > b.length && !cutB) return false
  return a.slice(0, length).every((component, i) => matches(component, b[i], within))
}

/** Equal, or a prefix if it may be truncated. */
function matches(a: Spelling, b: Spelling, within: Within): boolean {
  const [cutA, cutB] = within.cut
  return equal(a, b, within) || (cutA && begins(a, b, within)) || (cutB && begins(b, a, within))
}

function equal(a: Spelling, b: Spelling, { scripts, alike }: NameRules): boolean {
  const [one, other] = [standardSpelling(a), standardSpelling(b)]
  return (
    doesSpell(a, other) ||
    doesSpell(b, one) ||
    shareOriginal(a, b, scripts) ||
    (alike !== undefined && alike(one, other))
  )
}

function begins(cut: Spelling, whole: Spelling, { scripts }: NameRules): boolean {
  return doesSpell(whole, standardSpelling(cut), true) || beginsOriginal(cut, whole, scripts)
}

/** The same first name, and all or some of the others in order, in full or as initials. */
export function sameGivenNames(a: readonly Spelling[], b: readonly Spelling[], within: Within): boolean {
  if (sameComponents(a, b, within) || isPermutation(a, b, within)) return true
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  const orInitial = (one: Spelling, other: Spelling): boolean =>
    matches(one, other, a === shorter ? within : { ...within, cut: [within.cut[1], within.cut[0]] }) ||
    isInitial(one, other, within) ||
    isInitial(other, one, within)
  if (!orInitial(shorter[0], longer[0])) return false
  // Sorted in order: the earliest matching partner leaves most partners for the rest.
  let at = 0
  return shorter.every((component) => {
    const found = longer.findIndex((other, i) => i >= at && orInitial(component, other))
    at = found + 1
    return found >= 0
  })
}

function isInitial(short: Spelling, whole: Spelling, within: Within): boolean {
  return short.length === 1 && begins(short, whole, within)
}

/** More components than any name; longer lists are compared only in order. */
const MAX_COMPONENTS = 12

/** Tells whether both have the same components, in any order. */
export function isPermutation(a: readonly Spelling[], b: readonly Spelling[], rules: NameRules): boolean {
  if (a.length !== b.length || a.length > MAX_COMPONENTS) return false
  const partners: (number | null)[] = b.map(() => null)
  const place = (i: number, tried: Set<number>): boolean =>
    b.some((other, j) => {
      if (tried.has(j) || !equal(a[i], other, rules)) return false
      tried.add(j)
      const taken = partners[j]
      if (taken !== null && !place(taken, tried)) return false
      partners[j] = i
      return true
    })
  return a.every((_, i) => place(i, new Set()))
}
