/** Tests whether two upper-case texts may be readings of one print: recognisers lose marks and confuse shapes. */
import { JOINED, looksAlike, readingErrors } from './spelling.ts'

/** Maximum number and share of reading errors, as for a page and its MRZ (`compare-name`). */
const MAX_ERRORS = { count: 1.5, share: 0.25 }

/** Compares two readings of one print, both without marks. Symmetric. */
export function isSameReading(a: string, b: string): boolean {
  const most = Math.min(MAX_ERRORS.count, MAX_ERRORS.share * Math.min(a.length, b.length))
  return readingErrors(a, b) <= most
}

/** Length from which two confused shapes are allowed instead of one. Starting value. */
const LONG_NAME = 8

/** True if the name may be misread like this by confused shapes only: no letter added or lost. */
export function isMisreading(read: string, name: string): boolean {
  return misreadShapes(read, name) <= (name.length >= LONG_NAME ? 2 : 1)
}

/**
 * Number of confused shapes; Infinity if they do not explain it. The MRZ filler is read as K, so an additional K within
 * or after a name counts as one.
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
