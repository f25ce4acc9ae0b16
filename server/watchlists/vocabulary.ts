/**
 * Every word of every listed name once, and where it stands. Finds the words that are like a given one without comparing
 * all letters of all words: what the letters that two words share allow at most is reckoned first.
 */
import type { WordLimits } from '../proofing/watchlist/limits.ts'
import { wordSimilarity } from '../proofing/watchlist/similarity.ts'
import type { Word } from '../proofing/watchlist/words.ts'

export interface FoundWord {
  readonly similarity: number
  /** Numbers of the names that it stands in. */
  readonly names: readonly number[]
}

interface Entry {
  readonly word: Word
  readonly letters: number
  readonly names: number[]
}

const A = 'A'.charCodeAt(0)
/** Winkler adds at most this share of what is missing, and only where the first letters agree. */
const MOST_BOOST = 0.4
/** What a letter more or less in the text changes in its folded sound. Found by holding the index against a full search. */
const MARGIN = 0.05

export class Vocabulary {
  readonly #entries: Entry[] = []
  readonly #byText = new Map<string, Entry>()

  get size(): number {
    return this.#entries.length
  }

  add(word: Word, name: number): void {
    const known = this.#byText.get(word.text)
    if (known) {
      if (known.names.at(-1) !== name) known.names.push(name)
      return
    }
    const entry = { word, letters: lettersOf(word.sound), names: [name] }
    this.#entries.push(entry)
    this.#byText.set(word.text, entry)
  }

  like(word: Word, limits: WordLimits): FoundWord[] {
    const letters = lettersOf(word.sound)
    const found: FoundWord[] = []
    for (const entry of this.#entries) {
      if (!mayBeLike(word, letters, entry, limits)) continue
      const similarity = wordSimilarity(word, entry.word, limits)
      if (similarity > 0) found.push({ similarity, names: entry.names })
    }
    return found
  }
}

function mayBeLike(word: Word, letters: number, entry: Entry, { floor }: WordLimits): boolean {
  const [one, other] = [word.sound.length, entry.word.sound.length]
  // A letter that only one of the words has cannot be paired.
  const paired = Math.min(one - bitsOf(letters & ~entry.letters), other - bitsOf(entry.letters & ~letters))
  if (paired <= 0) return false
  if (word.text.length === 1 || entry.word.text.length === 1) return true
  const jaro = (paired / one + paired / other + 1) / 3
  const beginsAlike = word.text.charCodeAt(0) === entry.word.text.charCodeAt(0)
  const most = beginsAlike ? jaro + MOST_BOOST * (1 - jaro) : jaro
  return most >= floor - MARGIN || word.consonants === entry.word.consonants
}

/** One bit a letter that occurs. */
function lettersOf(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) - A)
  return letters
}

function bitsOf(set: number): number {
  let bits = set - ((set >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24) & 0x3f
}
