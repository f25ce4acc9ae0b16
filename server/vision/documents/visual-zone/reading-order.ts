/**
 * Which of the two recognisers reads a line of print first, and when its reading needs no second one. Pure rules: reads nothing.
 */
import type { Letter } from '../text/recognise-lines.ts'
import type { StripWord } from './strip-words.ts'

/** Numbers of lines, by the recogniser that reads them first. */
export interface ReadingOrder {
  /** Small print: tesseract reads it first, the network only what turns out to be no label. */
  readonly small: readonly number[]
  /** The network reads it first, tesseract only what is neither a label nor in the MRZ. */
  readonly large: readonly number[]
  /** The detector has not seen it: tesseract alone reads it. */
  readonly unseen: readonly number[]
}

/** Capitals of labels have 0.5 to 0.73 of the values' height (20 specimens, 27 November 2026). */
const SMALL_PRINT = 0.78
/** The height of values, by rank among all lines of a page. */
const VALUE_RANK = 0.75

export function orderLines(
  lines: readonly { readonly capHeight: number; readonly isSeen: boolean }[],
): ReadingOrder {
  const numbers = lines.map((_, i) => i)
  const seen = numbers.filter((i) => lines[i].isSeen)
  const heights = seen.map((i) => lines[i].capHeight).sort((a, b) => a - b)
  const limit = SMALL_PRINT * (heights.at(Math.floor(VALUE_RANK * heights.length)) ?? 0)
  return {
    small: seen.filter((i) => lines[i].capHeight < limit),
    large: seen.filter((i) => lines[i].capHeight >= limit),
    unseen: numbers.filter((i) => !lines[i].isSeen),
  }
}

/** Values have digits or are set in capitals; names and places begin with one in every word. */
const LABEL = { letters: 6, small: 0.6 }
/** Confidence of the network's letters. */
const SURE = { least: 0.5, mean: 0.9 }

/** No value is as long as a country's full name, and none is printed as high on a page. */
const TITLE = { letters: 20, lowest: 0.2 }

/** True for the title of a page, `REPUBLIC OF …`, that the network reads for certain. `top`: in heights of the page. */
export function isSureTitle(words: readonly StripWord[], letters: readonly Letter[], top: number): boolean {
  const text = words.map((word) => word.text).join('')
  const count = (text.match(/\p{Lu}/gu) ?? []).length
  return top <= TITLE.lowest && count >= TITLE.letters && !/[\d\p{Ll}]/u.test(text) && isSure(letters)
}

/** True for a label of several small words that the network reads for certain. */
export function isSureLabel(words: readonly StripWord[], letters: readonly Letter[]): boolean {
  return isSure(letters) && isInSmallLetters(words)
}

function isSure(letters: readonly Letter[]): boolean {
  const sure = letters.filter(({ character }) => character.trim() !== '').map(({ confidence }) => confidence)
  return Math.min(...sure) >= SURE.least && sure.reduce((sum, one) => sum + one, 0) >= SURE.mean * sure.length
}

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

/** Least mean confidence of tesseract's words, weighted by their letters. */
const SURE_PRINT = { smallLetters: 0.7, capitals: 0.8 }

/** True for small print that tesseract reads as a label: in small letters, or in two languages in capitals. */
export function isPrintedLabel(words: readonly StripWord[]): boolean {
  const signs = words.reduce((sum, { text }) => sum + text.length, 0)
  const confidence = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / signs
  if (signs === 0 || confidence < SURE_PRINT.smallLetters) return false
  const text = words.map((word) => word.text).join(' ')
  // `DATE OF BIRTH / DATE DE NAISSANCE`
  const isBilingual = text.includes('/') && !/\d/.test(text) && words.length > 2
  return isInSmallLetters(words) || (isBilingual && confidence >= SURE_PRINT.capitals)
}

const DATE = /^(\d{2})\D(\d{2})\D(\d{4})$/

/**
 * True for a number or a date that the network reads as the reader of the MRZ did: two independent readers agree, and a third
 * one would add nothing. Names always get their second reader: neither the network nor the MRZ has their accents.
 */
export function isInMrz(
  words: readonly StripWord[],
  letters: readonly Letter[],
  mrz: readonly string[],
): boolean {
  if (words.length !== 1 || letters.some(({ confidence }) => confidence < SURE.least)) return false
  const [{ text }] = words
  const date = DATE.exec(text)
  const written = date ? `${date[3].slice(2)}${date[2]}${date[1]}` : text
  return /^[A-Z0-9]{6,}$/.test(written) && /\d/.test(written) && mrz.some((line) => line.includes(written))
}
