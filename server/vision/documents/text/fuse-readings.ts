/**
 * Two readings of one line → one, with what both agree on. Tesseract knows blanks and letters with marks; the network is the
 * better one in letters and figures. A word is confirmed when both read the same letters, marks and case aside.
 */

/** As tesseract read it. */
export interface ReadWord {
  readonly text: string
  /** 0–1. */
  readonly confidence: number
}

/** As the network read it, from left to right. */
export interface ReadLetter {
  readonly character: string
  /** 0–1. */
  readonly confidence: number
}

export interface FusedWord extends ReadWord {
  readonly isConfirmed: boolean
  /** The word of tesseract's that it was made of, by its number. */
  readonly word: number
}

/** Below it the network's letter is a guess. */
const SURE_LETTER = 0.5
/** What a sign costs that only one of both has, and a letter that both read differently. */
const COST = { missing: 1, other: 1.2, alike: 0.3 }

/** How tesseract reads a J in narrow print. */
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
    // Where the network has the J, the bracket that nothing opened is its stroke.
    if (j === null && own === NARROW_J && !isLast && !words[word].text.includes('(')) continue
    // Within numbers the network tells points from commas; behind a word it takes a comma for a point.
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
    // Where the network reads the line, it also reads what is longer than a speck.
    if (text === '' || (letters.length > 0 && !hasLetters && text.length <= MAX_SPECK_LENGTH)) return []
    const confidence = !hasLetters
      ? ownConfidence
      : isConfirmed
        ? // Two readers that know nothing of each other err alike only where both err.
          1 - (1 - ownConfidence) * (1 - letterConfidence)
        : Math.min(letterConfidence, MAX_UNCONFIRMED)
    return [{ text, confidence, isConfirmed: isConfirmed && hasLetters, word: index }]
  })
}

/** Tesseract, made for lines, doubles a letter that stands alone, or reads it small; the network reads it as any other. */
const LONE_LETTER = { sure: 0.9, mostRead: 2 }

/** Null unless the network surely read one letter and tesseract no more than a speck's worth. */
function loneLetter(words: readonly ReadWord[], told: readonly ReadLetter[]): FusedWord | null {
  const seen = told.filter(({ character }) => isLetter(character))
  const [letter, second] = seen.filter(({ confidence }) => confidence >= LONE_LETTER.sure)
  const read = words.map(({ text }) => text).join('')
  if (!letter || second || read.length > LONE_LETTER.mostRead) return null
  // What else the network half saw is background where tesseract read the one letter, too.
  if (seen.length > 1 && read !== letter.character) return null
  const { character: text, confidence } = letter
  const isConfirmed = fold(read) === fold(text)
  return { text, confidence: isConfirmed ? confidence : MAX_UNCONFIRMED, isConfirmed, word: 0 }
}

const MAX_SPECK_LENGTH = 2
/** What one reader says alone is no surer than this. */
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
      if (fold(own) !== fold(told.character)) draft.isConfirmed = false
    }
    return
  }
  const alone = own ?? (told && told.confidence >= SURE_LETTER ? told.character : '')
  // Tesseract makes letters and signs of specks; the network does not.
  const isSpeck =
    own !== null &&
    (isLetter(own) ? draft.ownConfidence < MIN_OWN : !(isInNumber ? SIGN_IN_NUMBER : PRINTED_SIGN).test(own))
  if (!isSpeck) draft.signs.push(alone)
  if (isLetter(alone)) draft.isConfirmed = false
}

/** So sure is tesseract of a letter that the network overlooked; of a speck before a date it was 0.84. */
const MIN_OWN = 0.9
/** Signs that values and labels are printed with. */
const SIGN_IN_NUMBER = /^[.,/-]$/
const PRINTED_SIGN = /^[.,:;/'()&+#-]$/

/** Figures that the network takes a letter for, and how sure it is of one that is printed. */
const FIGURES: Readonly<Record<string, string>> = { O: '0', I: '1' }
const SURE_FIGURE = 0.9

/** `MIRAD0R`: in a word of letters tesseract's letter is right, and nothing is confirmed by it. */
const isUnsureFigure = (own: string, { character, confidence }: ReadLetter): boolean =>
  FIGURES[own] === character && confidence < SURE_FIGURE

/** So many letters are a word; numbers of documents begin with fewer. */
const isAllLetters = (text: string): boolean => /^\p{L}{4,}[.,]?$/u.test(text)

function choose(own: string, told: ReadLetter): string {
  if (fold(own) === fold(told.character))
    return (hasMark(told.character) && !hasMark(own)) || isSureCapital(own, told) ? told.character : own
  if (STROKED[own] === told.character) return own
  // A letter that is taken for a sign, or the other way round: the letter is what is printed more often.
  if (isLetter(own) && !isLetter(told.character)) return told.confidence >= 0.9 ? told.character : own
  return told.confidence >= SURE_LETTER ? told.character : own
}

/** Tesseract reads a capital small that stands beside another sign: `E/m`. */
const isSureCapital = (own: string, { character, confidence }: ReadLetter): boolean =>
  own === character.toLowerCase() && own !== character && confidence >= LONE_LETTER.sure

/** Full-width signs become plain ones; letters of scripts that no Latin page has become blanks of no meaning. */
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
/** Without marks and case. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
/** The network knows no letter with a stroke: it reads the letter that the stroke runs through. */
const STROKED: Readonly<Record<string, string>> = { Ł: 'L', Ø: 'O', Đ: 'D' }

/** Among capitals a small letter is a capital that was read small: the shapes are the same. */
function inOneCase(text: string): string {
  const letters = text.match(/\p{L}/gu) ?? []
  const capitals = text.match(/\p{Lu}/gu) ?? []
  const isCapital = letters.length >= 3 && capitals.length > letters.length / 2
  return isCapital ? text.replace(/[cikosuvwxz]/g, (letter) => letter.toUpperCase()) : text
}

export type Pair = readonly [own: number | null, told: number | null]

/** The cheapest way to lay both beside each other. */
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
  if (fold(own) === fold(told)) return 0.1
  if (own === NARROW_J && told === 'J') return COST.alike
  // A point and a comma are one sign that was read in two ways.
  if (!isLetter(own) && !isLetter(told) && told !== ' ') return COST.alike
  return isLetter(own) === isLetter(told) ? COST.other : COST.other + COST.alike
}
