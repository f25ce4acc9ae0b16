/** Numbered fields of licences: segments that begin with a field number, and the text after it. */
import { withFurtherLines } from './address.ts'
import type { NumberedField } from './knowledge.ts'
import type { PageField, PageFieldName } from './page-facts.ts'
import { areLevel, withoutFirst, type Segment } from './segments.ts'
import { isDateInDigits, readValue, type ReadingContext, type Value } from './values.ts'

interface NumberedPiece {
  readonly number: string
  readonly segment: Segment
  readonly rest: Segment | null
}

/** Misreadings of a small number: `4a.` may become `4a`, `4a,` or `da.`. */
const NUMBER_FORMS: readonly (readonly [form: RegExp, number: string])[] = [
  [/^[1Il|][.,;:]{0,2}$/, '1'],
  [/^[2Zz][.,;:]{0,2}$/, '2'],
  [/^3[.,;:]{0,2}$/, '3'],
  [/^[4dA][aà4]\.?,?$/, '4a'],
  [/^[4dA][b6]\.?,?$/, '4b'],
  [/^[4daA][cCe]\.?,?$/, '4c'],
  [/^4[dD]\.?,?$/, '4d'],
  [/^[5S][.,;:]{0,2}$/, '5'],
  [/^8[.,;:]{0,2}$/, '8'],
  [/^9a?\.?$/, '9'],
  [/^1[25678][aA]?\.?$/, ''],
]
const PLAIN = /^1[25678]/

export function parseFieldNumber(text: string): string | null {
  const form = NUMBER_FORMS.find(([pattern]) => pattern.test(text))
  if (!form) return null
  return form[1] !== '' ? form[1] : (PLAIN.exec(text)?.[0] ?? null)
}

export function numberedPieces(segments: readonly Segment[]): NumberedPiece[] {
  const sides = new Set(segments.map(({ captureIndex }) => captureIndex))
  const tops = new Map([...sides].map((side) => [side, topOfTable(segments, side)]))
  return segments.flatMap((segment) => {
    if (segment.y + segment.height > (tops.get(segment.captureIndex) ?? Infinity)) return []
    const number = parseFieldNumber(segment.words[0].text)
    const first = number === null ? [] : [{ number, segment, rest: withoutFirst(segment, 1) }]
    return [...first, ...lastPiece(segment)]
  })
}

/**
 * The back of a European licence is a table with columns 9 to 12 (Directive 2006/126/EC, annex I): specks beside its
 * dates are read as field numbers.
 */
const COLUMNS = /^1[012][.,]?$/
const MIN_COLUMNS = 2

/** Returns null without a table. On a picture of both sides the front's numbered fields are above it. */
function topOfTable(segments: readonly Segment[], side: number): number | null {
  const columns = segments.filter(({ captureIndex, text }) => captureIndex === side && COLUMNS.test(text))
  const isTable = new Set(columns.map(({ bare }) => bare)).size >= MIN_COLUMNS
  return isTable ? Math.min(...columns.map(({ y }) => y)) : null
}

/** `19.01.2013 4c.`: the next value's number was attached to the previous value. */
function lastPiece(segment: Segment): NumberedPiece[] {
  const last = segment.words[segment.words.length - 1].text
  const number = segment.words.length > 1 && /^[4d][abcd][.,]$/.test(last) ? parseFieldNumber(last) : null
  const piece = number === null ? null : withoutFirst(segment, segment.words.length - 1)
  return piece && number !== null ? [{ number, segment: piece, rest: null }] : []
}

/** Maximum distance of a value after its number, in line heights. */
const REACH = 4
const MIN_SIZE = 0.8
/** Maximum words of a label between number and value: `4b EXP`, `1 FAMILY NAME`. */
const MAX_LABEL_WORDS = 3

export function readNumbered(
  pieces: readonly NumberedPiece[],
  segments: readonly Segment[],
  fields: Readonly<Record<string, NumberedField>>,
  labelWords: (segment: Segment, field: PageFieldName) => number,
  context: ReadingContext,
): PageField[] {
  return pieces.flatMap((piece) => {
    const behind = piece.rest ?? nextTo(piece.segment, segments)
    const meant = behind && chooseField(piece, behind, pieces, fields)
    if (!meant) return []
    const { field, form } = meant
    const skipped = Math.min(MAX_LABEL_WORDS, labelWords(behind, field))
    const after = skipped > 0 ? (withoutFirst(behind, skipped) ?? nextTo(behind, segments)) : behind
    const value = after && readValue(after, field, context, form)
    if (!value) return []
    const own = asField(field, value, after)
    if (field === 'address') return [withFurtherLines(own, after, linesWithout(pieces, segments))]
    const found = [own]
    const more = meant.then && withoutFirst(after, value.usedWords)
    const second = more && meant.then ? readValue(more, meant.then, context) : null
    return second && more && meant.then ? [...found, asField(meant.then, second, more)] : found
  })
}

/**
 * The field of the piece's number. A small 3 is read as S, which stands for 5; but a number of a document does not begin
 * with a date.
 */
function chooseField(
  { number }: NumberedPiece,
  behind: Segment,
  pieces: readonly NumberedPiece[],
  fields: Readonly<Record<string, NumberedField>>,
): NumberedField | undefined {
  const [own, third] = [fields[number], fields['3']]
  const isThird =
    own?.field === 'documentNumber' &&
    third?.field === 'birthDate' &&
    isDateInDigits(behind.words[0].text) &&
    !pieces.some((other) => other.number === '3')
  return isThird ? third : own
}

/** Maximum distance between a name and the one below, in line heights. */
const NEXT_LINE = 2.6

/**
 * The surname without its number: the line directly above the given names that begins at their start or at their
 * number's.
 */
export function surnameAbove(
  pieces: readonly NumberedPiece[],
  segments: readonly Segment[],
  fields: Readonly<Record<string, NumberedField>>,
  context: ReadingContext,
): PageField[] {
  const given = pieces.find(({ number }) => fields[number]?.field === 'givenNames')
  const isKnown = pieces.some(({ number }) => fields[number]?.field === 'surname')
  if (!given || isKnown) return []
  const below = given.segment
  const above = segments
    .filter(({ captureIndex, x, y, height }) => {
      const gap = below.y - (y + height)
      return (
        captureIndex === below.captureIndex &&
        gap >= -0.3 * height &&
        gap <= NEXT_LINE * height &&
        Math.abs(x - below.x) <= 2 * height
      )
    })
    .sort((a, b) => b.y - a.y)[0]
  const value = above && readValue(above, 'surname', context)
  return above && value ? [asField('surname', value, above)] : []
}

/** Numbers before a value: coarse cloth yields many single digits without values. */
const MIN_VALUE = 3

export function numbersBeforeValues(
  pieces: readonly NumberedPiece[],
  segments: readonly Segment[],
): readonly string[] {
  const named = pieces.filter(
    ({ segment, rest }) => ((rest ?? nextTo(segment, segments))?.bare.length ?? 0) >= MIN_VALUE,
  )
  return named.map(({ number }) => number)
}

/** Lines without a number of their own. */
function linesWithout(pieces: readonly NumberedPiece[], segments: readonly Segment[]): Segment[] {
  return segments.filter(
    (line) => !pieces.some(({ segment }) => segment.x <= line.x && areLevel(segment, line)),
  )
}

function asField(field: PageFieldName, { value, confidence }: Value, { captureIndex }: Segment): PageField {
  return { field, value, confidence, captureIndex, foundBy: 'template' }
}

/** Unit: page widths: boxes of two segments may overlap by the width of a small number. */
const OVERLAP = 0.012

function nextTo(segment: Segment, segments: readonly Segment[]): Segment | null {
  const end = segment.x + segment.width
  const level = segments
    .filter((other) => other !== segment && areLevel(segment, other) && other.x >= end - OVERLAP)
    // Values are at least as large as their numbers; smaller text is a speck.
    .filter((other) => other.height >= MIN_SIZE * segment.height)
    .filter((other) => other.x - end <= REACH * Math.max(segment.height, other.height))
    .sort((a, b) => a.x - b.x)
  return level[0] ?? null
}
