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
  /** The label without blanks, in capitals. */
  readonly joined: string
  /** Position among the entries. */
  readonly index: number
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
    .map((entry, index) => ({
      ...entry,
      index,
      wordCount: entry.label.split(' ').length,
      allowed: errorsAllowed(entry.label.length),
      letters: letterBits(entry.label),
      joined: joinWords(entry.label),
    }))
}

/**
 * Allowed reading errors by label length: none up to four letters, then about one in six. Up to six letters only a
 * confusion of similar shapes, because many names are one letter away from a short label.
 */
const errorsAllowed = (length: number): number =>
  length <= 4 ? 0 : length <= 6 ? 0.5 : length <= 7 ? 1 : Math.floor(length / 5)

export function findLabel(segment: Segment, entries: readonly Entry[]): Label | null {
  const line = compareWords(segment.bare, entries)
  const { words } = line
  // A number or sign may precede the label: `4d DL NO.`, `No Card No.`
  const chain =
    bestChain(line, 0) ??
    (words[0].length <= 2 ? bestChain(line, 1) : null) ??
    lastLanguage(line, entries, countUnread(segment)) ??
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
  const line = compareWords(bare, entries)
  const { words } = line
  const goesOn = CONJUNCTIONS.includes(words[0])
  if (goesOn && words.length > 1 && captionAt(line, 1) !== null) return true
  let at = 0
  while (at < words.length) {
    const caption = captionAt(line, at)
    if (caption !== null) at = caption.end
    else if (at > 0 && CONJUNCTIONS.includes(words[at])) at++
    else return false
  }
  return true
}

const captionAt = (line: ComparedWords, at: number): Match | null =>
  bestMatch(
    line.matchesAt(at).filter(({ field, length }) => length >= MIN_CAPTION || NAMED_SHORT.includes(field)),
  )

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
function bestChain(line: ComparedWords, start: number): Chain | null {
  const chains = line.matchesAt(start).map(({ field, end: first, score: own }) => {
    let [end, score] = [first, own]
    for (let next = nextLanguage(line, end, field); next !== null; next = nextLanguage(line, end, field)) {
      end = next.end
      score += next.score
    }
    return { field, end, score }
  })
  return bestMatch(chains)
}

/** `Apelido(s)` and `N.` leave a single letter between two languages. */
function nextLanguage(line: ComparedWords, at: number, field: Match['field']): Match | null {
  const { words } = line
  const translationAt = (place: number) =>
    bestMatch(line.matchesAt(place).filter((match) => match.field === field && match.length > 2))
  const next = translationAt(at)
  if (next !== null || at + 1 >= words.length || words[at].length > 1) return next
  return translationAt(at + 1)
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

function lastLanguage(line: ComparedWords, entries: readonly Entry[], unread: number): Chain | null {
  const { words } = line
  for (let start = 1; start <= Math.min(Math.max(MAX_BEFORE, unread), words.length - 1); start++) {
    const chain = bestChain(line, start)
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
function errorsBetween(read: ReadText, { label, allowed, joined }: Entry): number {
  if (allowed === 0) return read.text === label ? 0 : 1
  if (distance(read.joined, joined) > allowed + 1) return allowed + 1
  const words = Math.abs(read.text.length - read.joined.length - (label.length - joined.length))
  return readingErrors(read.joined, joined) + WORD_ERROR * words
}

const joinWords = (text: string): string => text.replaceAll(' ', '').toUpperCase()

interface ReadText {
  readonly text: string
  readonly letters: number
  readonly joined: string
}

interface Match extends Chain {
  /** Letters of the label, including blanks. */
  readonly length: number
}

/** The words of a line and the labels that may start at each. */
interface ComparedWords {
  readonly words: readonly string[]
  matchesAt(start: number): readonly Match[]
}

/** Compares each start once, because chains of languages return to it. */
function compareWords(bare: string, entries: readonly Entry[]): ComparedWords {
  const words = bare.split(' ')
  const known: (readonly Match[])[] = []
  return {
    words,
    matchesAt: (start) => (known[start] ??= findMatches(words, start, entries)),
  }
}

/** The first of the best. */
function bestMatch<Found extends Chain>(found: readonly Found[]): Found | null {
  return found.reduce<Found | null>(
    (best, one) => (best === null || one.score > best.score ? one : best),
    null,
  )
}

interface LabelIndex {
  /** Maximum number of words and letters of a text that matches a label. */
  readonly words: number
  readonly letters: number
  /** Labels that may match a text, by its numbers of words and letters. Computed on demand. */
  readonly candidates: Map<string, readonly Entry[]>
}

const indexes = new WeakMap<readonly Entry[], LabelIndex>()

function indexLabels(entries: readonly Entry[]): LabelIndex {
  const known = indexes.get(entries)
  if (known) return known
  const index = {
    words: Math.max(0, ...entries.map(({ wordCount }) => wordCount + 1)),
    letters: Math.max(0, ...entries.map(({ label, allowed }) => label.length + allowed + 1)),
    candidates: new Map<string, readonly Entry[]>(),
  }
  indexes.set(entries, index)
  return index
}

/** Recognisers join and split words, so a label with allowed errors may have one word more or less. */
function listCandidates(
  entries: readonly Entry[],
  { candidates }: LabelIndex,
  wordCount: number,
  length: number,
): readonly Entry[] {
  const key = `${wordCount} ${length}`
  const found =
    candidates.get(key) ??
    entries.filter(
      (entry) =>
        Math.abs(entry.wordCount - wordCount) <= (entry.allowed === 0 ? 0 : 1) &&
        Math.abs(entry.label.length - length) <= entry.allowed + 1,
    )
  candidates.set(key, found)
  return found
}

function findMatches(words: readonly string[], start: number, entries: readonly Entry[]): readonly Match[] {
  const found: (Match & { readonly place: number; readonly added: number })[] = []
  const index = indexLabels(entries)
  for (let end = start + 1; end <= Math.min(words.length, start + index.words); end++) {
    const read = takeText(words.slice(start, end).join(' '))
    if (read.text.length > index.letters) break
    for (const entry of listCandidates(entries, index, end - start, read.text.length)) {
      const { field, label, wordCount, allowed } = entry
      // Cheap rejection: an error changes at most two letters.
      if (countBits(read.letters ^ entry.letters) > 2 * (allowed + 1)) continue
      const errors = errorsBetween(read, entry)
      if (errors > allowed) continue
      const { length } = label
      found.push({
        field,
        end,
        score: length - 3 * errors,
        length,
        place: entry.index,
        added: end - start - wordCount,
      })
    }
  }
  // The first of equal matches counts: that of the longest label, and of as many words as it has.
  return found.sort((a, b) => a.place - b.place || Math.abs(a.added) - Math.abs(b.added) || a.added - b.added)
}

const takeText = (text: string): ReadText => ({ text, letters: letterBits(text), joined: joinWords(text) })

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
