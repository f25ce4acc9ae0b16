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
  const address = kind === 'DRIVING_LICENSE' ? addressByForm(segments) : []
  return [...datesByOrder(segments, context), ...sexAlone(segments), ...address]
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
    const valid = /\bVALID\b|^\D*\d{2}[/.-]\d{4}$/i.test(text)
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
