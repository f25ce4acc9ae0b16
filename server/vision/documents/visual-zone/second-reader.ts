/**
 * Which lines of print need the second recogniser: all that may be a value, unless the MRZ says the same. A line costs the second
 * one seven times what it costs the first. Pure rules: reads nothing.
 */
import type { StripWord } from './strip-words.ts'

/** What is known of a line beside its words. */
export interface LineFacts {
  /** In heights of the page. */
  readonly top: number
  /** The lines of the machine-readable zone, as another reader read them. */
  readonly mrz: readonly string[]
  /** No ink above or below the capitals: no letter has a mark. */
  readonly isPlain: boolean
}

/** `words`: what the first recogniser reads. */
export function needsSecondReader(words: readonly StripWord[], { top, mrz, isPlain }: LineFacts): boolean {
  return (
    !isLabel(words) && !isTitle(words, top) && !isInMrz(words, mrz) && !(isPlain && isNameInMrz(words, mrz))
  )
}

/** Least mean confidence of the words, weighted by their letters. */
const SURE = { smallLetters: 0.55, capitals: 0.8 }
/** Least confidence of a word that the MRZ bears out. */
const SURE_WORD = 0.5

function meanConfidence(words: readonly StripWord[]): number {
  const signs = words.reduce((sum, { text }) => sum + text.length, 0)
  return signs === 0 ? 0 : words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / signs
}

/** True for a label: several words in small letters, or capitals in two languages. */
function isLabel(words: readonly StripWord[]): boolean {
  const confidence = meanConfidence(words)
  if (confidence < SURE.smallLetters) return false
  const text = words.map((word) => word.text).join(' ')
  // `DATE OF BIRTH / DATE DE NAISSANCE`
  const isBilingual = text.includes('/') && !/\d/.test(text) && words.length > 2
  return isInSmallLetters(words) || (isBilingual && confidence >= SURE.capitals)
}

/** Values have digits or are set in capitals; names and places begin with one in every word. */
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

/** No value is as long as a country's full name, and none is printed as high on a page. */
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

/**
 * True for a number or a date that is read as the reader of the MRZ read it: two independent readers agree, and a third one
 * would add nothing.
 */
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

/** True for a line of names that the MRZ has, each as one of its own: a name with a mark is written otherwise there. */
function isNameInMrz(words: readonly StripWord[], mrz: readonly string[]): boolean {
  const names = new Set(mrz.flatMap((line) => line.split('<')))
  return (
    words.length > 0 &&
    words.every(
      ({ text, confidence }) => confidence >= SURE_WORD && /^[A-Z]{3,}$/.test(text) && names.has(text),
    )
  )
}
