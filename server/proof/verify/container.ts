/**
 * The zip container of a proof, byte for byte: files in the order of their paths, stored (not compressed), every
 * time stamp and attribute a constant. So the same files always make the same bytes, on any machine, with any
 * version of any library, and a verifier can account for every single byte.
 * Layout: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end record).
 */
import { crc32 } from 'node:zlib'

export interface ContainerFile {
  /** Full path in the zip, with `/`, root folder included. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Where a container first differs from the one its files would make. */
export interface Alteration {
  readonly offset: number
  readonly part: ContainerPart
  /** Path of the file whose header or record it is; null for the end record and beyond. */
  readonly path: string | null
}

export type ContainerPart = 'header' | 'content' | 'directory record' | 'end record' | 'bytes after the end'

interface Piece {
  readonly part: ContainerPart
  readonly path: string | null
  readonly bytes: Uint8Array
}

const MADE_BY_UNIX_2_0 = 0x0314
const NEEDS_2_0 = 20
const UTF8_NAMES = 0x0800
const STORED = 0
const MIDNIGHT = 0
const FIRST_DOS_DAY = 0x0021 // 1980-01-01, the zero of zip dates
const OWNER_ONLY_FILE = (0o100600 << 16) >>> 0 // personal data: unpacked files are readable by their owner alone
const MOST_FILES = 0xfffe // one more and the count would announce zip64
const MOST_BYTES = 0xfffffffe

/** Throws RangeError for more files or bytes than a zip without the 64-bit extension holds. */
export function writeContainer(files: readonly ContainerFile[]): Uint8Array {
  const all = pieces(files)
  const bytes = new Uint8Array(all.reduce((sum, piece) => sum + piece.bytes.length, 0))
  let offset = 0
  for (const piece of all) {
    bytes.set(piece.bytes, offset)
    offset += piece.bytes.length
  }
  return bytes
}

/** Null when `bytes` is exactly the container that `writeContainer(files)` makes. */
export function findAlteration(bytes: Uint8Array, files: readonly ContainerFile[]): Alteration | null {
  let offset = 0
  for (const { part, path, bytes: expected } of pieces(files)) {
    const actual = bytes.subarray(offset, offset + expected.length)
    if (Buffer.compare(actual, expected) !== 0) {
      const at = expected.findIndex((byte, index) => byte !== actual[index])
      return { offset: offset + at, part, path }
    }
    offset += expected.length
  }
  return offset === bytes.length ? null : { offset, part: 'bytes after the end', path: null }
}

function pieces(files: readonly ContainerFile[]): Piece[] {
  if (files.length > MOST_FILES) throw new RangeError('too many files for a proof archive')
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const contents: Piece[] = []
  const directory: Piece[] = []
  let offset = 0
  for (const { path, bytes } of sorted) {
    const name = new TextEncoder().encode(path)
    const common = commonFields(name, bytes)
    const header = localHeader(common, name)
    contents.push({ part: 'header', path, bytes: header }, { part: 'content', path, bytes })
    directory.push({ part: 'directory record', path, bytes: directoryRecord(common, name, offset) })
    offset += header.length + bytes.length
  }
  const directorySize = directory.reduce((sum, record) => sum + record.bytes.length, 0)
  if (offset + directorySize > MOST_BYTES) throw new RangeError('too many bytes for a proof archive')
  const end: Piece = {
    part: 'end record',
    path: null,
    bytes: endRecord(sorted.length, directorySize, offset),
  }
  return [...contents, ...directory, end]
}

/** The 26 bytes that a local header and a directory record share: from "version needed" to "extra length". */
function commonFields(name: Uint8Array, content: Uint8Array): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(NEEDS_2_0, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(STORED, 4)
  fields.writeUInt16LE(MIDNIGHT, 6)
  fields.writeUInt16LE(FIRST_DOS_DAY, 8)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(content.length, 14) // compressed size: the same, nothing is compressed
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields // extra length stays 0
}

function localHeader(common: Buffer, name: Uint8Array): Buffer {
  const signature = Buffer.alloc(4)
  signature.writeUInt32LE(0x04034b50, 0)
  return Buffer.concat([signature, common, name])
}

function directoryRecord(common: Buffer, name: Uint8Array, headerOffset: number): Buffer {
  const start = Buffer.alloc(6)
  start.writeUInt32LE(0x02014b50, 0)
  start.writeUInt16LE(MADE_BY_UNIX_2_0, 4)
  const end = Buffer.alloc(14) // comment length, disk number and internal attributes stay 0
  end.writeUInt32LE(OWNER_ONLY_FILE, 6)
  end.writeUInt32LE(headerOffset, 10)
  return Buffer.concat([start, common, end, name])
}

function endRecord(count: number, directorySize: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(22) // disk numbers and comment length stay 0
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(directorySize, 12)
  record.writeUInt32LE(directoryOffset, 16)
  return record
}
