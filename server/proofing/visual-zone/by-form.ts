/** Recognises unlabelled fields by their format: a Medicare number, or three dates in order of a life. */
import { addressByForm } from './address.ts'
import { isMedicareNumber } from '../medicare.ts'
import type { DocumentKind } from './knowledge.ts'
import type { PageField, PageFieldName } from './page-facts.ts'
import { areLevel, computeConfidence, withoutFirst, type Segment } from './segments.ts'
import { readValue, type ReadingContext, type Value } from './values.ts'

export function formFields(
  segments: readonly Segment[],
  kind: DocumentKind | null,
  context: ReadingContext,
): PageField[] {
  if (kind === 'MEDICARE') return medicareFields(segments, context)
  const names = kind === null || kind === 'IDENTITY_CARD' ? namesAbove(segments, context) : []
  const dated = kind === 'DRIVING_LICENSE' ? withoutCategories(segments) : segments
  const address = kind === 'DRIVING_LICENSE' ? addressByForm(withoutDates(segments, context)) : []
  return [
    ...datesByOrder(dated, context),
    ...expiryAhead(dated, context),
    ...birthWithoutDay(dated, context),
    ...birthOfTwo(dated, context),
    ...sexAlone(segments),
    ...sexInTwoLanguages(segments, context),
    ...nationalityBeforeCode(segments, context),
    // A page of unknown kind counts as a document if names are placed as on a card.
    ...(kind === null && names.length === 0 ? [] : numberAlone(segments, kind)),
    ...names,
    ...(kind === 'DRIVING_LICENSE' ? licenceNames(segments, context) : []),
    ...address,
  ]
}

/** Directive 2006/126/EC, without the letters that also name a sex. */
const CATEGORY = /^(?:AM|A[12]?|B[1E]?|C1?E?|D1?E?|T)$/

/**
 * Removes the dates beside a category, and those in their columns whose category was not read: a category may end later
 * than the licence.
 */
function withoutCategories(segments: readonly Segment[]): readonly Segment[] {
  const codes = segments.filter(({ text }) => CATEGORY.test(text))
  const beside = segments.filter((segment) =>
    codes.some((code) => code.x < segment.x && areLevel(code, segment)),
  )
  const isInColumn = (a: Segment, b: Segment) =>
    a.captureIndex === b.captureIndex && a.x < b.x + b.width && b.x < a.x + a.width
  return segments.filter(
    (segment) => !/\d$/.test(segment.text) || !beside.some((other) => isInColumn(segment, other)),
  )
}

/** `12 AUG 1974` looks like a state and postcode. */
function withoutDates(segments: readonly Segment[], context: ReadingContext): readonly Segment[] {
  return segments.filter((segment) => readValue(segment, 'issueDate', context) === null)
}

const field = (name: PageFieldName, value: string, confidence: number, captureIndex: number): PageField => ({
  field: name,
  value,
  confidence,
  captureIndex,
  foundBy: 'form',
})

function medicareFields(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const fields = medicareLines(segments, context)
  const has = (name: PageFieldName) => fields.find((found) => found.field === name)
  const number = has('documentNumber')
  return has('fullName') || !number ? fields : [...fields, ...nameBelow(number, segments)]
}

/** The only name in capitals below the number, if the digit before it was not read. */
function nameBelow(number: PageField, segments: readonly Segment[]): PageField[] {
  const row = segments.find(({ text }) => text.replace(/\s/g, '').startsWith(number.value))
  const names = segments.filter(
    ({ text, words, captureIndex, y }) =>
      row !== undefined &&
      captureIndex === row.captureIndex &&
      y > row.y + row.height &&
      words.length > 1 &&
      NAME_IN_CAPITALS.test(text) &&
      !/\bVALID\b/.test(text),
  )
  return names.length === 1
    ? [field('fullName', names[0].text, computeConfidence(names[0].words), names[0].captureIndex)]
    : []
}

function medicareLines(segments: readonly Segment[], context: ReadingContext): PageField[] {
  return segments.flatMap((segment) => {
    const { text, words, captureIndex } = segment
    const digits = text.replace(/\s/g, '')
    if (/^[\d\s]{10,14}$/.test(text) && isMedicareNumber(digits.slice(0, 10)))
      return [field('documentNumber', digits.slice(0, 10), computeConfidence(words), captureIndex)]
    if (/^[1-9]\s\p{L}/u.test(text) && words.length >= 3)
      return [
        field(
          'fullName',
          words
            .slice(1)
            .map((word) => word.text)
            .join(' '),
          computeConfidence(words.slice(1)),
          captureIndex,
        ),
      ]
    const valid = /\bVALID\b|(?:^|\s)\d{2}[/.-]\d{4}$/i.test(text)
      ? readValue(segment, 'expiryDate', context)
      : null
    return valid ? [field('expiryDate', valid.value, valid.confidence, captureIndex)] : []
  })
}

/** A single letter of value size; two different ones are ambiguous. */
const SEX = { sure: 0.75, least: 0.015 }

/** Text beside the document is read too, such as another card. */
function isOnPage({ x, y, width, height, aspect }: Segment): boolean {
  const [middleX, middleY] = [x + width / 2, (y + height / 2) * aspect]
  return middleX >= 0 && middleX <= 1 && middleY >= 0 && middleY <= 1
}

function sexAlone(segments: readonly Segment[]): PageField[] {
  const letters = segments.filter(
    ({ text, words, height }) =>
      /^[MF]$/.test(text) && computeConfidence(words) >= SEX.sure && height >= SEX.least,
  )
  const onPage = letters.filter(isOnPage)
  const [first, ...others] = onPage.length > 0 ? onPage : letters
  if (!first || others.some(({ text }) => text !== first.text)) return []
  return [field('sex', first.text, computeConfidence(first.words), first.captureIndex)]
}

/** `E/M`, `K/F`: letters of the same meaning in two languages of a state. */
function sexInTwoLanguages(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const found = segments.flatMap((segment) => {
    const read = /^\p{Lu}\s?\/\s?\p{Lu}$/u.test(segment.text) ? readValue(segment, 'sex', context) : null
    return read ? [field('sex', read.value, read.confidence, segment.captureIndex)] : []
  })
  return new Set(found.map(({ value }) => value)).size === 1 ? [found[0]] : []
}

/** `T.C./TUR`: the state's abbreviation and its code. */
function nationalityBeforeCode(segments: readonly Segment[], { states }: ReadingContext): PageField[] {
  return segments.flatMap(({ text, words, captureIndex }) => {
    const code = /^[\p{Lu}.]{1,4}\/([A-Z]{3})$/u.exec(text.replace(/\s/g, ''))?.[1]
    return code !== undefined && states.has(code)
      ? [field('nationality', code, computeConfidence(words), captureIndex)]
      : []
  })
}

/** Tolerance for the start of a column in page lengths. */
const COLUMN = 0.02
/** Names have no digits and no other signs. */
const NAME_IN_CAPITALS = /^\p{Lu}[\p{L} '-]+$/u
/** Height of a value relative to the date below it. */
const VALUE_SIZE = { least: 0.7, most: 1.5 }

/**
 * Without labels: of the lines above the first date that begin in its column, the upper ones are surname and given names
 * (Doc 9303 part 5, section 4.2: name before date of birth).
 */
function namesAbove(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const dates = segments
    .filter((segment) => readValue(segment, 'birthDate', context) !== null && segment.captureIndex === 0)
    .sort((a, b) => a.y - b.y)
  const [first] = dates
  if (!first) return []
  const above = segments
    .filter(
      ({ text, words, x, y, height, captureIndex }) =>
        captureIndex === 0 &&
        words.every(({ isConfirmed, confidence }) => isConfirmed === true || confidence >= DRAWN_SURE) &&
        Math.abs(x - first.x) <= COLUMN &&
        y < first.y &&
        height >= VALUE_SIZE.least * first.height &&
        height <= VALUE_SIZE.most * first.height &&
        NAME_IN_CAPITALS.test(text),
    )
    .sort((a, b) => a.y - b.y)
  const [surname, given] = above
  if (!surname || !given) return []
  return (
    [
      ['surname', surname],
      ['givenNames', given],
    ] as const
  ).map(([name, { text, words, captureIndex }]) => field(name, text, computeConfidence(words), captureIndex))
}

/** Contains a digit and a letter; a personal number (4d) has no letter. */
const LICENCE_NUMBER = /^(?=.*\d)(?=.*[A-Z])[A-Z0-9]{8,18}$/
/** Maximum distance of two lines of a licence, in line heights. */
const LICENCE_PITCH = 2.6

/**
 * On licences of the EU model (Directive 2006/126/EC, annex I) surname, given names, birth, issue and expiry are below
 * each other: if the field numbers were not read, three dates in order of a life identify the two lines directly above.
 * The place of birth follows its date, the authority (4c) is beside the issue date, the number (5) beside or below the
 * expiry.
 */
function licenceNames(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const front = segments.filter(({ captureIndex }) => captureIndex === 0).sort((a, b) => a.y - b.y)
  return front.flatMap((birth) => {
    const column = front.filter(
      ({ x, height }) =>
        Math.abs(x - birth.x) <= COLUMN &&
        height >= VALUE_SIZE.least * birth.height &&
        height <= VALUE_SIZE.most * birth.height,
    )
    const at = column.indexOf(birth)
    const lines = column.slice(Math.max(0, at - 2), at + 3)
    const [surname, given, born, issued, expires] = lines
    const isClose = lines.every(
      (line, i) => i === 0 || line.y - lines[i - 1].y <= LICENCE_PITCH * line.height,
    )
    if (at < 2 || !expires || !isClose) return []
    const date = readValue(born, 'birthDate', context)
    const dates = [date, readValue(issued, 'issueDate', context), readValue(expires, 'expiryDate', context)]
    const [first, second, third] = dates.map((read) => read?.value)
    if (!date || !first || !second || !third || first >= second || second >= third) return []
    if (![surname, given].every(({ text }) => NAME_IN_CAPITALS.test(text))) return []
    const behind = withoutFirst(born, date.usedWords)
    const place = behind && NAME_IN_CAPITALS.test(behind.text) ? [['birthPlace', behind] as const] : []
    const beside = (line: Segment) =>
      front.find((other) => other.x > line.x + line.width && areLevel(other, line))
    const authority = beside(issued)
    const number = [beside(expires), column[at + 3]].find(
      (line) =>
        line &&
        LICENCE_NUMBER.test(line.text.replace(/\s/g, '')) &&
        computeConfidence(line.words) >= DRAWN_SURE,
    )
    return (
      [
        ['surname', surname],
        ['givenNames', given],
        ...place,
        ...(authority && NAME_IN_CAPITALS.test(authority.text) ? [['authority', authority] as const] : []),
        ...(number ? [['documentNumber', number] as const] : []),
      ] as const
    ).map(([name, line]) => field(name, line.text, computeConfidence(line.words), 0))
  })
}

/** All dates in the segments, regardless of their meaning. */
function datesOn(
  segments: readonly Segment[],
  context: ReadingContext,
): readonly (Value & { readonly captureIndex: number })[] {
  return segments.flatMap((segment) => {
    const read = readValue(segment, 'issueDate', context) ?? readValue(segment, 'expiryDate', context)
    return read ? [{ ...read, captureIndex: segment.captureIndex }] : []
  })
}

/** Minimum years between birth and an issue or expiry. Starting value. */
const MIN_AGE = 12

const SURE_DATE = 0.85

/** The first of two dates is the birth if years are between; the other may be issue or expiry. */
function birthOfTwo(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const dates = datesOn(segments, context)
  const values = [...new Set(dates.map(({ value }) => value))].sort()
  const [birth, later] = values
  if (
    values.length !== 2 ||
    dates.some(({ confidence }) => confidence < SURE_DATE) ||
    Number(later.slice(0, 4)) - Number(birth.slice(0, 4)) < MIN_AGE
  )
    return []
  const found = dates.find(({ value }) => value === birth)
  return found ? [field('birthDate', found.value, found.confidence, found.captureIndex)] : []
}

const yearsBetween = (earlier: string, later: string): number =>
  Number(later.slice(0, 4)) - Number(earlier.slice(0, 4)) - (later.slice(5) < earlier.slice(5) ? 1 : 0)

/**
 * Exactly three dates on a side are birth, issue and expiry, if the first is at least a year earlier: a visa prints three
 * dates of one journey.
 */
function datesByOrder(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const dates = datesOn(segments, context)
  for (const captureIndex of new Set(dates.map((date) => date.captureIndex))) {
    const ofSide = dates.filter((date) => date.captureIndex === captureIndex)
    const values = [...new Set(ofSide.map(({ value }) => value))].sort()
    if (values.length === 3 && yearsBetween(values[0], values[1]) >= 1) return readDates(values, ofSide)
  }
  return []
}

function readDates(
  values: readonly string[],
  dates: readonly { readonly value: string; readonly confidence: number; readonly captureIndex: number }[],
): PageField[] {
  return (['birthDate', 'issueDate', 'expiryDate'] as const).flatMap((name, i) => {
    const date = dates.find(({ value }) => value === values[i])
    return date ? [field(name, date.value, date.confidence, date.captureIndex)] : []
  })
}

/** Maximum validity: a two-digit birth year would be further ahead. */
const MAX_YEARS_AHEAD = 20

/** A future date is neither birth nor issue; two future dates are ambiguous. */
function expiryAhead(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const today = context.now.toISOString().slice(0, 10)
  const last = String(context.now.getUTCFullYear() + MAX_YEARS_AHEAD)
  const ahead = segments.flatMap((segment) => {
    const read = readValue(segment, 'expiryDate', context)
    return read && read.value > today && read.value.slice(0, 4) <= last
      ? [{ ...read, captureIndex: segment.captureIndex }]
      : []
  })
  if (new Set(ahead.map(({ value }) => value)).size !== 1) return []
  return [field('expiryDate', ahead[0].value, ahead[0].confidence, ahead[0].captureIndex)]
}

/** Only dates of birth are printed with an unknown day (Doc 9303 part 3, section 4.8). */
function birthWithoutDay(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const found = segments.flatMap((segment) => {
    const read = readValue(segment, 'birthDate', context)
    return read && read.value.length === MONTH_LENGTH ? [{ ...read, captureIndex: segment.captureIndex }] : []
  })
  if (new Set(found.map(({ value }) => value)).size !== 1) return []
  return [field('birthDate', found[0].value, found[0].confidence, found[0].captureIndex)]
}

const MONTH_LENGTH = 'YYYY-MM'.length

/** A visa's page also has numbers of other documents. */
const NUMBERED_KINDS: readonly DocumentKind[] = ['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD']
/** Letters and digits in one word, mostly digits: ICAO numbers have nine characters, national ones at least seven. */
const LONE_NUMBER = { form: /^(?=.*[A-Z])(?:[A-Z0-9]*\d){4,}[A-Z0-9]*$/, least: 7, most: 12, sure: 0.6 }
/** Some states use numbers with few digits: at least one of two recognisers must be certain of each character. */
const DRAWN_NUMBER = /^(?=.*[A-Z])(?=.*\d)[A-Z0-9]{8,12}$/
const DRAWN_SURE = 0.84
/** Some states number cards without letters. Longer numbers are usually personal numbers. */
const FIGURES_ALONE = /^\d{8,10}$/
/** A date without separators: day, month, year, or year first. */
const DATE_IN_FIGURES =
  /^(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$/

interface LoneNumber {
  readonly text: string
  readonly confidence: number
  readonly isConfirmed: boolean
  readonly captureIndex: number
}

/** Many cards print their number large and unlabelled: the only text of that format on the front. */
function numberAlone(segments: readonly Segment[], kind: DocumentKind | null): PageField[] {
  if (kind !== null && !NUMBERED_KINDS.includes(kind)) return []
  const front = segments.filter(({ captureIndex }) => captureIndex === 0)
  const ofWords = (count: number): LoneNumber[] =>
    front
      .filter(({ words }) => words.length === count)
      .map(({ words, captureIndex }) => ({
        text: words.map(({ text }) => text).join(''),
        confidence: computeConfidence(words),
        isConfirmed: words.every(({ isConfirmed }) => isConfirmed === true),
        captureIndex,
      }))
  const alone = ofWords(1)
  const sure = alone.filter(
    ({ text, confidence }) =>
      text.length >= LONE_NUMBER.least &&
      text.length <= LONE_NUMBER.most &&
      LONE_NUMBER.form.test(text) &&
      confidence >= LONE_NUMBER.sure,
  )
  const drawn = ({ text, confidence }: LoneNumber): boolean =>
    DRAWN_NUMBER.test(text) && confidence >= DRAWN_SURE
  const inFigures = ({ text, confidence }: LoneNumber): boolean =>
    FIGURES_ALONE.test(text) && !DATE_IN_FIGURES.test(text) && confidence >= DRAWN_SURE
  const lists = [
    sure.filter(({ isConfirmed }) => isConfirmed),
    sure,
    alone.filter(drawn),
    // Recognisers see a space in widely set numbers; on an unknown document such a pair is ambiguous.
    kind === null ? [] : ofWords(2).filter(drawn),
    alone.filter(inFigures),
  ]
  const found = lists.find((list) => list.length > 0) ?? []
  if (new Set(found.map(({ text }) => text)).size !== 1) return []
  const [{ text, confidence, captureIndex }] = found
  return [field('documentNumber', text, confidence, captureIndex)]
}
