/** Splits the lines of all pages into separate segments, measured in one unit in both directions. */
import { bareText } from './spelling.ts'
import type { PageContent, TextWord } from './text.ts'

/** Lengths in page widths. */
export interface Segment {
  readonly words: readonly TextWord[]
  readonly text: string
  readonly bare: string
  readonly captureIndex: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Width over height of its page. */
  readonly aspect: number
}

export function splitSegments(pages: readonly PageContent[]): Segment[] {
  return pages.flatMap(({ lines, aspect }, captureIndex) => {
    const segments = lines
      .filter(({ words }) => words.length > 0)
      .map(({ words: read, box }) => {
        const words = read.flatMap(partGlued)
        const text = words.map((word) => word.text).join(' ')
        return {
          words,
          text,
          bare: bareText(text),
          captureIndex,
          x: box.x,
          y: box.y / aspect,
          width: box.width,
          height: box.height / aspect,
          aspect,
        }
      })
    return segments.flatMap((segment) => withYear(segment, segments))
  })
}

const DAY_AND_MONTH = /^\d{1,2} ?[\p{L}0]{3,10}(?: ?[/|-]? ?[\p{L}0]{3,10})?$/u
/** The end of the month may be attached. */
const YEAR_ALONE = /^(?:\p{Lu} )?(?:\d{4}|\d{2})$/u
/** Gap between month and year in line heights; the cuts may overlap. */
const YEAR_GAP = { least: -1, most: 2 }

/** Some states print the year of a date apart: it is joined to the month's segment. */
function withYear(segment: Segment, segments: readonly Segment[]): Segment[] {
  const belongs = (date: Segment, year: Segment): boolean => {
    const gap = (year.x - (date.x + date.width)) / date.height
    return (
      DAY_AND_MONTH.test(date.text) &&
      YEAR_ALONE.test(year.text) &&
      areLevel(date, year) &&
      gap >= YEAR_GAP.least &&
      gap <= YEAR_GAP.most
    )
  }
  if (segments.some((other) => belongs(other, segment))) return []
  const year = segments.find((other) => belongs(segment, other))
  if (!year) return [segment]
  const words = [...segment.words, ...year.words.slice(-1)]
  const text = words.map((word) => word.text).join(' ')
  return [{ ...segment, words, text, bare: bareText(text), width: year.x + year.width - segment.x }]
}

/**
 * A field number before its label: `15SEX`, `4bEXP`, `15SEX.F`. A date without spaces has the same format and stays
 * unchanged.
 */
const NUMBER_AND_LABEL = /^(\d{1,2}[a-d]?)(\p{L}{3,}(?:\.\p{Lu})?)$/u
/** The first letter of a number after its label's full stop: `NO.Y`. */
const LABEL_AND_LETTER = /^(\p{L}{2,}\.)(\p{Lu})$/u
/** The sex is the only one-letter value, so recognisers read it as the end of its label. */
const LABEL_AND_SEX = /^(sex)[.:]?([MFX])$/i

/** Splits joined words that are a number, a label or a value each. */
function partGlued(word: TextWord): TextWord[] {
  const parts =
    NUMBER_AND_LABEL.exec(word.text) ?? LABEL_AND_SEX.exec(word.text) ?? LABEL_AND_LETTER.exec(word.text)
  if (!parts) return [word]
  const { box, text } = word
  const at = (box.width * parts[1].length) / text.length
  return [
    { ...word, text: parts[1], box: { ...box, width: at } },
    ...partGlued({ ...word, text: parts[2], box: { ...box, x: box.x + at, width: box.width - at } }),
  ]
}

/** Unit: segment heights: a value begins at its label's start. */
const SAME_COLUMN = 0.5
/** Maximum distance from a value up to its column's label. */
const LABEL_ABOVE = 4

/**
 * Splits two adjacent values if the second begins directly below its own label. `labels`: segments recognised as labels.
 * A label with other print between does not count.
 */
export function splitAtLabels(segments: readonly Segment[], labels: readonly Segment[]): Segment[] {
  const all = [...segments, ...labels]
  const split = (segment: Segment): Segment[] => {
    const at = segment.words.findIndex(
      (word, i) =>
        i > 0 &&
        labels.some(
          (label) =>
            isLabelAbove(label, segment, word) &&
            !all.some((other) => isBetween(other, label, segment, word)),
        ),
    )
    const second = at > 0 ? withoutFirst(segment, at) : null
    return second ? [takeFirst(segment, at), ...split(second)] : [segment]
  }
  return segments.flatMap(split)
}

function isLabelAbove(label: Segment, segment: Segment, { box }: TextWord): boolean {
  return (
    label.captureIndex === segment.captureIndex &&
    label.x > segment.x + segment.height &&
    Math.abs(label.x - box.x) <= SAME_COLUMN * segment.height &&
    label.y < segment.y &&
    segment.y - (label.y + label.height) <= LABEL_ABOVE * segment.height
  )
}

function isBetween(other: Segment, label: Segment, segment: Segment, { box }: TextWord): boolean {
  const middle = other.y + other.height / 2
  return (
    other.captureIndex === segment.captureIndex &&
    middle > label.y + label.height &&
    middle < segment.y &&
    other.x < box.x + box.width &&
    other.x + other.width > box.x
  )
}

function takeFirst(segment: Segment, count: number): Segment {
  const words = segment.words.slice(0, count)
  const text = words.map((word) => word.text).join(' ')
  const { box } = words[count - 1]
  return { ...segment, words, text, bare: bareText(text), width: box.x + box.width - segment.x }
}

/** The segment without its first `count` words; null if nothing remains. */
export function withoutFirst(segment: Segment, count: number): Segment | null {
  const words = segment.words.slice(count)
  if (words.length === 0) return null
  const text = words.map((word) => word.text).join(' ')
  const x = words[0].box.x
  return { ...segment, words, text, bare: bareText(text), x, width: segment.x + segment.width - x }
}

export const computeConfidence = (words: readonly TextWord[]): number =>
  words.length === 0 ? 0 : Math.min(...words.map(({ confidence }) => confidence))

/** True if both are on one text line. */
export function areLevel(a: Segment, b: Segment): boolean {
  if (a.captureIndex !== b.captureIndex) return false
  const overlap = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return overlap >= 0.45 * Math.min(a.height, b.height)
}
