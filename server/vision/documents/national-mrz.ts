/**
 * MRZs whose lines differ in length: driving licences of France (one line) and of Switzerland and Liechtenstein (a short
 * line above two long ones). The first characters of a line identify them.
 */
import { MRZ_LAYOUTS } from '../../proofing/mrz/fields.ts'
import type { Pyramid } from './grey.ts'
import { readAs, seeLine, type BandReading, type SeenLine } from './read-band.ts'
import type { TextBand, TextLine } from './text-lines.ts'
import type { LineRecogniser } from './tools.ts'

const SWISS_STARTS = ['FACHE', 'FALIE']
const FRENCH_START = 'D1FRA'
/** One of the five characters may be misread, and a speck before them may look like a character. */
const MIN_EQUAL = 4
const MAX_SPECKS = 1

/** Tests the start of a line as recognised, before any rule. */
function beginsLike({ peaks }: SeenLine, start: string): boolean {
  for (let specks = 0; specks <= MAX_SPECKS; specks++) {
    const equal = [...start].filter((character, i) => peaks[i + specks]?.character === character)
    if (equal.length >= MIN_EQUAL) return true
  }
  return false
}

/** Returns null if no line is the middle line of a Swiss licence. */
export async function readSwissLicence(
  pyramid: Pyramid,
  band: TextBand,
  seen: readonly (SeenLine | null)[],
  recogniser: LineRecogniser,
): Promise<BandReading | null> {
  for (const [i, line] of seen.entries()) {
    const below = seen[i + 1]
    if (!line || !below || !SWISS_STARTS.some((start) => beginsLike(line, start))) continue
    // Nine characters have too few strokes to be found as a line, so its place is extrapolated from the others.
    const above = await seeLine(pyramid, band, lineBefore(line.line, below.line), recogniser)
    const reading = readAs('CHE_DL', band, [above, line, below])
    if (reading && /^FA(CHE|LIE)/.test(reading.decoded.lines[1])) return reading
  }
  return null
}

function lineBefore(first: TextLine, second: TextLine): TextLine {
  const [a, b] = [first.middle, second.middle]
  return { middle: [2 * a[0] - b[0], 2 * a[1] - b[1], 2 * a[2] - b[2]], capHeight: first.capHeight }
}

/** A single line is weak evidence: it counts only with the required start and both check digits correct. */
export async function readFrenchLicence(
  pyramid: Pyramid,
  band: TextBand,
  recogniser: LineRecogniser,
): Promise<BandReading | null> {
  for (const line of band.lines) {
    const seen = await seeLine(pyramid, band, line, recogniser)
    if (!beginsLike(seen, FRENCH_START)) continue
    const reading = readAs('FRA_DL', band, [seen])
    const isWhole = reading?.checksPassed === MRZ_LAYOUTS.FRA_DL.checks.length
    if (reading && isWhole && reading.decoded.lines[0].startsWith(FRENCH_START)) return reading
  }
  return null
}
