/**
 * Invented people on an invented list, the same people as they might come to a counter, and others who are on no list.
 */
import type { ScreenedPerson } from '../../../proofing/antifraud/watchlist.ts'
import { spanFrom, parseSpan } from '../../../proofing/watchlist/births.ts'
import type { DateSpan, ListedPerson } from '../../../proofing/watchlist/listed.ts'
import type { Random } from '../crash/random.ts'
import { ORIGINS, type DrawnName, type Origin } from './origins.ts'

/** Differences of the presented name. */
export const DISTORTIONS = [
  'as listed',
  'other order',
  'without middle names',
  'another spelling',
  'one letter wrong',
  'cut off',
  'words as one',
  'another spelling and a letter wrong',
] as const
type Distortion = (typeof DISTORTIONS)[number]

/** Relation of the presented date of birth to the true one. */
const BIRTHS = ['right', 'a year off', 'not known'] as const

interface Person {
  readonly origin: Origin
  readonly name: DrawnName
  readonly born: string
  readonly country: string
}
export interface Entry {
  readonly person: Person
  readonly listed: ListedPerson
}

export interface Presented {
  readonly asked: ScreenedPerson
  readonly origin: string
  readonly distortion: Distortion
  /** Id of the entry; null for a person on no list. */
  readonly id: string | null
}

const DAY_MS = 86_400_000
/** Birth dates of people who could stand at a counter in 2026. */
const [OLDEST, YOUNGEST] = [Date.UTC(1940, 0, 1), Date.UTC(2008, 0, 1)]

export function drawEntry(random: Random, number: number): Entry {
  const person = drawPerson(random)
  const others = random.below(3)
  const listed: ListedPerson = {
    id: String(number),
    names: [
      { text: familyFirst(person.name.map(([first]) => first)), isWeak: false },
      // Lists contain some, but not all, other spellings.
      ...Array.from({ length: others }, () => ({
        text: familyFirst(person.name.map((spellings) => random.pick(spellings))),
        isWeak: false,
      })),
      ...(random.next() < 0.1 ? [{ text: random.pick(person.name)[0], isWeak: true }] : []),
    ],
    births: listedBirths(random, person.born),
    countries: random.next() < 0.8 ? [person.country] : [],
    documents: [],
  }
  return { person, listed }
}

export function presentListed(random: Random, { person, listed }: Entry, distortion: Distortion): Presented {
  const draw = random.next()
  const birth = BIRTHS[draw < 0.8 ? 0 : draw < 0.95 ? 1 : 2]
  const dateOfBirth =
    birth === 'not known' ? null : birth === 'right' ? person.born : shifted(random, person.born)
  const country = random.next() < 0.8 ? person.country : random.pick(random.pick(ORIGINS).countries)
  return {
    asked: {
      ...presentName(random, person.name, distortion),
      dateOfBirth,
      countries: [country],
      documentNumbers: [],
    },
    origin: person.origin.name,
    distortion,
    id: listed.id,
  }
}

/**
 * A person of the same origins who is on no list; every second one has a document with diacritics or its own spelling.
 */
export function presentOther(random: Random): Presented {
  const { origin, name, born, country } = drawPerson(random)
  const distortion: Distortion = random.next() < 0.5 ? 'as listed' : 'another spelling'
  const asked = {
    ...presentName(random, name, distortion),
    dateOfBirth: born,
    countries: [country],
    documentNumbers: [],
  }
  return { asked, origin: origin.name, distortion, id: null }
}

function drawPerson(random: Random): Person {
  const origin = random.pick(ORIGINS)
  const day = OLDEST + random.below((YOUNGEST - OLDEST) / DAY_MS) * DAY_MS
  return { origin, name: origin.draw(random), born: isoDay(day), country: random.pick(origin.countries) }
}

/** Most lists state the day for most people, only a year or a span for some, and nothing for others. */
function listedBirths(random: Random, born: string): DateSpan[] {
  const draw = random.next()
  const year = Number(born.slice(0, 4))
  const span =
    draw < 0.7
      ? parseSpan(born)
      : draw < 0.85
        ? parseSpan(String(year))
        : draw < 0.92
          ? spanFrom({ from: `${year - 1}-01-01`, to: born }, { from: born, to: `${year + 1}-12-31` })
          : null
  return span ? [span] : []
}

function presentName(random: Random, name: DrawnName, distortion: Distortion) {
  const firsts = name.map(([first]) => first)
  const respelled = name.map((spellings) =>
    random.pick(spellings.length > 1 ? spellings.slice(1) : spellings),
  )
  const words: Readonly<Record<Distortion, () => readonly string[]>> = {
    'as listed': () => firsts,
    'other order': () => [...firsts.slice(1), firsts[0]],
    'without middle names': () => [firsts[0], firsts[firsts.length - 1]],
    'another spelling': () => respelled,
    'one letter wrong': () => withTypo(random, firsts),
    'cut off': () =>
      firsts.map((word, i) => (i === firsts.length - 1 ? word.slice(0, Math.max(4, word.length - 3)) : word)),
    // Only given names, because a family name is never joined to them.
    'words as one': () => (firsts.length > 2 ? [firsts.slice(0, 2).join(''), ...firsts.slice(2)] : firsts),
    'another spelling and a letter wrong': () => withTypo(random, respelled),
  }
  const made = words[distortion]()
  return { givenNames: made.slice(0, -1), surname: made.at(-1) ?? null, fullname: null }
}

/** One letter replaced, omitted, doubled or swapped with its neighbour, in the longest word or another. */
function withTypo(random: Random, words: readonly string[]): string[] {
  const at = random.below(words.length)
  const word = words[at]
  if (word.length < 3) return [...words]
  const i = random.below(word.length - 1)
  const letter = 'AEIOULNRSTMK'[random.below(12)]
  const wrong = [
    word.slice(0, i) + letter + word.slice(i + 1),
    word.slice(0, i) + word.slice(i + 1),
    word.slice(0, i + 1) + word.slice(i),
    word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2),
  ]
  return words.map((one, j) => (j === at ? random.pick(wrong) : one))
}

function shifted(random: Random, born: string): string {
  const days = 1 + random.below(365)
  return isoDay(Date.parse(born) + (random.next() < 0.5 ? days : -days) * DAY_MS)
}

function familyFirst(words: readonly string[]): string {
  return `${words.at(-1) ?? ''}, ${words.slice(0, -1).join(' ')}`
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
