/** Finds countries by typed text: the name in the applicant's language, another name, or the code. */
import { listOtherNames } from './country-names.ts'

export interface NamedCountry {
  readonly iso3: string
  readonly iso2: string
  readonly name: string
  readonly first: boolean
}

/** Orders the results: whole names, names that begin with the text, names that contain it. */
export function findCountries<C extends NamedCountry>(countries: readonly C[], typed: string): readonly C[] {
  const wanted = plain(typed)
  if (wanted === '') return countries
  const rank = ({ name, iso3, iso2 }: NamedCountry) => {
    const own = plain(name)
    const others = listOtherNames(iso2).map(plain)
    if (own === wanted || others.includes(wanted)) return 0
    if (own.startsWith(wanted)) return 1
    if (own.split(/[\s'-]+/).some((word) => word.startsWith(wanted))) return 2
    if (plain(iso3) === wanted) return 3
    if (others.some((other) => other.startsWith(wanted))) return 4
    return own.includes(wanted) ? 5 : null
  }
  return countries
    .map((country) => ({ country, rank: rank(country) }))
    .filter((found): found is { country: C; rank: number } => found.rank !== null)
    .sort((a, b) => a.rank - b.rank)
    .map(({ country }) => country)
}

/** Sorts the branch's own countries first, then by name in the order of the language. */
export function sortCountries<C extends NamedCountry>(
  countries: readonly C[],
  language: string,
): readonly C[] {
  const { compare } = new Intl.Collator(language)
  return [...countries].sort((a, b) => Number(b.first) - Number(a.first) || compare(a.name, b.name))
}

/** Removes case and marks, so that the search needs no accents. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[أإآٱ]/g, 'ا')
    .toLocaleLowerCase()
    .trim()
}
