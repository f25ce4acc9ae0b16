/**
 * Fuses two readings of one line. Tesseract is better at spaces and letters with marks, the network at letters and
 * digits. A word is confirmed if both read the same letters, ignoring marks and case.
 */

/** Word as tesseract read it. */
export interface ReadWord {
  readonly text: string
  /** 0–1. */
  readonly confidence: number
}

/** Letter as the network read it, from left to right. */
export interface ReadLetter {
  readonly character: string
  /** 0–1. */
  readonly confidence: number
}

interface FusedWord extends ReadWord {
  readonly isConfirmed: boolean
  /** Index of the tesseract word from which it was made. */
  readonly word: number
}

/** Threshold: below this confidence the network's letter is a guess. */
const SURE_LETTER = 0.5
/** Alignment costs: a character that only one reading has, different letters, similar characters. */
const COST = { missing: 1, other: 1.2, alike: 0.3 }

/** Tesseract reads a J in narrow print as this character. */
const NARROW_J = ')'

export function fuseReadings(
  words: readonly ReadWord[],
  letters: readonly ReadLetter[],
): readonly FusedWord[] {
  const told = letters.map(plainLetter)
  const alone = loneLetter(words, told)
  if (alone) return [alone]
  const signs = words.flatMap(({ text }, word) =>
    Array.from(text.normalize('NFC').replace(/[’‘`´]/g, "'"), (character) => ({ character, word })),
  )
  const pairs = align(
    signs.map(({ character }) => character),
    told.map(({ character }) => character),
  )
  const fused: Draft[] = words.map(({ confidence }) => ({
    signs: [],
    ownConfidence: confidence,
    letterConfidence: 1,
    isConfirmed: true,
    hasLetters: false,
  }))
  let word = 0
  for (const [i, j] of pairs) {
    if (i !== null) word = signs[i].word
    const own = i === null ? null : signs[i].character
    const isLast = i !== null && signs[i + 1]?.word !== signs[i].word
    // If the network read a J here, an unmatched closing bracket is the J's stroke.
    if (j === null && own === NARROW_J && !isLast && !words[word].text.includes('(')) continue
    // The network distinguishes points from commas in numbers; after a word it misreads a comma as a point.
    const isComma = own === ',' && isLast && j !== null && told[j].character === '.'
    const isInNumber = i !== null && isDigit(signs[i - 1], word) && isDigit(signs[i + 1], word)
    addSign(fused[word], own, j === null || isComma ? null : told[j], {
      isInNumber,
      isInLetters: isAllLetters(words[word].text),
    })
  }
  return fused.flatMap((draft, index) => {
    const text = inOneCase(draft.signs.join(''))
    const { isConfirmed, hasLetters, ownConfidence, letterConfidence } = draft
    // If the network reads the line, it also reads everything longer than a speck.
    if (text === '' || (letters.length > 0 && !hasLetters && text.length <= MAX_SPECK_LENGTH)) return []
    const confidence = !hasLetters
      ? ownConfidence
      : isConfirmed
        ? // Two independent readers share an error only if both err.
          1 - (1 - ownConfidence) * (1 - letterConfidence)
        : Math.min(letterConfidence, MAX_UNCONFIRMED)
    return [{ text, confidence, isConfirmed: isConfirmed && hasLetters, word: index }]
  })
}

/**
 * Tesseract, trained on lines, doubles a single letter or reads it as lower case; the network reads it like any other.
 */
const LONE_LETTER = { sure: 0.9, mostRead: 2 }

/** Returns null unless the network read one letter with certainty and tesseract read at most a speck. */
function loneLetter(words: readonly ReadWord[], told: readonly ReadLetter[]): FusedWord | null {
  const seen = told.filter(({ character }) => isLetter(character))
  const [letter, second] = seen.filter(({ confidence }) => confidence >= LONE_LETTER.sure)
  const read = words.map(({ text }) => text).join('')
  if (!letter || second || read.length > LONE_LETTER.mostRead) return null
  // Other characters in the network's reading are background if tesseract read this letter too.
  if (seen.length > 1 && read !== letter.character) return null
  const { character: text, confidence } = letter
  const isConfirmed = removeMarksAndCase(read) === removeMarksAndCase(text)
  return { text, confidence: isConfirmed ? confidence : MAX_UNCONFIRMED, isConfirmed, word: 0 }
}

const MAX_SPECK_LENGTH = 2
/** Maximum confidence of a reading by one reader only. */
export const MAX_UNCONFIRMED = 0.84

interface Draft {
  readonly signs: string[]
  readonly ownConfidence: number
  letterConfidence: number
  isConfirmed: boolean
  hasLetters: boolean
}

function addSign(
  draft: Draft,
  own: string | null,
  told: ReadLetter | null,
  { isInNumber, isInLetters }: { readonly isInNumber: boolean; readonly isInLetters: boolean },
): void {
  if (told && isLetter(told.character)) draft.hasLetters = true
  if (own !== null && told !== null) {
    draft.signs.push(isInLetters && isUnsureFigure(own, told) ? own : choose(own, told))
    if (isLetter(own) || isLetter(told.character)) {
      draft.letterConfidence = Math.min(draft.letterConfidence, told.confidence)
      if (removeMarksAndCase(own) !== removeMarksAndCase(told.character)) draft.isConfirmed = false
    }
    return
  }
  const alone = own ?? (told && told.confidence >= SURE_LETTER ? told.character : '')
  // Tesseract reads specks as letters or signs; the network does not.
  const isSpeck =
    own !== null &&
    (isLetter(own) ? draft.ownConfidence < MIN_OWN : !(isInNumber ? SIGN_IN_NUMBER : PRINTED_SIGN).test(own))
  if (!isSpeck) draft.signs.push(alone)
  if (isLetter(alone)) draft.isConfirmed = false
}

/** Minimum confidence of tesseract for a letter that the network missed; a speck before a date had 0.84. */
const MIN_OWN = 0.9
/** Signs that occur in values and labels. */
const SIGN_IN_NUMBER = /^[.,/-]$/
const PRINTED_SIGN = /^[.,:;/'()&+#-]$/

/** Digits that the network confuses with letters, and its minimum confidence for a printed digit. */
const FIGURES: Readonly<Record<string, string>> = { O: '0', I: '1' }
const SURE_FIGURE = 0.9

/** `MIRAD0R`: in a word of letters tesseract's letter is right, and the word is not confirmed. */
const isUnsureFigure = (own: string, { character, confidence }: ReadLetter): boolean =>
  FIGURES[own] === character && confidence < SURE_FIGURE

/** Minimum letters of a word; document numbers begin with fewer. */
const isAllLetters = (text: string): boolean => /^\p{L}{4,}[.,]?$/u.test(text)

function choose(own: string, told: ReadLetter): string {
  if (removeMarksAndCase(own) === removeMarksAndCase(told.character))
    return (hasMark(told.character) && !hasMark(own)) || isSureCapital(own, told) ? told.character : own
  if (STROKED[own] === told.character) return own
  // A letter confused with a sign: the letter is the more frequent character in print.
  if (isLetter(own) && !isLetter(told.character)) return told.confidence >= 0.9 ? told.character : own
  return told.confidence >= SURE_LETTER ? told.character : own
}

/** Tesseract reads a capital beside a sign as lower case: `E/m`. */
const isSureCapital = (own: string, { character, confidence }: ReadLetter): boolean =>
  own === character.toLowerCase() && own !== character && confidence >= LONE_LETTER.sure

/** Normalises full-width characters; letters of non-Latin scripts become spaces. */
function plainLetter({ character, confidence }: ReadLetter): ReadLetter {
  const plain = character
    .normalize('NFKC')
    .replace('·', '.')
    .replace('İ', 'I')
    .replace(/[’‘`´]/, "'")
  return { character: /^[\p{Script=Latin}\p{N}\p{P}\p{S} ]$/u.test(plain) ? plain : '', confidence }
}

const isDigit = (
  sign: { readonly character: string; readonly word: number } | undefined,
  word: number,
): boolean => sign !== undefined && sign.word === word && /\d/.test(sign.character)

export const isLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)
export const hasMark = (text: string): boolean => /\p{M}/u.test(text.normalize('NFD'))
/** Removes marks and case. */
export const removeMarksAndCase = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
/** The network knows no letter with a stroke and reads the base letter. */
const STROKED: Readonly<Record<string, string>> = { Ł: 'L', Ø: 'O', Đ: 'D' }

/** Among capitals a lower-case letter is a misread capital of the same shape. */
function inOneCase(text: string): string {
  const letters = text.match(/\p{L}/gu) ?? []
  const capitals = text.match(/\p{Lu}/gu) ?? []
  const isCapital = letters.length >= 3 && capitals.length > letters.length / 2
  return isCapital ? text.replace(/[cikosuvwxz]/g, (letter) => letter.toUpperCase()) : text
}

export type Pair = readonly [own: number | null, told: number | null]

/** Minimum-cost alignment of both readings. */
export function align(own: readonly string[], told: readonly string[]): readonly Pair[] {
  const costs = Array.from({ length: own.length + 1 }, () => new Float64Array(told.length + 1))
  for (let i = 1; i <= own.length; i++) costs[i][0] = costs[i - 1][0] + missing(own[i - 1])
  for (let j = 1; j <= told.length; j++) costs[0][j] = costs[0][j - 1] + missing(told[j - 1])
  for (let i = 1; i <= own.length; i++)
    for (let j = 1; j <= told.length; j++)
      costs[i][j] = Math.min(
        costs[i - 1][j - 1] + substitution(own[i - 1], told[j - 1]),
        costs[i - 1][j] + missing(own[i - 1]),
        costs[i][j - 1] + missing(told[j - 1]),
      )
  const pairs: Pair[] = []
  let [i, j] = [own.length, told.length]
  while (i > 0 || j > 0) {
    if (i > 0 && j > 0 && costs[i][j] === costs[i - 1][j - 1] + substitution(own[i - 1], told[j - 1]))
      pairs.push([--i, --j])
    else if (i > 0 && costs[i][j] === costs[i - 1][j] + missing(own[i - 1])) pairs.push([--i, null])
    else pairs.push([null, --j])
  }
  return pairs.reverse()
}

const missing = (sign: string): number => (isLetter(sign) ? COST.missing : COST.alike)

function substitution(own: string, told: string): number {
  if (own === told) return 0
  if (removeMarksAndCase(own) === removeMarksAndCase(told)) return 0.1
  if (own === NARROW_J && told === 'J') return COST.alike
  // Point and comma are treated as two readings of one sign.
  if (!isLetter(own) && !isLetter(told) && told !== ' ') return COST.alike
  return isLetter(own) === isLetter(told) ? COST.other : COST.other + COST.alike
}
