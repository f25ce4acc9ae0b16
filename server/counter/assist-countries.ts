/** Lists the countries whose documents this appliance reads, with the sides of each type. */
import { usualSides } from '../proofing/capture-session.ts'
import { ALPHA_2 } from '../proofing/country-codes.ts'
import type { AssistCountry } from './contract/assist.ts'
import type { CounterDeps } from './deps.ts'

export async function countriesHere({ workflows, config }: CounterDeps): Promise<readonly AssistCountry[]> {
  const supported = await workflows.listSupportedCountries()
  const countries = supported.map(toAssistCountry)
  return config.tenant.mode === 'test' ? [...countries, specimenCountry(countries)] : countries
}

function toAssistCountry({
  iso3CountryCode: iso3,
  documents,
}: Awaited<ReturnType<CounterDeps['workflows']['listSupportedCountries']>>[number]): AssistCountry {
  const types = new Set(documents.map(({ documentType }) => documentType))
  const iso2 = ALPHA_2.get(iso3) ?? null
  return { iso3, iso2, documents: [...types].map((type) => ({ type, sides: usualSides(type) })) }
}

/** Utopia has documents of every kind, to try the machine with specimens. */
function specimenCountry(countries: readonly AssistCountry[]): AssistCountry {
  const types = new Set(countries.flatMap(({ documents }) => documents.map(({ type }) => type)))
  return {
    iso3: 'UTO',
    iso2: null,
    documents: [...types].map((type) => ({ type, sides: usualSides(type) })),
  }
}
