/** The chip's side of PACE: it agrees on keys with its password, and may be made to misbehave in one step. */
import { randomBytes } from 'node:crypto'
import type { AccessKey } from '../../../chip/access-key.ts'
import type { Channel, CommandApdu, ResponseApdu } from '../../../chip/apdu.ts'
import {
  addPadding,
  CIPHERS,
  computeMac,
  deriveKey,
  encryptBlock,
  encryptCbc,
  KEY_USE,
  zeroIv,
} from '../../../chip/ciphers.ts'
import { writeOid } from '../../../chip/der.ts'
import { findStandardGroup } from '../../../chip/domain-parameters.ts'
import type { Group } from '../../../chip/group.ts'
import { countBytes, invert, toBytes, toNumber } from '../../../chip/numbers.ts'
import { mapIntegrated } from '../../../chip/pace-integrated-mapping.ts'
import { deriveSessionKeys, type SessionKeys } from '../../../chip/secure-messaging.ts'
import type { PaceInfo } from '../../../chip/security-infos.ts'
import { getValue, readTlv, readTlvs, writeTlv } from '../../../chip/tlv.ts'

export type PaceStep = 'nonce' | 'mapping' | 'key' | 'token'

export interface PaceChipOptions {
  readonly info: PaceInfo
  readonly key: AccessKey
  /** The private key of chip authentication mapping. */
  readonly staticScalar?: bigint
  /** Changes the objects of one reply. `sent` is the value that the terminal sent in this step. */
  readonly change?: (step: PaceStep, objects: Buffer, sent: Uint8Array) => Uint8Array
}

export class PaceChip implements Channel {
  readonly group: Group
  readonly commands: CommandApdu[] = []
  keys: SessionKeys | null = null
  readonly #options: PaceChipOptions
  #nonce: Uint8Array = Buffer.alloc(0)
  #generator: Uint8Array
  #mappingScalar = 0n
  #terminalKey: Uint8Array = Buffer.alloc(0)
  #chipKey: Uint8Array = Buffer.alloc(0)

  constructor(options: PaceChipOptions) {
    this.#options = options
    const group = findStandardGroup(options.info.parameterId ?? -1)
    if (group === null) throw new TypeError('domain parameters')
    this.group = group
    this.#generator = group.generator
  }

  async transmit(command: CommandApdu): Promise<ResponseApdu> {
    this.commands.push(command)
    if (command.ins === 0x22) return { data: Buffer.alloc(0), statusWord: 0x9000 }
    const [object] = readTlvs(readTlv(command.data, 0x7c).value)
    const sent = object?.value ?? Buffer.alloc(0)
    const { step, objects } = this.#answer(object?.tag ?? 0, sent)
    if (objects === null) return { data: Buffer.alloc(0), statusWord: 0x6300 }
    const { change } = this.#options
    return { data: writeTlv(0x7c, change?.(step, objects, sent) ?? objects), statusWord: 0x9000 }
  }

  #answer(tag: number, sent: Uint8Array): { step: PaceStep; objects: Buffer | null } {
    if (tag === 0x81) return { step: 'mapping', objects: this.#map(sent) }
    if (tag === 0x83) return { step: 'key', objects: this.#agree(sent) }
    if (tag === 0x85) return { step: 'token', objects: this.#prove(sent) }
    const { cipher } = this.#options.info
    this.#nonce = randomBytes(Math.ceil(CIPHERS[cipher].keyLength / 16) * 16)
    const passwordKey = deriveKey(cipher, this.#options.key.secret, KEY_USE.password)
    const encrypted = encryptCbc(cipher, passwordKey, zeroIv(cipher), this.#nonce)
    return { step: 'nonce', objects: writeTlv(0x80, encrypted) }
  }

  #map(sent: Uint8Array): Buffer {
    const { group } = this
    const { cipher, mapping } = this.#options.info
    if (mapping === 'integrated') {
      this.#generator = mapIntegrated(cipher, group, this.#nonce, sent)
      return writeTlv(0x82)
    }
    this.#mappingScalar = group.makeScalar()
    const shared = group.multiply(this.#mappingScalar, group.check(sent))
    this.#generator = group.combine(group.multiply(toNumber(this.#nonce), group.generator), shared)
    return writeTlv(0x82, group.multiply(this.#mappingScalar, group.generator))
  }

  #agree(sent: Uint8Array): Buffer {
    const { group } = this
    const scalar = group.makeScalar()
    this.#terminalKey = group.check(sent)
    this.#chipKey = group.multiply(scalar, this.#generator)
    const secret = group.toSecret(group.multiply(scalar, this.#terminalKey))
    this.keys = deriveSessionKeys(this.#options.info.cipher, secret)
    return writeTlv(0x84, this.#chipKey)
  }

  #prove(sent: Uint8Array): Buffer | null {
    const keys = this.keys as SessionKeys
    if (Buffer.compare(sent, this.#makeToken(keys, this.#chipKey)) !== 0) return null
    const token = writeTlv(0x86, this.#makeToken(keys, this.#terminalKey))
    const { staticScalar } = this.#options
    if (staticScalar === undefined) return token
    const order = this.group.order ?? 0n
    const data = (this.#mappingScalar * invert(staticScalar, order)) % order
    const padded = addPadding(toBytes(data, countBytes(order)), 16)
    const iv = encryptBlock(keys.cipher, keys.encryption, Buffer.alloc(16, 0xff))
    return Buffer.concat([token, writeTlv(0x8a, encryptCbc(keys.cipher, keys.encryption, iv, padded))])
  }

  #makeToken(keys: SessionKeys, publicKey: Uint8Array): Buffer {
    const keyTag = this.group.kind === 'ecdh' ? 0x86 : 0x84
    const input = writeTlv(0x7f49, writeOid(this.#options.info.oid), writeTlv(keyTag, publicKey))
    return computeMac(keys.cipher, keys.checksum, keys.cipher === 'TDES' ? addPadding(input, 8) : input)
  }
}

/** The value of one object in a reply. */
export function getObject(objects: Uint8Array, tag: number): Uint8Array {
  return getValue(readTlvs(objects), tag)
}
