/** Recognises labels and their fields in text segments, and the text after a label in the same segment. */
import { distance } from 'fastest-levenshtein'
import type { PageWords } from './knowledge.ts'
import type { PageFieldName } from './page-facts.ts'
import { computeConfidence, withoutFirst, type Segment } from './segments.ts'
import { bareText, countBits, letterBits, readingErrors } from './spelling.ts'

export interface Label {
  readonly segment: Segment
  /** Null for a field that is not extracted. */
  readonly field: PageFieldName | null
  /** Text after the label in the same segment. */
  readonly rest: Segment | null
}

export interface Entry {
  readonly field: PageFieldName | null
  readonly label: string
  readonly wordCount: number
  /** Allowed reading errors. */
  readonly allowed: number
  readonly letters: number
}

const entriesByWords = new WeakMap<PageWords, readonly Entry[]>()

/** Cached per word list, because a page is compared with hundreds of labels. */
export function labelEntries(words: PageWords): readonly Entry[] {
  const known = entriesByWords.get(words) ?? makeEntries(words)
  entriesByWords.set(words, known)
  return known
}

/**
 * Longest first: `date of birth` before `birth`. Document names count as labels too: `residence permit` contains no
 * address.
 */
function makeEntries({ labels, notFields, kinds }: PageWords): readonly Entry[] {
  const known = Object.entries(labels).flatMap(([field, list]) =>
    list.map((label) => ({ field: field as PageFieldName, label })),
  )
  const titles = kinds.flatMap(({ words }) => words).filter((words) => words.includes(' '))
  const others = [...notFields, ...titles]
  return [...known, ...others.map((label) => ({ field: null, label }))]
    .sort((a, b) => b.label.length - a.label.length)
    .map((entry) => ({
      ...entry,
      wordCount: entry.label.split(' ').length,
      allowed: errorsAllowed(entry.label.length),
      letters: letterBits(entry.label),
    }))
}

/**
 * Allowed reading errors by label length: none up to four letters, then about one in six. Up to six letters only a
 * confusion of similar shapes, because many names are one letter away from a short label.
 */
const errorsAllowed = (length: number): number =>
  length <= 4 ? 0 : length <= 6 ? 0.5 : length <= 7 ? 1 : Math.floor(length / 5)

export function findLabel(segment: Segment, entries: readonly Entry[]): Label | null {
  const words = segment.bare.split(' ')
  // A number or sign may precede the label: `4d DL NO.`, `No Card No.`
  const chain =
    bestChain(words, 0, entries) ??
    (words[0].length <= 2 ? bestChain(words, 1, entries) : null) ??
    lastLanguage(words, entries, countUnread(segment)) ??
    gluedLanguages(words[0], entries)
  if (!chain) return null
  const end = wordsUpTo(segment, chain.end)
  const isShort = words.slice(0, chain.end).join('').length <= SHORT
  // Background patterns yield words of two or three letters.
  if (isShort && computeConfidence(segment.words.slice(0, end)) < MIN_SURE) return null
  const rest = withoutFirst(segment, end)
  const isNoValue = rest && (isCutLabel(rest, chain, entries) || isCaption(rest.bare, entries))
  return { segment, field: chain.field, rest: isNoValue ? null : rest }
}

/** `and` in the languages of the labels: a caption continues after it. */
const CONJUNCTIONS: readonly string[] = [
  ...[
    'and',
    'or',
    'et',
    'ou',
    'y',
    'o',
    'und',
    'oder',
    'e',
    'en',
    'of',
    'og',
    'och',
    'si',
    'i',
    'a',
    'ja',
    've',
  ],
]
/** Shorter labels of other fields or of the sex are also names (Pol, Nat). */
const MIN_CAPTION = 5
const NAMED_SHORT: readonly (PageFieldName | null)[] = ['surname', 'givenNames', 'fullName']

/** True for captions, which are never a value: labels only, or `and name of …`. Expects bare text. */
export function isCaption(bare: string, entries: readonly Entry[]): boolean {
  const words = bare.split(' ')
  const goesOn = CONJUNCTIONS.includes(words[0])
  if (goesOn && words.length > 1 && captionAt(words, 1, entries) !== null) return true
  let at = 0
  while (at < words.length) {
    const caption = captionAt(words, at, entries)
    if (caption !== null) at = caption.end
    else if (at > 0 && CONJUNCTIONS.includes(words[at])) at++
    else return false
  }
  return true
}

function captionAt(words: readonly string[], at: number, entries: readonly Entry[]): Chain | null {
  const counting = entries.filter(
    ({ field, label }) => label.length >= MIN_CAPTION || NAMED_SHORT.includes(field),
  )
  return matchAt(words, at, counting)
}

/** `Nom Surn.`: the truncated label in another language. Values of names are capitals, or longer. */
function isCutLabel({ text, bare }: Segment, { field }: Chain, entries: readonly Entry[]): boolean {
  if (bare.length < MIN_CUT || text === text.toUpperCase()) return false
  return entries.some(
    (entry) => entry.field === field && entry.label !== bare && entry.label.startsWith(bare),
  )
}

const MIN_CUT = 4

const SHORT = 3
const MIN_SURE = 0.5

interface Chain {
  readonly field: PageFieldName | null
  readonly end: number
  readonly score: number
}

/**
 * The label starting here including its translations: the division that explains most words best. `Name/Surname/Nom` is
 * one label three times, not a misread `Name Vorname`.
 */
function bestChain(words: readonly string[], start: number, entries: readonly Entry[]): Chain | null {
  const starts = matchesAt(words, start, entries)
  const chains = starts.map((first) => {
    let { end, score } = first
    const same = entries.filter(({ field, label }) => field === first.field && label.length > 2)
    for (let next = nextLanguage(words, end, same); next !== null; next = nextLanguage(words, end, same)) {
      end = next.end
      score += next.score
    }
    return { field: first.field, end, score }
  })
  return chains.reduce<Chain | null>(
    (best, one) => (best === null || one.score > best.score ? one : best),
    null,
  )
}

/** `Apelido(s)` and `N.` leave a single letter between two languages. */
function nextLanguage(words: readonly string[], at: number, entries: readonly Entry[]): Chain | null {
  const next = matchAt(words, at, entries)
  if (next !== null || at + 1 >= words.length || words[at].length > 1) return next
  return matchAt(words, at + 1, entries)
}

/** Minimum length of the last part of a bilingual label whose first part was misread. */
const MIN_LAST = 5
/** The same after words of another script, none of which was read with certainty. */
const MIN_BEHIND_UNREAD = 4
const MAX_BEFORE = 3
/** Maximum number if none was read with certainty: words of another script. */
const MAX_UNREAD = 5
const UNREAD = 0.85

/** Number of bare words at the line's start that were not read with certainty. */
function countUnread(segment: Segment): number {
  const before = segment.words.slice(0, wordsUpTo(segment, MAX_UNREAD))
  const sure = before.findIndex(({ confidence }) => confidence >= UNREAD)
  const unread = before.slice(0, sure < 0 ? before.length : sure)
  return bareText(unread.map(({ text }) => text).join(' '))
    .split(' ')
    .filter((word) => word !== '').length
}

function lastLanguage(words: readonly string[], entries: readonly Entry[], unread: number): Chain | null {
  for (let start = 1; start <= Math.min(Math.max(MAX_BEFORE, unread), words.length - 1); start++) {
    const chain = bestChain(words, start, entries)
    const least = start <= unread ? MIN_BEHIND_UNREAD : MIN_LAST
    if (chain && isRestOfLabel(words, chain, entries) && words.slice(start).join(' ').length >= least)
      return { ...chain, end: words.length }
  }
  return null
}

/** True if nothing is left behind the chain, or only the beginning of the label in another language. */
function isRestOfLabel(words: readonly string[], { end, field }: Chain, entries: readonly Entry[]): boolean {
  const rest = words.slice(end).join(' ')
  return (
    rest === '' ||
    (rest.length >= MIN_CUT && entries.some((entry) => entry.field === field && entry.label.startsWith(rest)))
  )
}

/** `Authority/Autorité` without its slash: two languages in one word, the second too long to be part of a name. */
const GLUED = { least: 8, before: 4 }

function gluedLanguages(word: string, entries: readonly Entry[]): Chain | null {
  const entry = entries.find(
    ({ label }) =>
      label.length >= GLUED.least && word.length >= label.length + GLUED.before && word.endsWith(label),
  )
  return entry ? { field: entry.field, end: 1, score: entry.label.length } : null
}

/** A word more or less counts as half an error, because recognisers join and split words. */
const WORD_ERROR = 0.5

/** `rn` for `m` is one more letter but half an error; a misplaced space is no error. */
function errorsBetween(text: string, label: string, allowed: number): number {
  if (allowed === 0) return text === label ? 0 : 1
  const [read, printed] = [withoutBlanks(text), withoutBlanks(label)]
  if (distance(read, printed) > allowed + 1) return allowed + 1
  const words = Math.abs(text.length - read.length - (label.length - printed.length))
  return readingErrors(read.toUpperCase(), printed.toUpperCase()) + WORD_ERROR * words
}

const withoutBlanks = (text: string): string => text.replaceAll(' ', '')

/** The best label that may start here; null if there is none. */
function matchAt(words: readonly string[], start: number, entries: readonly Entry[]): Chain | null {
  return matchesAt(words, start, entries).reduce<Chain | null>(
    (best, one) => (best === null || one.score > best.score ? one : best),
    null,
  )
}

/** Word count differences to try: recognisers join and split words of labels with allowed errors. */
const AS_PRINTED = [0]
const JOINED_OR_PARTED = [0, -1, 1]

function matchesAt(words: readonly string[], start: number, entries: readonly Entry[]): readonly Chain[] {
  const found: Chain[] = []
  const texts: { readonly text: string; readonly letters: number }[] = []
  for (const { field, label, wordCount, allowed, letters } of entries) {
    for (const more of allowed === 0 ? AS_PRINTED : JOINED_OR_PARTED) {
      const taken = wordCount + more
      if (taken < 1 || start + taken > words.length) continue
      const read = (texts[taken] ??= withLetters(words.slice(start, start + taken).join(' ')))
      // Cheap rejection: most labels differ in length or letters by more than the allowed errors.
      if (Math.abs(read.text.length - label.length) > allowed + 1) continue
      if (countBits(read.letters ^ letters) > 2 * (allowed + 1)) continue
      const errors = errorsBetween(read.text, label, allowed)
      if (errors <= allowed) found.push({ field, end: start + taken, score: label.length - 3 * errors })
    }
  }
  return found
}

const withLetters = (text: string) => ({ text, letters: letterBits(text) })

/** Number of words as read for this number of bare words: `Sex/Sexe` is one and two. */
function wordsUpTo({ words }: Segment, bareCount: number): number {
  let counted = 0
  for (let i = 0; i < words.length; i++) {
    if (counted >= bareCount) return i
    counted += words[i].text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((part) => part !== '').length
  }
  return words.length
}
