/**
 * Messages of pcscd on its Unix socket (pcsc-lite 1.8.24 to 2.5, src/winscard_msg.h, protocol 4:4 and 4:5): words of 32 bits, least
 * significant byte first. Encodes requests and parses replies; opens no socket.
 */

/** Commands and the words of their bodies. The reply has the size of the request, unless the table says otherwise. */
export const COMMAND = {
  establishContext: 0x01, // scope, context, result
  connect: 0x04, // context, name[128], share, protocols, card, active protocol, result
  reconnect: 0x05, // card, share, protocols, initialisation, active protocol, result
  disconnect: 0x06, // card, disposition, result
  transmit: 0x09, // card, protocol, length, bytes sent, protocol, length, bytes received, result; then the bytes
  version: 0x11, // major, minor, result
  getReaderStates: 0x12, // empty; answers the table of readers
  waitForChange: 0x13, // empty; answers the table at once, and timeout and result after a change
} as const
export type CommandName = keyof typeof COMMAND

export const VERSION_MAJOR = 4
/** pcsc-lite 1.8.24 to 2.2.3 accept only 4:4, 2.3.0 to 2.4.0 only 4:5, and later ones both. The messages used here are the same in both. */
export const VERSION_MINORS: readonly number[] = [4, 5]

export const SHARE = { exclusive: 1, shared: 2 } as const
export const PROTOCOL = { t0: 1, t1: 2, any: 3 } as const
/** Effect on the chip: none, a reset, or its power is switched off. */
export const DISPOSITION = { leave: 0, reset: 1, unpower: 2 } as const

const NAME_BYTES = 128
const MAX_ATR_BYTES = 33
const STATE_BYTES = 184
const MAX_READERS = 16
/** Offsets in the state of a reader. Three bytes of padding follow the ATR. */
const STATE_AT = { events: 128, state: 132, sharing: 136, atr: 140, atrLength: 176, protocol: 180 } as const
const STATE_FLAG = { present: 0x04, swallowed: 0x08, powered: 0x10 } as const
/** A program has the card for itself (PCSCLITE_SHARING_EXCLUSIVE_CONTEXT). */
const EXCLUSIVE = -1
export const STATES_BYTES = STATE_BYTES * MAX_READERS
export const WAIT_END_BYTES = 8
/** MAX_BUFFER_SIZE_EXTENDED: an extended APDU with data and status. */
export const MAX_APDU_BYTES = 65_548
const CONTROL_INFORMATION_BYTES = 8

/** Reasons why pcscd refuses a request, by its code (pcsclite.h). */
const REFUSALS: Readonly<Record<number, PcscReason>> = {
  0x80100008: 'not_transmitted', // the buffer is too small
  0x80100009: 'reader_missing',
  0x8010000b: 'reader_busy',
  0x8010000c: 'no_card',
  0x8010000f: 'card_unusable', // no common protocol
  0x80100010: 'card_unusable', // not ready
  0x80100016: 'not_transmitted',
  0x80100017: 'reader_missing',
  0x8010001e: 'protocol_unknown',
  0x8010002e: 'reader_missing',
  0x8010002f: 'not_transmitted',
  0x80100065: 'card_unusable',
  0x80100066: 'card_unusable', // it does not answer a reset
  0x80100067: 'card_unusable', // without power
  0x80100068: 'card_reset',
  0x80100069: 'no_card',
  0x8010006a: 'not_allowed', // polkit
}

export type PcscReason =
  | 'disconnected' // pcscd closed the connection or did not answer in time
  | 'protocol_unknown' // pcscd speaks another version
  | 'malformed_reply'
  | 'not_allowed' // the system refuses this user access to readers
  | 'reader_missing' // no reader of this name is connected
  | 'reader_busy' // another program has the card for itself
  | 'no_card'
  | 'card_reset' // another program reset the card
  | 'card_unusable' // the card does not answer, or has no protocol of the reader
  | 'not_transmitted' // reader or card did not carry out the command
  | 'refused' // any other code

/** Contains no byte that came from a card. */
export class PcscFault extends Error {
  override readonly name = 'PcscFault'
  readonly reason: PcscReason

  constructor(reason: PcscReason, options: ErrorOptions = {}) {
    super(reason, options)
    this.reason = reason
  }
}

/** One reader as pcscd lists it. */
export interface ReaderState {
  readonly name: string
  readonly hasCard: boolean
  /** Another program has the card for itself. */
  readonly isInUse: boolean
  /** Answer to reset; empty without a card and for a card that does not answer. */
  readonly atr: Uint8Array
  /** Increases with each card that comes or goes. */
  readonly events: number
}

export function encodeRequest(command: CommandName, body: Uint8Array, more: Uint8Array = Buffer.alloc(0)) {
  return Buffer.concat([encodeWords([body.length, COMMAND[command]]), body, more])
}

export function encodeWords(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 4)
  words.forEach((word, i) => bytes.writeUInt32LE(word >>> 0, i * 4))
  return bytes
}

/** @param bytes of a length that is a multiple of four */
export function decodeWords(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4))
}

export function encodeConnect(context: number, name: string, share: number): Buffer {
  const field = Buffer.alloc(NAME_BYTES)
  // One byte stays zero, because the name ends there.
  field.write(name, 0, NAME_BYTES - 1, 'utf8')
  return Buffer.concat([encodeWords([context]), field, encodeWords([share, PROTOCOL.any, 0, 0, 0])])
}

/** @throws PcscFault for a reply without a card */
export function decodeConnect(reply: Buffer): { card: number; protocol: number } {
  const [, , card = 0, protocol = 0, result = 0] = decodeWords(reply.subarray(4 + NAME_BYTES))
  requireSuccess(result)
  requireProtocol(protocol)
  return { card, protocol }
}

export function requireProtocol(protocol: number): void {
  if (protocol !== PROTOCOL.t0 && protocol !== PROTOCOL.t1) throw new PcscFault('card_unusable')
}

export function encodeTransmit(card: number, protocol: number, length: number): Buffer {
  return encodeWords([
    card,
    protocol,
    CONTROL_INFORMATION_BYTES,
    length,
    protocol,
    CONTROL_INFORMATION_BYTES,
    MAX_APDU_BYTES,
    0,
  ])
}

/** Returns the number of bytes that follow. */
export function decodeTransmit(reply: Buffer): number {
  const [, , , , , , length = 0, result = 0] = decodeWords(reply)
  requireSuccess(result)
  if (length < 2 || length > MAX_APDU_BYTES) throw new PcscFault('malformed_reply')
  return length
}

export function requireSuccess(result: number): void {
  if (result !== 0) throw new PcscFault(REFUSALS[result] ?? 'refused')
}

/** @throws PcscFault malformed_reply */
export function parseReaderStates(bytes: Buffer): ReaderState[] {
  if (bytes.length !== STATES_BYTES) throw new PcscFault('malformed_reply')
  return Array.from({ length: MAX_READERS }, (_, i) =>
    parseReaderState(bytes.subarray(i * STATE_BYTES, (i + 1) * STATE_BYTES)),
  ).flatMap((state) => state ?? [])
}

/** Null for a free place. */
function parseReaderState(bytes: Buffer): ReaderState | null {
  const end = bytes.indexOf(0)
  if (end === 0) return null
  const atrLength = bytes.readUInt32LE(STATE_AT.atrLength)
  if (end < 0 || end >= NAME_BYTES || atrLength > MAX_ATR_BYTES) throw new PcscFault('malformed_reply')
  const flags = bytes.readUInt32LE(STATE_AT.state)
  const hasCard = (flags & (STATE_FLAG.present | STATE_FLAG.swallowed | STATE_FLAG.powered)) !== 0
  return {
    name: toReaderName(bytes.subarray(0, end)),
    hasCard,
    isInUse: bytes.readInt32LE(STATE_AT.sharing) === EXCLUSIVE,
    atr: Buffer.from(bytes.subarray(STATE_AT.atr, STATE_AT.atr + (hasCard ? atrLength : 0))),
    events: bytes.readUInt32LE(STATE_AT.events),
  }
}

/** The device tells its name, so it is shown without control characters. */
function toReaderName(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  // A name that would change could not be sent back.
  if (/[\p{Cc}\ufffd]/u.test(text)) throw new PcscFault('malformed_reply')
  return text
}
