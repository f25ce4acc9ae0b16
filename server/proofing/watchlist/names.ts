/**
 * Similarity of two names as bags of words, because lists and documents order them differently, omit middle names and
 * join words. Finds the optimal pairing of words.
 */
import type { NameLimits } from './limits.ts'
import { wordSimilarity } from './similarity.ts'
import { joinWords, type Word, type WrittenName } from './words.ts'

/** A name below this weight is one word and at most an initial. */
const LONE_WEIGHT = 1.5

/** 0 to 1, symmetric; 1 for the same words in any order. */
export function nameSimilarity(one: WrittenName, other: WrittenName, limits: NameLimits): number {
  const weights = [sumWeights(one.words), sumWeights(other.words)]
  const [light, heavy] = [Math.min(...weights), Math.max(...weights)]
  const paired = bestPairing(one.words, other.words, limits)
  const similarity = Math.min(1, paired / (light + limits.missingWord * (heavy - light)))
  return light < LONE_WEIGHT && heavy > LONE_WEIGHT ? similarity * limits.loneWord : similarity
}

function sumWeights(words: readonly Word[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0)
}

/**
 * Maximum sum over pairs of words, each word used once: similarity times the lower weight. Two adjacent words of one name
 * may pair with one word of the other. Dynamic programming over sets of used words: at most 8 words, so at most 256 sets.
 */
function bestPairing(one: readonly Word[], other: readonly Word[], limits: NameLimits): number {
  const worth = (a: Word, b: Word): number => wordSimilarity(a, b, limits) * Math.min(a.weight, b.weight)
  const worthOfTwo = (a: Word, b: Word): number => {
    const heavier = Math.abs(a.weight - b.weight) * limits.missingWord
    return wordSimilarity(a, b, limits) * (Math.min(a.weight, b.weight) + heavier)
  }
  const pairs = other.slice(1).map((word, j) => joinWords(other[j], word))
  const sets = 1 << other.length
  // best[set]: uses words of `one` from i on and words of `other` outside the set.
  let next = new Float64Array(sets)
  let current = new Float64Array(sets)
  for (let i = one.length - 1; i >= 0; i--) {
    const best = new Float64Array(sets)
    const alone = other.map((word) => worth(one[i], word))
    const joined = pairs.map((word) => worthOfTwo(one[i], word))
    const withNext = i + 1 < one.length ? joinWords(one[i], one[i + 1]) : null
    const both = withNext === null ? [] : other.map((word) => worthOfTwo(withNext, word))
    for (let set = 0; set < sets; set++) {
      let most = current[set]
      for (let j = 0; j < other.length; j++) {
        if (set & (1 << j)) continue
        most = Math.max(most, alone[j] + current[set | (1 << j)])
        if (both.length > 0) most = Math.max(most, both[j] + next[set | (1 << j)])
        const two = 3 << j
        if (j + 1 < other.length && (set & two) === 0) most = Math.max(most, joined[j] + current[set | two])
      }
      best[set] = most
    }
    next = current
    current = best
  }
  return current[0]
}
