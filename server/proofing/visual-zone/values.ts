/** What a piece of text says in the form that a field has: a name, a date, a number. Null where it has another form. */
import { readDate, type DateReading, type DateRole, type ReadDate } from './dates.ts'
import type { DateOrder, PageWords, ValueForm } from './knowledge.ts'
import type { PageFieldName } from './page-facts.ts'
import { confidenceOf, type Segment } from './segments.ts'
import { bareText } from './spelling.ts'

export interface ReadingContext {
  readonly months: PageWords['months']
  readonly sexes: PageWords['sexes']
  readonly order: DateOrder | null
  /** Alpha-3 of the state that issued the page, where its words tell. */
  readonly country: string | null
  /** Alpha-3 of the states whose names are known. */
  readonly states: ReadonlySet<string>
  readonly now: Date
}

export interface Value {
  readonly value: string
  readonly confidence: number
  /** The piece's words behind the value, for a further field on the same line. */
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

/** E stands for a man (`erkek`) on their documents. */
const SAYING_ERKEK: readonly string[] = ['AZE', 'CYP', 'TKM', 'TUR', 'UZB']

/** A value that had to be guessed at is worth no more than this: below what any comparison takes for certain. */
const REPAIRED_CONFIDENCE = 0.5

export function readValue(
  segment: Segment,
  field: PageFieldName,
  context: ReadingContext,
  form: ValueForm = FORM_OF[field],
): Value | null {
  return READERS[form](segment, field, context)
}

type Reader = (segment: Segment, field: PageFieldName, context: ReadingContext) => Value | null

const READERS: Readonly<Record<ValueForm, Reader>> = {
  date({ words, text }, field, context) {
    const reading = { ...context, role: ROLE_OF[field] ?? 'issue' }
    const first = readDate(text, reading)
    if (!first) return null
    const read = field === 'expiryDate' ? endOfSpan(text, first, reading) : first
    const at = wordsWithin(words, text, read.start, read.length)
    const own = words.slice(at.from, at.to)
    const sure = read.isMonthTwice ? sureWithMonths(own) : confidenceOf(own)
    const confidence = read.repaired ? Math.min(sure, REPAIRED_CONFIDENCE) : sure
    return { value: read.value, confidence, usedWords: at.to }
  },
  sex({ words }, _, { sexes, country }) {
    // Two languages may stand beside each other (`V/F`), their stroke read as a letter (`VIF`).
    const parts = words[0].text
      .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
      .replace(/^(\p{Lu})[/|Il](\p{Lu})$/u, '$1/$2')
      .split('/')
    // One letter between signs is what a reader makes of many things: small ones are not taken.
    if (parts.some((part) => part.length < 1 || (part.length === 1 && part !== part.toUpperCase())))
      return null
    const told = parts.flatMap((part) => sexNamed(bareText(part), sexes) ?? [])
    const known = new Set(told)
    const { confidence } = words[0]
    if (known.size === 1) return { value: told[0], confidence, usedWords: 1 }
    // Of a smeared F one reader makes an E, or both their letters stand beside each other.
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
      // No number has a bracket: a J in narrow print is read as one.
      const token = /^[A-Z0-9]+\)[A-Z0-9]+$/.test(trimmed)
        ? trimmed.replace(')', 'J')
        : trimmed.replace(/\)+$/, '')
      if (token !== trimmed && token.length === trimmed.length) isRepaired = true
      if (!/^[A-Z0-9][A-Z0-9./-]*$/.test(token) || (tokens.length > 0 && !/\d/.test(token + tokens.join(''))))
        break
      tokens.push(token)
    }
    // A reader parts long rows of figures where they are set wide.
    const value = tokens.join(tokens.every((token) => /^\d+$/.test(token)) ? '' : ' ')
    const bare = value.replace(/[^A-Z0-9]/g, '')
    if (!/\d{2}/.test(bare) || bare.length < 4 || bare.length > 24) return null
    if (field === 'documentNumber' && /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/.test(value)) return null
    const sure = confidenceOf(words.slice(0, tokens.length))
    const confidence = isRepaired ? Math.min(sure, REPAIRED_CONFIDENCE) : sure
    return { value, confidence, usedWords: tokens.length }
  },
  name({ words, text }, field) {
    // Between given names a comma says nothing; in a whole name it parts surname and given names.
    const value = trimSigns(field === 'fullName' ? text : text.replaceAll(',', ' '))
    // Names begin with a capital; only scripts without them have none.
    if (
      !/\p{L}/u.test(value) ||
      /\d/.test(value) ||
      (value === value.toLowerCase() && value !== value.toUpperCase())
    )
      return null
    return { value, confidence: confidenceOf(words), usedWords: words.length }
  },
  text({ words, text }, field) {
    const value = trimSigns(text)
    if (!/[\p{L}]{2}/u.test(value) || (field === 'nationality' && /\d/.test(value))) return null
    return { value, confidence: confidenceOf(words), usedWords: words.length }
  },
}

/** `17.10.2003-09.05.2013`: what is valid from one day to another expires on the second. */
function endOfSpan(text: string, first: ReadDate, reading: DateReading): ReadDate {
  const behind = first.start + first.length
  const stroke = /^\s?[-–]\s?(?=\d)/.exec(text.slice(behind))
  const second = stroke && readDate(text.slice(behind + stroke[0].length), reading)
  if (!second || second.value <= first.value) return first
  return { ...second, start: second.start + behind + stroke[0].length }
}

/** Two words that name the same month bear each other out: the date is wrong only where both are. */
function sureWithMonths(words: Segment['words']): number {
  const isMonth = ({ text }: Segment['words'][number]) => /\p{L}/u.test(text)
  const doubt = words.filter(isMonth).reduce((product, { confidence }) => product * (1 - confidence), 1)
  return Math.min(confidenceOf(words.filter((word) => !isMonth(word))), 1 - doubt)
}

function sexNamed(word: string, sexes: PageWords['sexes']): string | null {
  return Object.entries(sexes).find(([, names]) => names.includes(word))?.[0] ?? null
}

function trimSigns(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.)]+$/gu, '').replace(/\s+/g, ' ')
}

/** The words that the characters from `start` on belong to. */
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
