/** Whether two texts may be readings of one print: readers lose marks and take shapes for each other. All in capitals. */
import { JOINED, looksAlike, readingErrors } from './spelling.ts'

/** So many errors of reading, and such a share of the letters: as for a page against its zone (`compare-name`). */
const MAX_ERRORS = { count: 1.5, share: 0.25 }

/** Two readings of one print, both without marks. Symmetric. */
export function isReadingOf(a: string, b: string): boolean {
  const most = Math.min(MAX_ERRORS.count, MAX_ERRORS.share * Math.min(a.length, b.length))
  return readingErrors(a, b) <= most
}

/** Starting value: one shape that was taken for another, two in a name of this many letters or more. */
const LONG_NAME = 8

/** Whether a name may have been read like this by mistaking shapes alone: no letter comes or goes. */
export function isMisreading(read: string, name: string): boolean {
  return misreadShapes(read, name) <= (name.length >= LONG_NAME ? 2 : 1)
}

/**
 * How many shapes were mistaken; Infinity where that does not explain it. The filler of a zone is read as K, so a K too
 * many within a name or after it counts as one mistake.
 */
function misreadShapes(read: string, name: string): number {
  let row: readonly number[] = [0, ...Array.from(name, () => Infinity)]
  let before: readonly number[] = []
  for (let i = 1; i <= read.length; i++) {
    const next = [Infinity]
    for (let j = 1; j <= name.length; j++) {
      const step = read[i - 1] === name[j - 1] ? 0 : looksAlike(read[i - 1], name[j - 1]) ? 1 : Infinity
      const joined = Math.min(
        isJoined(read[i - 1], name.slice(Math.max(0, j - 2), j)) ? row[j - 2] : Infinity,
        isJoined(name[j - 1], read.slice(Math.max(0, i - 2), i)) ? before[j - 1] : Infinity,
      )
      const filler = read[i - 1] === 'K' ? row[j] + 1 : Infinity
      next.push(Math.min(row[j - 1] + step, joined + 1, filler))
    }
    before = row
    row = next
  }
  return row[name.length]
}

const isJoined = (one: string, two: string): boolean =>
  JOINED.some(([single, pair]) => single === one && pair === two)
