/** Detects a specimen by a printed word in the languages of its issuers, including misreadings. */
import { readingErrors } from './visual-zone/spelling.ts'
import type { TextLine } from './visual-zone/text.ts'

/** Latin, French and English, Spanish, Portuguese: no name or other word on a document is similar. */
const PLAIN_WORDS: readonly string[] = ['SPECIMEN', 'ESPECIMEN', 'ESPECIME']

/**
 * Also names of people and places (Muster, Sample) or words of forms (Modelo). They count only alone in a line, in larger
 * print than the values, and if no value of the document equals the word.
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

/** Height of a line relative to the median of its page. */
const LARGE = 1.4
/** A confused letter may turn a shorter word into another word. */
const MIN_MISREAD = 6
const LIKE_SHAPE = 0.5

/** @param values names and places on the document */
export function isMarkedSpecimen(
  pages: readonly { readonly lines: readonly TextLine[] }[],
  values: readonly string[],
): boolean {
  const ofHolder = new Set(values.flatMap((value) => value.split(/\s+/)).map(foldWord))
  return pages.some(({ lines }) => {
    // Large letters are far apart: recognisers split them into words, or into lines if other print lies between.
    if (lines.map(foldWords).some((words) => [...words, words.join('')].some(saysSpecimen))) return true
    const middle = findMedian(lines.map(({ box }) => box.height))
    const large = lines.filter(({ box }) => box.height >= LARGE * middle)
    return (
      joinRows(large).some((row) => saysSpecimen(row) || isPartOfSpecimen(row)) ||
      large
        .map(foldWords)
        .some(
          (words) => words.length > 0 && words.every((word) => saysInLargePrint(word) && !ofHolder.has(word)),
        )
    )
  })
}

const foldWords = ({ words }: TextLine): readonly string[] =>
  words.map(({ text }) => foldWord(text)).filter((word) => word !== '')

/** Text of each line together with level lines to its right. */
function joinRows(lines: readonly TextLine[]): readonly string[] {
  return lines.map((first) => {
    const { y, height } = first.box
    const level = lines.filter(
      ({ box }) => box.x >= first.box.x && Math.abs(box.y + box.height / 2 - y - height / 2) <= height / 2,
    )
    return level
      .toSorted((a, b) => a.box.x - b.box.x)
      .flatMap(foldWords)
      .join('')
  })
}

/** One letter may be misread or lost; no word that is one letter longer has another meaning. */
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

/** Some letters of large print across other print are not read. */
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

/** Capitals, without marks and surrounding signs. */
function foldWord(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

function findMedian(heights: readonly number[]): number {
  return heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0
}
