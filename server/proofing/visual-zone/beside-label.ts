/** Finds the value of a labelled field: after its label, level to the right, or below. */
import type { Label } from './labels.ts'
import type { PageFieldName } from './page-facts.ts'
import { areLevel, type Segment } from './segments.ts'
import { readValue, type ReadingContext, type Value } from './values.ts'

/** Distances in label heights. */
const REACH = { right: 9, below: 4.2, left: 10 }
/** All values of a table begin in one column, however far from short labels. */
const TABLE = { reach: 26, leastDistance: 5 }
/** A value below begins at its label's start; a centred one is within it. */
const MIN_COVER = 0.4

/** Text after a label in its line may be the misread label in another language; values read better. */
const SURE_INLINE = 0.85
/** Values are at least as large as their labels, whose small letters have descenders; smaller text is a speck. */
const MIN_SIZE = 0.7

export interface Found extends Value {
  readonly segment: Segment
  /** Distance from the label in label heights. */
  readonly distance: number
}

export function findValue(
  label: Label,
  field: PageFieldName,
  candidates: readonly Segment[],
  labels: readonly Label[],
  context: ReadingContext,
): Found | null {
  const inline = label.rest && readValue(label.rest, field, context)
  const behind = inline && label.rest ? { ...inline, segment: label.rest, distance: 0 } : null
  if (behind && behind.confidence >= SURE_INLINE) return behind
  const near = candidates
    .map((segment) => ({ segment, distance: distanceTo(label.segment, segment) }))
    .filter(
      ({ segment, distance }) =>
        distance !== null && !labels.some((other) => isBetween(other, { label, value: segment })),
    )
    .sort((a, b) => (a.distance as number) - (b.distance as number))
  for (const { segment, distance } of near) {
    const value = readValue(segment, field, context)
    if (value) {
      const found = { ...value, segment, distance: distance as number }
      return behind && behind.confidence >= found.confidence ? behind : found
    }
    // A name or text beyond another segment belongs to that one.
    if (field !== 'sex' && !field.endsWith('Date')) break
  }
  return behind
}

/**
 * A label of another field directly above the value and below the first label owns the value; the first label's value was
 * not read. The same label in another language may be between.
 */
function isBetween(
  other: Label,
  { label, value }: { readonly label: Label; readonly value: Segment },
): boolean {
  const { segment } = other
  return (
    other.field !== label.field &&
    segment.captureIndex === value.captureIndex &&
    segment.y >= label.segment.y + label.segment.height &&
    segment.y + segment.height <= value.y + 0.5 * value.height &&
    Math.abs(segment.x - value.x) <= segment.height
  )
}

/** Returns null if a value of this label cannot be there. */
function distanceTo(label: Segment, value: Segment): number | null {
  if (value.captureIndex !== label.captureIndex) return null
  const height = Math.max(label.height, 0.008)
  if (value.height < MIN_SIZE * label.height) return null
  const right = (value.x - (label.x + label.width)) / height
  if (areLevel(label, value) && right >= -0.5) {
    if (right <= REACH.right) return 1 + 0.5 * right
    // Counts as further away than any value below, so it is used only if there is none.
    return right <= TABLE.reach ? TABLE.leastDistance + 0.5 * right : null
  }
  const below = (value.y - (label.y + label.height)) / height
  if (below < -0.6 || below > REACH.below) return null
  const left = Math.abs(value.x - label.x) / height
  const cover = Math.min(label.x + label.width, value.x + value.width) - Math.max(label.x, value.x)
  const aligned = left <= 1.5
  const within =
    cover >= MIN_COVER * Math.min(label.width, value.width) && value.x >= label.x - REACH.left * height
  if (!aligned && !within) return null
  return Math.max(0, below) + (aligned ? 0.3 * left : 1 + 0.3 * left)
}
