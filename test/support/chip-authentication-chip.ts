/** The chip's side of chip authentication under secure messaging, for tests; it may be made to misbehave. */
import type { Channel, CommandApdu, ResponseApdu } from '../../server/chip/apdu.ts'
import type { CipherName } from '../../server/chip/ciphers.ts'
import { ASN1, writeOid } from '../../server/chip/der.ts'
import type { Group } from '../../server/chip/group.ts'
import { toNumber } from '../../server/chip/numbers.ts'
import { ChipFault } from '../../server/chip/outcome.ts'
import {
  deriveSessionKeys,
  openCommand,
  protectResponse,
  type SessionKeys,
} from '../../server/chip/secure-messaging.ts'
import { findValue, readTlv, readTlvs, writeTlv } from '../../server/chip/tlv.ts'

export interface ChipAuthenticationChipOptions {
  readonly keys: SessionKeys
  readonly group: Group
  readonly scalar: bigint
  readonly cipher: CipherName
  /** P2 of the MSE commands that the chip knows: a4, a6. */
  readonly knows: readonly number[]
  readonly fault?: 'keeps_old_keys' | 'answers_plainly' | 'refuses_reference'
}

export class ChipAuthenticationChip implements Channel {
  readonly commands: CommandApdu[] = []
  readonly #options: ChipAuthenticationChipOptions
  #keys: SessionKeys
  #counter = 0n

  constructor(options: ChipAuthenticationChipOptions) {
    this.#options = options
    this.#keys = options.keys
  }

  async transmit(wrapped: CommandApdu): Promise<ResponseApdu> {
    const keys = this.#keys
    const command = tryToOpen(keys, this.#count(keys), wrapped)
    if (command === null) return { data: Buffer.alloc(0), statusWord: 0x6988 }
    this.commands.push(command)
    const counter = this.#count(keys)
    const { data, statusWord, next } = this.#answer(command)
    const response = protectResponse(keys, counter, { data, statusWord })
    if (next !== null && this.#options.fault !== 'keeps_old_keys') {
      this.#keys = next
      this.#counter = 0n
    }
    const isAfter = command.ins === 0xa4
    return isAfter && this.#options.fault === 'answers_plainly'
      ? { data: Buffer.alloc(0), statusWord: 0x9000 }
      : response
  }

  #count({ cipher }: SessionKeys): Buffer {
    this.#counter += 1n
    return Buffer.from(this.#counter.toString(16).padStart(cipher === 'TDES' ? 16 : 32, '0'), 'hex')
  }

  #answer({ ins, p2, data }: CommandApdu): ResponseApdu & { next: SessionKeys | null } {
    const none = { data: Buffer.alloc(0), statusWord: 0x9000, next: null }
    if (ins === 0xa4) return none
    if (ins === 0x86) {
      const key = findValue(readTlvs(readTlv(data, 0x7c).value), 0x80) ?? Buffer.alloc(0)
      return { ...none, data: writeTlv(0x7c), next: this.#agree(key) }
    }
    if (!this.#options.knows.includes(p2)) return { ...none, statusWord: 0x6a86 }
    const objects = readTlvs(data)
    if (this.#options.fault === 'refuses_reference' && findValue(objects, 0x84) !== null)
      return { ...none, statusWord: 0x6a88 }
    const key = findValue(objects, 0x91)
    return key === null ? none : { ...none, next: this.#agree(key) }
  }

  #agree(terminalKey: Uint8Array): SessionKeys {
    const { group, scalar, cipher } = this.#options
    return deriveSessionKeys(cipher, group.toSecret(group.multiply(scalar, group.check(terminalKey))))
  }
}

/** Null if the command is not of these keys. */
function tryToOpen(keys: SessionKeys, counter: Uint8Array, command: CommandApdu): CommandApdu | null {
  try {
    return openCommand(keys, counter, command)
  } catch (error) {
    if (error instanceof ChipFault) return null
    throw error
  }
}

const DH_PUBLIC_NUMBER = '1.2.840.10046.2.1'

/** SubjectPublicKeyInfo of a Diffie-Hellman key with its parameters, X9.42. */
export function writeDhKey(p: bigint, g: bigint, q: bigint, element: Uint8Array): Buffer {
  const parameters = writeTlv(ASN1.sequence, ...[p, g, q].map(writeInteger))
  return writeTlv(
    ASN1.sequence,
    writeTlv(ASN1.sequence, writeOid(DH_PUBLIC_NUMBER), parameters),
    writeTlv(ASN1.bitString, Buffer.of(0), writeInteger(toNumber(element))),
  )
}

export function writeInteger(number: bigint): Buffer {
  const hex = number.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return writeTlv(ASN1.integer, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.of(0), bytes] : [bytes]))
}
