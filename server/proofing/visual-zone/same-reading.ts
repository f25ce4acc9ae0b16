/** Whether two readings of one printed name may be of the same print: readers lose marks and take shapes for each other. */
import { readingErrors } from './spelling.ts'

/** So many errors of reading, and such a share of the letters: as for a page against its zone (`compare-name`). */
const MOST_ERRORS = { count: 1.5, share: 0.25 }

/** Both in capitals without marks. Symmetric. */
export function isReadingOf(a: string, b: string): boolean {
  const most = Math.min(MOST_ERRORS.count, MOST_ERRORS.share * Math.min(a.length, b.length))
  return readingErrors(a, b) <= most
}
