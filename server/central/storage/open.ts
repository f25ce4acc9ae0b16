/** The storage that the configuration names. */
import { AppError } from '../../errors.ts'
import type { StorageConfig } from '../config.ts'
import type { Db } from '../db/db.ts'
import { LARGE_OBJECT, readObject, removeObject } from './large-objects.ts'
import type { PacketStorage } from './storage.ts'

export function openStorage(config: StorageConfig, db: Db): PacketStorage {
  if (config.kind === 's3') throw new AppError('configuration_invalid', { field: 'storage.kind' })
  return {
    placeOf: () => null,
    put: () => Promise.reject(new TypeError('a large object is its own place')),
    read: (location, bytes) => readObject(db, oidOf(location), bytes),
    remove: (location, queries) => removeObject(queries, oidOf(location)),
  }
}

function oidOf(location: string): number {
  if (!location.startsWith(LARGE_OBJECT)) {
    throw new AppError('storage_damaged', {
      part: 'location',
      reason: 'lies in a storage that is not configured',
    })
  }
  return Number(location.slice(LARGE_OBJECT.length))
}
