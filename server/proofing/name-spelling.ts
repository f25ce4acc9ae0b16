/**
 * How a name is written with the letters A–Z (Doc 9303 part 3, section 6). States differ and so do people: each letter
 * has all the spellings that occur, the standard's own first. Few states use the standard's table for Arabic, which
 * writes no vowels: most write what is heard, which nothing here can follow. Other scripts have no table.
 */

/** The letters that lose more than a mark. From Ə on ours: the standard does not list them. */
const LATIN = `
Ä AE|A  Å AA|A  Æ AE  Ð D  Ñ N|NXX  Ö OE|O  Ø OE|O  Ü UE|UXX|U  Þ TH  Đ D  Ħ H  Ĳ IJ  Ŀ L  Ł L  Ŋ N  Œ OE  Ŧ T  ẞ SS
Ə A|E  Ǆ DZ  Ǉ LJ  Ǌ NJ`

/**
 * With the exceptions that the standard names for single languages, and what Bulgaria, Serbia and (before 2014) Russia
 * print instead. From Ь on missing in the standard's table. A hyphen: the letter is dropped.
 */
const CYRILLIC = `
А A  Б B  В V  Г G|H  Ґ G  Ғ G  Д D  Ђ D  Е E  Ё E|IO  Є IE|YE  Ж ZH|Z  З Z  Ѕ DZ  И I|Y  І I  Ї I|YI  Й I|Y  Ј J
К K  Ќ K|KJ  Л L  Љ LJ  М M  Н N  Њ NJ  О O  П P  Р R  С S  Т T  У U  Ў U  Ф F  Х KH|H  Ц TS|C  Ч CH|C  Џ DZ|DJ
Ш SH|S  Щ SHCH|SHT  Ъ IE|A  Ы Y  Э E  Ю IU|YU  Я IA|YA  Ѫ U  Ѵ Y
Ь -|Y  Ѓ GJ|G  Ћ C  Ѐ E  Ѝ I`

/** Section 6, table C. A hyphen: the sign is dropped. What begins with X, the table's mark, is also met without it. */
const ARABIC = `
ء XE  آ XAA  أ XAE  ؤ U  إ I  ئ XI  ا A  ب B  ة XTA|XAH  ت T  ث XTH  ج J  ح XH  خ XKH  د D  ذ XDH  ر R  ز Z  س S  ش XSH
ص XSS  ض XDZ  ط XTT  ظ XZZ  ع E  غ G  ـ -  ف F  ق Q  ك K  ل L  م M  ن N  ه H  و W  ى XAY  ي Y  ٱ XXA  ٹ XXT  ټ XRT  پ P
ځ XKE  څ XXH  چ XC  ڈ XXD  ډ XDR  ڑ XXR  ړ XRR  ږ XRX  ژ XJ  ښ XXS  ڜ -  ڢ -  ڧ -  ڨ -  ڤ V  ڥ XF  ک XKK  ګ XXK  ڭ XNG
گ XGG  ں XNN  ڼ XXN  ھ XDO  ۀ XYH  ہ XXG  ۂ XGE  ۃ XTG  ی XYA|Y|XAY  ۍ XXY  ې Y  ے XYB  ۓ XBE`
/** Doubles the letter before it. */
const SHADDA = /(\p{L})(?:(?!\u0651)\p{M})*\u0651/gu

const withoutMark = (way: string): readonly string[] =>
  /^X./.test(way) ? [way, way.replace(/^X+/, '')] : [way]

const SPELLINGS: ReadonlyMap<string, readonly string[]> = new Map(
  [...`${LATIN} ${CYRILLIC} ${ARABIC}`.matchAll(/(\S) (\S+)/gu)].map(([, letter, ways]) => [
    letter,
    ways.split('|').flatMap((way) => (way === '-' ? [''] : withoutMark(way))),
  ]),
)

/** For each letter of one component of a name, the ways to write it. */
export type Spelling = readonly (readonly string[])[]

/** The components of a name as they stand in a zone; null when a letter has no known spelling there. */
export function spellName(name: string): readonly Spelling[] | null {
  const components = name
    .toUpperCase()
    .normalize('NFC')
    .replace(SHADDA, '$1$1')
    // An apostrophe joins, a hyphen or comma divides, all other signs and digits are dropped (section 4.6).
    .replace(/['’‘ʼʻ`´]/gu, '')
    .split(/[\s,\p{Pd}]+/u)
    .map((component) => [...component].filter((sign) => /\p{L}/u.test(sign)).map(spellLetter))
    .filter((letters) => letters.length > 0)
  return components.every(isKnown) ? components : null
}

/** As the standard would write it. */
export function standardSpelling(component: Spelling): string {
  return component.map(([first]) => first).join('')
}

/**
 * As `spellName`, for a name that was read off a page by a reader that loses marks: a plain letter may stand for one
 * with a mark that the zone spells with more than one letter.
 */
export function spellPrintedName(name: string): readonly Spelling[] | null {
  return (
    spellName(name)?.map((component) =>
      component.map((ways) => (ways.length === 1 ? (MARK_LOST.get(ways[0]) ?? ways) : ways)),
    ) ?? null
  )
}

const MARK_LOST: ReadonlyMap<string, readonly string[]> = new Map([
  ['A', ['A', 'AE', 'AA']],
  ['O', ['O', 'OE']],
  ['U', ['U', 'UE', 'UXX']],
  ['N', ['N', 'NXX']],
])

/** Whether the component may be written like this; with `cut`, whether it may begin like this. */
export function spells(component: Spelling, text: string, cut = false): boolean {
  // Where the text may have been reached after each letter: linear, however many spellings there are.
  let ends: ReadonlySet<number> = new Set([0])
  for (const ways of component) {
    const next = new Set<number>()
    for (const end of ends) {
      for (const way of ways) {
        if (cut && way.startsWith(text.slice(end))) return true
        if (text.startsWith(way, end)) next.add(end + way.length)
      }
    }
    ends = next
  }
  return ends.has(text.length)
}

/**
 * Whether the two may be the same name, written down by two offices: Müller is MUELLER in one zone, MULLER in another and
 * MUXXLLER in a third, and neither of these is a spelling of the other.
 */
export function shareOriginal(a: Spelling, b: Spelling, scripts: readonly Script[]): boolean {
  return folds(scripts).some((fold) => fold(standardSpelling(a)) === fold(standardSpelling(b)))
}

/** As `shareOriginal`, where the first may have been cut. */
export function beginsOriginal(cut: Spelling, whole: Spelling, scripts: readonly Script[]): boolean {
  return folds(scripts).some((fold) => fold(standardSpelling(whole)).startsWith(fold(standardSpelling(cut))))
}

/** In which a name may have been written before somebody wrote it with the letters A–Z. */
export type Script = 'LATIN' | 'CYRILLIC' | 'ARABIC'

type Fold = (text: string) => string

/**
 * What the ways to write one letter have in common, so that names whose letters were written in different ways come to
 * the same text. Coarser than the tables: it also joins names that no office would confuse.
 */
const FOLDS: Readonly<Record<Script, Fold>> = {
  // Å is AA or A, Ä is AE or A: a run of them cannot be distinguished.
  LATIN: (text) =>
    text
      .replace(/(?:AE|A)+/g, 'A')
      .replace(/([OU])E/g, '$1')
      .replace(/([NU])XX/g, '$1'),
  CYRILLIC: (text) =>
    text
      .replace(/SHCH|SHT/g, 'S')
      .replace(/([ZCS])H/g, '$1')
      .replace(/TS/g, 'C')
      .replace(/KH|H/g, 'G')
      .replace(/[JY]/g, 'I')
      .replace(/I+(?=[AEOU])/g, '')
      .replace(/I+/g, 'I'),
  // Met without the mark X, and with a doubled letter written once.
  ARABIC: (text) => text.replace(/X/g, '').replace(/(.)\1+/g, '$1'),
}

function folds(scripts: readonly Script[]): readonly Fold[] {
  return scripts.map((script) => FOLDS[script])
}

function spellLetter(letter: string): readonly string[] | null {
  const bare = letter.normalize('NFD').replace(/\p{M}/gu, '')
  return SPELLINGS.get(letter) ?? SPELLINGS.get(bare) ?? (/^[A-Z]$/.test(bare) ? [bare] : null)
}

function isKnown(letters: (readonly string[] | null)[]): letters is (readonly string[])[] {
  return letters.every((ways) => ways !== null)
}
