/**
 * Decides which printed lines need the second recogniser: all possible values unless the MRZ confirms them. A line costs
 * the second recogniser seven times as much as the first. Pure rules.
 */
import type { StripWord } from './strip-words.ts'

/** Facts about a line besides its words. */
interface LineFacts {
  /** Unit: page heights. */
  readonly top: number
  /** Lines of the MRZ as the MRZ recognisers read them. */
  readonly mrz: readonly string[]
  /** No ink above or below the capitals, so no letter has a mark. */
  readonly isPlain: boolean
}

/** `words`: reading of the first recogniser. */
export function needsSecondReader(words: readonly StripWord[], { top, mrz, isPlain }: LineFacts): boolean {
  return (
    !isLabel(words) && !isTitle(words, top) && !isInMrz(words, mrz) && !(isPlain && isNameInMrz(words, mrz))
  )
}

/** Minimum mean confidence of the words, weighted by length. */
const SURE = { smallLetters: 0.55, capitals: 0.8 }
/** Minimum confidence of a word that the MRZ confirms. */
const SURE_WORD = 0.5

function meanConfidence(words: readonly StripWord[]): number {
  const signs = words.reduce((sum, { text }) => sum + text.length, 0)
  return signs === 0 ? 0 : words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / signs
}

/** True for a label: several words in lower case, or capitals in two languages. */
function isLabel(words: readonly StripWord[]): boolean {
  const confidence = meanConfidence(words)
  if (confidence < SURE.smallLetters) return false
  const text = words.map((word) => word.text).join(' ')
  // `DATE OF BIRTH / DATE DE NAISSANCE`
  const isBilingual = text.includes('/') && !/\d/.test(text) && words.length > 2
  return isInSmallLetters(words) || (isBilingual && confidence >= SURE.capitals)
}

/** Values contain digits or are in capitals; names and places start every word with a capital. */
const LABEL = { letters: 6, small: 0.6 }

function isInSmallLetters(words: readonly StripWord[]): boolean {
  const text = words.map((word) => word.text).join('')
  const count = (pattern: RegExp): number => (text.match(pattern) ?? []).length
  const mayBe =
    count(/\p{L}/gu) >= LABEL.letters &&
    count(/\p{Ll}/gu) >= LABEL.small * count(/\p{L}/gu) &&
    !/\d/.test(text)
  if (!mayBe || (words.length < 2 && !text.includes('/'))) return false
  const isProper = words.every((word) => /^\P{L}*\p{Lu}/u.test(word.text))
  const hasCapitals = words.some((word) => /\p{Lu}{2}/u.test(word.text))
  return !hasCapitals && (!isProper || /[/:]/.test(text))
}

/** A value is shorter than a country's full name and is not printed as high on a page. */
const TITLE = { letters: 20, lowest: 0.2 }

/** True for the title of a page, `REPUBLIC OF …`. */
function isTitle(words: readonly StripWord[], top: number): boolean {
  const text = words.map((word) => word.text).join('')
  const count = (text.match(/\p{Lu}/gu) ?? []).length
  return (
    top <= TITLE.lowest &&
    count >= TITLE.letters &&
    !/[\d\p{Ll}]/u.test(text) &&
    meanConfidence(words) >= SURE.capitals
  )
}

const DATE = /^(\d{2})\D(\d{2})\D(\d{4})$/

/** True for a number or date that equals the MRZ reading: two independent recognisers agree, so a third adds nothing. */
function isInMrz(words: readonly StripWord[], mrz: readonly string[]): boolean {
  if (words.length !== 1) return false
  const [{ text, confidence }] = words
  const date = DATE.exec(text)
  const written = date ? `${date[3].slice(2)}${date[2]}${date[1]}` : text
  return (
    confidence >= SURE_WORD &&
    /^[A-Z0-9]{6,}$/.test(written) &&
    /\d/.test(written) &&
    mrz.some((line) => line.includes(written))
  )
}

/**
 * True for a line of names that the MRZ contains as separate names. The MRZ transliterates a name with a mark, so it
 * never matches.
 */
function isNameInMrz(words: readonly StripWord[], mrz: readonly string[]): boolean {
  const names = new Set(mrz.flatMap((line) => line.split('<')))
  return (
    words.length > 0 &&
    words.every(
      ({ text, confidence }) => confidence >= SURE_WORD && /^[A-Z]{3,}$/.test(text) && names.has(text),
    )
  )
}
