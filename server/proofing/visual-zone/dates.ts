/** Parses printed dates to YYYY-MM-DD. If day and month are ambiguous, only the layout's order decides. */
import { distance } from 'fastest-levenshtein'
import type { DateOrder, PageWords } from './knowledge.ts'
import { bareText } from './spelling.ts'

export type DateRole = 'birth' | 'issue' | 'expiry'

export interface ReadDate {
  /** YYYY-MM-DD, or YYYY-MM if the document states no day. */
  readonly value: string
  /** Digits were guessed from letters, or a month was corrected. */
  readonly repaired: boolean
  /** The month is printed in two languages that agree. */
  readonly isMonthTwice?: boolean
  /** Range of the text that was used. */
  readonly start: number
  readonly length: number
}

export interface DateReading {
  readonly role: DateRole
  /** Null if unknown. */
  readonly order: DateOrder | null
  readonly months: PageWords['months']
  readonly now: Date
}

/** Letters that are misread digits in a date. */
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

/** A recogniser may split a widely set year. */
const YEAR = `(?:(?:19|20)\\s?\\d\\d|${D}{4}|${D}{2})`
const NUMERIC = new RegExp(
  `(?<!\\w)(${D}{1,2})\\s?([./-]|\\s)\\s?(${D}{1,2})\\s?\\2\\s?(${YEAR})(?![\\w])`,
  'u',
)
const YEAR_FIRST = /(?<!\w)((?:19|20)\d\d)\s?([./-]|\s)\s?(\d{1,2})\s?\2\s?(\d{1,2})(?!\w)/
/** The O of October is read as a zero beside digits. */
const MONTH = '[\\p{L}0]{3,10}'
const WITH_MONTH = new RegExp(
  `(?<![\\w])(${D}{1,2})[\\s./,()|-]*(${MONTH}(?:[\\s]?[/|l]?[\\s]?${MONTH})?)[\\s./,-]*(${YEAR})(?![\\w])`,
  'u',
)
const MONTH_FIRST = new RegExp(
  `(?<![\\w])([\\p{L}]{3,10})[\\s./-]*(${D}{1,2})(?:st|nd|rd|th)?[\\s./,-]+(\\d{4}|\\d{2})(?![\\w])`,
  'u',
)
/** An unknown day is printed as placeholder characters (Doc 9303 part 3, section 4.8, for dates of birth). */
const WITHOUT_DAY = /(?<!\w)(?:XX|--|[*]{2})[\s./-]*([\p{L}]{3,10}|\d{2})[\s./-]*(\d{4})(?!\w)/u
const NO_DAY_BETWEEN = /(?<!\w)(\d{2})\/00\/(\d{4})(?!\w)/
/** A recogniser may lose the spaces between the parts: `0101 1980`. */
const EIGHT = /(?<!\d)(\d{2})\s?(\d{2})\s?((?:19|20)\d\d)(?!\d)/
const MONTH_ONLY = /(?<![\w./-])(\d{2})\s?[/.-]\s?((?:19|20)\d\d)(?!\w)/

/** A recogniser may lose the full stop before the year: `06.12 1965`. */
const LOST_FULL_STOP = /(?<=(?<!\d)\d{2}\.\d{2})\s(?=(?:19|20)\d\d(?!\d))/g

/** A colon in a year is a speck; in the middle, `20:22`, it belongs to a time. */
const COLON_IN_YEAR = /(?<!\d)(?:(?:1:9|2:0)\d\d|(?:19|20)\d:\d)(?!\w)/g

/** The last letter of a small label attached to its value: `s11/06/2024`. */
const LETTER_BEFORE = /(?<![\p{L}\d])\p{Ll}(?=\d{2}([./-])\d{2}\1\d{4}(?!\w))/u

/**
 * A recogniser may split the first digit off: `1 1/28/1998`. A field number there is no such digit: 3 and 4 are those of
 * dates, and 3 begins no month and only the days 30 and 31.
 */
const FIRST_DIGIT_APART: Readonly<Record<DateOrder, RegExp>> = {
  mdy: /(?<!\w)([01])\s(?=\d\/\d{1,2}\/\d{4}(?!\w))/,
  dmy: /(?<!\w)([0-2])\s(?=\d([./-])\d{1,2}\2\d{4}(?!\w))/,
}

/** The first unambiguous date in the text; null if there is none. */
export function readDate(text: string, reading: DateReading): ReadDate | null {
  const clean = text.replace(COLON_IN_YEAR, (year) => year.replace(':', '')).replace(LETTER_BEFORE, '')
  const joined = reading.order ? clean.replace(FIRST_DIGIT_APART[reading.order], '$1') : clean
  for (const form of FORMS) {
    const found = form(joined, reading)
    if (found) return joined === clean ? found : { ...found, repaired: true }
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
    // A full stop is sometimes read as a comma, and no state uses commas in dates.
    const match = NUMERIC.exec(text.replace(/(?<=\d),(?=\s?\d)/g, '.').replace(LOST_FULL_STOP, '.'))
    if (!match) return null
    const [, a, separator, b, year] = match
    const [first, second] = [Number(digits(a)), Number(digits(b))]
    // Full stops imply this order everywhere, spaces everywhere except in the United States.
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

/** The only possible order: a number above twelve is no month, and equal numbers need no order. */
function onlyOrder(first: number, second: number): DateOrder | null {
  if (first > 12 || first === second) return 'dmy'
  return second > 12 ? 'mdy' : null
}

/** Number of dates that outweigh the layout's order: a single one may be misread. */
const ORDERS_ENOUGH = 2

/**
 * Date order of a page: the layout's, unless several dates allow only another order and none contradicts. Full stops and
 * spaces do not count, because they imply the same order everywhere.
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

/** Single letters may be misread digits; if most characters of day and year are letters, the text is a name. */
function isMostlyFigures(text: string): boolean {
  const signs = text.replace(/\s/g, '')
  return 2 * signs.replace(/\D/g, '').length > signs.length
}

/** A birth or an issue is in the past; an expiry is near. */
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

/** One month in one or two languages (AUG/AOUT); null if the words name none or two different ones. */
function readMonth(
  text: string,
  months: PageWords['months'],
): { readonly month: number; readonly repaired: boolean; readonly isTwice: boolean } | null {
  // Month names contain no digit, so 0 is an O.
  const letters = text.replace(/0/g, 'O').replace(/[/|]/g, ' ')
  const words = twoMonths(bareText(letters).split(' '), months)
  const exact = words.map((word) => findMonth(word, months, 0)).filter((month) => month !== null)
  if (exact.length > 0)
    return exact.every((month) => month === exact[0])
      ? { month: exact[0], repaired: false, isTwice: exact.length > 1 }
      : null
  const near = words.map((word) => findMonth(word, months, 1)).filter((month) => month !== null)
  return near.length > 0 && near.every((month) => month === near[0])
    ? { month: near[0], repaired: true, isTwice: false }
    : null
}

/** `MRZ/MAR` whose slash was read as a letter: both sides of it are months. */
function twoMonths(words: readonly string[], months: PageWords['months']): readonly string[] {
  return words.flatMap((word) => {
    for (let at = 3; at <= word.length - 4; at++) {
      const parts = [word.slice(0, at), word.slice(at + 1)]
      if (/[il1t]/.test(word[at]) && parts.every((part) => findMonth(part, months, 0) !== null)) return parts
    }
    return [word]
  })
}

/** The only month within this number of errors. */
function findMonth(word: string, months: PageWords['months'], errors: number): number | null {
  const found = Object.entries(months).filter(([, names]) =>
    names.some((name) => (errors === 0 ? name === word : name.length >= 3 && distance(name, word) <= errors)),
  )
  return found.length === 1 ? Number(found[0][0]) : null
}
