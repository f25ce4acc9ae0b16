/**
 * Transliterates names to A–Z (Doc 9303 part 3, section 6). States and people differ, so each letter has all spellings in
 * use, the standard's first. Few states use the standard's table for Arabic, which omits vowels: most write the
 * pronunciation, which no table can follow. Other scripts are not supported.
 */

/** Letters that change beyond losing a mark. From Ə on our additions: the standard does not list them. */
const LATIN = `
Ä AE|A  Å AA|A  Æ AE  Ð D  Ñ N|NXX  Ö OE|O  Ø OE|O  Ü UE|UXX|U  Þ TH  Đ D  Ħ H  Ĳ IJ  Ŀ L  Ł L  Ŋ N  Œ OE  Ŧ T  ẞ SS
Ə A|E  Ǆ DZ  Ǉ LJ  Ǌ NJ`

/**
 * Includes the standard's exceptions for single languages, and the forms of Bulgaria, Serbia and (before 2014) Russia.
 * From Ь on missing in the standard's table. A hyphen drops the letter.
 */
const CYRILLIC = `
А A  Б B  В V  Г G|H  Ґ G  Ғ G  Д D  Ђ D  Е E  Ё E|IO  Є IE|YE  Ж ZH|Z  З Z  Ѕ DZ  И I|Y  І I  Ї I|YI  Й I|Y  Ј J
К K  Ќ K|KJ  Л L  Љ LJ  М M  Н N  Њ NJ  О O  П P  Р R  С S  Т T  У U  Ў U  Ф F  Х KH|H  Ц TS|C  Ч CH|C  Џ DZ|DJ
Ш SH|S  Щ SHCH|SHT  Ъ IE|A  Ы Y  Э E  Ю IU|YU  Я IA|YA  Ѫ U  Ѵ Y
Ь -|Y  Ѓ GJ|G  Ћ C  Ѐ E  Ѝ I`

/**
 * Section 6, table C. A hyphen drops the character. Spellings that begin with the table's marker X also occur without it.
 */
const ARABIC = `
ء XE  آ XAA  أ XAE  ؤ U  إ I  ئ XI  ا A  ب B  ة XTA|XAH  ت T  ث XTH  ج J  ح XH  خ XKH  د D  ذ XDH  ر R  ز Z  س S  ش XSH
ص XSS  ض XDZ  ط XTT  ظ XZZ  ع E  غ G  ـ -  ف F  ق Q  ك K  ل L  م M  ن N  ه H  و W  ى XAY  ي Y  ٱ XXA  ٹ XXT  ټ XRT  پ P
ځ XKE  څ XXH  چ XC  ڈ XXD  ډ XDR  ڑ XXR  ړ XRR  ږ XRX  ژ XJ  ښ XXS  ڜ -  ڢ -  ڧ -  ڨ -  ڤ V  ڥ XF  ک XKK  ګ XXK  ڭ XNG
گ XGG  ں XNN  ڼ XXN  ھ XDO  ۀ XYH  ہ XXG  ۂ XGE  ۃ XTG  ی XYA|Y|XAY  ۍ XXY  ې Y  ے XYB  ۓ XBE`
/** Doubles the preceding letter. */
const SHADDA = /(\p{L})(?:(?!\u0651)\p{M})*\u0651/gu

const withoutMark = (way: string): readonly string[] =>
  /^X./.test(way) ? [way, way.replace(/^X+/, '')] : [way]

const SPELLINGS: ReadonlyMap<string, readonly string[]> = new Map(
  [...`${LATIN} ${CYRILLIC} ${ARABIC}`.matchAll(/(\S) (\S+)/gu)].map(([, letter, ways]) => [
    letter,
    ways.split('|').flatMap((way) => (way === '-' ? [''] : withoutMark(way))),
  ]),
)

/** Possible spellings of each letter of one name component. */
export type Spelling = readonly (readonly string[])[]

/** Components of a name in their MRZ spellings; null if a letter has no known spelling. */
export function spellName(name: string): readonly Spelling[] | null {
  const components = name
    .toUpperCase()
    .normalize('NFC')
    .replace(SHADDA, '$1$1')
    // An apostrophe joins, a hyphen or comma separates, other signs and digits are dropped (section 4.6).
    .replace(/['’‘ʼʻ`´]/gu, '')
    .split(/[\s,\p{Pd}]+/u)
    .map((component) => [...component].filter((sign) => /\p{L}/u.test(sign)).map(spellLetter))
    .filter((letters) => letters.length > 0)
  return components.every(isKnown) ? components : null
}

/** Spelling of the standard. */
export function standardSpelling(component: Spelling): string {
  return component.map(([first]) => first).join('')
}

/**
 * Like `spellName`, for a name read by a recogniser that loses marks: a plain letter may stand for a marked one that the
 * MRZ spells with several letters.
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

/** True if the component may be spelled like this; with `cut` if its spelling may begin like this. */
export function doesSpell(component: Spelling, text: string, cut = false): boolean {
  // Possible positions in the text after each letter: linear in the length for any number of spellings.
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
 * True if both may be the same name written by two authorities: Müller is MUELLER, MULLER or MUXXLLER in different MRZs,
 * and none of these is a spelling of another.
 */
export function shareOriginal(a: Spelling, b: Spelling, scripts: readonly Script[]): boolean {
  return folds(scripts).some((fold) => fold(standardSpelling(a)) === fold(standardSpelling(b)))
}

/** Like `shareOriginal`, with a possibly truncated first name. */
export function beginsOriginal(cut: Spelling, whole: Spelling, scripts: readonly Script[]): boolean {
  return folds(scripts).some((fold) => fold(standardSpelling(whole)).startsWith(fold(standardSpelling(cut))))
}

/** Scripts in which a name may have been written before its transliteration. */
export type Script = 'LATIN' | 'CYRILLIC' | 'ARABIC'

type Fold = (text: string) => string

/**
 * Maps all spellings of one letter to a common form, so that differently spelled names become equal. Coarser than the
 * tables: also equates some different names.
 */
const FOLDS: Readonly<Record<Script, Fold>> = {
  // Å is AA or A, Ä is AE or A: a run of them is ambiguous.
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
  // Without the marker X, and with doubled letters written once.
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
