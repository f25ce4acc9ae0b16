/** Names of countries in the officer's language, for the codes of documents. Pure. */
import type { AssistCountry } from '../../../../server/counter/contract/assist.ts'
import type { Formats } from '../../formats.ts'

export type NamedCountry<C extends Coded = AssistCountry> = C & { readonly name: string }

type Coded = Pick<AssistCountry, 'iso3' | 'iso2'>

/** Invented for the specimens of ICAO Doc 9303; it is not in ISO 3166. */
const UTOPIA = 'UTO'

export function nameCountries<C extends Coded>(
  countries: readonly C[],
  { country }: Pick<Formats, 'country'>,
  specimen: string,
): readonly NamedCountry<C>[] {
  return countries
    .map((one) => ({
      ...one,
      name: one.iso3 === UTOPIA ? specimen : one.iso2 ? country(one.iso2) : one.iso3,
    }))
    .sort((a, b) => Number(b.iso3 === UTOPIA) - Number(a.iso3 === UTOPIA) || a.name.localeCompare(b.name))
}
