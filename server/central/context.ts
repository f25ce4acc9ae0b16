/**
 * The dependencies of every part of the central service, built once in index.ts. They hold no state of a
 * request.
 */
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { CentralConfig } from './config.ts'
import type { Db } from './db/db.ts'
import type { KeyStore } from './keys.ts'
import type { PacketStorage } from './storage/storage.ts'
import type { VerificationPlaces } from './verification/places.ts'
import type { Verifier } from './verification/verifier.ts'

export interface CentralContext {
  readonly config: CentralConfig
  readonly db: Db
  readonly keys: KeyStore
  readonly storage: PacketStorage
  readonly clock: Clock
  readonly log: Log
  /** Limits parallel decryptions and verifications; the caller is the kiosk. */
  readonly verifications: VerificationPlaces
  readonly verifier: Verifier
  newId(): string
}
