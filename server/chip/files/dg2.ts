/**
 * DG2: the portraits (ICAO Doc 9303-10, 4.7.2), as records of ISO/IEC 19794-5 or ISO/IEC 39794-5 in the frame of ISO/IEC 19785.
 * Finds the images and checks the fields around them; decoding an image is the task of another process.
 */
import { ChipFault } from '../outcome.ts'
import { findValue, getValue, readTlv, readTlvs, type Tlv } from '../tlv.ts'
import { recogniseImage, toCount, toImage, type ChipImage } from './values.ts'
import { toNumber } from '../numbers.ts'

/** Issuers store one portrait; the standard allows more. */
const MAX_INSTANCES = 9
const MAX_IMAGES_IN_RECORD = 8
const FORMAT_OWNER = 0x0101 // ISO/IEC JTC 1/SC 37
const ISO_19794_5 = 0x0008
const ISO_39794_5 = 0x002a
const FACIAL_FEATURES = 2

/**
 * Returns the portraits in their order; there is at least one.
 * @throws ChipFault malformed_data
 */
export function parseDg2(file: Uint8Array): ChipImage[] {
  const group = readTlvs(readTlv(readTlv(file, 0x75).value, 0x7f61).value)
  const count = toCount(getValue(group, 0x02), MAX_INSTANCES)
  const instances = group.filter(({ tag }) => tag === 0x7f60)
  if (instances.length !== count || group.length !== count + 1) throw new ChipFault('malformed_data')
  return instances.flatMap(({ value }) => parseInstance(readTlvs(value)))
}

function parseInstance(objects: readonly Tlv[]): ChipImage[] {
  const header = readTlvs(getValue(objects, 0xa1))
  const owner = toNumber(getValue(header, 0x87))
  const format = Number(toNumber(getValue(header, 0x88)))
  const type = findValue(header, 0x81)
  const isFace = type === null || (type.length <= 3 && toNumber(type) === BigInt(FACIAL_FEATURES))
  if (owner !== BigInt(FORMAT_OWNER) || !isFace) throw new ChipFault('malformed_data')
  const record = findValue(objects, 0x5f2e) ?? getValue(objects, 0x7f2e)
  if (format === ISO_19794_5) return parseRecord(record)
  if (format === ISO_39794_5) return [parseExtensibleRecord(record)]
  throw new ChipFault('malformed_data')
}

const RECORD_HEADER_LENGTH = 14
const FACIAL_INFORMATION_LENGTH = 20
const FEATURE_POINT_LENGTH = 8
const IMAGE_INFORMATION_LENGTH = 12

/** Largest value of a byte of the facial information block, or 255 for “unknown” (ISO/IEC 19794-5:2005, 5.5). */
const CODE_BOUNDS = [
  { offset: 6, max: 3 }, // gender
  { offset: 7, max: 8 }, // eye colour
  { offset: 8, max: 9 }, // hair colour
] as const
/** Angles in steps of two degrees, and their uncertainty. */
const ANGLE_BOUNDS = [
  { offset: 14, max: 180 },
  { offset: 15, max: 180 },
  { offset: 16, max: 180 },
  { offset: 17, max: 181 },
  { offset: 18, max: 181 },
  { offset: 19, max: 181 },
] as const

/** ISO/IEC 19794-5:2005, 5.3 to 5.8. All lengths must agree. */
function parseRecord(record: Uint8Array): ChipImage[] {
  const bytes = Buffer.from(record)
  const isRecord =
    bytes.length >= RECORD_HEADER_LENGTH &&
    bytes.toString('latin1', 0, 8) === 'FAC\x00010\x00' &&
    bytes.readUInt32BE(8) === bytes.length
  if (!isRecord) throw new ChipFault('malformed_data')
  const count = bytes.readUInt16BE(12)
  if (count < 1 || count > MAX_IMAGES_IN_RECORD) throw new ChipFault('malformed_data')
  const images: ChipImage[] = []
  let at = RECORD_HEADER_LENGTH
  for (let i = 0; i < count; i += 1) {
    if (at + FACIAL_INFORMATION_LENGTH > bytes.length) throw new ChipFault('malformed_data')
    const end = at + bytes.readUInt32BE(at)
    if (end > bytes.length) throw new ChipFault('malformed_data')
    images.push(parseFace(bytes.subarray(at, end)))
    at = end
  }
  if (at !== bytes.length) throw new ChipFault('malformed_data')
  return images
}

function parseFace(face: Buffer): ChipImage {
  const points = face.length < FACIAL_INFORMATION_LENGTH ? 0 : face.readUInt16BE(4)
  const information = FACIAL_INFORMATION_LENGTH + points * FEATURE_POINT_LENGTH
  const start = information + IMAGE_INFORMATION_LENGTH
  if (start > face.length) throw new ChipFault('malformed_data')
  const imageType = face[information] ?? 0
  const dataType = face[information + 1] ?? 0
  const isLawful =
    CODE_BOUNDS.every(({ offset, max }) => (face[offset] ?? 0) <= max || face[offset] === 0xff) &&
    ANGLE_BOUNDS.every(({ offset, max }) => (face[offset] ?? 0) <= max) &&
    imageType <= 2 && // basic, full frontal, token
    dataType <= 1 // JPEG, JPEG 2000
  if (!isLawful) throw new ChipFault('malformed_data')
  return toImage(face.subarray(start))
}

const MAX_LEVELS = 8

/**
 * ISO/IEC 39794-5: a version block and representations, in DER. The image is the octet string with the context tag 80 below the
 * representations (A1); it is the only one that begins as an image.
 */
function parseExtensibleRecord(record: Uint8Array): ChipImage {
  const data = readTlvs(readTlv(readTlv(record, 0xa1).value, 0x65).value)
  const versionBlock = readTlvs(getValue(data, 0xa0))
  if (toNumber(getValue(versionBlock, 0x80)) !== 3n) throw new ChipFault('malformed_data')
  let level = readTlvs(getValue(data, 0xa1))
  for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth += 1) {
    const [image] = level.flatMap(({ tag, value }) => (tag === 0x80 ? (recogniseImage(value) ?? []) : []))
    if (image !== undefined) return image
    level = level.filter(isConstructed).flatMap(({ value }) => readTlvs(value))
  }
  throw new ChipFault('malformed_data')
}

function isConstructed({ raw }: Tlv): boolean {
  return ((raw[0] ?? 0) & 0x20) !== 0
}
