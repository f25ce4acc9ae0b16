/** The ASN.1 types that files of the chip share: object identifiers, whole numbers, sequences (ITU-T X.690, clause 8). */
import { ChipFault } from './outcome.ts'
import { readTlv, readTlvs, writeTlv, type Tlv } from './tlv.ts'

export const ASN1 = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

const MAX_OID_BYTES = 32
const MAX_SMALL_NUMBER = 0xffff_ffff

/** The members of the only sequence or set in the bytes. */
export function readMembers(bytes: Uint8Array, tag: number = ASN1.sequence): Tlv[] {
  return readTlvs(readTlv(bytes, tag).value)
}

/** Returns the dotted form. */
export function toOid(object: Tlv | undefined): string {
  if (object?.tag !== ASN1.oid || object.value.length === 0 || object.value.length > MAX_OID_BYTES)
    throw new ChipFault('malformed_data')
  const arcs: number[] = []
  let arc = 0
  for (const [i, byte] of object.value.entries()) {
    arc = arc * 128 + (byte & 0x7f)
    if (arc > MAX_SMALL_NUMBER) throw new ChipFault('malformed_data')
    if ((byte & 0x80) !== 0) {
      if (i === object.value.length - 1) throw new ChipFault('malformed_data')
      continue
    }
    arcs.push(arc)
    arc = 0
  }
  const [first = 0, ...rest] = arcs
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...rest].join('.')
}

/** The content of an object identifier, without tag and length. */
export function encodeOid(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number)
  return Buffer.from([first * 40 + second, ...rest].flatMap(toBase128))
}

function toBase128(arc: number): number[] {
  const digits = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift((rest % 128) | 0x80)
  return digits
}

/** The bytes of an INTEGER that is not negative, without the zero that marks it so. */
export function toUnsignedBytes(object: Tlv | undefined): Uint8Array {
  const [first] = object?.value ?? []
  if (object?.tag !== ASN1.integer || first === undefined || (first & 0x80) !== 0)
    throw new ChipFault('malformed_data')
  return first === 0 && object.value.length > 1 ? object.value.subarray(1) : object.value
}

/** The bytes of any INTEGER, for comparison: issuers have written serial numbers that are negative. */
export function toIntegerBytes(object: Tlv | undefined): Uint8Array {
  if (object?.tag !== ASN1.integer || object.value.length === 0) throw new ChipFault('malformed_data')
  return object.value
}

/** An INTEGER from 0 to 2^32 - 1, such as a version or a key identifier. */
export function toSmallNumber(object: Tlv | undefined): number {
  const bytes = toUnsignedBytes(object)
  if (bytes.length > 4) throw new ChipFault('malformed_data')
  return bytes.reduce((number, byte) => number * 256 + byte, 0)
}

/** The bytes of a BIT STRING without unused bits. */
export function toBitStringBytes(object: Tlv | undefined): Uint8Array {
  if (object?.tag !== ASN1.bitString || object.value[0] !== 0) throw new ChipFault('malformed_data')
  return object.value.subarray(1)
}

export function writeOid(oid: string): Buffer {
  return writeTlv(ASN1.oid, encodeOid(oid))
}
