/** Commands to the chip and its responses (ISO/IEC 7816-4, 5.1 and 5.3), with short and extended lengths. Sends nothing. */
import { ChipFault } from './outcome.ts'

export interface CommandApdu {
  readonly cla: number
  readonly ins: number
  readonly p1: number
  readonly p2: number
  /** Up to 65 535 bytes; empty if the command has no data. */
  readonly data: Uint8Array
  /** Number of bytes that are expected, 1 to 65 536; null if the command expects none. */
  readonly le: number | null
}

export interface ResponseApdu {
  readonly data: Uint8Array
  /** SW1 and SW2 as one number, such as 0x9000. */
  readonly statusWord: number
}

/**
 * The connection to one chip. The protocols use only this interface, so that a reader, a simulator and a recording are the same
 * to them. An implementation reports a chip that left the field as ChipFault connection_lost.
 */
export interface Channel {
  transmit(command: CommandApdu): Promise<ResponseApdu>
}

export const SHORT_LE = 256
export const EXTENDED_LE = 65_536
const MAX_SHORT_DATA = 255
const MAX_DATA = 65_535
const MAX_RESPONSE = EXTENDED_LE + 2

/** Makes a command; without `data` and `le` it has neither. */
export function makeCommand(
  header: readonly [cla: number, ins: number, p1: number, p2: number],
  rest: { readonly data?: Uint8Array; readonly le?: number } = {},
): CommandApdu {
  const [cla, ins, p1, p2] = header
  return { cla, ins, p1, p2, data: rest.data ?? Buffer.alloc(0), le: rest.le ?? null }
}

export function isExtended({ data, le }: CommandApdu): boolean {
  return data.length > MAX_SHORT_DATA || (le ?? 0) > SHORT_LE
}

/** Uses the extended form only if the short one cannot express the lengths. Throws TypeError for lengths that no form has. */
export function encodeCommand(command: CommandApdu): Buffer {
  const { cla, ins, p1, p2, data, le } = command
  if (data.length > MAX_DATA || (le !== null && (le < 1 || le > EXTENDED_LE)))
    throw new TypeError('the lengths of a command')
  const header = Buffer.of(cla, ins, p1, p2)
  if (!isExtended(command)) {
    const lc = data.length > 0 ? Buffer.of(data.length) : Buffer.alloc(0)
    const end = le === null ? Buffer.alloc(0) : Buffer.of(le & 0xff)
    return Buffer.concat([header, lc, data, end])
  }
  const lc = data.length > 0 ? Buffer.of(0, data.length >> 8, data.length & 0xff) : Buffer.alloc(0)
  const leBytes = le === null ? [] : [(le >> 8) & 0xff, le & 0xff]
  // The zero byte that marks the extended form stands before Lc, or before Le if there is no Lc.
  const end = Buffer.from(data.length === 0 ? [0, ...leBytes] : leBytes)
  return Buffer.concat([header, lc, data, end])
}

/**
 * Reads a command from a recording, or as a chip receives it.
 * @throws ChipFault malformed_data
 */
export function parseCommand(bytes: Uint8Array): CommandApdu {
  const [cla, ins, p1, p2, first] = bytes
  if (cla === undefined || ins === undefined || p1 === undefined || p2 === undefined)
    throw new ChipFault('malformed_data')
  const body = Buffer.from(bytes.subarray(4))
  const make = (data: Uint8Array, le: number | null): CommandApdu => ({ cla, ins, p1, p2, data, le })
  if (first === undefined) return make(body, null)
  if (body.length === 1) return make(Buffer.alloc(0), first === 0 ? SHORT_LE : first)
  if (first !== 0) {
    const data = body.subarray(1, 1 + first)
    if (data.length < first || body.length > first + 2) throw new ChipFault('malformed_data')
    const le = body[1 + first]
    return make(data, le === undefined ? null : le === 0 ? SHORT_LE : le)
  }
  if (body.length < 3) throw new ChipFault('malformed_data')
  const length = body.readUInt16BE(1)
  if (body.length === 3) return make(Buffer.alloc(0), length === 0 ? EXTENDED_LE : length)
  const data = body.subarray(3, 3 + length)
  const rest = body.subarray(3 + length)
  if (length === 0 || data.length < length || (rest.length !== 0 && rest.length !== 2))
    throw new ChipFault('malformed_data')
  const le = rest.length === 0 ? null : rest.readUInt16BE(0)
  return make(data, le === 0 ? EXTENDED_LE : le)
}

/** @throws ChipFault malformed_reply */
export function parseResponse(bytes: Uint8Array): ResponseApdu {
  const [sw1, sw2] = bytes.subarray(-2)
  if (sw1 === undefined || sw2 === undefined || bytes.length > MAX_RESPONSE)
    throw new ChipFault('malformed_reply')
  return { data: bytes.subarray(0, -2), statusWord: (sw1 << 8) | sw2 }
}
