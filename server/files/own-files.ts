/**
 * Reads and protects the appliance's own files and folders. Refuses a file that other users can write, because they may have
 * changed it. Removes the read permission of other users from settings and folders of its own and reports that on standard error;
 * never changes a file that the operator names, because it may be the wrong one.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR } = constants
const ROOT = 0
// Bits of a file mode.
const OTHERS_WRITE = 0o022
const OTHERS = 0o077
const EVERYBODY = 0o007
const STICKY = 0o1000
/** Far above the size of any settings, secret or certificate. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * - `secret`: only the owner can read it, by its mode or that of its folder; a file of root may be readable by a group.
 * - `settings`: a file that the product names. Only its owner may read it; one of root may be readable by all users.
 * - `public`: all users may read it.
 */
export type OwnFileKind = 'secret' | 'settings' | 'public'

/** The message contains the cause and the remedy; `path` is the file or the folder. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError'
  readonly path: string

  constructor(path: string, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.path = path
  }
}

/** Follows links, because the operator made them. Throws UnsafeFileError, and the system's error for a missing file. */
export function readOwnFile(path: string, kind: OwnFileKind): Buffer {
  return readJudged(path, (facts) => judge(path, facts, kind))
}

/**
 * Reads a key. Refuses a file that other users can read, because they may have copied it: an operator must check. Throws as
 * `readOwnFile` does. @param what for the message: `the key file`
 */
export function readKeyFile(path: string, what: string): Buffer {
  return readJudged(path, (facts) => {
    requireOwner(path, facts)
    if ((facts.mode & OTHERS) !== 0) throw new UnsafeFileError(path, `others may read ${what}; chmod 600 it`)
  })
}

function readJudged(path: string, judgeFile: (facts: Stats) => void): Buffer {
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const facts = fstatSync(file)
    if (!facts.isFile()) throw new UnsafeFileError(path, 'it is no regular file')
    if (facts.size > MAX_BYTES) throw new UnsafeFileError(path, `it has more than ${MAX_BYTES} bytes`)
    // A user who may rename in the folder could replace the file.
    const folder = statSync(dirname(path))
    if ((folder.mode & STICKY) === 0) requireOurWord(dirname(path), folder, 'chmod 700')
    else requireOwner(dirname(path), folder)
    judgeFile(facts)
    return readAll(file, facts.size)
  } finally {
    closeSync(file)
  }
}

function readAll(file: number, bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  let length = 0
  while (length < bytes) {
    const read = readSync(file, content, length, bytes - length, length)
    if (read === 0) break
    length += read
  }
  return content.subarray(0, length)
}

function judge(path: string, facts: Stats, kind: OwnFileKind): void {
  requireOurWord(path, facts, 'chmod 600')
  if (kind === 'secret') requireHidden(path, facts)
  if (kind !== 'settings' || !isOurs(facts)) return
  const open = openBits(facts)
  if (open !== 0) close(path, facts, open)
}

/** Only the owner reaches a file in a closed folder, whatever the mode of the file is. The folder is that of the file, if `path` is a link. */
function requireHidden(path: string, facts: Stats): void {
  // The access list of a credential of systemd shows as permission of the group.
  const open = facts.mode & (facts.uid === ROOT ? EVERYBODY : OTHERS)
  if (open === 0 || (statSync(dirname(realpathSync(path))).mode & OTHERS) === 0) return
  throw new UnsafeFileError(
    path,
    `others may read it (mode ${octal(facts)}): if this is the right file, run chmod ${isOurs(facts) ? '600' : '640'} ${path}, or have it mounted with mode 0400`,
  )
}

/** Returns the permissions of other users. Root grants a service access through the group, so that is no finding. */
function openBits({ uid, gid, mode }: Stats): number {
  return mode & (uid === ROOT && gid !== ROOT ? EVERYBODY : OTHERS)
}

function requireOurWord(path: string, facts: Stats, remedy: string): void {
  requireOwner(path, facts)
  if ((facts.mode & OTHERS_WRITE) === 0) return
  throw new UnsafeFileError(
    path,
    `others may write it (mode ${octal(facts)}), so what it holds may have been altered: look through it, then ${remedy} it`,
  )
}

function requireOwner(path: string, { uid }: Stats): void {
  if (uid === ROOT || uid === process.geteuid?.()) return
  throw new UnsafeFileError(
    path,
    `it belongs to another user (uid ${uid}), who may alter it: run this as that user, or look through it and chown it`,
  )
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.geteuid?.()
}

function close(path: string, facts: Stats, open: number): void {
  const mode = facts.mode & 0o777 & ~open
  try {
    chmodSync(path, mode)
  } catch (cause) {
    throw new UnsafeFileError(
      path,
      `others may read it (mode ${octal(facts)}), and its mode cannot be changed: it needs a file system with owners and modes`,
      { cause },
    )
  }
  say(`${path} was open to others (mode ${octal(facts)}). Its mode is ${octal({ mode })} now.`)
}

function octal({ mode }: Pick<Stats, 'mode'>): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`
}

/** Writes to standard error, because some of these files are read before the log exists. */
function say(line: string): void {
  process.stderr.write(`counterproof: ${line}\n`)
}

/**
 * Creates a data folder for its owner alone, or checks the existing one. Throws `configuration_invalid` if other users may
 * write to it or own it, because they could have replaced its files.
 */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const facts = statSync(path)
  try {
    requireOurWord(path, facts, 'chmod 700')
    if ((facts.mode & OTHERS) !== 0 && isOurs(facts)) close(path, facts, OTHERS)
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error
    throw new AppError('configuration_invalid', { folder: path, reason: error.message }, { cause: error })
  }
}

/**
 * Creates a database file for its owner alone: SQLite gives its side files the same mode. Also closes files that an older
 * version left open to other users.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, O_RDWR | O_CREAT | O_NONBLOCK, 0o600))
  for (const each of [path, `${path}-wal`, `${path}-shm`]) {
    const facts = statSync(each, { throwIfNoEntry: false })
    if (facts && (facts.mode & OTHERS) !== 0 && isOurs(facts)) close(each, facts, OTHERS)
  }
}

/**
 * Removes the permissions of other users from a folder and everything below it.
 * @param isNew the folder was just created, so open permissions are expected and not reported
 */
export function closeTree(path: string, isNew: boolean): void {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  const open = [path, ...entries].filter((each) => (statSync(each).mode & OTHERS) !== 0)
  for (const each of open) chmodSync(each, statSync(each).mode & 0o700)
  if (!isNew && open.length > 0) {
    say(`${path} and ${open.length} files and folders in it were open to others. They are closed now.`)
  }
}
