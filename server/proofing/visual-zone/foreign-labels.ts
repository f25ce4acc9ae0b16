/**
 * Joins a bilingual label: its first part, in an unsupported script, is read as arbitrary letters, and the value begins
 * where that part begins.
 */
import type { Label } from './labels.ts'
import { areLevel, type Segment } from './segments.ts'

/** A value would have more confidence. */
const MAX_SURE = 0.85
/** A single letter may be read as a digit; a number has more digits. */
const NUMBER = /\d.*\d/
/** Maximum gap between both parts, in label heights. */
const MAX_GAP = 2.5
/** Size relative to the label: both parts are printed alike. */
const SIZE = { least: 0.6, most: 1.5 }

/** The labels, each with the unread part before it. */
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
    // Its box may overlap the label if one line was split.
    const ends = part.x + part.width <= segment.x + segment.width + segment.height
    const isLeft = part.x < segment.x && ends && gap <= MAX_GAP
    return isLeft && size >= SIZE.least && size <= SIZE.most && areLevel(part, segment)
  })
}
