/** Lists the documents that this release can verify, by country. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { ISO_3166_CODES } from '../../proofing/mrz/issuers.ts'
import { supportedCountries } from '../../proofing/supported-evidence.ts'
import { createPerContext } from '../per-context.ts'

const countriesOf = createPerContext(({ supportedEvidence }) =>
  supportedCountries(supportedEvidence, ISO_3166_CODES),
)

/** Lists the documents that can be verified here, by country. The list is the same for every tenant. */
export async function listSupportedCountries(ctx: Context) {
  return countriesOf(ctx)
}

/** Throws `not_found` for an unknown country. */
export async function getSupportedCountry(ctx: Context, iso3: string) {
  const country = countriesOf(ctx).find(({ iso3CountryCode }) => iso3CountryCode === iso3.toUpperCase())
  if (!country) throw new AppError('not_found', { resource: 'country' })
  return country
}
