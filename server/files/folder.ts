/**
 * A folder that others may have prepared: a USB stick, a share, whatever an operator names. It is opened once, and every
 * name is looked up in the open folder, so that swapping the folder for a link meanwhile changes nothing. Node has no
 * `openat`; Linux offers the same by `/proc/self/fd`.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
} from 'node:fs'
import { opendir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
const ROOT = 0
const SYSTEM_FOLDERS = new Set(['/', '/home', '/media', '/mnt', '/srv', '/var'])
/** On one way; the system follows as many. */
const MAX_LINKS = 40
/** Entries that one message names. */
const MAX_NAMED = 5
/** What file systems answer that cannot flush a folder; some network shares are among them. */
const CANNOT_FLUSH = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

export interface OpenFolder {
  /** Absolute, as it was named. */
  readonly path: string
  readonly descriptor: number
  /** Path of this entry in the open folder, for the functions of `node:fs`. Throws TypeError for more than a name. */
  at(name: string): string
  /** The error with the path that the operator knows in place of the one that `at` returns. */
  explain(error: unknown): unknown
  close(): void
}

export interface FolderOptions {
  /** For folders of ours: an operator may have moved one to another disk and left a link. */
  readonly mayBeLink?: boolean
}

/**
 * A link, be it the folder or one above it, is refused, but for those that root keeps directly in a folder of the system,
 * e.g. `/media/usb`: on a stick or a share there are none. Throws `file_refused` for a link, a device and the like, and the
 * system's error for a file or where there is nothing.
 */
export function openFolder(path: string, { mayBeLink = false }: FolderOptions = {}): OpenFolder {
  const absolute = resolve(path)
  const descriptor = mayBeLink ? openSync(absolute, O_RDONLY | O_DIRECTORY) : openWithoutLinks(absolute)
  const within = `/proc/self/fd/${descriptor}`
  return {
    path: absolute,
    descriptor,
    at: (name) => {
      if (name === '' || name === '..' || name.includes('/')) throw new TypeError('not the name of an entry')
      return `${within}/${name}`
    },
    explain: (error) => {
      if (!(error instanceof Error)) return error
      error.message = error.message.replaceAll(within, absolute)
      const { path: named, syscall } = error as NodeJS.ErrnoException
      // A full disk, a stick that was pulled: the system names no path for what is written to an open file.
      if (syscall === 'write' && named === undefined) error.message += ` in '${absolute}'`
      return error
    },
    close: () => closeSync(descriptor),
  }
}

function openWithoutLinks(absolute: string): number {
  const real = followSystemLinks(absolute)
  const descriptor = openSync(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  // The system's word of what was opened: on the way there a folder may have become a link after the look at it.
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === real) return descriptor
  closeSync(descriptor)
  throw new AppError('file_refused', { folder: absolute, reason: 'it was exchanged while it was opened.' })
}

/** The path without its links. */
function followSystemLinks(absolute: string): string {
  let way = '/'
  let ahead = absolute.split('/').filter((name) => name !== '')
  for (let links = 0; ahead.length > 0;) {
    const [name = '', ...rest] = ahead
    const next = resolve(way, name)
    const entry = lstatSync(next)
    if (!entry.isSymbolicLink()) {
      if (!entry.isDirectory() && !entry.isFile()) {
        const reason = `${printable(next)} is ${describeEntry(entry)}, and a folder is needed.`
        throw new AppError('file_refused', { folder: absolute, reason })
      }
      ;[way, ahead] = [next, rest]
      continue
    }
    if (!isOfSystem(way, entry) || ++links > MAX_LINKS) {
      const reason =
        `${printable(next)} is a symbolic link, which can lead anywhere. ` +
        'Name the folder by its own path: realpath tells where a link leads.'
      throw new AppError('file_refused', { folder: absolute, reason })
    }
    const target = resolve(way, readlinkSync(next))
    ;[way, ahead] = ['/', [...target.split('/').filter((part) => part !== ''), ...rest]]
  }
  return way
}

/** A stick that is mounted on such a folder is another device. */
function isOfSystem(folder: string, { uid, dev }: Stats): boolean {
  return SYSTEM_FOLDERS.has(folder) && uid === ROOT && dev === lstatSync('/').dev
}

/**
 * Looks through the folder that was named for an exchange. Throws `file_refused` with the names of entries that are
 * neither files nor folders; what lies deeper is not looked at, and neither read nor written by us.
 */
export async function requirePlainFolder(path: string): Promise<void> {
  const folder = openFolder(path)
  try {
    const odd: string[] = []
    for await (const entry of await opendir(folder.at('.'))) {
      if (entry.isFile() || entry.isDirectory()) continue
      odd.push(`${printable(entry.name)} (${describeEntry(entry)})`)
      if (odd.length === MAX_NAMED) break
    }
    if (odd.length === 0) return
    const reason =
      `it holds ${odd.join(', ')}. Only files and folders may lie there: anything else can lead out of the folder or ` +
      'halt a program that opens it. Remove it, or take another folder.'
    throw new AppError('file_refused', { folder: folder.path, reason })
  } finally {
    folder.close()
  }
}

/** As `requirePlainFolder`; makes the folder where it is missing. */
export async function makePlainFolder(path: string): Promise<void> {
  let present = resolve(path)
  while (!lstatSync(present, { throwIfNoEntry: false })) present = dirname(present)
  // Nothing is made behind a link.
  openFolder(present).close()
  mkdirSync(path, { recursive: true, mode: 0o700 })
  await requirePlainFolder(path)
}

/** @param entry what `lstat` says of it, or the entry of a folder */
export function describeEntry(
  entry: Pick<
    Stats,
    'isSymbolicLink' | 'isDirectory' | 'isFIFO' | 'isSocket' | 'isBlockDevice' | 'isCharacterDevice'
  >,
): string {
  if (entry.isSymbolicLink()) return 'a symbolic link'
  if (entry.isDirectory()) return 'a folder'
  if (entry.isFIFO()) return 'a named pipe'
  if (entry.isSocket()) return 'a socket'
  if (entry.isBlockDevice() || entry.isCharacterDevice()) return 'a device'
  return 'no regular file'
}

/** A name that others chose, without the characters that would steer a terminal. */
export function printable(name: string): string {
  return name.replace(/\p{C}/gu, '?')
}

/** A name that was just made or changed in this folder survives a power cut, as the bytes behind it do. */
export function flushFolder(path: string): void {
  const folder = openFolder(path, { mayBeLink: true })
  try {
    flushOpenFolder(folder)
  } finally {
    folder.close()
  }
}

export function flushOpenFolder({ descriptor }: OpenFolder): void {
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (!cannotFlush(error)) throw error
  }
}

export function cannotFlush(error: unknown): boolean {
  return CANNOT_FLUSH.has((error as NodeJS.ErrnoException | null)?.code ?? '')
}
