/**
 * Reads files that come from elsewhere: from a stick, a share, an operator's command line. Nothing but a regular file is
 * read, never more of it than was allowed, and no open waits for a writer of a pipe.
 */
import { constants, lstatSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { describeEntry, openFolder, printable } from './folder.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

interface ReadOptions {
  /** Larger files are refused. */
  readonly mostBytes: number
  /**
   * For what an operator keeps and names himself, e.g. the certificates of the system. Neither the file nor its folder
   * may be a link otherwise.
   */
  readonly mayBeLink?: boolean
}

export interface OpenFile {
  readonly handle: FileHandle
  readonly bytes: number
}

/** The caller closes the handle. Throws `file_refused`, and the system's error for a file that is missing. */
export async function openGivenFile(
  path: string,
  { mostBytes, mayBeLink = false }: ReadOptions,
): Promise<OpenFile> {
  const absolute = resolve(path)
  const folder = openFolder(dirname(absolute), { mayBeLink })
  try {
    const within = folder.at(basename(absolute))
    // Looked at before it is opened, because opening a device can do something; what counts is looked at afterwards.
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

/** The whole file. Throws as `openGivenFile` does. */
export async function readGivenFile(path: string, options: ReadOptions): Promise<Buffer> {
  const { handle, bytes } = await openGivenFile(path, options)
  try {
    // No more than it had when it was measured: one that grows meanwhile is cut there.
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
    file: printable(path),
    reason: `it ${what}. Only regular files are read. Name the file itself, or take another one.`,
  })
}
