/** Writes DG2 for simulated chips and tests, with records of ISO/IEC 19794-5 and ISO/IEC 39794-5. */
import { writeTlv } from '../../../chip/tlv.ts'
import { hex } from './hex.ts'

export const JPEG = hex('FFD8FFE000104A464946')
export const JPEG_2000 = hex('0000000C6A5020200D0A870A')

export interface RecordChanges {
  readonly start?: Buffer
  /** Added to the length of the record, and to that of the face. */
  readonly recordLength?: number
  readonly faceLength?: number
  readonly points?: number
  readonly count?: number
  /** Bytes of the facial and the image information, by their offset in the face. */
  readonly bytes?: Readonly<Record<number, number>>
}

/** One face with an image. */
export function writeFaceRecord(image: Uint8Array, changes: RecordChanges = {}): Buffer {
  const { points = 0, start = Buffer.from('FAC\x00010\x00', 'latin1') } = changes
  const information = Buffer.alloc(20 + points * 8 + 12)
  information.writeUInt16BE(points, 4)
  information[20 + points * 8] = 1
  const face = Buffer.concat([information, image])
  face.writeUInt32BE(face.length + (changes.faceLength ?? 0), 0)
  for (const [offset, value] of Object.entries(changes.bytes ?? {})) face[Number(offset)] = value
  const header = Buffer.concat([start, Buffer.alloc(6)])
  header.writeUInt32BE(header.length + face.length + (changes.recordLength ?? 0), 8)
  header.writeUInt16BE(changes.count ?? 1, 12)
  return Buffer.concat([header, face])
}

/** One representation with an image; `path` are the tags around the octet string. */
export function writeExtensibleRecord(
  image: Uint8Array,
  version = 3,
  path = [0x30, 0xa1, 0xa0, 0xa0],
): Buffer {
  const inner = path.reduceRight((value, tag) => writeTlv(tag, value), writeTlv(0x80, image))
  const versionBlock = writeTlv(0xa0, writeTlv(0x80, Buffer.of(version)), writeTlv(0x81, hex('07E3')))
  return writeTlv(0xa1, writeTlv(0x65, versionBlock, writeTlv(0xa1, inner)))
}

export interface Dg2Changes {
  readonly owner?: string
  readonly format?: string
  /** Null leaves the object out. */
  readonly type?: string | null
  readonly recordTag?: number
  readonly count?: Buffer
}

export function writeDg2(record: Uint8Array, changes: Dg2Changes = {}): Buffer {
  const { type = '000002', owner = '8702 0101', format = '8802 0008', recordTag = 0x5f2e } = changes
  const header = Buffer.concat([type === null ? hex('') : writeTlv(0x81, hex(type)), hex(owner), hex(format)])
  const instance = writeTlv(0x7f60, writeTlv(0xa1, header), writeTlv(recordTag, record))
  return writeTlv(0x75, writeTlv(0x7f61, changes.count ?? hex('020101'), instance))
}
