/**
 * Secure messaging (ICAO Doc 9303-11, 9.8): protects commands and opens responses with one pair of session keys. After the first
 * response that is not protected or not genuine the session is closed, because the chip has closed it too.
 */
import { timingSafeEqual } from 'node:crypto'
import {
  addPadding,
  CIPHERS,
  computeMac,
  decryptCbc,
  deriveKey,
  encryptBlock,
  encryptCbc,
  KEY_USE,
  MAC_LENGTH,
  removePadding,
  zeroIv,
  type CipherName,
} from './ciphers.ts'
import {
  EXTENDED_LE,
  isExtended,
  SHORT_LE,
  type Channel,
  type CommandApdu,
  type ResponseApdu,
} from './apdu.ts'
import { ChipFault } from './outcome.ts'
import { findValue, readTlvs, writeTlv, type Tlv } from './tlv.ts'

export interface SessionKeys {
  readonly cipher: CipherName
  readonly encryption: Uint8Array
  readonly checksum: Uint8Array
}

/** The pair of session keys of a shared secret (Doc 9303-11, 9.7.1). */
export function deriveSessionKeys(cipher: CipherName, secret: Uint8Array): SessionKeys {
  return {
    cipher,
    encryption: deriveKey(cipher, secret, KEY_USE.encryption),
    checksum: deriveKey(cipher, secret, KEY_USE.checksum),
  }
}

const PROTECTED_CLASS = 0x0c // the header is part of the checksum (ISO/IEC 7816-4, 5.4.1)
const DO = { cryptogram: 0x87, cryptogramOddIns: 0x85, le: 0x97, status: 0x99, checksum: 0x8e } as const
const PADDING_INDICATOR = 1

export class SecureSession {
  readonly keys: SessionKeys
  #counter: Buffer
  #isClosed = false

  /** @param counter the send sequence counter; zero unless given (BAC begins with random bytes) */
  constructor(keys: SessionKeys, counter?: Uint8Array) {
    const { keyLength, blockLength } = CIPHERS[keys.cipher]
    this.#counter = Buffer.from(counter ?? Buffer.alloc(blockLength))
    const fits =
      keys.encryption.length === keyLength &&
      keys.checksum.length === keyLength &&
      this.#counter.length === blockLength
    if (!fits) throw new TypeError('the lengths of session keys')
    this.keys = keys
  }

  /** A copy of the send sequence counter. */
  get counter(): Buffer {
    return Buffer.from(this.#counter)
  }

  /** True after a response that was refused: the chip has closed the session, too. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Protects the next command. Throws ChipFault session_closed after a response that was refused. */
  protect(command: CommandApdu): CommandApdu {
    if (this.#isClosed) throw new ChipFault('session_closed')
    this.#counter = nextCounter(this.#counter)
    return protectCommand(this.keys, this.#counter, command)
  }

  /**
   * Opens the response to the command before.
   * @throws ChipFault reply_unprotected, reply_forged or malformed_reply, and closes the session
   */
  open(response: ResponseApdu): ResponseApdu {
    if (this.#isClosed) throw new ChipFault('session_closed')
    this.#counter = nextCounter(this.#counter)
    try {
      return openResponse(this.keys, this.#counter, response)
    } catch (error) {
      this.#isClosed = true
      throw error
    }
  }
}

/** Passes every command through a session. */
export class SecureChannel implements Channel {
  readonly session: SecureSession
  readonly #inner: Channel

  constructor(inner: Channel, session: SecureSession) {
    this.#inner = inner
    this.session = session
  }

  async transmit(command: CommandApdu): Promise<ResponseApdu> {
    return this.session.open(await this.#inner.transmit(this.session.protect(command)))
  }
}

/** @param counter the send sequence counter of this command */
export function protectCommand(keys: SessionKeys, counter: Uint8Array, command: CommandApdu): CommandApdu {
  const { ins, p1, p2, data, le } = command
  if ((command.cla & PROTECTED_CLASS) !== 0) throw new TypeError('a command that is protected already')
  const cla = command.cla | PROTECTED_CLASS
  const objects: Buffer[] = []
  if (data.length > 0) {
    const cryptogram = encryptData(keys, counter, data)
    objects.push(
      isOdd(ins)
        ? writeTlv(DO.cryptogramOddIns, cryptogram)
        : writeTlv(DO.cryptogram, Buffer.of(PADDING_INDICATOR), cryptogram),
    )
  }
  if (le !== null) objects.push(writeTlv(DO.le, toLeBytes(le, data.length)))
  const header = Buffer.of(cla, ins, p1, p2)
  const checksum = computeChecksum(keys, counter, header, Buffer.concat(objects))
  const protectedCommand = {
    cla,
    ins,
    p1,
    p2,
    data: Buffer.concat([...objects, writeTlv(DO.checksum, checksum)]),
    le: SHORT_LE,
  }
  const needsExtended = isExtended(command) || isExtended(protectedCommand)
  return needsExtended ? { ...protectedCommand, le: EXTENDED_LE } : protectedCommand
}

/**
 * Opens a protected command as the chip does: for recordings and simulators.
 * @param counter the send sequence counter of this command
 * @throws ChipFault reply_forged if the checksum is not of these keys and this counter
 */
export function openCommand(keys: SessionKeys, counter: Uint8Array, command: CommandApdu): CommandApdu {
  const { cla, ins, p1, p2 } = command
  const { objects, covered } = readObjects(command.data, [
    isOdd(ins) ? DO.cryptogramOddIns : DO.cryptogram,
    DO.le,
  ])
  if ((cla & PROTECTED_CLASS) !== PROTECTED_CLASS) throw new ChipFault('reply_unprotected')
  verifyChecksum(keys, counter, Buffer.of(cla, ins, p1, p2), objects, covered)
  const le = findValue(objects, DO.le)
  return {
    cla: cla & ~PROTECTED_CLASS,
    ins,
    p1,
    p2,
    data: decryptData(keys, counter, objects),
    le: le === null ? null : fromLeBytes(le),
  }
}

/**
 * Protects a response as the chip does: for simulators.
 * @param counter the send sequence counter of this response
 * @param oddIns the command had an odd instruction
 */
export function protectResponse(
  keys: SessionKeys,
  counter: Uint8Array,
  { data, statusWord }: ResponseApdu,
  oddIns = false,
): ResponseApdu {
  const objects: Buffer[] = []
  if (data.length > 0) {
    const cryptogram = encryptData(keys, counter, data)
    objects.push(
      oddIns
        ? writeTlv(DO.cryptogramOddIns, cryptogram)
        : writeTlv(DO.cryptogram, Buffer.of(PADDING_INDICATOR), cryptogram),
    )
  }
  objects.push(writeTlv(DO.status, Buffer.of(statusWord >> 8, statusWord & 0xff)))
  const checksum = computeChecksum(keys, counter, null, Buffer.concat(objects))
  return { data: Buffer.concat([...objects, writeTlv(DO.checksum, checksum)]), statusWord }
}

function openResponse(keys: SessionKeys, counter: Uint8Array, response: ResponseApdu): ResponseApdu {
  const { data, statusWord } = response
  if (data.length === 0) throw new ChipFault('reply_unprotected', { statusWord })
  const { objects, covered } = readReply(data)
  verifyChecksum(keys, counter, null, objects, covered)
  const status = findValue(objects, DO.status)
  const outer = Buffer.of(statusWord >> 8, statusWord & 0xff)
  if (status === null || Buffer.compare(status, outer) !== 0) throw new ChipFault('reply_forged')
  return { data: decryptData(keys, counter, objects), statusWord }
}

function readReply(data: Uint8Array): Protected {
  try {
    return readObjects(data, [DO.cryptogram, DO.cryptogramOddIns, DO.status])
  } catch (cause) {
    throw cause instanceof ChipFault ? new ChipFault('malformed_reply', { cause }) : cause
  }
}

interface Protected {
  readonly objects: readonly Tlv[]
  /** The bytes of all objects before the checksum. */
  readonly covered: Uint8Array
}

/** Every object at most once, the checksum last (Doc 9303-11, figures 5 and 6). */
function readObjects(data: Uint8Array, allowed: readonly number[]): Protected {
  const objects = readTlvs(data)
  const last = objects.at(-1)
  const before = objects.slice(0, -1)
  const isKnown = before.every(({ tag }) => allowed.includes(tag))
  const isOnce = new Set(before.map(({ tag }) => tag)).size === before.length
  if (last?.tag !== DO.checksum || !isKnown || !isOnce) throw new ChipFault('malformed_data')
  return { objects, covered: data.subarray(0, data.length - last.raw.length) }
}

function verifyChecksum(
  keys: SessionKeys,
  counter: Uint8Array,
  header: Uint8Array | null,
  objects: readonly Tlv[],
  covered: Uint8Array,
): void {
  const received = findValue(objects, DO.checksum) ?? Buffer.alloc(0)
  const expected = computeChecksum(keys, counter, header, covered)
  if (received.length !== MAC_LENGTH || !timingSafeEqual(received, expected))
    throw new ChipFault('reply_forged')
}

/** The header of a command fills blocks of its own; padding follows the objects only if there are any. */
function computeChecksum(
  { cipher, checksum }: SessionKeys,
  counter: Uint8Array,
  header: Uint8Array | null,
  objects: Uint8Array,
): Buffer {
  const { blockLength } = CIPHERS[cipher]
  const headerBlocks = header === null ? Buffer.alloc(0) : addPadding(header, blockLength)
  const objectBlocks = objects.length === 0 ? Buffer.alloc(0) : addPadding(objects, blockLength)
  return computeMac(cipher, checksum, Buffer.concat([counter, headerBlocks, objectBlocks]))
}

function encryptData({ cipher, encryption }: SessionKeys, counter: Uint8Array, data: Uint8Array): Buffer {
  const iv = makeIv(cipher, encryption, counter)
  return encryptCbc(cipher, encryption, iv, addPadding(data, CIPHERS[cipher].blockLength))
}

/** Returns no bytes if there is no cryptogram. */
function decryptData(
  { cipher, encryption }: SessionKeys,
  counter: Uint8Array,
  objects: readonly Tlv[],
): Uint8Array {
  const found = objects.filter(({ tag }) => tag === DO.cryptogram || tag === DO.cryptogramOddIns)
  const [object, ...more] = found
  if (object === undefined) return Buffer.alloc(0)
  const hasIndicator = object.tag === DO.cryptogram
  const cryptogram = object.value.subarray(hasIndicator ? 1 : 0)
  const { blockLength } = CIPHERS[cipher]
  const isReadable =
    more.length === 0 &&
    (!hasIndicator || object.value[0] === PADDING_INDICATOR) &&
    cryptogram.length > 0 &&
    cryptogram.length % blockLength === 0
  if (!isReadable) throw new ChipFault('malformed_reply')
  const padded = decryptCbc(cipher, encryption, makeIv(cipher, encryption, counter), cryptogram)
  const data = removePadding(padded, blockLength)
  if (data === null) throw new ChipFault('malformed_reply')
  return data
}

/** Doc 9303-11, 9.8.6.1 and 9.8.7.1: zero for 3DES, the encrypted counter for AES. */
function makeIv(cipher: CipherName, key: Uint8Array, counter: Uint8Array): Buffer {
  return cipher === 'TDES' ? zeroIv(cipher) : encryptBlock(cipher, key, counter)
}

/** The counter after this one, modulo its length. */
export function nextCounter(counter: Buffer): Buffer {
  const next = Buffer.from(counter)
  for (let i = next.length - 1; i >= 0; i -= 1) {
    next[i] = ((next[i] ?? 0) + 1) & 0xff
    if (next[i] !== 0) break
  }
  return next
}

/** One byte in a short command, two in an extended one. */
function toLeBytes(le: number, dataLength: number): Buffer {
  const short = le <= SHORT_LE && dataLength <= 255
  return short ? Buffer.of(le & 0xff) : Buffer.of((le >> 8) & 0xff, le & 0xff)
}

function fromLeBytes(bytes: Uint8Array): number {
  const [high = 0, low] = bytes
  if (bytes.length === 1) return high === 0 ? SHORT_LE : high
  if (bytes.length !== 2 || low === undefined) throw new ChipFault('malformed_data')
  return high * 256 + low === 0 ? EXTENDED_LE : high * 256 + low
}

function isOdd(ins: number): boolean {
  return ins % 2 === 1
}
