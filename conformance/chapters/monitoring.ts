import { at, unless } from '../kit.ts'
import { anyObject, healthOfOurs, keySetOfOurs, supportedCountryOfOurs } from '../spec.ts'
import { listOf } from '../shapes.ts'
import type { Chapter } from './common.ts'

/** ISO 3166-1 has 249 entries. */
const ISO_COUNTRIES = 249

export const monitoring: Chapter = async (kit) => {
  const health = await kit.call(
    'GET /healthcheck',
    'needs no key',
    { key: null },
    { status: 200, shape: anyObject },
  )
  kit.claim('GET /healthcheck', 'the report', healthOfOurs(health.json, 'answer'), { ours: true })
  await kit.call(
    'GET /.well-known/jwks.json',
    'public keys',
    { key: null },
    { status: 200, shape: keySetOfOurs },
  )

  const all = 'GET /v1/supported-evidence/countries'
  const countries = await kit.call(
    all,
    'every country',
    { key: 'user-agent' },
    {
      status: 200,
      shape: listOf(supportedCountryOfOurs),
    },
  )
  const listed = Array.isArray(countries.json) ? countries.json.length : 0
  kit.claim(all, 'lists all of ISO 3166-1', unless(listed >= ISO_COUNTRIES, `${listed} countries are listed`))
  const one = 'GET /v1/supported-evidence/countries/{iso3}'
  const france = await kit.call(
    one,
    'one country',
    { params: { iso3: 'FRA' } },
    {
      status: 200,
      shape: supportedCountryOfOurs,
    },
  )
  kit.claim(
    one,
    'is the one asked for',
    unless(at(france.json, 'iso3CountryCode') === 'FRA', 'another country came'),
  )
  await kit.call(one, 'a code that no country has', { params: { iso3: 'ZZZ' } }, { status: 404 })
}
