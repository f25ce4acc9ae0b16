/** Parses a segment in its field's format: name, date, number. Returns null for another format. */
import { readDate, type DateReading, type DateRole, type ReadDate } from './dates.ts'
import type { DateOrder, PageWords, ValueForm } from './knowledge.ts'
import type { PageFieldName } from './page-facts.ts'
import { computeConfidence, type Segment } from './segments.ts'
import { bareText } from './spelling.ts'

export interface ReadingContext {
  readonly months: PageWords['months']
  readonly sexes: PageWords['sexes']
  readonly order: DateOrder | null
  /** Alpha-3 of the issuing state, if known from the page's words. */
  readonly country: string | null
  /** Alpha-3 codes of the states with known names. */
  readonly states: ReadonlySet<string>
  readonly now: Date
}

export interface Value {
  readonly value: string
  readonly confidence: number
  /** Number of words used, so that a further field may follow on the same line. */
  readonly usedWords: number
}

export const FORM_OF: Readonly<Record<PageFieldName, ValueForm>> = {
  documentNumber: 'number',
  cardNumber: 'number',
  surname: 'name',
  givenNames: 'name',
  fullName: 'name',
  birthDate: 'date',
  issueDate: 'date',
  expiryDate: 'date',
  sex: 'sex',
  nationality: 'text',
  birthPlace: 'text',
  authority: 'text',
  personalNumber: 'number',
  address: 'text',
}

const ROLE_OF: Readonly<Partial<Record<PageFieldName, DateRole>>> = {
  birthDate: 'birth',
  issueDate: 'issue',
  expiryDate: 'expiry',
}

/** E means male (`erkek`) on the documents of these states. */
const SAYING_ERKEK: readonly string[] = ['AZE', 'CYP', 'TKM', 'TUR', 'UZB']

/** Maximum confidence of a guessed value: below what any comparison accepts as certain. */
const REPAIRED_CONFIDENCE = 0.5

export function readValue(
  segment: Segment,
  field: PageFieldName,
  context: ReadingContext,
  form: ValueForm = FORM_OF[field],
): Value | null {
  return READERS[form](segment, field, context)
}

export const isDateInDigits = (word: string): boolean => /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/.test(word)

type Reader = (segment: Segment, field: PageFieldName, context: ReadingContext) => Value | null

const READERS: Readonly<Record<ValueForm, Reader>> = {
  date({ words, text }, field, context) {
    const reading = { ...context, role: ROLE_OF[field] ?? 'issue' }
    const first = readDate(text, reading)
    if (!first) return null
    const read = field === 'expiryDate' ? endOfSpan(text, first, reading) : first
    const at = wordsWithin(words, text, read.start, read.length)
    const own = words.slice(at.from, at.to)
    const sure = read.isMonthTwice ? sureWithMonths(own) : computeConfidence(own)
    const confidence = read.repaired ? Math.min(sure, REPAIRED_CONFIDENCE) : sure
    return { value: read.value, confidence, usedWords: at.to }
  },
  sex({ words }, _, { sexes, country }) {
    // Two languages may be side by side (`V/F`), with the slash read as a letter (`VIF`).
    const parts = words[0].text
      .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
      .replace(/^(\p{Lu})[/|Il](\p{Lu})$/u, '$1/$2')
      .split('/')
    // A single lower-case letter between signs is usually noise.
    if (parts.some((part) => part.length < 1 || (part.length === 1 && part !== part.toUpperCase())))
      return null
    const told = parts.flatMap((part) => sexNamed(bareText(part), sexes) ?? [])
    const known = new Set(told)
    const { confidence } = words[0]
    if (known.size === 1) return { value: told[0], confidence, usedWords: 1 }
    // A smeared F may be read as E, or both recognisers' letters may be side by side.
    const isFemale =
      words.length === 1 && words[0].isConfirmed !== true && /^(?:E|EF|FE)$/.test(words[0].text)
    if (known.size > 0 || !isFemale || (country !== null && SAYING_ERKEK.includes(country))) return null
    return { value: 'F', confidence: Math.min(confidence, REPAIRED_CONFIDENCE), usedWords: 1 }
  },
  number({ words }, field) {
    const tokens: string[] = []
    let isRepaired = false
    for (const { text } of words) {
      const trimmed = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N})]+$/gu, '')
      // Numbers contain no bracket: it is a narrow J.
      const token = /^[A-Z0-9]+\)[A-Z0-9]+$/.test(trimmed)
        ? trimmed.replace(')', 'J')
        : trimmed.replace(/\)+$/, '')
      if (token !== trimmed && token.length === trimmed.length) isRepaired = true
      if (!/^[A-Z0-9][A-Z0-9./-]*$/.test(token) || (tokens.length > 0 && !/\d/.test(token + tokens.join(''))))
        break
      tokens.push(token)
    }
    // A recogniser splits long, widely set rows of digits.
    const value = tokens.join(tokens.every((token) => /^\d+$/.test(token)) ? '' : ' ')
    const bare = value.replace(/[^A-Z0-9]/g, '')
    if (!/\d{2}/.test(bare) || bare.length < 4 || bare.length > 24) return null
    if (field === 'documentNumber' && isDateInDigits(tokens[0])) return null
    const sure = computeConfidence(words.slice(0, tokens.length))
    const confidence = isRepaired ? Math.min(sure, REPAIRED_CONFIDENCE) : sure
    return { value, confidence, usedWords: tokens.length }
  },
  name({ words, text }, field) {
    // Between given names a comma has no meaning; in a whole name it separates surname and given names.
    const value = trimSigns(field === 'fullName' ? text : text.replaceAll(',', ' '))
    // Names begin with a capital, except in scripts without case.
    if (
      !/\p{L}/u.test(value) ||
      /\d/.test(value) ||
      (value === value.toLowerCase() && value !== value.toUpperCase())
    )
      return null
    return { value, confidence: computeConfidence(words), usedWords: words.length }
  },
  text({ words, text }, field) {
    const value = trimSigns(text)
    if (!/[\p{L}]{2}/u.test(value) || (field === 'nationality' && /\d/.test(value))) return null
    return { value, confidence: computeConfidence(words), usedWords: words.length }
  },
}

/** `17.10.2003-09.05.2013`: a validity period expires on the second date. */
function endOfSpan(text: string, first: ReadDate, reading: DateReading): ReadDate {
  const behind = first.start + first.length
  const stroke = /^\s?[-–]\s?(?=\d)/.exec(text.slice(behind))
  const second = stroke && readDate(text.slice(behind + stroke[0].length), reading)
  if (!second || second.value <= first.value) return first
  return { ...second, start: second.start + behind + stroke[0].length }
}

/** Two words for the same month confirm each other: the date is wrong only if both are. */
function sureWithMonths(words: Segment['words']): number {
  const isMonth = ({ text }: Segment['words'][number]) => /\p{L}/u.test(text)
  const doubt = words.filter(isMonth).reduce((product, { confidence }) => product * (1 - confidence), 1)
  return Math.min(computeConfidence(words.filter((word) => !isMonth(word))), 1 - doubt)
}

function sexNamed(word: string, sexes: PageWords['sexes']): string | null {
  return Object.entries(sexes).find(([, names]) => names.includes(word))?.[0] ?? null
}

function trimSigns(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.)]+$/gu, '').replace(/\s+/g, ' ')
}

/** Words that contain the characters from `start` on. */
function wordsWithin(
  words: Segment['words'],
  text: string,
  start: number,
  length: number,
): { from: number; to: number } {
  let place = 0
  let from = 0
  let to = words.length
  words.forEach((word, i) => {
    const begin = text.indexOf(word.text, place)
    place = begin + word.text.length
    if (place <= start) from = i + 1
    if (begin >= start + length) to = Math.min(to, i)
  })
  return { from, to: Math.max(to, from) }
}
