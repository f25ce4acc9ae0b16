/**
 * Opens a folder that an attacker may have prepared: a USB stick, a share, any folder that an operator names. The folder is
 * opened once, and every name is resolved inside the open folder, so replacing the folder with a link has no effect. Node has
 * no `openat`; Linux offers the same through `/proc/self/fd`.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
} from 'node:fs'
import { opendir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
const ROOT = 0
const SYSTEM_FOLDERS = new Set(['/', '/home', '/media', '/mnt', '/srv', '/var'])
/** Links in one path; the same limit as in Linux. */
const MAX_LINKS = 40
/** Entries that one message names. */
const MAX_NAMED = 5
/** Error codes of file systems that cannot flush a folder, e.g. some network shares. */
const CANNOT_FLUSH = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

export interface OpenFolder {
  /** Absolute form of the path that was given. */
  readonly path: string
  readonly descriptor: number
  /** Returns the path of an entry for `node:fs`. Throws TypeError unless `name` is a single name. */
  at(name: string): string
  /** Replaces the path that `at` returns by the path that the operator knows. */
  explain(error: unknown): unknown
  close(): void
}

export interface FolderOptions {
  /** For the appliance's own folders: an operator may have moved one to another disk and left a link. */
  readonly mayBeLink?: boolean
}

/**
 * Refuses a link in the path, except links that root placed directly in a system folder, e.g. `/media/usb`. Throws
 * `file_refused` for a link, device, pipe or socket, and the system's error for a file or a missing folder.
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
      // The system names no path if a write to an open file fails (full disk, removed stick).
      if (syscall === 'write' && named === undefined) error.message += ` in '${absolute}'`
      return error
    },
    close: () => closeSync(descriptor),
  }
}

function openWithoutLinks(absolute: string): number {
  const real = followSystemLinks(absolute)
  const descriptor = openSync(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  // A folder of the path may have been replaced by a link after the check, so compare with the path that was opened.
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === real) return descriptor
  closeSync(descriptor)
  throw new AppError('file_refused', { folder: absolute, reason: 'it was exchanged while it was opened.' })
}

/** Resolves the allowed links. Throws `file_refused` for any other one. */
function followSystemLinks(absolute: string): string {
  let way = '/'
  let ahead = absolute.split('/').filter((name) => name !== '')
  for (let links = 0; ahead.length > 0;) {
    const [name = '', ...rest] = ahead
    const next = resolve(way, name)
    const entry = lstatSync(next)
    if (!entry.isSymbolicLink()) {
      if (!entry.isDirectory() && !entry.isFile()) {
        const reason = `${replaceControlCharacters(next)} is ${describeEntry(entry)}, and a folder is needed.`
        throw new AppError('file_refused', { folder: absolute, reason })
      }
      ;[way, ahead] = [next, rest]
      continue
    }
    if (!isOfSystem(way, entry) || ++links > MAX_LINKS) {
      const reason =
        `${replaceControlCharacters(next)} is a symbolic link, which can lead anywhere. ` +
        'Name the folder by its own path: realpath tells where a link leads.'
      throw new AppError('file_refused', { folder: absolute, reason })
    }
    const target = resolve(way, readlinkSync(next))
    ;[way, ahead] = ['/', [...target.split('/').filter((part) => part !== ''), ...rest]]
  }
  return way
}

/** The device is compared because a stick that is mounted on a system folder is another device. */
function isOfSystem(folder: string, { uid, dev }: Stats): boolean {
  return SYSTEM_FOLDERS.has(folder) && uid === ROOT && dev === lstatSync('/').dev
}

/**
 * Checks an exchange folder. Throws `file_refused` with the names of entries that are neither files nor folders. Deeper
 * levels are not checked, because the appliance neither reads nor writes there.
 */
export async function requirePlainFolder(path: string): Promise<void> {
  const folder = openFolder(path)
  try {
    const odd: string[] = []
    for await (const entry of await opendir(folder.at('.'))) {
      if (entry.isFile() || entry.isDirectory()) continue
      odd.push(`${replaceControlCharacters(entry.name)} (${describeEntry(entry)})`)
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

/** Creates the folder if it is missing, then checks it as `requirePlainFolder` does. */
export async function makePlainFolder(path: string): Promise<void> {
  let present = resolve(path)
  while (!lstatSync(present, { throwIfNoEntry: false })) present = dirname(present)
  // Checks the existing part of the path first, so that no folder is created behind a link.
  openFolder(present).close()
  mkdirSync(path, { recursive: true, mode: 0o700 })
  await requirePlainFolder(path)
}

/** Creates the folder as `makePlainFolder` does. Throws `file_refused` if it holds anything. */
export async function makeEmptyFolder(path: string): Promise<void> {
  await makePlainFolder(path)
  const folder = openFolder(path)
  try {
    const [entry] = readdirSync(folder.at('.'))
    if (entry === undefined) return
    const reason = `it is not empty: it holds ${replaceControlCharacters(entry)}. Name an empty or new folder.`
    throw new AppError('file_refused', { folder: folder.path, reason })
  } finally {
    folder.close()
  }
}

/** @param entry the result of `lstat`, or the entry of a folder */
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

/** Replaces control characters, which could manipulate the operator's terminal. */
export function replaceControlCharacters(name: string): string {
  return name.replace(/\p{C}/gu, '?')
}

/** Makes new and changed names in this folder survive a power cut. */
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
    if (!isFlushUnsupported(error)) throw error
  }
}

export function isFlushUnsupported(error: unknown): boolean {
  return CANNOT_FLUSH.has((error as NodeJS.ErrnoException | null)?.code ?? '')
}
