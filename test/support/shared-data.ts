/** The measurement data beside the repository: read in place, never part of it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = process.env.COUNTERPROOF_SHARED ?? join(import.meta.dirname, '..', '..', '..', 'shared')

/** Returns a path inside the shared data, or null (and prints a line) if it is absent. */
export function sharedData(...parts: string[]): string | null {
  return findShared('data', ...parts)
}

/** The folder of worked examples of ICAO Doc 9303 for the chip, or null (and prints a line) if it is absent. */
export function findChipVectors(): string | null {
  return findShared('chip', 'vectors')
}

/** Returns the path of a published CSCA master list, or null (and prints a line) if it is absent. */
export function findMasterList(name: string): string | null {
  return findShared('chip', 'masterlists', name)
}

/** Reads a worked example of ICAO Doc 9303 for the chip, or returns null (and prints a line) if it is absent. */
export function readChipVector(name: string): unknown {
  const path = findShared('chip', 'vectors', name)
  return path === null ? null : (JSON.parse(readFileSync(path, 'utf8')) as unknown)
}

function findShared(...parts: string[]): string | null {
  const path = join(root, ...parts)
  if (existsSync(path)) return path
  process.stderr.write('skipped: shared data not found\n')
  return null
}
