/**
 * Files of ciphertext, named by random id: written to a temporary name, flushed to the disk, renamed. Only then may a
 * transaction refer to them. A file without a row is an orphan and is swept at boot.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { storing } from './storage-faults.ts'

export interface SealedFiles {
  /** Throws `status_not_stored` when the disk does not take it; nothing of it is left then. */
  write(id: string, sealed: Uint8Array): void
  /** Throws `storage_damaged` when the file is gone. */
  read(id: string): Buffer
  /** Of the sealed file: what was given and a few bytes of envelope. */
  sizeOf(id: string): number
  remove(id: string): void
  /** Removes every file that `keep` does not know. Returns how many. */
  sweep(keep: (id: string) => boolean): number
}

const SUFFIX = '.sealed'

export function createSealedFiles(folder: string): SealedFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (id: string): string => join(folder, id + SUFFIX)
  return {
    write: (id, sealed) => {
      storing(() => {
        const temporary = join(folder, `${id}.part`)
        try {
          writeFlushed(temporary, sealed)
          renameSync(temporary, pathOf(id))
          flushFolder(folder)
        } catch (error) {
          for (const path of [temporary, pathOf(id)]) rmSync(path, { force: true })
          throw error
        }
      })
    },
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

function writeFlushed(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w', 0o600)
  try {
    // Unlike writeSync it goes on until every byte is written.
    writeFileSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The rename itself must survive a power cut. */
function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
