/**
 * The one way in which a file comes to its place: under a random name that nothing has yet (O_EXCL, O_NOFOLLOW), for its
 * owner alone, flushed, then renamed. Whoever reads finds the old file or the new one, whole. A link at the file's name
 * would be replaced, never followed; one that is seen before is refused, because it says that the folder was prepared.
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
  cannotFlush,
  flushOpenFolder,
  describeEntry,
  openFolder,
  printable,
  type FolderOptions,
  type OpenFolder,
} from './folder.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
const OWNER_ALONE = 0o600
const DRAFT = /^\.counterproof-[0-9a-f]{32}\.part$/
const DRAFT_IS_OLD_MS = 24 * 3_600_000
/** What file systems without hard links answer; FAT, which most sticks have, is one. */
const HAS_NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

interface WriteOptions {
  /** Of the file; 0600 unless given. */
  readonly mode?: number
  readonly folder?: FolderOptions
}

type OpenPieces = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Where an operator may have moved a data folder to another disk and left a link, and for folders made a moment ago. */
export const IN_OUR_FOLDER: WriteOptions = { folder: { mayBeLink: true } }

/** Throws `file_refused` for a folder or a file in its place that is a link, a device or the like; else what the system throws. */
export function writeFileWhole(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  writeDraft(path, content, options, ({ draft, target }) => {
    renameSync(draft, target)
    return true
  })
}

/** As `writeFileWhole`, but never over another file. False when there is one of this name: it stays as it is. */
export function writeNewFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): boolean {
  return writeDraft(path, content, options, placeNew)
}

/**
 * As `writeFileWhole`, for what is too large to hold in memory. Returns the bytes written; the pieces may throw.
 * @param openPieces called once the file is open: a stream that nobody reads would stay open, or fail unheard and end the
 *   process
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
      if (!cannotFlush(error)) throw error
    })
    return bytes
  } catch (error) {
    throw place.folder.explain(error)
  } finally {
    leave(place)
  }
}

/**
 * Throws as `writeFileWhole` would for this path: nothing can be written there, or something else has its name. For work that
 * is not to begin where its result cannot be kept.
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

/** Removes what writers that were killed left in this folder more than a day ago. */
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
      const reason = `${printable(name)} is ${describeEntry(present)} there. Remove it, or name another place.`
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

/** A link cannot replace anything, and appears whole: of two that write at once, one file stays. */
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

/** The name is taken by an empty file of our own first. */
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

/** The draft is gone when it came to its place. */
function leave({ folder, draft }: Place): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // A medium that fails has said so already; `removeOldDrafts` tries again.
  }
  folder.close()
}
