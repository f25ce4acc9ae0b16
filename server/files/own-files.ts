/**
 * Files and folders of our own: whose word they are, and who may read them. What others could have written is refused,
 * because it may have been altered; what others could only read is closed to them, and a line on standard error says so.
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
  statSync,
  type Stats,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR } = constants
const ROOT = 0
/** Bits of a mode: others may write; others may do anything; users outside the group may do anything; sticky. */
const OTHERS_WRITE = 0o022
const OTHERS = 0o077
const EVERYBODY = 0o007
const STICKY = 0o1000
/** No settings, secret or certificate of this product comes near. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * - `secret`: closed to others where it is ours. One of root's may be readable by a group.
 * - `settings`: as `secret`, but one of root's may be readable by everybody.
 * - `public`: everybody may read it.
 */
export type OwnFileKind = 'secret' | 'settings' | 'public'

/** The message says what is wrong and what to do; `path` names the file or the folder. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError'
  readonly path: string

  constructor(path: string, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.path = path
  }
}

/** Links are followed: the operator made them. Throws UnsafeFileError, and the system's error for a file that is missing. */
export function readOwnFile(path: string, kind: OwnFileKind): Buffer {
  return readJudged(path, (facts) => judge(path, facts, kind))
}

/**
 * A file on which all else depends: one that others could read may have been copied, and is refused until an operator has
 * looked. Throws as `readOwnFile` does. @param what for the message: `the key file`
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
    // Whoever may rename in the folder may put another file there.
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
  const open = openBits(facts)
  if (kind === 'public' || open === 0) return
  if (isOurs(facts)) close(path, facts, open)
  else if (kind === 'secret') {
    throw new UnsafeFileError(path, `everybody may read it (mode ${octal(facts)}): chmod 640 it`)
  }
}

/** What others may do with it. Root gives a file to a service by its group. */
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

/** On standard error: the first of these files are read before there is a log. */
function say(line: string): void {
  process.stderr.write(`counterproof: ${line}\n`)
}

/**
 * A folder of data, made where it is missing, for its owner alone. Throws `configuration_invalid` when others may write
 * to it or it belongs to another user: any file in it could have been exchanged.
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
 * The file of a database in a private folder, made where it is missing: SQLite gives its other files the mode of this
 * one. What an older version left open to others is closed.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, O_RDWR | O_CREAT | O_NONBLOCK, 0o600))
  for (const each of [path, `${path}-wal`, `${path}-shm`]) {
    const facts = statSync(each, { throwIfNoEntry: false })
    if (facts && (facts.mode & OTHERS) !== 0 && isOurs(facts)) close(each, facts, OTHERS)
  }
}

/**
 * Closes a folder inside a private one, and everything below it, to others.
 * @param isNew what is open was made a moment ago: then there is nothing to tell
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
