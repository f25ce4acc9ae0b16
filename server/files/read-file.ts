/**
 * Reads files of foreign origin: from a stick, a share, an operator's command line. Reads only regular files up to the
 * allowed size, and never blocks on a pipe.
 */
import { constants, lstatSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { describeEntry, openFolder, replaceControlCharacters } from './folder.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

interface ReadOptions {
  /** Larger files are refused. */
  readonly mostBytes: number
  /**
   * For files that the operator manages, e.g. the certificates of the system. Otherwise neither the file nor its folder may
   * be a link.
   */
  readonly mayBeLink?: boolean
}

export interface OpenFile {
  readonly handle: FileHandle
  readonly bytes: number
}

/** The caller closes the handle. Throws `file_refused`, or the system's error for a missing file. */
export async function openGivenFile(
  path: string,
  { mostBytes, mayBeLink = false }: ReadOptions,
): Promise<OpenFile> {
  const absolute = resolve(path)
  const folder = openFolder(dirname(absolute), { mayBeLink })
  try {
    const within = folder.at(basename(absolute))
    // Checked before opening, because opening a device can have effects. The check after opening decides.
    const entry = lstatSync(within)
    if (!entry.isFile() && !(mayBeLink && entry.isSymbolicLink()))
      throw refused(absolute, `is ${describeEntry(entry)}`)
    const handle = await open(within, O_RDONLY | O_NONBLOCK | (mayBeLink ? 0 : O_NOFOLLOW))
    try {
      const opened = await handle.stat()
      if (!opened.isFile()) throw refused(absolute, `is ${describeEntry(opened)}`)
      if (opened.size > mostBytes)
        throw refused(absolute, `has ${opened.size} bytes, and ${mostBytes} are the most`)
      return { handle, bytes: opened.size }
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    throw folder.explain(error)
  } finally {
    folder.close()
  }
}

/** Returns the whole file. Throws as `openGivenFile` does. */
export async function readGivenFile(path: string, options: ReadOptions): Promise<Buffer> {
  const { handle, bytes } = await openGivenFile(path, options)
  try {
    // A file that grows during the reading is cut at its checked size.
    const content = Buffer.alloc(bytes)
    let length = 0
    while (length < bytes) {
      const { bytesRead } = await handle.read(content, length, bytes - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return content.subarray(0, length)
  } finally {
    await handle.close()
  }
}

function refused(path: string, what: string): AppError {
  return new AppError('file_refused', {
    file: replaceControlCharacters(path),
    reason: `it ${what}. Only regular files are read. Name the file itself, or take another one.`,
  })
}
