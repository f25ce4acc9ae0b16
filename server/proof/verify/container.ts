/**
 * The zip container of a proof, byte for byte: files in the order of their paths, stored (not compressed), every
 * time stamp and attribute a constant. So the same files always make the same bytes, on any machine, with any
 * version of any library, and a verifier can account for every single byte. Written in memory or piece by piece: the
 * bytes are the same.
 * Layout: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end record).
 */
import { crc32 } from 'node:zlib'

export interface ContainerFile {
  /** Full path in the zip, with `/`, root folder included. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Bytes that come piece by piece. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A file that was read once already, so that its headers are known before its bytes are written. */
export interface ContainerSource {
  readonly path: string
  readonly size: number
  readonly crc32: number
  /** The same bytes as the first time, from the start. */
  read(): Pieces
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

/** What the headers say of a file. */
type FileFacts = Pick<ContainerSource, 'path' | 'size' | 'crc32'>

interface Layout<File> {
  /** In the order in which they are written. */
  readonly files: readonly { readonly file: File; readonly header: Uint8Array }[]
  readonly directory: readonly Piece[]
  readonly end: Piece
  /** Bytes of the whole container. */
  readonly size: number
}

const MADE_BY_UNIX_2_0 = 0x0314
const NEEDS_2_0 = 20
const UTF8_NAMES = 0x0800
const STORED = 0
const MIDNIGHT = 0
const FIRST_DOS_DAY = 0x0021 // 1980-01-01, the zero of zip dates
const OWNER_ONLY_FILE = (0o100600 << 16) >>> 0 // personal data: unpacked files are readable by their owner alone
const MAX_FILES = 0xfffe // one more and the count would announce zip64
const MAX_BYTES = 0xfffffffe
/** A file that was read in one piece is handed on in smaller ones: who encrypts or sends it copies no more at once. */
const PIECE_BYTES = 256 * 1024

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

/** How many bytes `streamContainer` will write. Throws RangeError as `writeContainer` does. */
export function containerSize(files: readonly FileFacts[]): number {
  return layOut(files).size
}

/**
 * The bytes of `writeContainer`, piece by piece; one file is open at a time. Throws RangeError as `writeContainer` does,
 * and TypeError when a file has other bytes than it had when it was read first.
 */
export async function* streamContainer(files: readonly ContainerSource[]): AsyncGenerator<Uint8Array> {
  const layout = layOut(files)
  for (const { file, header } of layout.files) {
    yield header
    let size = 0
    let crc = 0
    for await (const bytes of file.read()) {
      size += bytes.length
      crc = crc32(bytes, crc)
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
    }
    if (size !== file.size || crc !== file.crc32) throw new TypeError('a file changed while it was packed')
  }
  for (const { bytes } of [...layout.directory, layout.end]) yield bytes
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
  const layout = layOut(
    files.map(({ path, bytes }) => ({ path, bytes, size: bytes.length, crc32: crc32(bytes) })),
  )
  const contents = layout.files.flatMap(({ file: { path, bytes }, header }): Piece[] => [
    { part: 'header', path, bytes: header },
    { part: 'content', path, bytes },
  ])
  return [...contents, ...layout.directory, layout.end]
}

function layOut<File extends FileFacts>(files: readonly File[]): Layout<File> {
  if (files.length > MAX_FILES) throw new RangeError('too many files for a proof archive')
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const placed: { file: File; header: Uint8Array }[] = []
  const directory: Piece[] = []
  let offset = 0
  for (const file of sorted) {
    const { path, size } = file
    const name = new TextEncoder().encode(path)
    // Beyond 32 bits there is nothing to write into the fields; the sum below refuses it.
    if (size > MAX_BYTES) throw new RangeError('too many bytes for a proof archive')
    const common = commonFields(name, file)
    const header = localHeader(common, name)
    placed.push({ file, header })
    directory.push({ part: 'directory record', path, bytes: directoryRecord(common, name, offset) })
    offset += header.length + size
    if (offset > MAX_BYTES) throw new RangeError('too many bytes for a proof archive')
  }
  const directorySize = directory.reduce((sum, record) => sum + record.bytes.length, 0)
  if (offset + directorySize > MAX_BYTES) throw new RangeError('too many bytes for a proof archive')
  const bytes = endRecord(sorted.length, directorySize, offset)
  const size = offset + directorySize + bytes.length
  return { files: placed, directory, end: { part: 'end record', path: null, bytes }, size }
}

/** The 26 bytes that a local header and a directory record share: from "version needed" to "extra length". */
function commonFields(name: Uint8Array, { size, crc32: checksum }: FileFacts): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(NEEDS_2_0, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(STORED, 4)
  fields.writeUInt16LE(MIDNIGHT, 6)
  fields.writeUInt16LE(FIRST_DOS_DAY, 8)
  fields.writeUInt32LE(checksum, 10)
  fields.writeUInt32LE(size, 14) // compressed size: the same, nothing is compressed
  fields.writeUInt32LE(size, 18)
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
