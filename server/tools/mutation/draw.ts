/** Which mutants are tried where all would take days: drawn by their number, so that runner and report draw the same. */
import { createHash } from 'node:crypto'

export interface Draw {
  /** Percent of all mutants; 100 tries every one. */
  readonly percent: number
  readonly seed: number
}

export function isDrawn(mutantId: string, { percent, seed }: Draw): boolean {
  if (percent >= 100) return true
  const hash = createHash('sha256').update(`${seed}:${mutantId}`).digest()
  return hash.readUInt32BE(0) / 2 ** 32 < percent / 100
}
