/** The lines of all pages as pieces that stand apart, measured alike in both directions. */
import { bareText } from './spelling.ts'
import type { PageContent, TextWord } from './text.ts'

/** Lengths in widths of the page. */
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

export function segmentsOf(pages: readonly PageContent[]): Segment[] {
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
/** The end of the month may have been read with it. */
const YEAR_ALONE = /^(?:\p{Lu} )?(?:\d{4}|\d{2})$/u
/** Between month and year, in heights of the line; both may have been cut out with a part of the other. */
const YEAR_GAP = { least: -1, most: 2 }

/** Some states set the year of a date apart: the month's piece continues with it, and the year is no piece of its own. */
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

/** A field's number before its label: `15SEX`, `4bEXP`, `15SEX.F`. A date without blanks has the same form and loses nothing. */
const NUMBER_AND_LABEL = /^(\d{1,2}[a-d]?)(\p{L}{3,}(?:\.\p{Lu})?)$/u
/** The first letter of a number behind the point of its label: `NO.Y`. */
const LABEL_AND_LETTER = /^(\p{L}{2,}\.)(\p{Lu})$/u
/** The letter of the sex is the one value of a single sign, so that a reader takes it for the end of its label. */
const LABEL_AND_SEX = /^(sex)[.:]?([MFX])$/i

/** Words that a reader joined though they are a number, a label or a value each. */
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

/** In heights of the segment: a value begins where its label begins. */
const SAME_COLUMN = 0.5
/** From a value up to the label of the next column. */
const LABEL_ABOVE = 4

/**
 * Two values that stand as close as words of one: the second begins right below a label of its own. `labels`: pieces that were
 * told as labels. A label with other print between it and the word is that print's own.
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
    return second ? [firstOf(segment, at), ...split(second)] : [segment]
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

function firstOf(segment: Segment, count: number): Segment {
  const words = segment.words.slice(0, count)
  const text = words.map((word) => word.text).join(' ')
  const { box } = words[count - 1]
  return { ...segment, words, text, bare: bareText(text), width: box.x + box.width - segment.x }
}

/** What is left of a segment when its first `count` words are taken away; null when nothing is. */
export function withoutFirst(segment: Segment, count: number): Segment | null {
  const words = segment.words.slice(count)
  if (words.length === 0) return null
  const text = words.map((word) => word.text).join(' ')
  const x = words[0].box.x
  return { ...segment, words, text, bare: bareText(text), x, width: segment.x + segment.width - x }
}

export const confidenceOf = (words: readonly TextWord[]): number =>
  words.length === 0 ? 0 : Math.min(...words.map(({ confidence }) => confidence))

/** Do both stand on one line of print? */
export function areLevel(a: Segment, b: Segment): boolean {
  if (a.captureIndex !== b.captureIndex) return false
  const overlap = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return overlap >= 0.45 * Math.min(a.height, b.height)
}
