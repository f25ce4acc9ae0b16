/**
 * A name as words that can be compared: in Latin capitals, each with its weight and with forms in which different ways
 * of writing one sound are the same. Says nothing of how alike two words are.
 */
import { spellName, standardSpelling } from '../name-spelling.ts'

export interface Word {
  readonly text: string
  /** As it sounds, roughly: MOUHAMMED and MUHAMMID are one. */
  readonly sound: string
  /** First letter and consonants of the sound. */
  readonly consonants: string
  /** 0 to 1: how much it says about who somebody is. */
  readonly weight: number
}

export interface WrittenName {
  readonly words: readonly Word[]
  /** Arabic letters, by the standard's table: no vowels, so that not being found proves nothing. */
  readonly isVowelless: boolean
}

/** More words are no name of a person; all beyond are left out. Also bounds what a comparison costs. */
const MAX_WORDS = 8
/** Letters beyond are left out: no name needs them to be told from another, and a comparison counts them in 31 bits. */
const MAX_WORD_LENGTH = 30

/** What stands before or between names: articles, "son of", "from", titles of a line. */
const PARTICLES = new Set(
  (
    'AL EL UL UR AR AS ASH AT AD AN AZ BIN IBN BEN BINT BINTE ABU UMM DE DA DO DOS DAS DEL DELLA DI LA LAS LOS LE ' +
    'VAN VON DER DEN TER ZU Y E JR SR II III IV'
  ).split(' '),
)
// Starting values, checked by the bench as a whole.
const PARTICLE_WEIGHT = 0.2
const INITIAL_WEIGHT = 0.4
const SHORT_WEIGHT = 0.8

/** The ways of writing one sound, in this order. Ours, from the transliterations in use for Arabic, Cyrillic and Chinese. */
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

/** Null when a letter has no known spelling, or nothing is left to compare. */
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
    words: texts.map((word) => wordOf(word, isOnlyParticles, isVowelless)),
    isVowelless,
  }
}

/** Names in letters without a table can still be the same, sign by sign. */
export function exactForm(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{M}]/gu, '')
}

/** Two words of one name in one piece: XIAO PING is XIAOPING. */
export function joinWords(one: Word, other: Word): Word {
  return { ...formsOf(one.text + other.text), weight: one.weight + other.weight }
}

function wordOf(text: string, isOnlyParticles: boolean, isVowelless: boolean): Word {
  // The standard marks Arabic letters by an X that is no sound.
  const forms = formsOf(isVowelless ? text.replaceAll('X', '') || text : text)
  return { ...forms, weight: isOnlyParticles ? 1 : weightOf(text) }
}

function formsOf(whole: string): Omit<Word, 'weight'> {
  const text = whole.slice(0, MAX_WORD_LENGTH)
  const sound = SOUNDS.reduce((form, [ways, one]) => form.replace(ways, one), text).slice(0, MAX_WORD_LENGTH)
  return { text, sound, consonants: consonantsOf(sound) }
}

function consonantsOf(sound: string): string {
  return (sound.slice(0, 1) + sound.slice(1).replace(/[AIU]/g, '')).replace(/(.)\1+/g, '$1')
}

function weightOf(text: string): number {
  if (PARTICLES.has(text)) return PARTICLE_WEIGHT
  if (text.length === 1) return INITIAL_WEIGHT
  return text.length <= 3 ? SHORT_WEIGHT : 1
}
