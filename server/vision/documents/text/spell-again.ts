/**
 * Adds letters of one language to a line, from a second reading with that language's tesseract model: marks, and letters
 * that the first recognisers lack. Confirms nothing, because both tesseract models share errors.
 */
import {
  align,
  removeMarksAndCase,
  hasMark,
  isLetter,
  MAX_UNCONFIRMED,
  type Pair,
  type ReadWord,
} from './fuse-readings.ts'

interface SpelledWord extends ReadWord {
  /** Absent if only one recogniser read the word. */
  readonly isConfirmed?: boolean
}

/** Threshold: below this confidence the model guesses from its language. */
const MIN_SURE = 0.6
/** Confidence from which a letter without a mark has no mark, regardless of the ink around it. */
const SURE = 0.85

/** Returns as many words as before, at the same places. */
export function spellAgain<W extends SpelledWord>(words: readonly W[], again: readonly ReadWord[]): W[] {
  const [own, told] = [listSigns(words), listSigns(again)]
  const pairs = align(
    own.map(({ sign }) => sign),
    told.map(({ sign }) => sign),
  )
  return words.map((word, w) => {
    const whole = sameWord(w, own, told, pairs)
    const other = whole === null ? null : again[whole]
    if (other && other.confidence >= SURE && [...other.text].some(isBeyond))
      return other.text === word.text ? word : unconfirmed(word, other.text)
    const text = own
      .map(({ sign, word: of }, i) => (of === w ? spelled(sign, toldFor(i, told, again, pairs)) : ''))
      .join('')
    return [...text].filter(isBeyond).length > [...word.text].filter(isBeyond).length
      ? unconfirmed(word, text)
      : { ...word, text }
  })
}

/** The first recognisers do not know such a letter, so their agreement confirms nothing. */
function unconfirmed<W extends SpelledWord>(word: W, text: string): W {
  return { ...word, text, confidence: Math.min(word.confidence, MAX_UNCONFIRMED), isConfirmed: false }
}

interface Sign {
  readonly sign: string
  /** Index of its word. */
  readonly word: number
}

const listSigns = (words: readonly { readonly text: string }[]): readonly Sign[] =>
  words.flatMap(({ text }, word) => Array.from(text.normalize('NFC'), (sign) => ({ sign, word })))

/** The word of the second reading that matches this word exclusively in both directions; else null. */
function sameWord(
  word: number,
  own: readonly Sign[],
  told: readonly Sign[],
  pairs: readonly Pair[],
): number | null {
  const both = pairs.filter(([i, j]) => i !== null && j !== null) as [number, number][]
  const others = new Set(both.filter(([i]) => own[i].word === word).map(([, j]) => told[j].word))
  const [other] = others
  if (others.size !== 1) return null
  return both.every(([i, j]) => told[j].word !== other || own[i].word === word) ? other : null
}

function toldFor(
  i: number,
  told: readonly Sign[],
  again: readonly ReadWord[],
  pairs: readonly Pair[],
): { readonly letter: string; readonly confidence: number } | null {
  const j = pairs.find(([own]) => own === i)?.[1] ?? null
  return j === null ? null : { letter: told[j].sign, confidence: again[told[j].word].confidence }
}

function spelled(
  sign: string,
  told: { readonly letter: string; readonly confidence: number } | null,
): string {
  if (told === null || told.confidence < MIN_SURE || !isLetter(sign)) return sign
  const { letter, confidence } = told
  if (isBeyond(letter)) return letter
  const isSame =
    removeMarksAndCase(sign) === removeMarksAndCase(letter) && (hasMark(letter) || confidence >= SURE)
  if (!isSame) return sign
  return sign === sign.toLowerCase() ? letter.toLowerCase() : letter.toUpperCase()
}

/** Ə, Ł, Ø and other letters that are not A to Z with a mark. */
const isBeyond = (letter: string): boolean =>
  /\p{L}/u.test(letter) && !/^[A-Z]$/.test(removeMarksAndCase(letter))
