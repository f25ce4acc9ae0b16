/**
 * A label in two scripts is one label: its first part, which no reader knows, is read as some letters or other, and the value begins
 * where that part begins.
 */
import type { Label } from './labels.ts'
import { areLevel, type Segment } from './segments.ts'

/** A value would have been read with more certainty. */
const MAX_SURE = 0.85
/** A letter is read as a figure; a value of figures has more. */
const NUMBER = /\d.*\d/
/** Between both parts, in heights of the label. */
const MAX_GAP = 2.5
/** Of the label's height: both parts are of one print. */
const SIZE = { least: 0.6, most: 1.5 }

/** The labels, each with the unread parts before it. */
export function withForeignParts(labels: readonly Label[], segments: readonly Segment[]): readonly Label[] {
  const unread = segments.filter(
    (segment) =>
      segment.words.every(({ confidence }) => confidence < MAX_SURE) &&
      !NUMBER.test(segment.text) &&
      !labels.some((label) => label.segment === segment),
  )
  return labels.map((label) => {
    let { segment } = label
    for (let part = partBefore(segment, unread); part; part = partBefore(segment, unread)) {
      const { x } = part
      segment = { ...segment, x, width: segment.x + segment.width - x }
    }
    return { ...label, segment }
  })
}

function partBefore(segment: Segment, unread: readonly Segment[]): Segment | undefined {
  return unread.find((part) => {
    const gap = (segment.x - part.x - part.width) / segment.height
    const size = part.height / segment.height
    // Its box may reach over the label: the line was one before it was parted.
    const ends = part.x + part.width <= segment.x + segment.width + segment.height
    const isLeft = part.x < segment.x && ends && gap <= MAX_GAP
    return isLeft && size >= SIZE.least && size <= SIZE.most && areLevel(part, segment)
  })
}
