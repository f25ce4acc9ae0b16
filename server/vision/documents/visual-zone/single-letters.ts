/**
 * Handles single letters: tesseract, trained on lines, returns nothing for some, especially M, but reads them well in
 * front of a line. Selects the letters and evaluates the result; does not read itself.
 */
import type { GreyRaster } from '../../raster.ts'
import type { StripWord } from './strip-words.ts'
import { BORDER_PX, type Strip } from './strips.ts'

/** Other lines of the page count if found at this ink level or darker, as values are. */
const DARK_LEVEL = 178
/** A letter that was read with this confidence is kept (scenes, 21 Nov 2026: at least 0.85 for correct ones). */
const SURE = 0.8
/** The line that is appended: short, because it is read again with every letter. */
const LENT = { leastPieces: 4, mostPieces: 14, sure: 0.85 }
/** Gap between letter and line in strip pixels; capitals have 30. */
const GAP_PX = 40
/** Noise also yields single letters; a page has few relevant ones. */
const MAX_LETTERS = 6

/** A letter of a value is level with another line and of similar height, in shares of its height. */
const LEVEL = { off: 0.35, lower: 0.75, higher: 1.33 }

/** True for one capital that the recogniser doubts. */
export const isDoubtedLetter = (words: readonly StripWord[]): boolean =>
  words.length === 1 && /^\p{Lu}$/u.test(words[0].text) && words[0].confidence < SURE

/** True for a letter level with a line of the network in print of the same size. */
export function isBeside(
  letter: Strip,
  { strip, quad }: { readonly strip: Strip; readonly quad: unknown },
): boolean {
  const [own, other] = [letter.line, strip.line]
  const off = Math.abs(own.y0 + own.y1 - other.y0 - other.y1) / 2
  const size = own.capHeight / other.capHeight
  return quad !== null && off <= LEVEL.off * other.capHeight && size >= LEVEL.lower && size <= LEVEL.higher
}

interface Paired {
  /** Index of the strip. */
  readonly index: number
  readonly image: GreyRaster
  /** Column at which the appended line begins. */
  readonly endPx: number
}

/** Places every letter without a certain reading in front of a line with one. */
export function pairLetters(
  strips: readonly Strip[],
  read: readonly (readonly StripWord[])[],
): readonly Paired[] {
  const lent = strips
    .filter(({ line }, i) => isSure(read[i]) && line.pieces >= LENT.leastPieces)
    .filter(({ line }) => line.pieces <= LENT.mostPieces && line.pale <= DARK_LEVEL)
    .sort((a, b) => a.image.width - b.image.width)[0]
  if (!lent) return []
  return strips
    .map((strip, index) => ({ strip, index }))
    .filter(
      ({ strip: { line }, index }) => line.pieces === 1 && line.pale <= DARK_LEVEL && !isRead(read[index]),
    )
    .sort((a, b) => b.strip.line.capHeight - a.strip.line.capHeight)
    .slice(0, MAX_LETTERS)
    .map(({ strip, index }) => ({ index, ...sideBySide(strip.image, lent.image) }))
}

const isSure = (words: readonly StripWord[]): boolean =>
  words.length > 0 && words.every(({ confidence }) => confidence >= LENT.sure)

const isRead = (words: readonly StripWord[]): boolean =>
  words.length === 1 && /^[\p{Lu}\p{N}][.,]?$/u.test(words[0].text) && words[0].confidence >= SURE

function sideBySide(letter: GreyRaster, line: GreyRaster): Pick<Paired, 'image' | 'endPx'> {
  const inside = letter.width - 2 * BORDER_PX
  const from = BORDER_PX + inside + GAP_PX
  const width = from + line.width - BORDER_PX
  const height = Math.max(letter.height, line.height)
  const data = new Uint8Array(width * height).fill(255)
  copy(letter, inside, { data, width }, BORDER_PX, (height - letter.height) >> 1)
  copy(line, line.width - 2 * BORDER_PX, { data, width }, from, (height - line.height) >> 1)
  return { image: { data, width, height }, endPx: from - GAP_PX / 2 }
}

function copy(
  strip: GreyRaster,
  inside: number,
  to: Pick<GreyRaster, 'data' | 'width'>,
  x: number,
  top: number,
): void {
  for (let y = 0; y < strip.height; y++) {
    const start = y * strip.width + BORDER_PX
    to.data.set(strip.data.subarray(start, start + inside), (top + y) * to.width + x)
  }
}

/** The reading before the appended line if it is one letter; its position refers to the letter's own strip. */
export function pickLetter({ endPx }: Paired, words: readonly StripWord[]): readonly StripWord[] {
  const before = words.filter(({ x1 }) => x1 <= endPx)
  return before.length === 1 && /^\p{Lu}$/u.test(before[0].text) ? before : []
}
