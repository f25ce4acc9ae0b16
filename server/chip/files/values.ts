/** Values that several data groups have: texts, dates, small numbers, images. */
import { ChipFault } from '../outcome.ts'

/** UTF-8; bytes that are none refuse the file. */
export function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ChipFault('malformed_data', { cause })
  }
}

/** UTF-8 in which a filler is a space. */
export function toWords(bytes: Uint8Array): string {
  return toText(bytes).replaceAll('<', ' ').trim()
}

/** Digits only. */
export function toDigits(bytes: Uint8Array, length: number): string {
  const text = toText(bytes)
  if (text.length !== length || !/^[0-9]*$/.test(text)) throw new ChipFault('malformed_data')
  return text
}

/** Digits as text, or two in each byte (BCD), which older documents have. */
export function toPackedDigits(bytes: Uint8Array, length: number): string {
  if (bytes.length * 2 !== length) return toDigits(bytes, length)
  return toDigits(Buffer.from(Buffer.from(bytes).toString('hex')), length)
}

/** One byte from 1 to `max`. */
export function toCount(bytes: Uint8Array, max: number): number {
  const [count = 0] = bytes
  if (bytes.length !== 1 || count < 1 || count > max) throw new ChipFault('malformed_data')
  return count
}

export interface ChipImage {
  readonly format: 'jpeg' | 'jpeg2000'
  /** The whole file; it is not decoded yet. */
  readonly bytes: Uint8Array
}

const IMAGE_STARTS = [
  ['jpeg', 'ffd8ff'],
  ['jpeg2000', '0000000c6a502020'], // a file
  ['jpeg2000', 'ff4fff51'], // a codestream
] as const

/** The first bytes decide; what the record states of the format is often wrong. Null for any other format and for no bytes. */
export function recogniseImage(bytes: Uint8Array): ChipImage | null {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('hex')
  const found = IMAGE_STARTS.find(([, magic]) => start.startsWith(magic))
  return found === undefined ? null : { format: found[0], bytes }
}

/** @throws ChipFault malformed_data */
export function toImage(bytes: Uint8Array): ChipImage {
  const image = recogniseImage(bytes)
  if (image === null) throw new ChipFault('malformed_data')
  return image
}
