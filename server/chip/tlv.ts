/**
 * Reads and writes BER-TLV data objects (ISO/IEC 7816-4, 5.2; ITU-T X.690, clause 8). Never looks into a value: a caller that
 * needs the objects inside reads the value again, so that time is linear in the bytes of each level.
 */
import { ChipFault } from './outcome.ts'

export interface Tlv {
  /** The bytes of the tag as one number, such as 0x7f61. */
  readonly tag: number
  readonly value: Uint8Array
  /** Tag, length and value as they were read. */
  readonly raw: Uint8Array
}

/** The length of an object, from its first bytes. */
export interface TlvMeasure {
  readonly tag: number
  readonly headerLength: number
  readonly totalLength: number
}

export interface TlvOptions {
  /** Accepts the indefinite length of BER. Files of the chip have definite lengths; a CMS structure in EF.SOD may not. */
  readonly indefinite?: boolean
}

const MAX_OBJECTS = 4096 // EF.SOD and DG16, the richest files, have fewer than two hundred on a level
const MAX_DEPTH = 32 // nested indefinite lengths; CMS with certificates needs about twelve
const MAX_TAG_BYTES = 3 // ISO/IEC 7816-4, 5.2.2.1
const MAX_LENGTH_BYTES = 4

interface Header {
  readonly tag: number
  readonly isConstructed: boolean
  readonly headerLength: number
  /** Null for the indefinite length. */
  readonly length: number | null
}

/**
 * Reads objects that fill the bytes exactly.
 * @throws ChipFault malformed_data
 */
export function readTlvs(bytes: Uint8Array, options: TlvOptions = {}): Tlv[] {
  const found: Tlv[] = []
  for (let at = 0; at < bytes.length;) {
    if (found.length === MAX_OBJECTS) throw new ChipFault('malformed_data')
    const { tlv, end } = readAt(bytes, at, options)
    found.push(tlv)
    at = end
  }
  return found
}

/**
 * Reads the only object in the bytes.
 * @param tag the tag that it must have
 * @throws ChipFault malformed_data
 */
export function readTlv(bytes: Uint8Array, tag: number, options: TlvOptions = {}): Tlv {
  if (bytes.length === 0) throw new ChipFault('malformed_data')
  const { tlv, end } = readAt(bytes, 0, options)
  if (end !== bytes.length || tlv.tag !== tag) throw new ChipFault('malformed_data')
  return tlv
}

/**
 * Returns the value of the only object with this tag, or null.
 * @throws ChipFault malformed_data if there are several
 */
export function findValue(objects: readonly Tlv[], tag: number): Uint8Array | null {
  const [found, ...more] = objects.filter((object) => object.tag === tag)
  if (more.length > 0) throw new ChipFault('malformed_data')
  return found?.value ?? null
}

/** Like findValue, but the object must be there. */
export function getValue(objects: readonly Tlv[], tag: number): Uint8Array {
  const value = findValue(objects, tag)
  if (value === null) throw new ChipFault('malformed_data')
  return value
}

/**
 * Measures the object that begins the bytes, so that a reader knows the length of a file from its first bytes.
 * @returns null if the header is not complete yet
 * @throws ChipFault malformed_data for an indefinite length or a header that is none
 */
export function measureTlv(head: Uint8Array): TlvMeasure | null {
  const header = readHeader(head, 0)
  if (header === 'incomplete') return null
  if (header.length === null) throw new ChipFault('malformed_data')
  const { tag, headerLength, length } = header
  return { tag, headerLength, totalLength: headerLength + length }
}

/** Writes one object with the shortest definite length. */
export function writeTlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts)
  return Buffer.concat([toBytes(tag), writeLength(value.length), value])
}

function writeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const bytes = toBytes(length)
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes])
}

function toBytes(number: number): Buffer {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

function readAt(
  bytes: Uint8Array,
  at: number,
  { indefinite = false }: TlvOptions,
): { tlv: Tlv; end: number } {
  const header = readHeader(bytes, at)
  if (header === 'incomplete' || header.tag === 0) throw new ChipFault('malformed_data')
  const start = at + header.headerLength
  if (header.length !== null) {
    const end = start + header.length
    if (end > bytes.length) throw new ChipFault('malformed_data')
    return { tlv: toTlv(header.tag, bytes, at, start, end, end), end }
  }
  if (!indefinite || !header.isConstructed) throw new ChipFault('malformed_data')
  const valueEnd = findEndOfContents(bytes, start)
  return { tlv: toTlv(header.tag, bytes, at, start, valueEnd, valueEnd + 2), end: valueEnd + 2 }
}

function toTlv(
  tag: number,
  bytes: Uint8Array,
  at: number,
  start: number,
  valueEnd: number,
  end: number,
): Tlv {
  return { tag, value: bytes.subarray(start, valueEnd), raw: bytes.subarray(at, end) }
}

/** Returns the index of the two zero bytes that end an indefinite length which began before `start`. */
function findEndOfContents(bytes: Uint8Array, start: number): number {
  let depth = 1
  let at = start
  for (;;) {
    const header = readHeader(bytes, at)
    if (header === 'incomplete') throw new ChipFault('malformed_data')
    if (header.tag === 0) {
      if (header.length !== 0 || header.headerLength !== 2) throw new ChipFault('malformed_data')
      depth -= 1
      if (depth === 0) return at
      at += 2
      continue
    }
    at += header.headerLength
    if (header.length === null) {
      depth += 1
      if (depth > MAX_DEPTH || !header.isConstructed) throw new ChipFault('malformed_data')
    } else {
      at += header.length
    }
  }
}

function readHeader(bytes: Uint8Array, at: number): Header | 'incomplete' {
  const first = bytes[at]
  if (first === undefined) return 'incomplete'
  let tag = first
  let next = at + 1
  if ((first & 0x1f) === 0x1f) {
    for (let last = 0x80; (last & 0x80) !== 0; next += 1) {
      if (next - at === MAX_TAG_BYTES) throw new ChipFault('malformed_data')
      const byte = bytes[next]
      if (byte === undefined) return 'incomplete'
      tag = tag * 256 + byte
      last = byte
    }
  }
  const isConstructed = (first & 0x20) !== 0
  const lengthByte = bytes[next]
  if (lengthByte === undefined) return 'incomplete'
  next += 1
  if (lengthByte < 0x80) return { tag, isConstructed, headerLength: next - at, length: lengthByte }
  if (lengthByte === 0x80) return { tag, isConstructed, headerLength: next - at, length: null }
  const count = lengthByte & 0x7f
  if (count > MAX_LENGTH_BYTES) throw new ChipFault('malformed_data')
  if (next + count > bytes.length) return 'incomplete'
  let length = 0
  for (let i = 0; i < count; i += 1) length = length * 256 + (bytes[next + i] ?? 0)
  return { tag, isConstructed, headerLength: next + count - at, length }
}
