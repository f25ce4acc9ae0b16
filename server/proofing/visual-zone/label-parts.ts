/**
 * Joins a label that was read in two parts, because its value begins where the first part begins: a part in an unsupported
 * script, read as arbitrary letters, or the first words (`Date of`) of a line that was cut in two.
 */
import type { Entry, Label } from './labels.ts'
import { areLevel, type Segment } from './segments.ts'

/** A value would have more confidence. */
const MAX_SURE = 0.85
/** A single letter may be read as a digit; a number has more digits. */
const NUMBER = /\d.*\d/
/** Maximum gap between both parts, in label heights. */
const MAX_GAP = 2.5
/** Size relative to the label: both parts are printed alike. */
const SIZE = { least: 0.6, most: 1.5 }

/** The labels, each with its parts before it. `entries`: all known labels. */
export function withFirstParts(
  labels: readonly Label[],
  segments: readonly Segment[],
  entries: readonly Entry[],
): readonly Label[] {
  const others = segments.filter((segment) => !labels.some((label) => label.segment === segment))
  return labels.map((label) => {
    const isFirstPart = (part: Segment): boolean => isUnread(part) || beginsLabel(part, label, entries)
    let { segment } = label
    for (
      let part = partBefore(segment, others, isFirstPart);
      part;
      part = partBefore(segment, others, isFirstPart)
    ) {
      const { x } = part
      segment = { ...segment, x, width: segment.x + segment.width - x }
    }
    return { ...label, segment }
  })
}

const isUnread = ({ words, text }: Segment): boolean =>
  words.every(({ confidence }) => confidence < MAX_SURE) && !NUMBER.test(text)

const beginsLabel = ({ bare }: Segment, { field }: Label, entries: readonly Entry[]): boolean =>
  bare !== '' && entries.some((entry) => entry.field === field && entry.label.startsWith(`${bare} `))

function partBefore(
  segment: Segment,
  others: readonly Segment[],
  isFirstPart: (part: Segment) => boolean,
): Segment | undefined {
  return others.find((part) => {
    const gap = (segment.x - part.x - part.width) / segment.height
    const size = part.height / segment.height
    // Its box may overlap the label if one line was split.
    const ends = part.x + part.width <= segment.x + segment.width + segment.height
    const isLeft = part.x < segment.x && ends && gap <= MAX_GAP
    const isSameSize = size >= SIZE.least && size <= SIZE.most
    return isLeft && isSameSize && areLevel(part, segment) && isFirstPart(part)
  })
}
