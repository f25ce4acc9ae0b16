/** The chip's side of chip authentication; it may be made to misbehave. */
import type { Channel, CommandApdu, ResponseApdu } from '../../../chip/apdu.ts'
import type { CipherName } from '../../../chip/ciphers.ts'
import { ASN1, writeOid } from '../../../chip/der.ts'
import type { Group } from '../../../chip/group.ts'
import { toNumber } from '../../../chip/numbers.ts'
import { deriveSessionKeys, type SessionKeys } from '../../../chip/secure-messaging.ts'
import { findValue, readTlv, readTlvs, writeTlv } from '../../../chip/tlv.ts'
import { CardSession } from './card-session.ts'

/** A private key of the chip, with the protocol that it is used in. */
export interface ChipKey {
  readonly group: Group
  readonly scalar: bigint
  readonly cipher: CipherName
  /** Null if the chip has one key without a name. */
  readonly keyId?: number | null
}

export interface ChipAuthenticatorOptions {
  readonly chipKeys: readonly ChipKey[]
  /** P2 of the MSE commands that the chip knows: a4, a6. */
  readonly knows: readonly number[]
  /** Status word for a key reference; without it a reference that the chip knows is accepted. */
  readonly refusesReference?: number
  /** Refuses a terminal key that it has seen. */
  readonly remembersTerminalKeys?: boolean
}

/** Answers MSE and GENERAL AUTHENTICATE, and says which keys follow. */
export class ChipAuthenticator {
  /** Terminal keys in hexadecimal, over all sessions. */
  readonly terminalKeys: string[] = []
  readonly #options: ChipAuthenticatorOptions
  #chosen: ChipKey | null = null

  constructor(options: ChipAuthenticatorOptions) {
    this.#options = options
  }

  answer({ ins, p2, data }: CommandApdu): ResponseApdu & { readonly next: SessionKeys | null } {
    const none = { data: Buffer.alloc(0), statusWord: 0x9000, next: null }
    if (ins === 0x86) {
      const key = findValue(readTlvs(readTlv(data, 0x7c).value), 0x80) ?? Buffer.alloc(0)
      const next = this.#agree(key)
      return next === null ? { ...none, statusWord: 0x6300 } : { ...none, data: writeTlv(0x7c), next }
    }
    if (!this.#options.knows.includes(p2)) return { ...none, statusWord: 0x6a86 }
    const objects = readTlvs(data)
    const refusal = this.#choose(findValue(objects, 0x84))
    if (refusal !== null) return { ...none, statusWord: refusal }
    const key = findValue(objects, 0x91)
    if (key === null) return none
    const next = this.#agree(key)
    return next === null ? { ...none, statusWord: 0x6300 } : { ...none, next }
  }

  /** The status word of a refusal, or null. */
  #choose(reference: Uint8Array | null): number | null {
    const { chipKeys, refusesReference } = this.#options
    if (reference !== null && refusesReference !== undefined) return refusesReference
    const fitting =
      reference === null
        ? chipKeys
        : chipKeys.filter(({ keyId = null }) => keyId === null || BigInt(keyId) === toNumber(reference))
    const [chosen, ...more] = fitting
    if (chosen === undefined || more.length > 0) return 0x6a88
    this.#chosen = chosen
    return null
  }

  #agree(terminalKey: Uint8Array): SessionKeys | null {
    if (this.#chosen === null) return null
    const { group, scalar, cipher } = this.#chosen
    const name = Buffer.from(terminalKey).toString('hex')
    if (this.#options.remembersTerminalKeys === true && this.terminalKeys.includes(name)) return null
    this.terminalKeys.push(name)
    return deriveSessionKeys(cipher, group.toSecret(group.multiply(scalar, group.check(terminalKey))))
  }
}

export interface ChipAuthenticationChipOptions extends ChipKey {
  readonly keys: SessionKeys
  readonly knows: readonly number[]
  readonly fault?: 'keeps_old_keys' | 'answers_plainly' | 'refuses_reference'
}

/** A chip under secure messaging that knows nothing but chip authentication and SELECT. */
export class ChipAuthenticationChip implements Channel {
  readonly commands: CommandApdu[] = []
  readonly #fault: ChipAuthenticationChipOptions['fault']
  readonly #authenticator: ChipAuthenticator
  #session: CardSession

  constructor({ keys, fault, knows, ...key }: ChipAuthenticationChipOptions) {
    this.#fault = fault
    this.#session = new CardSession(keys)
    this.#authenticator = new ChipAuthenticator({
      chipKeys: [key],
      knows,
      ...(fault === 'refuses_reference' ? { refusesReference: 0x6a88 } : {}),
    })
  }

  async transmit(wrapped: CommandApdu): Promise<ResponseApdu> {
    const command = this.#session.open(wrapped)
    if (command === null) return { data: Buffer.alloc(0), statusWord: 0x6988 }
    this.commands.push(command)
    const isAfter = command.ins === 0xa4
    const { next, ...answer } = isAfter
      ? { data: Buffer.alloc(0), statusWord: 0x9000, next: null }
      : this.#authenticator.answer(command)
    const response = this.#session.protect(answer)
    if (next !== null && this.#fault !== 'keeps_old_keys') this.#session = new CardSession(next)
    return isAfter && this.#fault === 'answers_plainly'
      ? { data: Buffer.alloc(0), statusWord: 0x9000 }
      : response
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
