/**
 * Defines the zip container of a proof byte for byte: files in path order, stored without compression, with constant time
 * stamps and attributes. So the same files give the same bytes on any machine and with any library version, and a
 * verifier can account for every byte. The container can be written in memory or in pieces, with the same result. Layout:
 * PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end record).
 */
import { crc32 } from 'node:zlib'

export interface ContainerFile {
  /** Full path in the zip, with `/`, including the root folder. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Bytes delivered in pieces. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A file that has been read once, so that its headers are known before its bytes are written. */
export interface ContainerSource {
  readonly path: string
  readonly size: number
  readonly crc32: number
  /** Returns the same bytes as the first time, from the start. */
  read(): Pieces
}

/** The first difference between a container and the one that its files would make. */
export interface Alteration {
  readonly offset: number
  readonly part: ContainerPart
  /** Path of the file that the header or record belongs to; null for the end record and beyond. */
  readonly path: string | null
}

export type ContainerPart = 'header' | 'content' | 'directory record' | 'end record' | 'bytes after the end'

interface Piece {
  readonly part: ContainerPart
  readonly path: string | null
  readonly bytes: Uint8Array
}

/** The facts about a file that its headers hold. */
type FileFacts = Pick<ContainerSource, 'path' | 'size' | 'crc32'>

interface Layout<File> {
  /** Sorted in the order of writing. */
  readonly files: readonly { readonly file: File; readonly header: Uint8Array }[]
  readonly directory: readonly Piece[]
  readonly end: Piece
  /** Size of the whole container in bytes. */
  readonly size: number
}

const MADE_BY_UNIX_2_0 = 0x0314
const NEEDS_2_0 = 20
const UTF8_NAMES = 0x0800
const STORED = 0
const MIDNIGHT = 0
const FIRST_DOS_DAY = 0x0021 // 1980-01-01, the first zip date
const OWNER_ONLY_FILE = (0o100600 << 16) >>> 0 // personal data: only the owner may read unpacked files
const MAX_FILES = 0xfffe // one more and the count would mean zip64
const MAX_BYTES = 0xfffffffe
/** Splits large files, so that a consumer that encrypts or sends the bytes copies less at once. */
const PIECE_BYTES = 256 * 1024

/** Throws RangeError for more files or bytes than a zip without 64-bit extensions can hold. */
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

/** Number of bytes that `streamContainer` will write. Throws RangeError as `writeContainer` does. */
export function containerSize(files: readonly FileFacts[]): number {
  return layOut(files).size
}

/**
 * Yields the bytes of `writeContainer` in pieces; only one file is open at a time. Throws RangeError as `writeContainer`
 * does, and TypeError if a file's bytes differ from the first reading.
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

/** Returns null if `bytes` is exactly the container that `writeContainer(files)` makes. */
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
    // A size beyond 32 bits does not fit into the fields; the sum below refuses it.
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
  fields.writeUInt32LE(size, 14) // compressed size equals size: nothing is compressed
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
