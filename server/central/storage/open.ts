/** Opens the configured storage for new packets; packets in the other storage remain readable. */
import { AppError } from '../../errors.ts'
import type { StorageConfig } from '../config.ts'
import type { Db } from '../db/db.ts'
import { LARGE_OBJECT, readObject, readPiece, removeObject } from './large-objects.ts'
import { openS3, S3_OBJECT, type S3 } from './s3.ts'
import { StorageCalls } from './storage-calls.ts'
import type { PacketStorage } from './storage.ts'

export function openStorage(config: StorageConfig, db: Db): PacketStorage {
  const calls = new StorageCalls()
  const s3 = config.kind === 's3' ? watchCalls(openS3(config), calls) : null
  const removeOutside = (location: string) => s3For(s3, location).remove(readObjectKey(location))
  return {
    isOutside: s3 !== null,
    calls,
    locatePacket: (packet) => (s3 ? S3_OBJECT + s3.buildObjectKey(packet) : null),
    locateRelease: (sha256) => (s3 ? S3_OBJECT + s3.buildReleaseKey(sha256) : null),
    put: (location, facts, content) => s3For(s3, location).put(readObjectKey(location), facts, content),
    read: (location, bytes) =>
      location.startsWith(LARGE_OBJECT)
        ? readObject(db, Number(location.slice(LARGE_OBJECT.length)), bytes)
        : s3For(s3, location).read(readObjectKey(location), bytes),
    readPiece: async (location, offset, length) => {
      const piece = location.startsWith(LARGE_OBJECT)
        ? await readPiece(db, Number(location.slice(LARGE_OBJECT.length)), offset, length)
        : await s3For(s3, location).readPiece(readObjectKey(location), offset, length)
      if (piece.length !== length) throw new AppError('storage_damaged', { part: 'release' })
      return piece
    },
    remove: (location, queries) =>
      location.startsWith(LARGE_OBJECT)
        ? removeObject(queries, Number(location.slice(LARGE_OBJECT.length)))
        : removeOutside(location),
    removeOutside: async (location) => removeOutside(location),
  }
}

function watchCalls(s3: S3, calls: StorageCalls): S3 {
  return {
    ...s3,
    put: (...given) => calls.watch(s3.put(...given)),
    read: (...given) => calls.watchPieces(s3.read(...given)),
    readPiece: (...given) => calls.watch(s3.readPiece(...given)),
    remove: (...given) => calls.watch(s3.remove(...given)),
  }
}

function s3For(s3: S3 | null, location: string): S3 {
  if (s3 && location.startsWith(S3_OBJECT)) return s3
  throw new AppError('storage_damaged', {
    part: 'location',
    reason: 'is in a storage that is not configured',
  })
}

function readObjectKey(location: string): string {
  return location.slice(S3_OBJECT.length)
}
