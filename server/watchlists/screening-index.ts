/**
 * Holds all listed persons in memory and selects those who may match; only they are compared in full. Uses no database;
 * its content is public.
 */
import type { MatchLimits } from '../proofing/watchlist/limits.ts'
import type { ListedPerson } from '../proofing/watchlist/listed.ts'
import {
  readyToBeFound,
  scoreMatch,
  type Match,
  type ReadyPerson,
  type Sought,
} from '../proofing/watchlist/score.ts'
import { joinWords, type Word, type WrittenName } from '../proofing/watchlist/words.ts'
import { Vocabulary } from './vocabulary.ts'

/**
 * Minimum share of the lighter name's weight whose words must be found. Below it the score stays under the threshold for
 * human review, even if everything else agrees.
 */
const MIN_FOUND = 0.55

interface IndexedName {
  readonly person: number
  readonly weight: number
}

export class ScreeningIndex {
  readonly #limits: MatchLimits
  readonly #persons: ReadyPerson[] = []
  readonly #names: IndexedName[] = []
  readonly #vocabulary = new Vocabulary()
  readonly #byDocument = new Map<string, number[]>()
  readonly #byExactName = new Map<string, number[]>()
  /**
   * Persons with a name in Arabic letters are always compared in full, because too few of their words match letter by
   * letter.
   */
  readonly #vowelless: number[] = []

  constructor(limits: MatchLimits) {
    this.#limits = limits
  }

  get size(): { readonly persons: number; readonly names: number; readonly words: number } {
    return { persons: this.#persons.length, names: this.#names.length, words: this.#vocabulary.size }
  }

  add(listed: ListedPerson): void {
    const person = readyToBeFound(listed)
    const number = this.#persons.push(person) - 1
    for (const document of listed.documents) push(this.#byDocument, document, number)
    for (const { written, exact } of person.names) {
      if (written === null) push(this.#byExactName, exact, number)
      else if (written.isVowelless) this.#vowelless.push(number)
      else this.#addName(written, number)
    }
  }

  /** All persons who may match, in no particular order. */
  search(sought: Sought): Match[] {
    const numbers = new Set<number>()
    for (const name of sought.names) {
      for (const number of this.#near(name)) numbers.add(number)
    }
    for (const document of sought.documents) addAll(numbers, this.#byDocument.get(document))
    for (const exact of sought.exactNames) addAll(numbers, this.#byExactName.get(exact))
    return [...numbers].map((number) => scoreMatch(sought, this.#persons[number], this.#limits))
  }

  #addName(written: WrittenName, person: number): void {
    const number = this.#names.push({ person, weight: sumWeights(written.words) }) - 1
    for (const word of listUnits(written)) this.#vocabulary.add(word, number)
  }

  /** Persons with a name whose words resemble those of this one. */
  #near(name: WrittenName): readonly number[] {
    if (name.isVowelless) return [...this.#persons.keys()]
    const sums = new Float64Array(this.#names.length)
    const best = new Float64Array(this.#names.length)
    for (const word of listUnits(name)) {
      const touched: number[] = []
      for (const { similarity, names } of this.#vocabulary.like(word, this.#limits)) {
        const worth = similarity * word.weight
        for (const number of names) {
          if (best[number] === 0) touched.push(number)
          if (worth > best[number]) best[number] = worth
        }
      }
      for (const number of touched) {
        sums[number] += best[number]
        best[number] = 0
      }
    }
    const weight = sumWeights(name.words)
    const near = this.#names.filter(
      (listed, number) => sums[number] > 0 && sums[number] >= MIN_FOUND * Math.min(weight, listed.weight),
    )
    return [...near.map(({ person }) => person), ...this.#vowelless]
  }
}

/** The words, and each pair of neighbours joined into one. */
function listUnits({ words }: WrittenName): readonly Word[] {
  return [...words, ...words.slice(1).map((word, i) => joinWords(words[i], word))]
}

function sumWeights(words: readonly Word[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0)
}

function push(map: Map<string, number[]>, key: string, number: number): void {
  const numbers = map.get(key)
  if (numbers) numbers.push(number)
  else map.set(key, [number])
}

function addAll(set: Set<number>, numbers: readonly number[] | undefined): void {
  for (const number of numbers ?? []) set.add(number)
}
