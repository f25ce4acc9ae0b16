/**
 * The PDUs of SMPP 3.4 that a carrier of passcodes needs, as bytes. Reading is bounded: a length outside the limits, or a field
 * that goes beyond its PDU, is a `PduError`, after which the connection is of no use.
 */

export const COMMAND = {
  GENERIC_NACK: 0x8000_0000,
  SUBMIT_SM: 0x04,
  SUBMIT_SM_RESP: 0x8000_0004,
  DELIVER_SM: 0x05,
  DELIVER_SM_RESP: 0x8000_0005,
  UNBIND: 0x06,
  UNBIND_RESP: 0x8000_0006,
  BIND_TRANSCEIVER: 0x09,
  BIND_TRANSCEIVER_RESP: 0x8000_0009,
  ENQUIRE_LINK: 0x15,
  ENQUIRE_LINK_RESP: 0x8000_0015,
} as const
const RESPONSE = 0x8000_0000

export const STATUS = {
  OK: 0x00,
  INVALID_COMMAND: 0x03,
  WRONG_BIND_STATE: 0x04,
  SYSTEM_ERROR: 0x08,
  INVALID_DESTINATION: 0x0b,
  BIND_FAILED: 0x0d,
  INVALID_PASSWORD: 0x0e,
  INVALID_SYSTEM_ID: 0x0f,
  QUEUE_FULL: 0x14,
  SUBMIT_FAILED: 0x45,
  THROTTLED: 0x58,
  TEMPORARY_ERROR: 0x64,
} as const

export const TLV = { RECEIPTED_MESSAGE_ID: 0x001e, MESSAGE_PAYLOAD: 0x0424, MESSAGE_STATE: 0x0427 } as const

export interface Pdu {
  readonly command: number
  readonly status: number
  readonly sequence: number
  readonly body: Buffer
}

export class PduError extends Error {
  override readonly name = 'PduError'
}

const HEADER_BYTES = 16
/** The largest PDU that we expect is a delivery report with its optional parameters. */
const MAX_PDU_BYTES = 8 * 1024
const MAX_SEQUENCE = 0x7fff_ffff

export const isResponse = (command: number): boolean => command >= RESPONSE
export const nextSequence = (sequence: number): number => (sequence >= MAX_SEQUENCE ? 1 : sequence + 1)

export function encodePdu({ command, status, sequence, body }: Pdu): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(HEADER_BYTES + body.length, 0)
  header.writeUInt32BE(command, 4)
  header.writeUInt32BE(status, 8)
  header.writeUInt32BE(sequence, 12)
  return Buffer.concat([header, body])
}

/** Collects bytes of a connection and returns its whole PDUs; it never holds more than one unfinished PDU. */
export function createPduReader(): (chunk: Buffer) => readonly Pdu[] {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const pdus: Pdu[] = []
    while (pending.length >= 4) {
      const length = pending.readUInt32BE(0)
      if (length < HEADER_BYTES || length > MAX_PDU_BYTES) throw new PduError('length')
      if (pending.length < length) break
      pdus.push({
        command: pending.readUInt32BE(4),
        status: pending.readUInt32BE(8),
        sequence: pending.readUInt32BE(12),
        body: pending.subarray(HEADER_BYTES, length),
      })
      pending = pending.subarray(length)
    }
    return pdus
  }
}

/** @param most octets without the terminator; a longer text is a fault of the caller */
function cString(text: string, most: number): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (bytes.length > most || bytes.includes(0)) throw new PduError('field')
  return Buffer.concat([bytes, Buffer.of(0)])
}

export interface Bind {
  readonly systemId: string
  readonly password: string
  readonly systemType: string
}

const INTERFACE_VERSION = 0x34

export const encodeBind = ({ systemId, password, systemType }: Bind): Buffer =>
  Buffer.concat([
    cString(systemId, 15),
    cString(password, 8),
    cString(systemType, 12),
    Buffer.of(INTERFACE_VERSION, 0, 0),
    cString('', 40),
  ])

export function decodeBind(body: Buffer): Bind {
  const fields = openFields(body)
  return { systemId: fields.cString(16), password: fields.cString(9), systemType: fields.cString(13) }
}

export interface Address {
  /** Type of number: 1 international, 5 alphanumeric. */
  readonly ton: number
  /** Numbering plan: 1 telephone, 0 unknown. */
  readonly npi: number
  readonly digits: string
}

export interface ShortMessage {
  readonly source: Address
  readonly destination: Address
  readonly esmClass: number
  readonly registeredDelivery: number
  readonly coding: number
  /** Content of `short_message`, or of the parameter `message_payload`. */
  readonly content: Buffer
  readonly parameters: ReadonlyMap<number, Buffer>
}

/** Values of `esm_class`. */
export const ESM = { HAS_HEADER: 0x40, IS_RECEIPT: 0x04 } as const
const MAX_SHORT_MESSAGE = 254

const encodeAddress = ({ ton, npi, digits }: Address): Buffer =>
  Buffer.concat([Buffer.of(ton, npi), cString(digits, 20)])

export function encodeMessage(message: ShortMessage): Buffer {
  const { source, destination, esmClass, registeredDelivery, coding, content } = message
  const isShort = content.length <= MAX_SHORT_MESSAGE
  const parameters = new Map(message.parameters)
  if (!isShort) parameters.set(TLV.MESSAGE_PAYLOAD, content)
  return Buffer.concat([
    cString('', 5),
    encodeAddress(source),
    encodeAddress(destination),
    // Protocol and priority; no schedule, and the carrier's own validity period.
    Buffer.of(esmClass, 0, 0, 0, 0),
    Buffer.of(registeredDelivery, 0, coding, 0),
    Buffer.of(isShort ? content.length : 0),
    isShort ? content : Buffer.alloc(0),
    ...[...parameters].map(([tag, value]) => {
      const head = Buffer.alloc(4)
      head.writeUInt16BE(tag, 0)
      head.writeUInt16BE(value.length, 2)
      return Buffer.concat([head, value])
    }),
  ])
}

/** Reads submit_sm and deliver_sm. Throws PduError. */
export function decodeMessage(body: Buffer): ShortMessage {
  const fields = openFields(body)
  fields.cString(6)
  const readAddress = (): Address => ({
    ton: fields.byte(),
    npi: fields.byte(),
    digits: fields.cString(21),
  })
  const [source, destination] = [readAddress(), readAddress()]
  const esmClass = fields.byte()
  fields.skip(2)
  fields.cString(17)
  fields.cString(17)
  const registeredDelivery = fields.byte()
  fields.skip(1)
  const coding = fields.byte()
  fields.skip(1)
  const short = fields.take(fields.byte())
  const parameters = new Map<number, Buffer>()
  while (fields.left() > 0) {
    const tag = fields.word()
    parameters.set(tag, fields.take(fields.word()))
  }
  const content = short.length > 0 ? short : (parameters.get(TLV.MESSAGE_PAYLOAD) ?? short)
  return { source, destination, esmClass, registeredDelivery, coding, content, parameters }
}

export const encodeMessageId = (id: string): Buffer => cString(id, 64)
/** Empty if the response has none, as responses with an error. */
export const decodeMessageId = (body: Buffer): string =>
  body.length === 0 ? '' : openFields(body).cString(65)

/** `DELIVERED` and `FAILED` are final; UNKNOWN says nothing about the message. */
type DeliveryState = 'DELIVERED' | 'FAILED' | 'UNKNOWN'

export interface Receipt {
  readonly messageId: string
  readonly state: DeliveryState
}

/** States by `message_state`, and by the words of a receipt's text (appendix B). */
const STATES: Readonly<Record<string, DeliveryState>> = {
  2: 'DELIVERED',
  3: 'FAILED',
  4: 'FAILED',
  5: 'FAILED',
  8: 'FAILED',
  DELIVRD: 'DELIVERED',
  EXPIRED: 'FAILED',
  DELETED: 'FAILED',
  UNDELIV: 'FAILED',
  REJECTD: 'FAILED',
}

/** Null for a message that is no delivery report, or that does not say of which message. */
export function readReceipt({ esmClass, content, parameters }: ShortMessage): Receipt | null {
  if ((esmClass & 0x3c) !== ESM.IS_RECEIPT) return null
  const text = content.toString('latin1')
  const id = parameters.get(TLV.RECEIPTED_MESSAGE_ID)
  const messageId = id ? openFields(id).cString(65) : (/\bid:(\S{1,64})/i.exec(text)?.[1] ?? '')
  const state =
    parameters.get(TLV.MESSAGE_STATE)?.at(0) ?? /\bstat:([A-Z]{1,7})/i.exec(text)?.[1].toUpperCase()
  return messageId === '' ? null : { messageId, state: STATES[String(state)] ?? 'UNKNOWN' }
}

/** Reads fields in order; every read beyond the end throws PduError. */
function openFields(body: Buffer) {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > body.length) throw new PduError('end')
    at += length
    return body.subarray(at - length, at)
  }
  return {
    take,
    skip: (length: number) => void take(length),
    byte: () => take(1).readUInt8(0),
    word: () => take(2).readUInt16BE(0),
    left: () => body.length - at,
    /** @param most octets with the terminator */
    cString: (most: number): string => {
      const end = body.indexOf(0, at)
      if (end < 0 || end - at >= most) throw new PduError('text')
      const text = body.toString('latin1', at, end)
      at = end + 1
      return text
    },
  }
}
