/** In order; a released one is never changed. */
import type { Migration } from '../migrate.ts'
import { kiosksAndProofs } from './0001-kiosks-and-proofs.ts'

export const MIGRATIONS: readonly Migration[] = [kiosksAndProofs]
