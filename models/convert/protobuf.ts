/** The protobuf wire format as far as ONNX files need it. Knows no message types. */

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}
/** Wire type 0. */
export const numberField = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field << 3), varint(value)])
/** Wire type 2: text, bytes or a message. */
export function bytesField(field: number, value: string | Buffer): Buffer {
  const body = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body])
}

export interface Field {
  readonly field: number
  /** Value of wire type 0; otherwise 0. */
  readonly number: number
  /** Contents of wire types 1, 2 and 5; otherwise empty. */
  readonly bytes: Buffer
  /** The original bytes including the tag. */
  readonly raw: Buffer
}

/** Throws RangeError for a truncated message, TypeError for a wire type that protobuf 3 does not write. */
export function readFields(message: Buffer): readonly Field[] {
  const fields: Field[] = []
  let at = 0
  const readVarint = (): number => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++)
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return Number(BigInt.asIntN(64, value))
    }
  }
  while (at < message.length) {
    const from = at
    const tag = readVarint()
    const [field, wire] = [tag >> 3, tag & 7]
    if (wire === 0) {
      const number = readVarint()
      fields.push({ field, number, bytes: Buffer.alloc(0), raw: message.subarray(from, at) })
      continue
    }
    const length = wire === 2 ? readVarint() : FIXED_BYTES.get(wire)
    if (length === undefined) throw new TypeError(`wire type ${wire}`)
    if (length < 0 || at + length > message.length) throw new RangeError('the message breaks off')
    const bytes = message.subarray(at, at + length)
    at += length
    fields.push({ field, number: 0, bytes, raw: message.subarray(from, at) })
  }
  return fields
}

const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [5, 4],
])

/** Reads a repeated integer field, packed or not. */
export function readNumbers(fields: readonly Field[], wanted: number): readonly number[] {
  return fields
    .filter(({ field }) => field === wanted)
    .flatMap(({ bytes, number }) => (bytes.length > 0 ? unpack(bytes) : [number]))
}

function unpack(bytes: Buffer): number[] {
  const numbers: number[] = []
  let value = 0n
  let shift = 0n
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift
    shift += 7n
    if (byte >= 128) continue
    numbers.push(Number(BigInt.asIntN(64, value)))
    value = 0n
    shift = 0n
  }
  return numbers
}
