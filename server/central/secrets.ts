/** Small values of other parts in the database, encrypted with the master key. */
import { AppError } from '../errors.ts'
import { unwrap, wrap } from './master-key.ts'

export function createSecrets(masterKey: Uint8Array) {
  return {
    seal: (context: string, plain: Uint8Array): Uint8Array => wrap(masterKey, plain, context),
    /** Throws `storage_damaged`. */
    open: (context: string, sealed: Uint8Array): Uint8Array => {
      try {
        return unwrap(masterKey, sealed, context)
      } catch (cause) {
        throw new AppError('storage_damaged', {}, { cause })
      }
    },
  }
}
