import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { ISO_3166_CODES } from '../../proofing/mrz/issuers.ts'
import { supportedCountries } from '../../proofing/supported-evidence.ts'

/** What can be verified here, country by country: the same for every tenant. */
export function supportedEvidenceWorkflows(ctx: Context) {
  const countries = supportedCountries(ctx.supportedEvidence, ISO_3166_CODES)
  return {
    listSupportedCountries: async () => countries,
    getSupportedCountry: async (iso3: string) => {
      const country = countries.find(({ iso3CountryCode }) => iso3CountryCode === iso3.toUpperCase())
      if (!country) throw new AppError('not_found', { resource: 'country' })
      return country
    },
  }
}
