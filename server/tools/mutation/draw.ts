/**
 * Selects a sample of mutants if trying all would take days. It uses the mutant's number, so that runner and report
 * select the same.
 */
import { createHash } from 'node:crypto'

export interface Draw {
  /** Percentage of all mutants; 100 tries every one. */
  readonly percent: number
  readonly seed: number
}

export function isDrawn(mutantId: string, { percent, seed }: Draw): boolean {
  if (percent >= 100) return true
  const hash = createHash('sha256').update(`${seed}:${mutantId}`).digest()
  return hash.readUInt32BE(0) / 2 ** 32 < percent / 100
}
