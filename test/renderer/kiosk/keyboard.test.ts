/**
 * The on-screen keyboard: every letter of a name can be typed, in the usual places of the applicant's
 * language.
 */
import { describe, expect, test } from 'vitest'
import {
  LAYOUTS,
  toCapital,
  layoutFor,
  layoutForCountry,
  listPages,
  putDigitsAbove,
  type LayoutName,
} from '../../../renderer/kiosk/keyboard-layouts.ts'
import { spellName } from '../../../server/proofing/name-spelling.ts'

const keysOf = (name: LayoutName): string[] =>
  Object.values(LAYOUTS[name].pages).flatMap(({ rows }) => rows.flat())
/** True if the text can be typed: by its key, its capital, or a letter with a combining mark. */
function isTypable(text: string, name: LayoutName): boolean {
  const keys = new Set(keysOf(name))
  const capitals = LAYOUTS[name].hasCase ? [...keys].map(toCapital) : []
  const all = new Set([...keys, ...capitals, ' '])
  return [...text.normalize('NFC')].every(
    (letter) => all.has(letter) || [...letter.normalize('NFD')].every((part) => all.has(part)),
  )
}
const missing = (letters: string, name: LayoutName): string[] =>
  letters.split(/\s+/).filter((letter) => letter !== '' && !isTypable(letter, name))

/** exemplarCharacters of CLDR 48 (cldr-misc-full/main/…/characters.json); Intl does not tell them. */
const ALPHABETS: readonly (readonly [string, LayoutName, string])[] = [
  ['en', 'qwerty', 'a b c d e f g h i j k l m n o p q r s t u v w x y z'],
  ['fr', 'azerty', 'a à â æ b c ç d e é è ê ë f g h i î ï j k l m n o ô œ p q r s t u ù û ü v w x y ÿ z'],
  ['de', 'qwertz', 'a ä b c d e f g h i j k l m n o ö p q r s ß t u ü v w x y z'],
  ['es', 'spanish', 'a á b c d e é f g h i í j k l m n ñ o ó p q r s t u ú ü v w x y z'],
  [
    'ar',
    'arabic',
    '\u064b \u064c \u064d \u064e \u064f \u0650 \u0651 \u0652 \u0670 ء أ ؤ إ ئ ا آ ب ة ت ث ج ح خ د ذ ر ز س ش ص ض ط ظ ع غ ف ق ك ل م ن ه و ى ي',
  ],
]
/** Letters in daily use in names of the language: they need no change of pages on an empty line. */
const DAILY: Readonly<Record<string, string>> = {
  fr: 'é è ê ë à â ç î ï ô',
  de: 'ä ö ü ß',
  es: 'ñ á é í ó ú ü',
  ar: 'أ إ آ ة ى ؤ ئ ء',
}
/** Doc 9303 part 3, section 6, table A. */
const DOC_9303_LATIN = `Á À Â Ä Ã Ă Å Ā Ą Ć Ĉ Č Ċ Ç Ď Đ É È Ê Ë Ě Ė Ē Ę Ĕ Ĝ Ğ Ġ Ģ Ĥ Ħ Í Ì Î Ï Ĩ Ī Ĭ Į İ ı Ĵ Ķ Ĺ Ľ Ļ Ł Ŀ Ń Ñ Ň Ņ Ŋ
  Ó Ò Ô Ö Õ Ō Ŏ Ő Ø Ŕ Ř Ŗ Ś Ŝ Š Ş Ŧ Ť Ţ Ú Ù Û Ü Ũ Ŭ Ū Ů Ű Ų Ŵ Ý Ŷ Ÿ Ź Ž Ż Þ Æ Ĳ Œ ẞ Ð`
const LATIN_LAYOUTS = ['qwerty', 'azerty', 'qwertz', 'spanish'] as const
const NAMES = [
  "O'Connor",
  'd’Arc-Müller',
  'María José Núñez',
  'Jean-Noël L’Œuvre',
  'Łukasz Żółć',
  'Gül İnanç',
]

describe.each(ALPHABETS)('in %s', (tag, name, alphabet) => {
  test('every letter of the alphabet can be typed, small and as a capital', () => {
    expect(layoutFor('', tag)).toBe(name)
    expect(missing(alphabet, name)).toEqual([])
    if (LAYOUTS[name].hasCase) expect(missing(alphabet.split(' ').map(toCapital).join(' '), name)).toEqual([])
  })

  test('the letters of every day lie on the first page', () => {
    const first = LAYOUTS[name].pages.letters.rows.flat()
    const daily = `${DAILY[tag] ?? ''} ${name === 'arabic' ? '' : ALPHABETS[0]?.[2]} ' -`.trim().split(/\s+/)
    expect(daily.filter((letter) => !first.includes(letter))).toEqual([])
  })
})

test('keys lie where the language’s own keyboards have them', () => {
  const rowsOf = (name: LayoutName) => LAYOUTS[name].pages.letters.rows.map((keys) => keys.join(''))
  expect(rowsOf('azerty').slice(1)).toEqual(['azertyuiop', 'qsdfghjklm', "wxcvbn'-."])
  expect(rowsOf('qwertz').map((keys) => keys.slice(0, 6))).toEqual(['qwertz', 'asdfgh', 'yxcvbn'])
  expect(rowsOf('spanish')[2]).toBe('asdfghjklñ')
  // Left to right, as on a physical keyboard, although the script runs right to left.
  expect(rowsOf('arabic')[0]).toMatch(/^ضصثقفغعهخحجد$/)
})

test.each(LATIN_LAYOUTS)('%s types every Latin letter that Doc 9303 knows, and names as they are', (name) => {
  expect(
    missing(`${DOC_9303_LATIN} ${DOC_9303_LATIN.replace('İ', '').toLowerCase()} ș ț ə ơ ư`, name),
  ).toEqual([])
  // By a combining mark on a letter.
  expect(missing('ẁ ệ ọ ū́ ǎ', name)).toEqual([])
  for (const person of NAMES) expect([person, isTypable(person, name)]).toEqual([person, true])
})

test.each([
  ['arabic', 0x0621, 0x06d5],
  ['cyrillic', 0x0400, 0x045f],
] as const)('%s types every letter that the comparison of names can spell', (name, from, to) => {
  const letters = Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at))
  const spelled = letters.filter((letter) => /\p{L}/u.test(letter) && spellName(letter) !== null)
  expect(spelled.length).toBeGreaterThan(60)
  expect(spelled.filter((letter) => !isTypable(letter, name))).toEqual([])
})

test('greek types the letters of the alphabet with their accents', () => {
  expect(missing('α ά β γ δ ε έ ζ η ή θ ι ί ϊ ΐ κ λ μ ν ξ ο ό π ρ σ ς τ υ ύ ϋ ΰ φ χ ψ ω ώ', 'greek')).toEqual(
    [],
  )
})

test('no page has a key twice, and rows fit at 20 mm a key', () => {
  // 1080 px less margins of 64 px; 64 px and a gap of 12 px for each key.
  const most = Math.floor((1080 - 2 * 64 + 12) / (64 + 12))
  for (const [name, layout] of Object.entries(LAYOUTS))
    for (const { rows } of Object.values(layout.pages)) {
      expect([name, new Set(rows.flat()).size]).toEqual([name, rows.flat().length])
      for (const keys of rows) expect(keys.length).toBeLessThanOrEqual(most)
    }
})

test('comes in the script of what is corrected, and in the person’s own where there is nothing yet', () => {
  expect(layoutFor('آنا ماريا', 'en')).toBe('arabic')
  expect(layoutFor('ШЕВЧЕНКО', 'de')).toBe('cyrillic')
  expect(layoutFor('ΠΑΠΑΔΟΠΟΥΛΟΣ', 'fr')).toBe('greek')
  expect(layoutFor('ANNA MARIA', 'ar')).toBe('qwerty')
  expect(layoutFor('ANNA MARIA', 'fr-CA')).toBe('azerty')
  expect(layoutFor('', 'ar')).toBe('arabic')
  expect(layoutFor('', 'nl')).toBe('qwerty')
  expect(listPages(LAYOUTS.digits)).toEqual(['letters'])
})

test('a capital is one letter, whatever language the browser runs in', () => {
  expect([...'iıßéñœ'].map(toCapital)).toEqual(['I', 'I', 'ẞ', 'É', 'Ñ', 'Œ'])
})

test.each([
  ['DE', 'fr', 'azerty'],
  ['DE', 'ar', 'qwerty'],
  ['EG', 'fr', 'arabic'],
  ['GR', 'en', 'greek'],
  ['XX', 'de', 'qwertz'],
])('an address in %s is typed by a speaker of %s in %s', (country, language, expected) => {
  expect(layoutForCountry(country, language)).toBe(expected)
})

test.each(['qwerty', 'azerty', 'qwertz', 'spanish', 'cyrillic', 'arabic'] as const)(
  'a row of digits stands above the letters of %s, and no letter of the alphabet is lost by it',
  (name) => {
    const rows = putDigitsAbove(LAYOUTS[name])
    expect(rows[0]).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'])
    const further = Object.entries(LAYOUTS[name].pages).filter(([page]) => page !== 'letters')
    const keys = new Set([...rows, ...further.flatMap(([, { rows: more }]) => more)].flat())
    const lost = LAYOUTS[name].pages.letters.rows.flat().filter((letter) => !keys.has(letter))
    expect(lost).toEqual([])
  },
)
