/** Reads the end of the last update, which the root updater writes and every user may read. */
import { readFileSync, statSync } from 'node:fs'
import { ResultSchema, type UpdateResult } from './rules.ts'

const MAX_RESULT_BYTES = 10_000

/** Null: there is none. */
export function readLastResult(path: string): UpdateResult | 'UNREADABLE' | null {
  try {
    if (statSync(path).size > MAX_RESULT_BYTES) return 'UNREADABLE'
    return ResultSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'UNREADABLE'
  }
}
