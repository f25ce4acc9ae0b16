/** Dates as documents print them → YYYY-MM-DD. Where day and month can be confused, only the layout's order decides. */
import { distance } from 'fastest-levenshtein'
import type { DateOrder, PageWords } from './knowledge.ts'
import { bareText } from './spelling.ts'

export type DateRole = 'birth' | 'issue' | 'expiry'

export interface ReadDate {
  /** YYYY-MM-DD, or YYYY-MM where the document knows or prints no day. */
  readonly value: string
  /** Digits had to be guessed from letters, or a month from its neighbours. */
  readonly repaired: boolean
  /** The month stands there in two languages, which agree. */
  readonly isMonthTwice?: boolean
  /** The part of the text that was used. */
  readonly start: number
  readonly length: number
}

export interface DateReading {
  readonly role: DateRole
  /** Null: unknown. */
  readonly order: DateOrder | null
  readonly months: PageWords['months']
  readonly now: Date
}

/** Letters that stand for digits in a date that was misread. */
const DIGITS: Readonly<Record<string, string>> = {
  O: '0',
  o: '0',
  Q: '0',
  D: '0',
  I: '1',
  l: '1',
  i: '1',
  '|': '1',
  '!': '1',
  Z: '2',
  z: '2',
  S: '5',
  s: '5',
  B: '8',
  é: '6',
  G: '6',
}
const D = '[0-9OoQDIli|!ZzSsBéG]'

/** A reader parts a year that is set wide. */
const YEAR = `(?:(?:19|20)\\s?\\d\\d|${D}{4}|${D}{2})`
const NUMERIC = new RegExp(
  `(?<!\\w)(${D}{1,2})\\s?([./-]|\\s)\\s?(${D}{1,2})\\s?\\2\\s?(${YEAR})(?![\\w])`,
  'u',
)
const YEAR_FIRST = /(?<!\w)((?:19|20)\d\d)\s?([./-]|\s)\s?(\d{1,2})\s?\2\s?(\d{1,2})(?!\w)/
/** The O of October is read as a figure beside figures. */
const MONTH = '[\\p{L}0]{3,10}'
const WITH_MONTH = new RegExp(
  `(?<![\\w])(${D}{1,2})[\\s./,()|-]*(${MONTH}(?:[\\s]?[/|l]?[\\s]?${MONTH})?)[\\s./,-]*(${YEAR})(?![\\w])`,
  'u',
)
const MONTH_FIRST = new RegExp(
  `(?<![\\w])([\\p{L}]{3,10})[\\s./-]*(${D}{1,2})(?:st|nd|rd|th)?[\\s./,-]+(\\d{4}|\\d{2})(?![\\w])`,
  'u',
)
/** An unknown day is printed as signs in its place (Doc 9303 part 3, section 4.8, for dates of birth). */
const WITHOUT_DAY = /(?<!\w)(?:XX|--|[*]{2})[\s./-]*([\p{L}]{3,10}|\d{2})[\s./-]*(\d{4})(?!\w)/u
const NO_DAY_BETWEEN = /(?<!\w)(\d{2})\/00\/(\d{4})(?!\w)/
/** A reader loses the blanks between the parts: `0101 1980`. */
const EIGHT = /(?<!\d)(\d{2})\s?(\d{2})\s?((?:19|20)\d\d)(?!\d)/
const MONTH_ONLY = /(?<![\w./-])(\d{2})\s?[/.-]\s?((?:19|20)\d\d)(?!\w)/

/** A colon in a year is a speck, because no state prints one there; in the middle, `20:22`, it is one of a time. */
const COLON_IN_YEAR = /(?<!\d)(?:(?:1:9|2:0)\d\d|(?:19|20)\d:\d)(?!\w)/g

/** The last letter of a small label that was cut into its value: `s11/06/2024`. */
const LETTER_BEFORE = /(?<![\p{L}\d])\p{Ll}(?=\d{2}([./-])\d{2}\1\d{4}(?!\w))/u

/** The first date in the text; null when it has none that is one day only. */
export function readDate(text: string, reading: DateReading): ReadDate | null {
  const clean = text.replace(COLON_IN_YEAR, (year) => year.replace(':', '')).replace(LETTER_BEFORE, '')
  for (const form of FORMS) {
    const found = form(clean, reading)
    if (found) return found
  }
  return null
}

type Form = (text: string, reading: DateReading) => ReadDate | null

const FORMS: readonly Form[] = [
  (text, reading) => {
    const match = YEAR_FIRST.exec(text)
    return match && dated(match, [match[1]], [match[3]], [match[4]], reading)
  },
  (text, reading) => {
    // A point is read as a comma now and then, and no state writes dates with commas.
    const match = NUMERIC.exec(text.replace(/(?<=\d),(?=\s?\d)/g, '.'))
    if (!match) return null
    const [, a, separator, b, year] = match
    const [first, second] = [Number(digits(a)), Number(digits(b))]
    // Points stand between day and month in this order everywhere, blanks everywhere but in the United States.
    const byBlanks = /\s/.test(separator) ? (onlyOrder(first, second) ?? reading.order ?? 'dmy') : null
    const told = separator === '.' ? 'dmy' : (byBlanks ?? reading.order ?? onlyOrder(first, second))
    if (told === null) return null
    return told === 'dmy' ? dated(match, [year], [b], [a], reading) : dated(match, [year], [a], [b], reading)
  },
  (text, reading) => {
    const match = WITH_MONTH.exec(text)
    if (!match) return null
    const month = readMonth(match[2], reading.months)
    const date = month && dated(match, [match[3]], [String(month.month), month.repaired], [match[1]], reading)
    return date && month.isTwice ? { ...date, isMonthTwice: true } : date
  },
  (text, reading) => {
    const match = MONTH_FIRST.exec(text)
    if (!match) return null
    const month = readMonth(match[1], reading.months)
    return month && dated(match, [match[3]], [String(month.month), month.repaired], [match[2]], reading)
  },
  (text, reading) => {
    const match = EIGHT.exec(text)
    if (!match || reading.order === null) return null
    const [day, month] = reading.order === 'dmy' ? [match[1], match[2]] : [match[2], match[1]]
    return dated(match, [match[3]], [month], [day], reading)
  },
  (text, { role, months }) => {
    const match = role === 'birth' ? WITHOUT_DAY.exec(text) : null
    if (!match) return null
    const month = /\d/.test(match[1]) ? Number(match[1]) : (readMonth(match[1], months)?.month ?? 0)
    if (month < 1 || month > 12) return null
    const value = `${match[2]}-${String(month).padStart(2, '0')}`
    return { value, repaired: false, start: match.index, length: match[0].length }
  },
  (text, { role }) => {
    const match = role === 'birth' ? NO_DAY_BETWEEN.exec(text) : null
    if (!match || Number(match[1]) < 1 || Number(match[1]) > 12) return null
    return { value: `${match[2]}-${match[1]}`, repaired: false, start: match.index, length: match[0].length }
  },
  (text, { role }) => {
    const match = role === 'expiry' ? MONTH_ONLY.exec(text) : null
    if (!match || Number(match[1]) < 1 || Number(match[1]) > 12) return null
    return { value: `${match[2]}-${match[1]}`, repaired: false, start: match.index, length: match[0].length }
  },
]

/** Where only one order gives a date: a month beyond twelve there is none, and twice the same number is the same day. */
function onlyOrder(first: number, second: number): DateOrder | null {
  if (first > 12 || first === second) return 'dmy'
  return second > 12 ? 'mdy' : null
}

/** So many dates of a page outweigh the order that its layout is known to have: one may be misread. */
const ORDERS_ENOUGH = 2

/**
 * The order in which a page writes its dates: the layout's, unless several of them allow another only and none says
 * otherwise. Points and blanks do not count: they part day and month in the same order everywhere.
 */
export function orderOfDates(texts: readonly string[], ofLayout: DateOrder | null): DateOrder | null {
  const orders = texts.flatMap((text) => {
    const match = /(?<!\w)(\d{1,2})([/-])(\d{1,2})\2\d{4}(?!\w)/.exec(text)
    const [first, second] = match ? [Number(match[1]), Number(match[3])] : [0, 0]
    return (first !== second && onlyOrder(first, second)) || []
  })
  const isClear = orders.every((order) => order === orders[0])
  return isClear && orders.length >= (ofLayout === null ? 1 : ORDERS_ENOUGH) ? orders[0] : ofLayout
}

type Part = readonly [text: string, repaired?: boolean]

function dated(
  match: RegExpExecArray,
  year: Part,
  month: Part,
  day: Part,
  reading: DateReading,
): ReadDate | null {
  if (!isMostlyFigures(`${year[0]}${day[0]}`)) return null
  const parts = [year, month, day].map(([text]) => digits(text.replace(/\s/g, '')))
  const [y, m, d] = parts.map(Number)
  const full = parts[0].length === 4 ? y : withCentury(y, m, d, reading)
  const at = new Date(Date.UTC(full, m - 1, d))
  if (full < 1850 || full > 2200 || at.getUTCMonth() !== m - 1 || at.getUTCDate() !== d) return null
  const repaired = [year, month, day].some(
    ([text, guessed], i) => guessed === true || text.replace(/\s/g, '') !== parts[i],
  )
  return { value: at.toISOString().slice(0, 10), repaired, start: match.index, length: match[0].length }
}

/** Letters stand for single figures that were misread; where most of day and year are letters, they are those of a name. */
function isMostlyFigures(text: string): boolean {
  const signs = text.replace(/\s/g, '')
  return 2 * signs.replace(/\D/g, '').length > signs.length
}

/** A birth or an issue lies in the past, an expiry near. */
function withCentury(yy: number, month: number, day: number, { role, now }: DateReading): number {
  const century = Math.floor(now.getUTCFullYear() / 100) * 100
  if (role === 'expiry') {
    const years = [century - 100 + yy, century + yy, century + 100 + yy]
    const distance = (year: number) => Math.abs(year - now.getUTCFullYear())
    return years.reduce((best, year) => (distance(year) < distance(best) ? year : best))
  }
  return Date.UTC(century + yy, month - 1, day) > now.getTime() ? century - 100 + yy : century + yy
}

function digits(text: string): string {
  return [...text].map((sign) => DIGITS[sign] ?? sign).join('')
}

/** One month, in one language or two (AUG/AOUT); null when the words name none or two different ones. */
function readMonth(
  text: string,
  months: PageWords['months'],
): { readonly month: number; readonly repaired: boolean; readonly isTwice: boolean } | null {
  // No month is written with a figure, so that nothing is guessed where a month comes of it.
  const letters = text.replace(/0/g, 'O').replace(/[/|]/g, ' ')
  const words = twoMonths(bareText(letters).split(' '), months)
  const exact = words.map((word) => monthOf(word, months, 0)).filter((month) => month !== null)
  if (exact.length > 0)
    return exact.every((month) => month === exact[0])
      ? { month: exact[0], repaired: false, isTwice: exact.length > 1 }
      : null
  const near = words.map((word) => monthOf(word, months, 1)).filter((month) => month !== null)
  return near.length > 0 && near.every((month) => month === near[0])
    ? { month: near[0], repaired: true, isTwice: false }
    : null
}

/** `MRZ/MAR` whose stroke was read as a letter: what stands on both sides of it are months. */
function twoMonths(words: readonly string[], months: PageWords['months']): readonly string[] {
  return words.flatMap((word) => {
    for (let at = 3; at <= word.length - 4; at++) {
      const parts = [word.slice(0, at), word.slice(at + 1)]
      if (/[il1t]/.test(word[at]) && parts.every((part) => monthOf(part, months, 0) !== null)) return parts
    }
    return [word]
  })
}

/** The only month within so many errors. */
function monthOf(word: string, months: PageWords['months'], errors: number): number | null {
  const found = Object.entries(months).filter(([, names]) =>
    names.some((name) => (errors === 0 ? name === word : name.length >= 3 && distance(name, word) <= errors)),
  )
  return found.length === 1 ? Number(found[0][0]) : null
}
