/**
 * Keys of the on-screen keyboard as data: rows of characters by script and habit, with long lists of letters
 * in place of long presses. Keys have the places of a physical keyboard, in every writing direction.
 */

/**
 * The order in which the page key switches. `more` and `further`: letters with marks, in two lists that fit
 * the screen.
 */
const PAGES = ['letters', 'more', 'further', 'signs'] as const
export type PageName = (typeof PAGES)[number]

interface Page {
  /** The label of the key that leads to this page. */
  readonly face: string
  readonly rows: readonly (readonly string[])[]
}

export interface Layout {
  readonly hasCase: boolean
  readonly pages: Readonly<Partial<Record<PageName, Page>> & { letters: Page }>
}

const page = (face: string, ...rows: readonly string[]): Page => ({
  face,
  rows: rows.map((keys) => keys.split(' ')),
})

const DIGITS = '1 2 3 4 5 6 7 8 9 0'
const SIGNS = page('123', DIGITS, "- ' ’ . , / ( ) & : + ·")

/**
 * Letters of Doc 9303 part 3, section 6, table A, and of other alphabets; combining marks make all letters
 * that are in no list.
 */
const LATIN = {
  more: page(
    'áçł',
    'à á â ã ä å ā ă ą æ',
    'ç ć ĉ č ċ ď đ ð',
    'è é ê ë ē ĕ ė ę ě ə',
    'ĝ ğ ġ ģ ĥ ħ',
    'ì í î ï ĩ ī ĭ į İ ı ĳ',
    'ĵ ķ ĺ ľ ļ ł ŀ',
  ),
  further: page(
    'ñøž',
    'ñ ń ň ņ ŋ',
    'ò ó ô õ ö ø ō ŏ ő œ ơ',
    'ŕ ř ŗ ś ŝ š ş ș ß',
    'ŧ ť ţ ț þ ŵ',
    'ù ú û ü ũ ŭ ū ů ű ų ư',
    'ý ŷ ÿ ź ž ż',
    '\u0300 \u0301 \u0302 \u0303 \u0308 \u030a \u0304 \u030c \u0309 \u0323',
  ),
  signs: SIGNS,
}
const latin = (...rows: readonly string[]): Layout => ({
  hasCase: true,
  pages: { letters: page('abc', ...rows), ...LATIN },
})

export type LayoutName =
  | 'qwerty'
  | 'azerty'
  | 'qwertz'
  | 'spanish'
  | 'arabic'
  | 'cyrillic'
  | 'greek'
  | 'codes'
  | 'digits'

export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  qwerty: latin('q w e r t y u i o p', "a s d f g h j k l '", 'z x c v b n m - .'),
  azerty: latin('é è ê ë à â ç î ï ô ù û', 'a z e r t y u i o p', 'q s d f g h j k l m', "w x c v b n ' - ."),
  qwertz: latin('q w e r t z u i o p ü', 'a s d f g h j k l ö ä', "y x c v b n m ß ' - ."),
  spanish: latin('á é í ó ú ü', 'q w e r t y u i o p', 'a s d f g h j k l ñ', "z x c v b n m ' - ."),
  /** The usual Arabic order of Windows and phones ("Arabic 101"). */
  arabic: {
    hasCase: false,
    pages: {
      letters: page(
        'أبت',
        'ض ص ث ق ف غ ع ه خ ح ج د',
        'ش س ي ب ل ا ت ن م ك ط ذ',
        'ئ ء ؤ ر ى ة و ز ظ',
        "أ إ آ ٱ ' - .",
      ),
      // Doc 9303 part 3, section 6, table C: letters of Persian, Urdu, Pashto, Kurdish and the Maghreb.
      more: page(
        'پچگ',
        'پ چ ژ گ ک ی ڤ ڥ ڢ ڧ ڨ ڜ',
        'ٹ ڈ ڑ ں ھ ہ ۂ ۃ ۀ ے ۓ',
        'ټ ځ څ ډ ړ ږ ښ ګ ڭ ڼ ې ۍ',
        '\u064b \u064c \u064d \u064e \u064f \u0650 \u0651 \u0652 \u0670 ـ',
      ),
      signs: page('٣٢١', '١ ٢ ٣ ٤ ٥ ٦ ٧ ٨ ٩ ٠', DIGITS, "- ' / . ، ( ) :"),
    },
  },
  cyrillic: {
    hasCase: true,
    pages: {
      letters: page('абв', 'й ц у к е н г ш щ з х ъ', 'ф ы в а п р о л д ж э', "я ч с м и т ь б ю ' - ."),
      more: page('ёїј', 'ё ґ є і ї ў ј љ њ ђ ћ џ', 'ѓ ќ ѕ ѐ ѝ ғ ѫ ѵ', 'ә қ ң ө ұ ү һ'),
      signs: SIGNS,
    },
  },
  greek: {
    hasCase: true,
    pages: {
      letters: page('αβγ', 'ς ε ρ τ υ θ ι ο π', 'α σ δ φ γ η ξ κ λ', "ζ χ ψ ω β ν μ ' - ."),
      more: page('άΐώ', 'ά έ ή ί ό ύ ώ', 'ϊ ϋ ΐ ΰ'),
      signs: SIGNS,
    },
  },
  /** Numbers of documents: digits and capitals on one page. */
  codes: {
    hasCase: false,
    pages: {
      letters: page('ABC', DIGITS, 'Q W E R T Y U I O P', 'A S D F G H J K L', 'Z X C V B N M -'),
    },
  },
  digits: { hasCase: false, pages: { letters: page('123', '1 2 3', '4 5 6', '7 8 9') } },
}

/** The usual key order by language; all other languages use the English one. */
const HABITS: Readonly<Record<string, LayoutName>> = { fr: 'azerty', de: 'qwertz', es: 'spanish' }

const SCRIPTS: readonly (readonly [RegExp, LayoutName, RegExp | null])[] = [
  [/\p{Script=Arabic}/u, 'arabic', /^(ar|fa|ur|ps|ckb)\b/],
  [/\p{Script=Cyrillic}/u, 'cyrillic', /^(ru|uk|bg|be|mk|kk|ky|mn)\b/],
  [/\p{Script=Greek}/u, 'greek', /^el\b/],
]

/** Chooses the layout by the text in the field, or by the applicant's language if the field is empty. */
export function layoutFor(text: string, languageTag: string): LayoutName {
  const isEmpty = text.trim() === ''
  const script = SCRIPTS.find(([letters, , languages]) =>
    isEmpty ? languages?.test(languageTag) : letters.test(text),
  )
  return script?.[1] ?? HABITS[languageTag.split('-')[0] ?? ''] ?? 'qwerty'
}

const LANGUAGE_OF_SCRIPT: Readonly<Record<string, string>> = { Arab: 'ar', Cyrl: 'ru', Grek: 'el' }

/** Chooses the layout for an address: letters of the country's script, in the applicant's order if that has them. */
export function layoutForCountry(iso2: string, languageTag: string): LayoutName {
  const other = LANGUAGE_OF_SCRIPT[new Intl.Locale(`und-${iso2}`).maximize().script ?? '']
  const own = layoutFor('', languageTag)
  const isLatin = SCRIPTS.every(([, layout]) => layout !== own)
  return other ? layoutFor('', other) : isLatin ? own : layoutFor('', 'en')
}

/** Three rows of letters leave room for the digits; letters with marks are on the next page as well. */
export function putDigitsAbove({ hasCase, pages: { letters } }: Layout): Page['rows'] {
  return [DIGITS.split(' '), ...(hasCase ? letters.rows.slice(-3) : letters.rows)]
}

/** Returns the pages of a layout in the order of the page key. */
export function listPages({ pages }: Layout): readonly PageName[] {
  return PAGES.filter((name) => pages[name] !== undefined)
}

/**
 * Combining marks on their own, in characters that the fonts contain; Arabic marks are drawn on a tatweel.
 */
const FACE_OF_MARK: Readonly<Record<string, string>> = {
  '\u0300': '`',
  '\u0301': '´',
  '\u0302': 'ˆ',
  '\u0303': '˜',
  '\u0308': '¨',
  '\u030a': '˚',
  '\u0304': '¯',
  '\u030c': 'ˇ',
  '\u0309': 'ˀ',
  '\u0323': '.',
}

/** Returns the label of a key: a combining mark needs a base character. */
export function getLabel(letter: string): string {
  if (!/^\p{M}$/u.test(letter)) return letter
  return FACE_OF_MARK[letter] ?? `\u0640${letter}`
}

/** Returns the capital as one letter. Letters without one (Greek iota with two marks) stay. */
export function toCapital(letter: string): string {
  if (letter === 'ß') return 'ẞ'
  const capital = letter.toUpperCase()
  return [...capital].length === 1 ? capital : letter
}
