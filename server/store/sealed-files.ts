/**
 * Encrypted files with random names, each flushed to disk before a transaction may refer to it. A file without a row is
 * an orphan and is deleted at boot.
 */
import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  createReadStream,
} from 'node:fs'
import { join } from 'node:path'
import type { Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileStream, writeFileWhole } from '../files/write-file.ts'
import { runStorageWork } from './storage-faults.ts'

interface SealedFiles {
  /** Throws `status_not_stored` if the disk fails, leaving no partial file. */
  write(id: string, sealed: Uint8Array): void
  /** Like `write`, for contents too large for memory. Returns the size on disk. */
  writeStream(id: string, sealed: Bytes): Promise<number>
  /** Throws `storage_damaged` if the file is missing. */
  read(id: string): Buffer
  readStream(id: string): Bytes
  /** Version byte of the encrypted format. */
  readVersion(id: string): number
  buildPath(id: string): string
  /** Size of the encrypted file: contents plus a small header. */
  measureSize(id: string): number
  remove(id: string): void
  /** Deletes all files that `keep` rejects. Returns their number. */
  sweep(keep: (id: string) => boolean): number
}

const SUFFIX = '.sealed'
const READ_BYTES = 256 * 1024

export function createSealedFiles(folder: string): SealedFiles {
  makePrivateFolder(folder)
  const buildPath = (id: string): string => join(folder, id + SUFFIX)
  return {
    write: (id, sealed) => {
      runStorageWork(() => {
        try {
          writeFileWhole(buildPath(id), sealed, IN_OUR_FOLDER)
        } catch (error) {
          rmSync(buildPath(id), { force: true })
          throw error
        }
      })
    },
    writeStream: async (id, sealed) => {
      try {
        return await writeFileStream(buildPath(id), () => sealed, IN_OUR_FOLDER)
      } catch (error) {
        return runStorageWork(() => {
          rmSync(buildPath(id), { force: true })
          throw error
        })
      }
    },
    // Opens the file when the first chunk is requested, so that a missing file throws to the reader.
    readStream: async function* (id) {
      yield* createReadStream(buildPath(id), { highWaterMark: READ_BYTES }) as Bytes
    },
    readVersion: (id) => {
      try {
        const file = openSync(buildPath(id), 'r')
        try {
          const first = Buffer.alloc(1)
          readSync(file, first)
          return first.readUInt8()
        } finally {
          closeSync(file)
        }
      } catch (cause) {
        throw new AppError('storage_damaged', { file: id }, { cause })
      }
    },
    buildPath,
    read: (id) => {
      try {
        return readFileSync(buildPath(id))
      } catch (cause) {
        throw new AppError('storage_damaged', { file: id }, { cause })
      }
    },
    measureSize: (id) => statSync(buildPath(id), { throwIfNoEntry: false })?.size ?? 0,
    remove: (id) => {
      rmSync(buildPath(id), { force: true })
    },
    sweep: (keep) => {
      const orphans = readdirSync(folder).filter(
        (name) => !name.endsWith(SUFFIX) || !keep(name.slice(0, -SUFFIX.length)),
      )
      for (const name of orphans) rmSync(join(folder, name), { force: true })
      return orphans.length
    },
  }
}
