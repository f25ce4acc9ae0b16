/**
 * A card in a reader, as the protocols of the chip use it: transmits commands, follows the transport protocol T=0, and starts the card
 * again. It reports every fault of reader and pcscd as ChipFault connection_lost, and keeps its reason.
 */
import {
  encodeCommand,
  isExtended,
  parseResponse,
  type CommandApdu,
  type ResponseApdu,
} from '../chip/apdu.ts'
import type { InspectedChip } from '../chip/inspection/open-chip.ts'
import { ChipFault } from '../chip/outcome.ts'
import type { PcscCardHandle, PcscConnection } from './pcsc-connection.ts'
import { DISPOSITION, PcscFault, PROTOCOL, type PcscReason } from './pcsc-messages.ts'

type Share = 'exclusive' | 'shared'

const MORE_DATA = 0x61
const WRONG_LE = 0x6c
const WRONG_LENGTH = 0x6700
const MAX_RESPONSES = 1024
const MAX_DATA_BYTES = 65_536
const NONE = Buffer.alloc(0)

export class PcscCard implements InspectedChip {
  readonly #connection: PcscConnection
  readonly #share: Share
  #handle: PcscCardHandle
  #fault: PcscReason | null = null
  #isShortOnly = false

  private constructor(connection: PcscConnection, share: Share, handle: PcscCardHandle) {
    this.#connection = connection
    this.#share = share
    this.#handle = handle
  }

  /** @throws PcscFault */
  static async connect(connection: PcscConnection, name: string, share: Share): Promise<PcscCard> {
    return new PcscCard(connection, share, await connection.connect(name, share))
  }

  /** The newest fault of reader or pcscd; null if there was none. */
  get fault(): PcscReason | null {
    return this.#fault
  }

  /** A command of extended length was not carried out: reader or chip has only the short ones. */
  get isShortOnly(): boolean {
    return this.#isShortOnly
  }

  async transmit(command: CommandApdu): Promise<ResponseApdu> {
    const isT0 = this.#handle.protocol === PROTOCOL.t0
    // T=0 has no extended length, and its commands have either data or Le (ISO/IEC 7816-3, 12.1).
    if (isT0 && isExtended(command)) {
      this.#isShortOnly = true
      return { data: NONE, statusWord: WRONG_LENGTH }
    }
    const sent = isT0 && command.data.length > 0 ? { ...command, le: null } : command
    try {
      return await this.#transmitAll(sent, isT0)
    } catch (error) {
      if (error instanceof PcscFault && error.reason === 'not_transmitted' && isExtended(command))
        this.#isShortOnly = true
      throw this.#lose(error)
    }
  }

  /** Follows 61xx and, with T=0, 6Cxx, which belong to the transport and not to secure messaging. */
  async #transmitAll(command: CommandApdu, isT0: boolean): Promise<ResponseApdu> {
    let response = await this.#exchange(command)
    if (isT0 && response.statusWord >> 8 === WRONG_LE)
      response = await this.#exchange({ ...command, le: toLe(response.statusWord) })
    const parts = [response.data]
    let bytes = response.data.length
    for (let count = 0; response.statusWord >> 8 === MORE_DATA; count += 1) {
      if (count === MAX_RESPONSES || bytes > MAX_DATA_BYTES) throw new ChipFault('malformed_reply')
      const le = toLe(response.statusWord)
      response = await this.#exchange({ cla: 0, ins: 0xc0, p1: 0, p2: 0, data: NONE, le })
      parts.push(response.data)
      bytes += response.data.length
    }
    return { data: Buffer.concat(parts), statusWord: response.statusWord }
  }

  async #exchange(command: CommandApdu): Promise<ResponseApdu> {
    return parseResponse(await this.#connection.transmit(this.#handle, encodeCommand(command)))
  }

  async reset(): Promise<void> {
    try {
      this.#handle = await this.#connection.reconnect(this.#handle, this.#share, DISPOSITION.reset)
    } catch (error) {
      throw this.#lose(error)
    }
  }

  /** Ends the session with the chip. A card or reader that is gone is no error. */
  async disconnect(): Promise<void> {
    try {
      await this.#connection.disconnect(this.#handle, DISPOSITION.reset)
    } catch (error) {
      if (!(error instanceof PcscFault)) throw error
    }
  }

  #lose(error: unknown): unknown {
    if (!(error instanceof PcscFault)) return error
    this.#fault = error.reason
    return new ChipFault('connection_lost', { cause: error })
  }
}

/** The length that a card names in the second byte of its status. */
function toLe(statusWord: number): number {
  const length = statusWord & 0xff
  return length === 0 ? 256 : length
}
