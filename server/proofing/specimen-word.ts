/** Is a document marked as a specimen by a word that is printed on it? In the languages of its issuers, and as readers misread it. */
import { readingErrors } from './visual-zone/spelling.ts'
import type { TextLine } from './visual-zone/text.ts'

/** Latin, French and English, Spanish, Portuguese: no name and no other word of a document is spelled like it. */
const PLAIN_WORDS: readonly string[] = ['SPECIMEN', 'ESPECIMEN', 'ESPECIME']

/**
 * These are names of people and places, too (Muster, Sample), or words of a form (Modelo). They count alone in a line, in print that
 * is larger than that of the values, and where no value of the document is the same word.
 */
const LARGE_WORDS: readonly string[] = [
  ...['MUSTER', 'SAMPLE', 'MODELLO', 'FACSIMILE', 'CAMPIONE', 'MODELO', 'MUESTRA', 'AMOSTRA', 'MODELE'],
  ...['WZOR', 'VZOR', 'VZOREC', 'UZORAK', 'MINTA', 'ORNEK', 'MALLI', 'NAIDIS', 'PARAUGS', 'PAVYZDYS'],
  ...[
    'VOORBEELD',
    'EKSEMPEL',
    'EXEMPEL',
    'NUMUNE',
    'MOSTRA',
    'NUMUNƏ',
    'ОБРАЗЕЦ',
    'ЗРАЗОК',
    'МОСТРА',
    'УЗОРАК',
  ],
  ...['ΔΕΙΓΜΑ', 'ΥΠΟΔΕΙΓΜΑ', 'نموذج', 'عينة'],
].map(foldWord)

/** A line's height over the middle one of its page. */
const LARGE = 1.4
/** In shorter words a letter that is taken for a like one may make another word. */
const MIN_MISREAD = 6
const LIKE_SHAPE = 0.5

/** @param values what the document says: names, places */
export function isMarkedSpecimen(
  pages: readonly { readonly lines: readonly TextLine[] }[],
  values: readonly string[],
): boolean {
  const ofHolder = new Set(values.flatMap((value) => value.split(/\s+/)).map(foldWord))
  return pages.some(({ lines }) => {
    // Large letters stand apart: a reader makes words of them, and lines where other print stands between.
    if (lines.map(wordsOf).some((words) => [...words, words.join('')].some(saysSpecimen))) return true
    const middle = middleOf(lines.map(({ box }) => box.height))
    const large = lines.filter(({ box }) => box.height >= LARGE * middle)
    return (
      rowsOf(large).some((row) => saysSpecimen(row) || isPartOfSpecimen(row)) ||
      large
        .map(wordsOf)
        .some(
          (words) => words.length > 0 && words.every((word) => saysInLargePrint(word) && !ofHolder.has(word)),
        )
    )
  })
}

const wordsOf = ({ words }: TextLine): readonly string[] =>
  words.map(({ text }) => foldWord(text)).filter((word) => word !== '')

/** What each line says together with those to its right that are level with it. */
function rowsOf(lines: readonly TextLine[]): readonly string[] {
  return lines.map((first) => {
    const { y, height } = first.box
    const level = lines.filter(
      ({ box }) => box.x >= first.box.x && Math.abs(box.y + box.height / 2 - y - height / 2) <= height / 2,
    )
    return level
      .toSorted((a, b) => a.box.x - b.box.x)
      .flatMap(wordsOf)
      .join('')
  })
}

/** One letter may be misread or lost; no word is one letter longer than this one and means another thing. */
function saysSpecimen(word: string): boolean {
  return PLAIN_WORDS.some((plain) => isAtMostOneLetterOff(word, plain))
}

function isAtMostOneLetterOff(word: string, plain: string): boolean {
  if (word.length === plain.length) return [...word].filter((sign, i) => sign !== plain[i]).length <= 1
  return (
    word.length === plain.length - 1 &&
    [...plain].some((_, i) => plain.slice(0, i) + plain.slice(i + 1) === word)
  )
}

/** In large print across other print some of its letters are not read. */
const MIN_PART = 6
const isPartOfSpecimen = (row: string): boolean =>
  row.length >= MIN_PART && PLAIN_WORDS.some((plain) => plain.includes(row))

function saysInLargePrint(word: string): boolean {
  return LARGE_WORDS.some(
    (known) =>
      word === known ||
      (known.length >= MIN_MISREAD &&
        word.length === known.length &&
        readingErrors(word, known) <= LIKE_SHAPE),
  )
}

/** In capitals, without marks and the signs around it. */
function foldWord(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

function middleOf(heights: readonly number[]): number {
  return heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0
}
