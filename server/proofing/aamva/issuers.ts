/**
 * Issuer identification numbers of the AAMVA standard. Data from three public lists that agree (IdParser.Core,
 * SeanPVera/aamva-pdf417-generator, LEADTOOLS), read on 21 November 2026.
 */
import type { AamvaFacts } from './facts.ts'

interface AamvaIssuer {
  readonly country: AamvaFacts['country']
  /** Two letters; Mexican states by ISO 3166-2 without the country, where CO is Coahuila. */
  readonly jurisdiction: string
}

const UNITED_STATES = `
AL636033 AK636059 AZ636026 AR636021 CA636014 CO636020 CT636006 DE636011 DC636043 FL636010 GA636055 HI636047 ID636050
IL636035 IN636037 IA636018 KS636022 KY636046 LA636007 ME636041 MD636003 MA636002 MI636032 MN636038 MS636051 MO636030
MT636008 NE636054 NV636049 NH636039 NJ636036 NM636009 NY636001 NC636004 ND636034 OH636023 OK636058 OR636029 PA636025
RI636052 SC636005 SD636042 TN636053 TX636015 UT636040 VT636024 VA636000 WA636045 WV636061 WI636031 WY636060 AS604427
GU636019 MP604430 PR604431 VI636062 US636027`

/** Alberta has two. */
const CANADA = `
AB604432 AB990876 BC636028 MB636048 NB636017 NL636016 NS636013 NU604433 ON636012 PE604426 QC604428 SK636044 YT604429`

const MEXICO = 'CO636056 HG636057'

/** Issuers by their number. */
export const ISSUERS: ReadonlyMap<string, AamvaIssuer> = new Map([
  ...rows(UNITED_STATES, 'USA'),
  ...rows(CANADA, 'CAN'),
  ...rows(MEXICO, 'MEX'),
])

function rows(table: string, country: AamvaIssuer['country']): (readonly [string, AamvaIssuer])[] {
  return [...table.matchAll(/([A-Z]{2})(\d{6})/g)].map(([, jurisdiction, iin]) => [
    iin,
    { country, jurisdiction },
  ])
}

/** Returns null for a number that is not listed. */
export function findIssuer(iin: string): AamvaIssuer | null {
  return ISSUERS.get(iin) ?? null
}

const listStates = (country: AamvaIssuer['country']): readonly string[] =>
  [...ISSUERS.values()].filter((issuer) => issuer.country === country).map(({ jurisdiction }) => jurisdiction)
const AMERICAN = new Set(listStates('USA'))
/** No list has a number for the Northwest Territories; the address identifies their cards. */
const CANADIAN = new Set([...listStates('CAN'), 'NT'])

/** Country of a state or province; null if unknown. */
export function countryOfState(state: string): 'USA' | 'CAN' | null {
  if (CANADIAN.has(state)) return 'CAN'
  return AMERICAN.has(state) ? 'USA' : null
}
