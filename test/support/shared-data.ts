/** The measurement data beside the repository: read in place, never part of it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = process.env.COUNTERPROOF_SHARED ?? join(import.meta.dirname, '..', '..', '..', 'shared')

/** Returns a path inside the shared data, or null (and prints a line) if it is absent. */
export function sharedData(...parts: string[]): string | null {
  const path = join(root, 'data', ...parts)
  if (existsSync(path)) return path
  process.stderr.write('skipped: shared data not found\n')
  return null
}
