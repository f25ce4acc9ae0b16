/** In order; a released one is never changed. */
import type { Migration } from '../migrate.ts'
import { kiosksAndProofs } from './0001-kiosks-and-proofs.ts'
import { headOffice } from './0002-head-office.ts'

export const MIGRATIONS: readonly Migration[] = [kiosksAndProofs, headOffice]
