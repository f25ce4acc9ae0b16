/**
 * A line as it was read, and the same line by tesseract's model of one language → the line with the letters of that language:
 * marks, and letters that neither of the first readers has. It confirms nothing: both models are tesseract's, and err alike.
 */
import { align, fold, hasMark, isLetter, MAX_UNCONFIRMED, type Pair, type ReadWord } from './fuse-readings.ts'

export interface SpelledWord extends ReadWord {
  /** Absent: one reader read it. */
  readonly isConfirmed?: boolean
}

/** Below it the model guesses what its language would write. */
const MIN_SURE = 0.6
/** From here on a letter without a mark has none, whatever its ink looked like. */
const SURE = 0.85

/** As many words as before, at the same places. */
export function spellAnew<W extends SpelledWord>(words: readonly W[], again: readonly ReadWord[]): W[] {
  const [own, told] = [signsOf(words), signsOf(again)]
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

/** Nothing that the first readers saw is such a letter: they agree on another one, or on none. */
function unconfirmed<W extends SpelledWord>(word: W, text: string): W {
  return { ...word, text, confidence: Math.min(word.confidence, MAX_UNCONFIRMED), isConfirmed: false }
}

interface Sign {
  readonly sign: string
  /** Number of its word. */
  readonly word: number
}

const signsOf = (words: readonly { readonly text: string }[]): readonly Sign[] =>
  words.flatMap(({ text }, word) => Array.from(text.normalize('NFC'), (sign) => ({ sign, word })))

/** The word of the second reading that has its letters in this one alone, and this one its own in it alone; else null. */
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
  const isSame = fold(sign) === fold(letter) && (hasMark(letter) || confidence >= SURE)
  if (!isSame) return sign
  return sign === sign.toLowerCase() ? letter.toLowerCase() : letter.toUpperCase()
}

/** Ə, Ł, Ø and others that are no letter of A to Z with a mark. */
const isBeyond = (letter: string): boolean => /\p{L}/u.test(letter) && !/^[A-Z]$/.test(fold(letter))
