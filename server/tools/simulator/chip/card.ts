/**
 * A chip of a travel document in this process (ICAO Doc 9303-10, 3; 9303-11): files, access control, secure messaging, chip and active
 * authentication. Its options make it misbehave in one place.
 */
import { randomBytes } from 'node:crypto'
import type { AccessKey } from '../../../chip/access-key.ts'
import type { CommandApdu, ResponseApdu } from '../../../chip/apdu.ts'
import {
  addPadding,
  computeMac,
  decryptCbc,
  deriveKey,
  encryptCbc,
  KEY_USE,
  zeroIv,
} from '../../../chip/ciphers.ts'
import { toOid } from '../../../chip/der.ts'
import type { InspectedChip } from '../../../chip/inspection/open-chip.ts'
import { toNumber } from '../../../chip/numbers.ts'
import { ChipFault } from '../../../chip/outcome.ts'
import { deriveSessionKeys } from '../../../chip/secure-messaging.ts'
import type { PaceInfo } from '../../../chip/security-infos.ts'
import { findValue, readTlv, readTlvs, writeTlv } from '../../../chip/tlv.ts'
import { CardSession } from './card-session.ts'
import { ChipAuthenticator, type ChipAuthenticatorOptions } from './chip-authentication-chip.ts'
import { PaceChip, type PaceChipOptions, type PaceStep } from './pace-chip.ts'

export interface CardPace {
  readonly infos: readonly PaceInfo[]
  readonly keys: readonly AccessKey[]
  readonly staticScalar?: bigint
  readonly change?: PaceChipOptions['change']
  /** Status word of a step that the chip refuses. */
  readonly refuses?: Partial<Record<PaceStep | 'environment', number>>
}

export interface CardFaults {
  /** Status word of SELECT by the application's name. */
  readonly selectApplication?: number
  /** Status word of EXTERNAL AUTHENTICATE. */
  readonly bacStatus?: number
  readonly changeBacReply?: (reply: Buffer) => Buffer
  /** Replaces what BAC encrypts. */
  readonly changeBacPlain?: (plain: Buffer) => Buffer
  /** Changes a protected response to READ BINARY. */
  readonly changeProtected?: (response: ResponseApdu, session: CardSession) => ResponseApdu
  /** Changes what the chip would protect in the response to READ BINARY. */
  readonly changeRead?: (response: ResponseApdu) => ResponseApdu
  /** The chip continues with the keys before chip authentication. */
  readonly keepsOldKeys?: boolean
  /** A file of the application that this terminal may not select. */
  readonly deniedFile?: number
  /** The chip leaves the field before this command (counted from 0, over all sessions). */
  readonly lostAt?: number
}

export interface CardOptions {
  readonly masterFile: ReadonlyMap<number, Uint8Array>
  readonly application: ReadonlyMap<number, Uint8Array>
  /** Null: no BAC. Without BAC and PACE the files are free. */
  readonly bac: AccessKey | null
  readonly pace: CardPace | null
  readonly chipAuthentication: ChipAuthenticatorOptions | null
  /** Signs a challenge; null: no active authentication. */
  readonly sign: ((challenge: Uint8Array) => Uint8Array) | null
  /** Longest Le. */
  readonly maxResponse?: number
  /** Answer to READ BINARY past the end: the rest with 6282, 6B00, or 6Cxx with the exact length. */
  readonly endOfFile?: 'rest' | 'outside' | 'exact'
  readonly faults?: CardFaults
}

/** EF.ATR/INFO with the longest command and response of a chip with extended lengths, and the option that follows from it. */
export const EXTENDED_LENGTHS = {
  atrInfo: Buffer.from('7f66080202090002020900', 'hex'),
  maxResponse: 0x0900,
} as const

const APPLICATION = 'a0000002471001'
const NONE = Buffer.alloc(0)
const status = (statusWord: number): ResponseApdu => ({ data: NONE, statusWord })

export class ChipCard implements InspectedChip {
  /** Commands as the chip understands them, without secure messaging. */
  readonly commands: CommandApdu[] = []
  resets = 0
  readonly authenticator: ChipAuthenticator | null
  readonly #options: CardOptions
  #session: CardSession | null = null
  #pace: PaceChip | null = null
  #challenge: Uint8Array | null = null
  #isInApplication = false
  #hasAccess = false
  #selected: Uint8Array | null = null
  #received = 0

  constructor(options: CardOptions) {
    this.#options = options
    const { chipAuthentication } = options
    this.authenticator = chipAuthentication === null ? null : new ChipAuthenticator(chipAuthentication)
  }

  get #faults(): CardFaults {
    return this.#options.faults ?? {}
  }

  async reset(): Promise<void> {
    this.resets += 1
    this.#forget()
    this.#isInApplication = false
    this.#selected = null
  }

  #forget(): void {
    this.#session = null
    this.#pace = null
    this.#challenge = null
    this.#hasAccess = false
  }

  async transmit(sent: CommandApdu): Promise<ResponseApdu> {
    if (this.#received === this.#faults.lostAt) {
      this.#received += 1
      throw new ChipFault('connection_lost')
    }
    this.#received += 1
    const session = this.#session
    if (session === null) {
      this.commands.push(sent)
      return this.#answer(sent)
    }
    const command = (sent.cla & 0x0c) === 0 ? null : session.open(sent)
    if (command === null) {
      this.#forget()
      return status(0x6988)
    }
    this.commands.push(command)
    const { changeProtected, changeRead } = this.#faults
    const isRead = (command.ins & 0xfe) === 0xb0
    const plain = await this.#answer(command)
    const response = session.protect(isRead ? (changeRead?.(plain) ?? plain) : plain, command.ins % 2 === 1)
    return isRead ? (changeProtected?.(response, session) ?? response) : response
  }

  async #answer(command: CommandApdu): Promise<ResponseApdu> {
    switch (command.ins) {
      case 0xa4:
        return this.#select(command)
      case 0xb0:
      case 0xb1:
        return this.#read(command)
      case 0x84:
        return this.#giveChallenge()
      case 0x82:
        return this.#authenticateByBac(command.data)
      case 0x22:
        return command.p1 === 0xc1 ? this.#setPace(command) : this.#authenticateChip(command)
      case 0x86:
        return this.#pace === null ? this.#authenticateChip(command) : this.#runPace(command)
      case 0x88:
        return this.#sign(command.data)
      default:
        return status(0x6d00)
    }
  }

  #isFree(): boolean {
    return this.#options.bac === null && this.#options.pace === null
  }

  #select({ p1, data }: CommandApdu): ResponseApdu {
    if (p1 === 0x04) {
      if (Buffer.from(data).toString('hex') !== APPLICATION) return status(0x6a82)
      if (this.#faults.selectApplication !== undefined) return status(this.#faults.selectApplication)
      // The application of a chip that has no BAC opens only after PACE.
      if (this.#options.bac === null && this.#options.pace !== null && !this.#hasAccess) return status(0x6982)
      this.#isInApplication = true
      this.#selected = null
      return status(0x9000)
    }
    if (p1 === 0x00) {
      this.#isInApplication = false
      this.#selected = null
      return status(0x9000)
    }
    const fileId = (data[0] ?? 0) * 256 + (data[1] ?? 0)
    const { application, masterFile } = this.#options
    if (this.#isInApplication && !this.#isFree() && !this.#hasAccess) return status(0x6982)
    const file = (this.#isInApplication ? application : masterFile).get(fileId)
    if (file === undefined) return status(0x6a82)
    if (this.#isInApplication && fileId === this.#faults.deniedFile) return status(0x6982)
    const isCardSecurity = !this.#isInApplication && fileId === 0x011d
    if (isCardSecurity && !this.#hasAccess) return status(0x6982)
    this.#selected = file
    return status(0x9000)
  }

  #read({ ins, p1, p2, data, le }: CommandApdu): ResponseApdu {
    const file = this.#selected
    const { maxResponse = 256, endOfFile = 'rest' } = this.#options
    if (file === null) return status(0x6986)
    if ((le ?? 0) > maxResponse) return status(0x6700)
    const isOdd = ins === 0xb1
    const offset = isOdd ? Number(toNumber(readTlv(data, 0x54).value)) : p1 * 256 + p2
    const wanted = (le ?? 0) - (isOdd ? 4 : 0)
    if (offset > file.length) return status(0x6b00)
    const isPast = offset + wanted > file.length
    if (isPast && endOfFile === 'outside') return status(0x6b00)
    if (isPast && endOfFile === 'exact') return status(0x6c00 | ((file.length - offset) & 0xff))
    const block = file.subarray(offset, offset + wanted)
    return { data: isOdd ? writeTlv(0x53, block) : block, statusWord: isPast ? 0x6282 : 0x9000 }
  }

  #giveChallenge(): ResponseApdu {
    if (this.#options.bac === null) return status(this.#isFree() ? 0x6d00 : 0x6982)
    if (!this.#isInApplication) return status(0x6985)
    this.#challenge = randomBytes(8)
    return { data: this.#challenge, statusWord: 0x9000 }
  }

  #authenticateByBac(data: Uint8Array): ResponseApdu {
    const challenge = this.#challenge
    const { bac } = this.#options
    const { bacStatus, changeBacReply, changeBacPlain } = this.#faults
    this.#challenge = null
    if (challenge === null || bac === null) return status(0x6985)
    if (bacStatus !== undefined) return status(bacStatus)
    const seed = bac.secret.subarray(0, 16)
    const encryption = deriveKey('TDES', seed, KEY_USE.encryption)
    const checksum = deriveKey('TDES', seed, KEY_USE.checksum)
    const mac = (bytes: Uint8Array): Buffer => computeMac('TDES', checksum, addPadding(bytes, 8))
    const cryptogram = data.subarray(0, 32)
    if (!mac(cryptogram).equals(data.subarray(32))) return status(0x6300)
    const opened = decryptCbc('TDES', encryption, zeroIv('TDES'), cryptogram)
    if (!opened.subarray(8, 16).equals(challenge)) return status(0x6300)
    const terminalChallenge = opened.subarray(0, 8)
    const keyHalf = randomBytes(16)
    const plain = Buffer.concat([challenge, terminalChallenge, keyHalf])
    const sealed = encryptCbc('TDES', encryption, zeroIv('TDES'), changeBacPlain?.(plain) ?? plain)
    const reply = Buffer.concat([sealed, mac(sealed)])
    const secret = keyHalf.map((byte, i) => byte ^ (opened[16 + i] ?? 0))
    const counter = Buffer.concat([challenge.subarray(4), terminalChallenge.subarray(4)])
    this.#session = new CardSession(deriveSessionKeys('TDES', secret), counter)
    this.#hasAccess = true
    return { data: changeBacReply?.(reply) ?? reply, statusWord: 0x9000 }
  }

  #setPace({ data }: CommandApdu): ResponseApdu {
    const { pace } = this.#options
    if (pace === null) return status(0x6a80)
    const refused = pace.refuses?.environment
    if (refused !== undefined) return status(refused)
    const objects = readTlvs(data)
    const oid = findValue(objects, 0x80) ?? NONE
    const password = (findValue(objects, 0x83) ?? NONE)[0]
    const reference = findValue(objects, 0x84)
    const named = toOid({ tag: 6, value: oid, raw: oid })
    const fitting = pace.infos.filter(
      (info) =>
        info.oid === named && (reference === null || toNumber(reference) === BigInt(info.parameterId ?? -1)),
    )
    const [info, ...more] = fitting
    const key = pace.keys.find(({ kind }) => kind === (password === 2 ? 'can' : 'mrz'))
    if (info === undefined || more.length > 0) return status(0x6a80)
    if (key === undefined) return status(0x6a88)
    const { change, staticScalar } = pace
    const isMapping = info.mapping === 'chip_authentication'
    this.#pace = new PaceChip({
      info,
      key,
      ...(isMapping && staticScalar !== undefined ? { staticScalar } : {}),
      ...(change === undefined ? {} : { change }),
    })
    return status(0x9000)
  }

  async #runPace(command: CommandApdu): Promise<ResponseApdu> {
    const pace = this.#pace as PaceChip
    const [object] = readTlvs(readTlv(command.data, 0x7c).value)
    const steps: Readonly<Record<number, PaceStep>> = { 0x81: 'mapping', 0x83: 'key', 0x85: 'token' }
    const step = steps[object?.tag ?? 0] ?? 'nonce'
    const refused = this.#options.pace?.refuses?.[step]
    if (refused !== undefined) return status(refused)
    const response = await pace.transmit(command)
    if (step === 'token' && response.statusWord === 0x9000 && pace.keys !== null) {
      this.#session = new CardSession(pace.keys)
      this.#hasAccess = true
      this.#pace = null
    }
    return response
  }

  #authenticateChip(command: CommandApdu): ResponseApdu {
    if (this.authenticator === null || !this.#hasAccess) return status(0x6a80)
    const { next, ...response } = this.authenticator.answer(command)
    // The response is still protected with the keys before, which "transmit" holds.
    if (next !== null && this.#faults.keepsOldKeys !== true) this.#session = new CardSession(next)
    return response
  }

  #sign(challenge: Uint8Array): ResponseApdu {
    const { sign } = this.#options
    if (sign === null) return status(0x6d00)
    return { data: sign(challenge), statusWord: 0x9000 }
  }
}
