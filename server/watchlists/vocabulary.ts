/**
 * Holds every distinct word of all listed names with its places. Finds the words similar to a given one without comparing
 * all letters of all words: it first computes an upper bound from the letters that two words share.
 */
import type { WordLimits } from '../proofing/watchlist/limits.ts'
import { wordSimilarity } from '../proofing/watchlist/similarity.ts'
import type { Word } from '../proofing/watchlist/words.ts'

interface FoundWord {
  readonly similarity: number
  /** Numbers of the names that contain the word. */
  readonly names: readonly number[]
}

/** The data of all words that the search reads, in parallel arrays; separate objects would be scattered in memory. */
interface Shapes {
  /** One bit per letter that occurs in the sound. */
  readonly letters: Int32Array
  readonly lengths: Uint8Array
  /** First letter of the text, and whether the text is only that letter. */
  readonly firsts: Uint8Array
  readonly areInitials: Uint8Array
}

const A = 'A'.charCodeAt(0)
/** Winkler's bonus: each of the first four letters that agree adds a tenth of the missing similarity. */
const PREFIX_LENGTH = 4
const PREFIX_SHARE = 0.1
/**
 * Words whose sounds cannot reach this similarity are skipped. It is near the floor of the similarity, where a word adds
 * almost nothing to a name.
 */
const MIN_SOUND = 0.82

export class Vocabulary {
  readonly #words: Word[] = []
  readonly #names: number[][] = []
  readonly #byText = new Map<string, number>()
  #shapes: Shapes | null = null

  get size(): number {
    return this.#words.length
  }

  add(word: Word, name: number): void {
    const known = this.#byText.get(word.text)
    if (known !== undefined) {
      if (this.#names[known].at(-1) !== name) this.#names[known].push(name)
      return
    }
    this.#byText.set(word.text, this.#words.push(word) - 1)
    this.#names.push([name])
    this.#shapes = null
  }

  like(word: Word, limits: WordLimits): FoundWord[] {
    const { letters, lengths, firsts, areInitials } = (this.#shapes ??= buildShapes(this.#words))
    const own = toLetterBits(word.sound)
    const length = word.sound.length
    const first = word.text.charCodeAt(0)
    const isInitial = word.text.length === 1
    const found: FoundWord[] = []
    for (let i = 0; i < letters.length; i++) {
      const beginsAlike = firsts[i] === first
      if (isInitial || areInitials[i] === 1) {
        if (!beginsAlike) continue
      } else {
        // A letter that only one of the words contains cannot be paired.
        const paired = Math.min(
          length - countBits(own & ~letters[i]),
          lengths[i] - countBits(letters[i] & ~own),
        )
        const jaro = (paired / length + paired / lengths[i] + 1) / 3
        const most = beginsAlike ? boosted(jaro, PREFIX_LENGTH) : jaro
        if (most < MIN_SOUND) continue
        const other = this.#words[i]
        const isNear = boosted(jaro, commonPrefix(word.sound, other.sound)) >= MIN_SOUND
        if (!isNear && word.consonants !== other.consonants) continue
      }
      const similarity = wordSimilarity(word, this.#words[i], limits)
      if (similarity > 0) found.push({ similarity, names: this.#names[i] })
    }
    return found
  }
}

function buildShapes(words: readonly Word[]): Shapes {
  return {
    letters: Int32Array.from(words, ({ sound }) => toLetterBits(sound)),
    lengths: Uint8Array.from(words, ({ sound }) => sound.length),
    firsts: Uint8Array.from(words, ({ text }) => text.charCodeAt(0)),
    areInitials: Uint8Array.from(words, ({ text }) => Number(text.length === 1)),
  }
}

function boosted(jaro: number, prefix: number): number {
  return jaro + prefix * PREFIX_SHARE * (1 - jaro)
}

function commonPrefix(one: string, other: string): number {
  let prefix = 0
  while (prefix < PREFIX_LENGTH && prefix < one.length && one[prefix] === other[prefix]) prefix++
  return prefix
}

function toLetterBits(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) - A)
  return letters
}

function countBits(set: number): number {
  let bits = set - ((set >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
