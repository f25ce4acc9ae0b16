/**
 * Files of ciphertext, named by random id: written to a temporary name, flushed to the disk, renamed. Only then may a
 * transaction refer to them. A file without a row is an orphan and is swept at boot.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  createReadStream,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'
import { flushFolder } from './flush-folder.ts'
import { storing } from './storage-faults.ts'

export interface SealedFiles {
  /** Throws `status_not_stored` when the disk does not take it; nothing of it is left then. */
  write(id: string, sealed: Uint8Array): void
  /** As `write`, for what is too large to hold in memory. Returns the bytes on the disk. */
  writeStream(id: string, sealed: Bytes): Promise<number>
  /** Throws `storage_damaged` when the file is gone. */
  read(id: string): Buffer
  readStream(id: string): Bytes
  /** Version byte of the sealed form. */
  versionOf(id: string): number
  pathOf(id: string): string
  /** Of the sealed file: what was given and a few bytes of envelope. */
  sizeOf(id: string): number
  remove(id: string): void
  /** Removes every file that `keep` does not know. Returns how many. */
  sweep(keep: (id: string) => boolean): number
}

const SUFFIX = '.sealed'
const READ_BYTES = 256 * 1024

export function createSealedFiles(folder: string): SealedFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (id: string): string => join(folder, id + SUFFIX)
  return {
    write: (id, sealed) => {
      storing(() => {
        const temporary = join(folder, `${id}.part`)
        try {
          writeFileSync(temporary, sealed, { mode: 0o600, flush: true })
          renameSync(temporary, pathOf(id))
          flushFolder(folder)
        } catch (error) {
          for (const path of [temporary, pathOf(id)]) rmSync(path, { force: true })
          throw error
        }
      })
    },
    writeStream: async (id, sealed) => {
      const temporary = join(folder, `${id}.part`)
      try {
        const bytes = await streamFlushed(temporary, sealed)
        renameSync(temporary, pathOf(id))
        flushFolder(folder)
        return bytes
      } catch (error) {
        return storing(() => {
          for (const path of [temporary, pathOf(id)]) rmSync(path, { force: true })
          throw error
        })
      }
    },
    readStream: (id) => createReadStream(pathOf(id), { highWaterMark: READ_BYTES }),
    versionOf: (id) => {
      try {
        const file = openSync(pathOf(id), 'r')
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
    pathOf,
    read: (id) => {
      try {
        return readFileSync(pathOf(id))
      } catch (cause) {
        throw new AppError('storage_damaged', { file: id }, { cause })
      }
    },
    sizeOf: (id) => statSync(pathOf(id), { throwIfNoEntry: false })?.size ?? 0,
    remove: (id) => {
      rmSync(pathOf(id), { force: true })
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

async function streamFlushed(path: string, pieces: Bytes): Promise<number> {
  const file = await open(path, 'w', 0o600)
  let bytes = 0
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece)
      bytes += piece.length
    }
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}
