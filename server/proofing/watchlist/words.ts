/**
 * Splits a name into comparable words: Latin capitals, weight, and forms that unify different spellings of a sound. Does
 * not compare words.
 */
import { spellName, standardSpelling } from '../name-spelling.ts'

export interface Word {
  readonly text: string
  /** Approximate sound: MOUHAMMED and MUHAMMID are equal. */
  readonly sound: string
  /** First letter and consonants of the sound. */
  readonly consonants: string
  /** 0 to 1: how much the word identifies a person. */
  readonly weight: number
}

export interface WrittenName {
  readonly words: readonly Word[]
  /** Transliterated from Arabic letters without vowels, so the absence of a match proves nothing. */
  readonly isVowelless: boolean
}

/** Maximum words per name; more are ignored. Also bounds the cost of a comparison. */
const MAX_WORDS = 8
/** Maximum letters per word; more are ignored, because a comparison uses 31 bits. */
const MAX_WORD_LENGTH = 30

/** Particles before or between names: articles, "son of", "from", titles. */
const PARTICLES = new Set(
  (
    'AL EL UL UR AR AS ASH AT AD AN AZ BIN IBN BEN BINT BINTE ABU UMM DE DA DO DOS DAS DEL DELLA DI LA LAS LOS LE ' +
    'VAN VON DER DEN TER ZU Y E JR SR II III IV'
  ).split(' '),
)
// Starting values, tested together by the benchmark.
const PARTICLE_WEIGHT = 0.2
const INITIAL_WEIGHT = 0.4
const SHORT_WEIGHT = 0.8

/**
 * Replacements that unify spellings of one sound, applied in this order. Our own, from transliterations in use for
 * Arabic, Cyrillic and Chinese.
 */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/SCH/g, 'SH'],
  [/TCH/g, 'CH'],
  [/DZH|DJ/g, 'J'],
  [/OU|OO|UE|OE/g, 'U'],
  [/EE|AE(?=.)/g, 'I'],
  [/KH/g, 'H'],
  [/GH/g, 'G'],
  [/DH/g, 'D'],
  [/TH/g, 'T'],
  [/PH/g, 'F'],
  [/ZH/g, 'Z'],
  [/SH/g, 'S'],
  [/TZ|TS/g, 'Z'],
  [/CK|Q|C(?!H)/g, 'K'],
  [/CH/g, 'C'],
  [/X/g, 'KS'],
  [/W/g, 'V'],
  [/[EY]/g, 'I'],
  [/O/g, 'U'],
  [/(?<=.)H$/, ''],
  [/F+$/, 'V'],
  [/(.)\1+/g, '$1'],
]

/** Returns null if a letter has no known spelling, or nothing remains. */
export function writeName(text: string): WrittenName | null {
  const components = spellName(text.replace(/[./()"“”«»;:]/g, ' '))
  if (components === null) return null
  const texts = components
    .map(standardSpelling)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
  if (texts.length === 0) return null
  const isOnlyParticles = texts.every((word) => PARTICLES.has(word))
  const isVowelless = /\p{Script=Arabic}/u.test(text)
  return {
    words: texts.map((word) => toWord(word, isOnlyParticles, isVowelless)),
    isVowelless,
  }
}

/** Names in scripts without a table can still be compared character by character. */
export function exactForm(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{M}]/gu, '')
}

/** Joins two words of one name: XIAO PING equals XIAOPING. */
export function joinWords(one: Word, other: Word): Word {
  return { ...spellForms(one.text + other.text), weight: one.weight + other.weight }
}

function toWord(text: string, isOnlyParticles: boolean, isVowelless: boolean): Word {
  // The standard marks Arabic letters with an X that is no sound.
  const forms = spellForms(isVowelless ? text.replaceAll('X', '') || text : text)
  return { ...forms, weight: isOnlyParticles ? 1 : chooseWeight(text) }
}

function spellForms(whole: string): Omit<Word, 'weight'> {
  const text = whole.slice(0, MAX_WORD_LENGTH)
  const sound = SOUNDS.reduce((form, [ways, one]) => form.replace(ways, one), text).slice(0, MAX_WORD_LENGTH)
  return { text, sound, consonants: keepConsonants(sound) }
}

function keepConsonants(sound: string): string {
  return (sound.slice(0, 1) + sound.slice(1).replace(/[AIU]/g, '')).replace(/(.)\1+/g, '$1')
}

function chooseWeight(text: string): number {
  if (PARTICLES.has(text)) return PARTICLE_WEIGHT
  if (text.length === 1) return INITIAL_WEIGHT
  return text.length <= 3 ? SHORT_WEIGHT : 1
}
