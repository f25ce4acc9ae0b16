/** Under which other names somebody may look for a country: in each shipped language, in its own, and the common ones. */
import { LANGUAGES } from '../../locales/index.ts'

/** Common names that no list of official ones has, by ISO 3166-1 alpha-2. */
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

/** Its name in the present language is not among them unless another language calls it so too. */
export function otherNamesOf(iso2: string): readonly string[] {
  const names = known.get(iso2) ?? namesOf(iso2)
  known.set(iso2, names)
  return names
}

function namesOf(iso2: string): readonly string[] {
  const tags = [...LANGUAGES.map(({ tag }) => tag), ...ownLanguages(iso2)]
  const names = tags.flatMap((tag) => nameIn(tag, iso2) ?? [])
  return [...new Set([...names, ...(COMMON[iso2] ?? [])])]
}

/** A code that Intl does not know has no name. */
function nameIn(tag: string, iso2: string): string | null {
  try {
    return new Intl.DisplayNames(tag, { type: 'region', fallback: 'none' }).of(iso2) ?? null
  } catch {
    return null
  }
}

/** The language that most people speak there, by CLDR. */
function ownLanguages(iso2: string): readonly string[] {
  try {
    return [new Intl.Locale(`und-${iso2}`).maximize().language]
  } catch {
    return []
  }
}
