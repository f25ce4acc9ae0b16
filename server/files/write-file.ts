/**
 * Writes every file of the appliance: under a new random name (O_EXCL, O_NOFOLLOW), for its owner alone, flushed, then
 * renamed. A reader sees either the complete old file or the complete new one. A rename replaces a link and never follows it;
 * a link that is found before the write is refused, because it shows that the folder was prepared.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../errors.ts'
import {
  isFlushUnsupported,
  flushOpenFolder,
  describeEntry,
  openFolder,
  replaceControlCharacters,
  type FolderOptions,
  type OpenFolder,
} from './folder.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
const OWNER_ALONE = 0o600
const DRAFT = /^\.counterproof-[0-9a-f]{32}\.part$/
const DRAFT_IS_OLD_MS = 24 * 3_600_000
/** Error codes of file systems without hard links, e.g. FAT on most sticks. */
const HAS_NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

interface WriteOptions {
  /** Mode of the file; default 0600. */
  readonly mode?: number
  readonly folder?: FolderOptions
}

type OpenPieces = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Options for data folders, which an operator may have moved to another disk behind a link, and for new folders. */
export const IN_OUR_FOLDER: WriteOptions = { folder: { mayBeLink: true } }

/** Throws `file_refused` if the folder or an existing file is a link, device, pipe or socket; otherwise the system's error. */
export function writeFileWhole(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  writeDraft(path, content, options, ({ draft, target }) => {
    renameSync(draft, target)
    return true
  })
}

/** As `writeFileWhole`, but returns false and changes nothing if a file of this name exists. */
export function writeNewFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): boolean {
  return writeDraft(path, content, options, placeNew)
}

/**
 * As `writeFileWhole`, for content that is too large for the memory. Returns the bytes written; the pieces may throw.
 * @param openPieces called once the file is open, because a stream without a reader would stay open, or its unhandled error
 *   would end the process
 */
export async function writeFileStream(
  path: string,
  openPieces: OpenPieces,
  options: WriteOptions = {},
): Promise<number> {
  const place = openPlace(path, options)
  try {
    const bytes = await fillDraft(place.draft, openPieces, options)
    renameSync(place.draft, place.target)
    await promisify(fsync)(place.folder.descriptor).catch((error: unknown) => {
      if (!isFlushUnsupported(error)) throw error
    })
    return bytes
  } catch (error) {
    throw place.folder.explain(error)
  } finally {
    leave(place)
  }
}

/**
 * Throws as `writeFileWhole` would for this path. Call it before long work whose result is to be written there.
 */
export function requireWritable(path: string, options: WriteOptions = {}): void {
  const place = openPlace(path, options)
  try {
    closeSync(openSync(place.draft, NEW_FILE, OWNER_ALONE))
  } catch (error) {
    throw place.folder.explain(error)
  } finally {
    leave(place)
  }
}

/** Removes drafts older than a day, which killed writers left. */
export function removeOldDrafts(path: string, options: Pick<WriteOptions, 'folder'> = {}): void {
  const folder = openFolder(path, options.folder)
  try {
    for (const name of readdirSync(folder.at('.')).filter((entry) => DRAFT.test(entry))) {
      const modified = lstatSync(folder.at(name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
      if (Date.now() - modified > DRAFT_IS_OLD_MS) rmSync(folder.at(name), { force: true })
    }
  } finally {
    folder.close()
  }
}

interface Place {
  readonly folder: OpenFolder
  readonly draft: string
  readonly target: string
}

function openPlace(path: string, options: WriteOptions): Place {
  const folder = openFolder(dirname(resolve(path)), options.folder)
  try {
    const name = basename(path)
    const draft = `.counterproof-${randomBytes(16).toString('hex')}.part`
    const present = lstatSync(folder.at(name), { throwIfNoEntry: false })
    if (present && !present.isFile()) {
      const reason = `${replaceControlCharacters(name)} is ${describeEntry(present)} there. Remove it, or name another place.`
      throw new AppError('file_refused', { folder: folder.path, reason })
    }
    return { folder, draft: folder.at(draft), target: folder.at(name) }
  } catch (error) {
    folder.close()
    throw error
  }
}

function writeDraft(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions,
  moveIn: (place: Place) => boolean,
): boolean {
  const place = openPlace(path, options)
  try {
    const file = openSync(place.draft, NEW_FILE, OWNER_ALONE)
    try {
      writeFileSync(file, content)
      if (options.mode !== undefined) fchmodSync(file, options.mode)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    const isPlaced = moveIn(place)
    flushOpenFolder(place.folder)
    return isPlaced
  } catch (error) {
    throw place.folder.explain(error)
  } finally {
    leave(place)
  }
}

async function fillDraft(draft: string, openPieces: OpenPieces, { mode }: WriteOptions): Promise<number> {
  const file = await open(draft, NEW_FILE, OWNER_ALONE)
  let bytes = 0
  try {
    for await (const piece of openPieces()) {
      await file.writeFile(piece)
      bytes += piece.length
    }
    if (mode !== undefined) await file.chmod(mode)
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

/** A hard link never replaces a file and appears complete, so one of two simultaneous writers wins. */
function placeNew({ draft, target }: Place): boolean {
  try {
    linkSync(draft, target)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!HAS_NO_LINKS.has(code)) throw error
    return placeWithoutLink(draft, target)
  }
}

/** Reserves the name with an empty file first. */
function placeWithoutLink(draft: string, target: string): boolean {
  try {
    closeSync(openSync(target, NEW_FILE, OWNER_ALONE))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    renameSync(draft, target)
    return true
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  }
}

/** Removes the draft if it was not renamed. */
function leave({ folder, draft }: Place): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // The write has already reported a failing medium; `removeOldDrafts` tries again.
  }
  folder.close()
}
