/** A file that grows piece by piece, also over restarts: a download. It gets its name when its content was checked. */
import { constants, renameSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'
import { flushFolder } from './folder.ts'

const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants
const OWNER_ALONE = 0o600
const BUFFER_BYTES = 1024 * 1024

export interface PartialFile {
  /** Bytes that it has. After a crash the last ones may be damaged, so the caller checks the whole content. */
  readonly bytes: number
  append(piece: Uint8Array): Promise<void>
  read(): AsyncGenerator<Buffer>
  /** Begins again. */
  empty(): Promise<void>
  /** Flushes it and gives it the name `path`, in the same folder. */
  complete(path: string): Promise<void>
  close(): Promise<void>
}

/** @param path in a folder of ours. Throws `file_refused` unless it is a regular file, or missing */
export async function openPartialFile(path: string): Promise<PartialFile> {
  const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, OWNER_ALONE)
  const facts = await handle.stat()
  if (!facts.isFile()) {
    await handle.close()
    throw new AppError('file_refused', { file: path, reason: 'it is no regular file' })
  }
  let bytes = facts.size
  return {
    get bytes() {
      return bytes
    },
    append: async (piece) => {
      await handle.write(piece, 0, piece.length, bytes)
      bytes += piece.length
    },
    read: async function* () {
      for (let offset = 0; offset < bytes;) {
        const buffer = Buffer.alloc(Math.min(BUFFER_BYTES, bytes - offset))
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset)
        if (bytesRead === 0) return
        offset += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
    empty: async () => {
      await handle.truncate(0)
      bytes = 0
    },
    complete: async (target) => {
      await handle.sync()
      renameSync(path, target)
      flushFolder(dirname(target))
    },
    close: () => handle.close(),
  }
}
