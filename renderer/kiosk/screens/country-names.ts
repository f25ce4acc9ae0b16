/**
 * Other names of a country for the search: in each shipped language, in its own language, and common names.
 */
import { LANGUAGES } from '../../locales/index.ts'

/** Common names that official lists lack, by ISO 3166-1 alpha-2. */
const COMMON: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'Emirates', 'Dubai', 'Abu Dhabi'],
  BA: ['Bosnia'],
  CD: ['DRC', 'Congo Kinshasa', 'Zaire'],
  CG: ['Congo Brazzaville'],
  CI: ['Ivory Coast'],
  CN: ['PRC'],
  CZ: ['Czech Republic', 'Tschechische Republik', 'République tchèque', 'República Checa'],
  CV: ['Cabo Verde', 'Cape Verde'],
  DO: ['Dominican Republic'],
  FM: ['Micronesia'],
  GB: [
    'UK',
    'Britain',
    'Great Britain',
    'England',
    'Scotland',
    'Wales',
    'Northern Ireland',
    'Großbritannien',
    'Grande-Bretagne',
    'Gran Bretaña',
    'Inglaterra',
    'Angleterre',
    'إنجلترا',
    'بريطانيا',
  ],
  IR: ['Persia'],
  KP: ['DPRK'],
  KR: ['Korea', 'Republic of Korea', 'Corea', 'Corée'],
  LA: ['Lao'],
  MD: ['Moldavia'],
  MK: ['Macedonia', 'Mazedonien', 'Macédoine'],
  MM: ['Burma', 'Birma', 'Birmanie', 'Birmania'],
  NL: ['Holland', 'Hollande', 'Holanda', 'هولندا'],
  PS: ['Palestine', 'Palästina', 'Palestina'],
  RU: ['Russian Federation'],
  SY: ['Syrian Arab Republic'],
  SZ: ['Swaziland', 'Swasiland'],
  TL: ['East Timor', 'Osttimor'],
  TR: ['Turkey'],
  TW: ['Republic of China', 'Formosa'],
  UA: ['Ukrajina'],
  US: ['USA', 'America', 'Amerika', 'Amérique', 'América', 'EEUU', 'أمريكا'],
  VA: ['Vatican', 'Vatikan', 'Holy See'],
  XK: ['Kosova'],
}

const known = new Map<string, readonly string[]>()

/**
 * Returns the other names. The name in the present language is included only if another language uses it too.
 */
export function listOtherNames(iso2: string): readonly string[] {
  const names = known.get(iso2) ?? listNames(iso2)
  known.set(iso2, names)
  return names
}

function listNames(iso2: string): readonly string[] {
  const tags = [...LANGUAGES.map(({ tag }) => tag), ...ownLanguages(iso2)]
  const names = tags.flatMap((tag) => nameIn(tag, iso2) ?? [])
  return [...new Set([...names, ...(COMMON[iso2] ?? [])])]
}

/** Null for a code that Intl does not know. */
function nameIn(tag: string, iso2: string): string | null {
  try {
    return new Intl.DisplayNames(tag, { type: 'region', fallback: 'none' }).of(iso2) ?? null
  } catch {
    return null
  }
}

/** Returns the most spoken language of the country, by CLDR. */
function ownLanguages(iso2: string): readonly string[] {
  try {
    return [new Intl.Locale(`und-${iso2}`).maximize().language]
  } catch {
    return []
  }
}
