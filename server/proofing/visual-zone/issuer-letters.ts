/**
 * Selects between letters that look alike by the alphabet of the issuing state, for states whose alphabet has only one of
 * them (exemplar characters of Unicode CLDR).
 */
import type { PageField, PageFieldName } from './page-facts.ts'

const TEXTS: readonly PageFieldName[] = [
  'surname',
  'givenNames',
  'fullName',
  'birthPlace',
  'authority',
  'address',
]

const ALPHABETS: readonly (readonly [states: readonly string[], meant: Readonly<Record<string, string>>])[] =
  [
    [['MDA', 'ROU'], { Ş: 'Ș', Ţ: 'Ț', Ã: 'Ă' }],
    [['AZE', 'TKM', 'TUR'], { Ș: 'Ş' }],
    [['AGO', 'BRA', 'CPV', 'GNB', 'MOZ', 'PRT', 'STP', 'TLS'], { Ă: 'Ã' }],
    [['HUN'], { Õ: 'Ő', Û: 'Ű' }],
    [['FRO', 'ISL'], { Đ: 'Ð' }],
  ]

/** The field in the letters of this state (alpha-3); unchanged if the state is unknown or has no such letters. */
export function inIssuersLetters(field: PageField, issuer: string | null): PageField {
  const [, meant] = ALPHABETS.find(([states]) => issuer !== null && states.includes(issuer)) ?? []
  if (!meant || !TEXTS.includes(field.field)) return field
  const value = [...field.value.normalize('NFC')].map((letter) => meantBy(letter, meant)).join('')
  return value === field.value ? field : { ...field, value }
}

function meantBy(letter: string, meant: Readonly<Record<string, string>>): string {
  const capital = letter.toUpperCase()
  const other = meant[capital] ?? letter
  return letter === capital ? other : other.toLowerCase()
}
