/** Fields that no label names and whose form says enough: a health card's number, three dates in the order of a life. */
import { addressByForm } from './address.ts'
import { isMedicareNumber } from '../medicare.ts'
import type { DocumentKind } from './knowledge.ts'
import type { PageField, PageFieldName } from './page-facts.ts'
import { confidenceOf, type Segment } from './segments.ts'
import { readValue, type ReadingContext } from './values.ts'

export function formFields(
  segments: readonly Segment[],
  kind: DocumentKind | null,
  context: ReadingContext,
): PageField[] {
  if (kind === 'MEDICARE') return medicareFields(segments, context)
  if (kind === null) return []
  const address = kind === 'DRIVING_LICENSE' ? addressByForm(withoutDates(segments, context)) : []
  return [
    ...datesByOrder(segments, context),
    ...expiryAhead(segments, context),
    ...birthWithoutDay(segments, context),
    ...sexAlone(segments),
    ...numberAlone(segments, kind),
    ...address,
  ]
}

/** `12 AUG 1974` has the form of a state and its postcode. */
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
  return segments.flatMap((segment) => {
    const { text, words, captureIndex } = segment
    const digits = text.replace(/\s/g, '')
    if (/^[\d\s]{10,14}$/.test(text) && isMedicareNumber(digits.slice(0, 10)))
      return [field('documentNumber', digits.slice(0, 10), confidenceOf(words), captureIndex)]
    if (/^[1-9]\s\p{L}/u.test(text) && words.length >= 3)
      return [
        field(
          'fullName',
          words
            .slice(1)
            .map((word) => word.text)
            .join(' '),
          confidenceOf(words.slice(1)),
          captureIndex,
        ),
      ]
    const valid = /\bVALID\b|(?:^|\s)\d{2}[/.-]\d{4}$/i.test(text)
      ? readValue(segment, 'expiryDate', context)
      : null
    return valid ? [field('expiryDate', valid.value, valid.confidence, captureIndex)] : []
  })
}

/** One letter by itself, as large as values are; two different ones say nothing. */
const SEX = { sure: 0.75, least: 0.015 }

function sexAlone(segments: readonly Segment[]): PageField[] {
  const letters = segments.filter(
    ({ text, words, height }) =>
      /^[MF]$/.test(text) && confidenceOf(words) >= SEX.sure && height >= SEX.least,
  )
  const [first] = letters
  if (!first || letters.some(({ text }) => text !== first.text)) return []
  return [field('sex', first.text, confidenceOf(first.words), first.captureIndex)]
}

/** Born, issued, expiring: with exactly three dates on a side each can be only one of them. */
function datesByOrder(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const dates = segments.flatMap((segment) => {
    const read = readValue(segment, 'issueDate', context) ?? readValue(segment, 'expiryDate', context)
    return read ? [{ ...read, captureIndex: segment.captureIndex }] : []
  })
  for (const captureIndex of new Set(dates.map((date) => date.captureIndex))) {
    const ofSide = dates.filter((date) => date.captureIndex === captureIndex)
    const values = [...new Set(ofSide.map(({ value }) => value))].sort()
    if (values.length === 3) return lifeOf(values, ofSide)
  }
  return []
}

function lifeOf(
  values: readonly string[],
  dates: readonly { readonly value: string; readonly confidence: number; readonly captureIndex: number }[],
): PageField[] {
  return (['birthDate', 'issueDate', 'expiryDate'] as const).flatMap((name, i) => {
    const date = dates.find(({ value }) => value === values[i])
    return date ? [field(name, date.value, date.confidence, date.captureIndex)] : []
  })
}

/** A day that lies ahead is no birth and no issue; of two nobody knows which. */
function expiryAhead(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const today = context.now.toISOString().slice(0, 10)
  const ahead = segments.flatMap((segment) => {
    const read = readValue(segment, 'expiryDate', context)
    return read && read.value > today ? [{ ...read, captureIndex: segment.captureIndex }] : []
  })
  if (new Set(ahead.map(({ value }) => value)).size !== 1) return []
  return [field('expiryDate', ahead[0].value, ahead[0].confidence, ahead[0].captureIndex)]
}

/** A day that nobody knows is printed for births alone (Doc 9303 part 3, section 4.8). */
function birthWithoutDay(segments: readonly Segment[], context: ReadingContext): PageField[] {
  const found = segments.flatMap((segment) => {
    const read = readValue(segment, 'birthDate', context)
    return read && read.value.length === MONTH_LENGTH ? [{ ...read, captureIndex: segment.captureIndex }] : []
  })
  if (new Set(found.map(({ value }) => value)).size !== 1) return []
  return [field('birthDate', found[0].value, found[0].confidence, found[0].captureIndex)]
}

const MONTH_LENGTH = 'YYYY-MM'.length

/** A visa's page has numbers of other documents too. */
const NUMBERED_KINDS: readonly DocumentKind[] = ['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD']
/** Letters and digits in one word, mostly digits: ICAO numbers have nine, national ones down to seven. */
const LONE_NUMBER = { form: /^(?=.*[A-Z])(?:[A-Z0-9]*\d){4,}[A-Z0-9]*$/, least: 7, most: 12, sure: 0.6 }

/** Many cards print their number large and without a label: the only thing of that form on the front. */
function numberAlone(segments: readonly Segment[], kind: DocumentKind): PageField[] {
  if (!NUMBERED_KINDS.includes(kind)) return []
  const found = segments.filter(
    ({ text, words, captureIndex }) =>
      captureIndex === 0 &&
      words.length === 1 &&
      text.length >= LONE_NUMBER.least &&
      text.length <= LONE_NUMBER.most &&
      LONE_NUMBER.form.test(text) &&
      confidenceOf(words) >= LONE_NUMBER.sure,
  )
  if (new Set(found.map(({ text }) => text)).size !== 1) return []
  return [field('documentNumber', found[0].text, confidenceOf(found[0].words), found[0].captureIndex)]
}
