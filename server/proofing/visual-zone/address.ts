/** Extracts addresses: continuation lines, and addresses recognised only by their last line. */
import type { PageField } from './page-facts.ts'
import { computeConfidence, withoutFirst, type Segment } from './segments.ts'

/** The next line of an address begins at the same x, one line below. */
const ADDRESS_LINES = 3

/** Categories of vehicles (Directive 2006/126/EC, article 4, and national ones), which a licence prints below the address. */
const CATEGORY = '(?:AM|[ABCD]1?E?|A2|[FGHKLMNPQRTW])'
const CATEGORIES = new RegExp(`^(?:9\\.? )?${CATEGORY}(?:[ /,;.]+${CATEGORY})+$`)

export function withFurtherLines(
  address: PageField,
  first: Segment,
  candidates: readonly Segment[],
): PageField {
  const lines = [first]
  while (lines.length < ADDRESS_LINES) {
    const last = lines[lines.length - 1]
    const next = candidates.find(
      ({ captureIndex, x, y, height }) =>
        captureIndex === last.captureIndex &&
        Math.abs(x - last.x) <= 1.2 * last.height &&
        y > last.y + 0.5 * last.height &&
        y - (last.y + last.height) <= 1.3 * last.height &&
        height <= 1.4 * last.height &&
        height >= 0.7 * last.height,
    )
    if (!next || CATEGORIES.test(next.text)) break
    lines.push(next)
  }
  return {
    ...address,
    value: [address.value, ...lines.slice(1).map(({ text }) => text)].join(' '),
    confidence: Math.min(address.confidence, ...lines.slice(1).map(({ words }) => computeConfidence(words))),
  }
}

/** Maximum distance between two surnames below each other: lines of one text; a label would need more room. */
const SAME_TEXT = 1

/** The second surname, if the line directly below has the same size and start. */
export function withSecondLine(
  name: PageField,
  first: Segment,
  candidates: readonly Segment[],
  labels: readonly Segment[],
): PageField {
  const next = candidates.find(
    ({ captureIndex, x, y, height, text }) =>
      captureIndex === first.captureIndex &&
      Math.abs(x - first.x) <= 0.5 * first.height &&
      y > first.y + 0.5 * first.height &&
      y - (first.y + first.height) <= SAME_TEXT * first.height &&
      height <= 1.25 * first.height &&
      height >= 0.8 * first.height &&
      /^[\p{Lu} '’-]+$/u.test(text) &&
      first.text === first.text.toUpperCase(),
  )
  if (!next || computeConfidence(next.words) < MIN_SURE) return name
  if (labels.some((label) => isBetween(label, first, next))) return name
  const confidence = Math.min(name.confidence, computeConfidence(next.words))
  return { ...name, value: `${name.value} ${next.text}`, confidence }
}

/** A label below the first line belongs to the second. */
const isBetween = (label: Segment, first: Segment, second: Segment): boolean =>
  label.captureIndex === first.captureIndex &&
  label.y > first.y + 0.5 * first.height &&
  label.y < second.y &&
  label.x < second.x + second.width &&
  label.x + label.width > second.x

/** State and postcode of the United States and Australia, or a Canadian postcode, at the end of a line. */
const LAST_LINE = /(?:^|[\s,])[A-Z]{2,3}\s+\d{4,5}(?:-\d{4})?$|[A-Z]\d[A-Z]\s?\d[A-Z]\d$/

/** The line with the postcode, and the line above it, which begins with the house number. */
export function addressByForm(segments: readonly Segment[]): PageField[] {
  const last = segments.find(
    ({ text, words }) => LAST_LINE.test(text) && computeConfidence(words) >= MIN_SURE,
  )
  if (!last) return inOneLine(segments)
  const above = segments.find(
    ({ captureIndex, x, y, width, height, text }) =>
      captureIndex === last.captureIndex &&
      last.y > y &&
      last.y - (y + height) <= 1.5 * last.height &&
      x < last.x + last.width &&
      x + width > last.x &&
      /\d+\S*\s+\p{L}{2}/u.test(text),
  )
  const street = above ? withoutNumber(above) : null
  return [
    {
      field: 'address',
      value: street === null ? last.text : `${street.text} ${last.text}`,
      confidence: Math.min(computeConfidence(last.words), street ? computeConfidence(street.words) : 1),
      captureIndex: last.captureIndex,
      foundBy: 'form',
    },
  ]
}

/** The span from the house number to the postcode, with street and place between. */
const ONE_LINE = /^\d{1,5}\S{0,2} \p{L}{2}.* \p{L}{2}\S* \d{4,6}$/u

function inOneLine(segments: readonly Segment[]): PageField[] {
  const line = segments.find(({ text, words }) => ONE_LINE.test(text) && computeConfidence(words) >= MIN_SURE)
  if (!line) return []
  const { text, words, captureIndex } = line
  return [
    { field: 'address', value: text, confidence: computeConfidence(words), captureIndex, foundBy: 'form' },
  ]
}

/** A short token before the house number is the field's number. */
function withoutNumber(line: Segment): Segment {
  const rest = line.words[0].text.length <= 2 ? withoutFirst(line, 1) : null
  return rest && /^\d/.test(rest.text) ? rest : line
}

/** Background specks also form words. */
const MIN_SURE = 0.5
