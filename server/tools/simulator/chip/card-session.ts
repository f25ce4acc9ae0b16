/** The chip's side of secure messaging: opens commands and protects responses under one pair of keys. */
import type { CommandApdu, ResponseApdu } from '../../../chip/apdu.ts'
import { addPadding, CIPHERS, computeMac } from '../../../chip/ciphers.ts'
import { ChipFault } from '../../../chip/outcome.ts'
import {
  nextCounter,
  openCommand,
  protectResponse,
  type SessionKeys,
} from '../../../chip/secure-messaging.ts'
import { writeTlv } from '../../../chip/tlv.ts'

export class CardSession {
  readonly keys: SessionKeys
  #counter: Buffer

  /** @param counter zero unless given; BAC begins with random bytes */
  constructor(keys: SessionKeys, counter?: Uint8Array) {
    this.keys = keys
    this.#counter = Buffer.from(counter ?? Buffer.alloc(CIPHERS[keys.cipher].blockLength))
  }

  /** Null if the command is not of these keys. */
  open(command: CommandApdu): CommandApdu | null {
    this.#counter = nextCounter(this.#counter)
    try {
      return openCommand(this.keys, this.#counter, command)
    } catch (error) {
      if (error instanceof ChipFault) return null
      throw error
    }
  }

  protect(response: ResponseApdu, oddIns = false): ResponseApdu {
    this.#counter = nextCounter(this.#counter)
    return protectResponse(this.keys, this.#counter, response, oddIns)
  }

  /** Computes the checksum of objects that were changed: for defects that only the holder of the keys can make. */
  seal(objects: Uint8Array): Buffer {
    const { cipher, checksum } = this.keys
    const input = addPadding(Buffer.concat([this.#counter, objects]), CIPHERS[cipher].blockLength)
    return Buffer.concat([objects, writeTlv(0x8e, computeMac(cipher, checksum, input))])
  }
}
