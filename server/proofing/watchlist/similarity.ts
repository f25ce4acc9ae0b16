/**
 * Similarity of two name words: Jaro-Winkler with special treatment of short words and initials. Knows no list and no
 * person.
 */
import type { WordLimits } from './limits.ts'
import type { Word } from './words.ts'

/**
 * Winkler's prefix bonus: a tenth of the rest for each of the first four equal letters, if the words are similar at all.
 */
const PREFIX_LENGTH = 4
const PREFIX_SHARE = 0.1
const BOOST_FROM = 0.7
/** Up to this length one letter makes a different name: LI and LU, ANA and ADA. */
const SHORT = 3
/** Too many names share fewer consonants. */
const ENOUGH_CONSONANTS = 3
/** Maximum length difference of two words with equal consonants. */
const MAX_VOWELS_APART = 2

/** 0 to 1, symmetric. */
export function wordSimilarity(one: Word, other: Word, limits: WordLimits): number {
  if (one.text === other.text) return 1
  if (one.text.length === 1 || other.text.length === 1) {
    const isInitial = one.text[0] === other.text[0]
    return isInitial ? limits.initial : 0
  }
  if (one.sound === other.sound) return limits.sameSound
  if (Math.min(one.text.length, other.text.length) <= SHORT) return 0
  const near = Math.max(
    jaroWinkler(one.text, other.text),
    limits.sameSound * jaroWinkler(one.sound, other.sound),
  )
  const scaled = Math.max(0, (near - limits.floor) / (1 - limits.floor))
  return haveSameConsonants(one, other) ? Math.max(scaled, limits.sameConsonants) : scaled
}

function haveSameConsonants(one: Word, other: Word): boolean {
  return (
    one.consonants === other.consonants &&
    one.consonants.length >= ENOUGH_CONSONANTS &&
    Math.abs(one.sound.length - other.sound.length) <= MAX_VOWELS_APART
  )
}

/** 0 to 1; 1 only for equal texts. Requires texts of at most 31 letters (`words`). */
export function jaroWinkler(one: string, other: string): number {
  const similarity = jaro(one, other)
  if (similarity < BOOST_FROM) return similarity
  const most = Math.min(PREFIX_LENGTH, one.length, other.length)
  let prefix = 0
  while (prefix < most && one[prefix] === other[prefix]) prefix++
  return similarity + prefix * PREFIX_SHARE * (1 - similarity)
}

function jaro(a: string, b: string): number {
  if (a === b) return 1
  // Pairing letters from the left is not always symmetric, so the order of the texts is fixed.
  const [one, other] = a.length < b.length || (a.length === b.length && a < b) ? [a, b] : [b, a]
  const reach = Math.max(0, Math.floor(other.length / 2) - 1)
  // One bit per paired letter: words are shorter than an integer has bits.
  let [paired, taken, count] = [0, 0, 0]
  for (let i = 0; i < one.length; i++) {
    const letter = one.charCodeAt(i)
    const end = Math.min(other.length, i + reach + 1)
    for (let j = Math.max(0, i - reach); j < end; j++) {
      if (taken & (1 << j) || other.charCodeAt(j) !== letter) continue
      paired |= 1 << i
      taken |= 1 << j
      count++
      break
    }
  }
  if (count === 0) return 0
  let swapped = 0
  for (let i = 0, j = 0; i < one.length; i++) {
    if (!(paired & (1 << i))) continue
    while (!(taken & (1 << j))) j++
    if (one.charCodeAt(i) !== other.charCodeAt(j)) swapped++
    j++
  }
  return (count / one.length + count / other.length + (count - swapped / 2) / count) / 3
}
