/**
 * Reads an untrusted zip entirely in memory: it checks every offset, names the entry in every problem, and never writes
 * to disk. It refuses compressed entries, because a proof stores its files uncompressed (container.ts); so no hostile
 * byte is inflated and the content is never larger than the archive. It also accepts other uncompressed zips, so that the
 * report on a repacked archive names every fault; `findAlteration` then checks the container itself.
 */
import { type ContainerFile } from './container.ts'
import { printable, problem, type Problem } from './problems.ts'

/**
 * A proof holds two JSON files, proof.json and a few dozen images of at most 20 MB each (the upload limit). A proof that
 * exceeds a limit is not sealed (archive.ts).
 */
export const LIMITS = {
  archiveBytes: 1024 * 1024 * 1024,
  entries: 2000,
  fileBytes: 256 * 1024 * 1024, // videos, if a tenant keeps them
  jsonBytes: 16 * 1024 * 1024, // per JSON file; ours have some tens of kilobytes
  jsonItems: 100_000, // members and elements per JSON file; ours have about 350 per evidence
  contentBytes: 1024 * 1024 * 1024,
} as const

export interface ZipReading {
  readonly files: readonly ContainerFile[]
  readonly problems: readonly Problem[]
}

interface Entry {
  readonly path: string
  readonly flags: number
  readonly method: number
  readonly packedSize: number
  readonly size: number
  readonly mode: number
  readonly offset: number
}

const END_RECORD = 0x06054b50
const END_RECORD_SIZE = 22
const MAX_COMMENT_LENGTH = 0xffff
const DIRECTORY_RECORD = 0x02014b50
const DIRECTORY_RECORD_SIZE = 46
const LOCAL_HEADER = 0x04034b50
const LOCAL_HEADER_SIZE = 30
const ENCRYPTED = 0x0001 | 0x0040
const STORED = 0
const FILE_TYPE = 0o170000
const REGULAR_FILE = 0o100000

/** Never throws. Reports unreadable parts as problems and returns the rest. */
export function readZip(input: Uint8Array): ZipReading {
  const zip = Buffer.from(input.buffer, input.byteOffset, input.byteLength)
  if (zip.length > LIMITS.archiveBytes) {
    return { files: [], problems: [problem('archive_too_large', `The archive has ${zip.length} bytes.`)] }
  }
  const { entries, problems } = readDirectory(zip)
  const files: ContainerFile[] = []
  const seen = new Set<string>()
  // Entries of a valid zip do not overlap. Hashing entries that share bytes could cost more than the size of the archive.
  let budget = Math.min(LIMITS.contentBytes, zip.length)
  for (const entry of entries) {
    if (entry.path.endsWith('/') && entry.size === 0) continue // a folder; `findAlteration` still reports it
    const refusal = refuse(entry) ?? (seen.has(foldName(entry.path)) ? 'has the name of another entry' : null)
    if (refusal !== null) {
      problems.push(entryProblem('entry_refused', entry, refusal))
      continue
    }
    seen.add(foldName(entry.path))
    const content = readContent(zip, entry)
    if (typeof content === 'string') {
      problems.push(entryProblem('entry_refused', entry, content))
      continue
    }
    if (content.length > budget) {
      problems.push(entryProblem('archive_too_large', entry, 'and the files before it are too many bytes'))
      break
    }
    budget -= content.length
    files.push({ path: entry.path, bytes: content })
  }
  return { files, problems }
}

/** The path inside the root folder; proof.json names files by it. */
export function withoutRoot(path: string): string {
  return path.slice(path.indexOf('/') + 1)
}

function readDirectory(zip: Buffer): { entries: Entry[]; problems: Problem[] } {
  const end = findEndRecord(zip)
  if (end === null) {
    const message = 'This is not a whole zip archive: its end record is missing or damaged.'
    return { entries: [], problems: [problem('archive_unreadable', message)] }
  }
  const count = zip.readUInt16LE(end + 10)
  if (count > LIMITS.entries) {
    return { entries: [], problems: [problem('archive_too_large', `The archive claims ${count} entries.`)] }
  }
  const entries: Entry[] = []
  const problems: Problem[] = []
  let offset = zip.readUInt32LE(end + 16)
  while (entries.length < count) {
    const record = readDirectoryRecord(zip, offset)
    if (record === null) {
      const last = entries.at(-1)
      const where = last ? `after the entry ${printable(last.path)}` : 'at its start'
      const message = `The directory of the zip is damaged ${where} (byte ${offset}).`
      problems.push(problem('archive_unreadable', message, last && withoutRoot(last.path)))
      break
    }
    entries.push(record.entry)
    offset = record.next
  }
  return { entries, problems }
}

/** The last end record of the file, which every zip reader uses; null if there is none. */
function findEndRecord(zip: Buffer): number | null {
  const lowest = Math.max(0, zip.length - END_RECORD_SIZE - MAX_COMMENT_LENGTH)
  for (let offset = zip.length - END_RECORD_SIZE; offset >= lowest; offset -= 1) {
    if (zip.readUInt32LE(offset) === END_RECORD) return offset
  }
  return null
}

function readDirectoryRecord(zip: Buffer, offset: number): { entry: Entry; next: number } | null {
  if (offset + DIRECTORY_RECORD_SIZE > zip.length || zip.readUInt32LE(offset) !== DIRECTORY_RECORD)
    return null
  const nameEnd = offset + DIRECTORY_RECORD_SIZE + zip.readUInt16LE(offset + 28)
  const next = nameEnd + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32)
  if (next > zip.length) return null
  return {
    entry: {
      // Bytes that are not UTF-8 become U+FFFD, which `refuse` rejects.
      path: zip.toString('utf8', offset + DIRECTORY_RECORD_SIZE, nameEnd),
      flags: zip.readUInt16LE(offset + 8),
      method: zip.readUInt16LE(offset + 10),
      packedSize: zip.readUInt32LE(offset + 20),
      size: zip.readUInt32LE(offset + 24),
      mode: zip.readUInt32LE(offset + 38) >>> 16,
      offset: zip.readUInt32LE(offset + 42),
    },
    next,
  }
}

/** The reason for not reading an entry; null if it may be read. */
function refuse(entry: Entry): string | null {
  const segments = entry.path.split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return 'has a path that leaves its folder'
  }
  if (!/^[A-Za-z0-9._/-]+$/.test(entry.path)) return 'has a name with characters that no proof uses'
  const type = entry.mode & FILE_TYPE
  if (type !== 0 && type !== REGULAR_FILE) return 'is a link or a device, not a file'
  if (entry.flags & ENCRYPTED) return 'is encrypted'
  if (entry.method !== STORED) {
    return 'is compressed, but a proof stores its files uncompressed: the archive was packed again. Use the original file'
  }
  if (entry.size > LIMITS.fileBytes) return `claims ${entry.size} bytes`
  return null
}

/** Returns the bytes of the file, or the reason why there are none. No hash has been checked yet. */
function readContent(zip: Buffer, entry: Entry): Uint8Array | string {
  const { offset } = entry
  if (offset + LOCAL_HEADER_SIZE > zip.length || zip.readUInt32LE(offset) !== LOCAL_HEADER) {
    return 'has no header where the directory says'
  }
  const start = offset + LOCAL_HEADER_SIZE + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28)
  if (start + entry.packedSize > zip.length) return 'reaches beyond the end of the archive'
  if (entry.size !== entry.packedSize) return 'has two different sizes'
  return zip.subarray(start, start + entry.size)
}

/** Maps names that a case-insensitive file system treats as one file to the same text. */
function foldName(path: string): string {
  return path.toLowerCase()
}

function entryProblem(code: 'entry_refused' | 'archive_too_large', entry: Entry, what: string): Problem {
  return problem(code, `The entry ${printable(entry.path)} ${what}.`, withoutRoot(entry.path))
}
