/** Predicts the cell of the sex from its label if no recogniser returned it: a single letter is often missed. */
import type { Label } from './labels.ts'
import type { UnreadCell } from './page-facts.ts'
import { computeConfidence, type Segment } from './segments.ts'
import type { TextBox } from './text.ts'

/** Unit: label heights: columns of a letter below the label, and rows in which the values of such a table are. */
const BELOW = { before: 0.5, width: 3, least: 0.8, most: 4.2 }
/** Position after the label, in label heights. */
const BEHIND = { gap: 0.1, width: 4, rise: 0.6 }
/** Minimum size of a value in label heights. */
const MIN_SIZE = 0.8
/** Margin as a share of the row height. */
const RIM = 0.15
const SURE = 0.9

/** Most likely first: below its label level with another value, then after the label. */
export function cellsOfSex(labels: readonly Label[], segments: readonly Segment[]): readonly UnreadCell[] {
  const own = labels
    .filter(({ field, rest }) => field === 'sex' && rest === null)
    .map(({ segment }) => segment)
  const isLabel = (segment: Segment): boolean => labels.some((label) => label.segment === segment)
  const values = segments.filter((segment) => !isLabel(segment) && computeConfidence(segment.words) >= SURE)
  return [...own.flatMap((label) => cellBelow(label, values)), ...own.map(cellBehind)]
}

function cellBelow(label: Segment, values: readonly Segment[]): readonly UnreadCell[] {
  const { x, y, height } = label
  const [from, to] = [x - BELOW.before * height, x + (BELOW.width - BELOW.before) * height]
  const gapTo = (value: Segment): number => Math.max(value.x - to, from - (value.x + value.width))
  const [beside] = values
    .filter(
      (value) =>
        value.captureIndex === label.captureIndex &&
        value.y >= y + BELOW.least * height &&
        value.y <= y + BELOW.most * height &&
        value.height >= MIN_SIZE * height &&
        gapTo(value) >= 0,
    )
    .sort((a, b) => gapTo(a) - gapTo(b))
  if (!beside) return []
  const [left, right] = [Math.min(from, beside.x - height), Math.max(to, beside.x + beside.width)]
  const rows = { y: beside.y - RIM * beside.height, height: (1 + 2 * RIM) * beside.height }
  const value = { x, y: beside.y, width: height, height: beside.height }
  return [
    asCell(label, { ...rows, x: left, width: right - left }, { ...rows, x: from, width: to - from }, value),
  ]
}

function cellBehind(label: Segment): UnreadCell {
  const { x, y, width, height } = label
  const rows = { y: y - BEHIND.rise * height, height: (1 + 2 * BEHIND.rise) * height }
  const from = x + width + BEHIND.gap * height
  const cell = { ...rows, x: from, width: BEHIND.width * height }
  return asCell(label, { ...rows, x, width: from + cell.width - x }, cell, {
    x: from,
    y,
    width: height,
    height,
  })
}

/** Segments are measured in page widths. */
function asCell({ captureIndex, aspect }: Segment, row: TextBox, cell: TextBox, value: TextBox): UnreadCell {
  const inShares = ({ x, y, width, height }: TextBox): TextBox => ({
    x,
    y: y * aspect,
    width,
    height: height * aspect,
  })
  return { captureIndex, row: inShares(row), cell: inShares(cell), value: inShares(value) }
}
