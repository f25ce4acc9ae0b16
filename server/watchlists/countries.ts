/**
 * Maps the English country names of lists to ISO 3166-1 alpha-3. An unknown name maps to no country and so has no
 * influence on a match.
 */
import { ALPHA_3 } from '../proofing/country-codes.ts'

/** Further names that the published lists use, or used when an entry was made. */
const OTHER_NAMES = `
BURMA MMR|BOSNIA AND HERZEGOVINA BIH|BOSNIA BIH|CAPE VERDE CPV|CABO VERDE CPV|COTE D IVOIRE CIV|IVORY COAST CIV
CONGO COG|REPUBLIC OF THE CONGO COG|CONGO REPUBLIC OF THE COG|CONGO DEMOCRATIC REPUBLIC OF THE COD
DEMOCRATIC REPUBLIC OF THE CONGO COD|DRC COD|CZECH REPUBLIC CZE|EAST TIMOR TLS|GREAT BRITAIN GBR|ENGLAND GBR
UNITED KINGDOM OF GREAT BRITAIN AND NORTHERN IRELAND GBR|HONG KONG HKG|MACAU MAC|MACAO MAC
IRAN ISLAMIC REPUBLIC OF IRN|ISLAMIC REPUBLIC OF IRAN IRN|KOREA NORTH PRK|DPRK PRK
DEMOCRATIC PEOPLE S REPUBLIC OF KOREA PRK|KOREA DEMOCRATIC PEOPLE S REPUBLIC OF PRK|NORTH KOREA PRK|KOREA SOUTH KOR
REPUBLIC OF KOREA KOR|KOREA REPUBLIC OF KOR|KOSOVO XKX|LAO PEOPLE S DEMOCRATIC REPUBLIC LAO|LIBYAN ARAB JAMAHIRIYA LBY
MACEDONIA MKD|THE FORMER YUGOSLAV REPUBLIC OF MACEDONIA MKD|MOLDOVA REPUBLIC OF MDA|REPUBLIC OF MOLDOVA MDA
PALESTINE PSE|PALESTINIAN PSE|STATE OF PALESTINE PSE|WEST BANK PSE|GAZA PSE|REGION GAZA PSE|RUSSIAN FEDERATION RUS
SERBIA AND MONTENEGRO SRB|SWAZILAND SWZ|SYRIAN ARAB REPUBLIC SYR|TAIWAN PROVINCE OF CHINA TWN|TURKEY TUR
TANZANIA UNITED REPUBLIC OF TZA|UNITED REPUBLIC OF TANZANIA TZA|THE GAMBIA GMB|BAHAMAS THE BHS|GAMBIA THE GMB
UNITED STATES OF AMERICA USA|USA USA|UAE ARE|VENEZUELA BOLIVARIAN REPUBLIC OF VEN|BOLIVARIAN REPUBLIC OF VENEZUELA VEN
BOLIVIA PLURINATIONAL STATE OF BOL|VIET NAM VNM|HOLY SEE VAT|BRUNEI DARUSSALAM BRN|MICRONESIA FEDERATED STATES OF FSM`

const NAMES: ReadonlyMap<string, string> = new Map([...englishNames(), ...otherNames()])
const KNOWN: ReadonlySet<string> = new Set([...ALPHA_3.values(), 'XKX'])
/** Codes that passports write differently (Doc 9303 part 3, section 5). */
const OF_PASSPORTS: ReadonlyMap<string, string> = new Map([
  ['D', 'DEU'],
  ['RKS', 'XKX'],
  ['XXK', 'XKX'],
  ...['GBD', 'GBN', 'GBO', 'GBP', 'GBS'].map((code) => [code, 'GBR'] as const),
])

/** Accepts a name, an alpha-2 or an alpha-3 code; returns null if it is unknown. */
export function findCountry(text: string): string | null {
  const name = plain(text)
  if (KNOWN.has(name)) return name
  return OF_PASSPORTS.get(name) ?? ALPHA_3.get(name) ?? NAMES.get(name) ?? null
}

/** The known countries among these, without duplicates. */
export function findCountries(texts: readonly string[]): string[] {
  return [...new Set(texts.map(findCountry).filter((code) => code !== null))]
}

function englishNames(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return [...ALPHA_3].map(([two, three]) => [plain(names.of(two) ?? two), three])
}

function otherNames(): (readonly [string, string])[] {
  return [...OTHER_NAMES.matchAll(/([A-Z][A-Z ]*) ([A-Z]{3})(?=\||\n|$)/g)].map(([, name, code]) => [
    name,
    code,
  ])
}

function plain(text: string): string {
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().replace(/&/g, ' AND ')
  return letters
    .replace(/[^A-Z]+/g, ' ')
    .trim()
    .replace(/^THE /, '')
    .replace(/^SAINT |^ST /, 'ST ')
}
