/**
 * One connection to pcscd: requests one after another, replies of an exact length. pcscd forgets every card of a connection when it
 * closes, so that no handle outlives it. Opens no socket: the caller gives one that is connected.
 */
import type { Duplex } from 'node:stream'
import {
  decodeConnect,
  decodeTransmit,
  decodeWords,
  encodeConnect,
  encodeRequest,
  encodeTransmit,
  encodeWords,
  MAX_APDU_BYTES,
  parseReaderStates,
  PcscFault,
  requireProtocol,
  requireSuccess,
  SHARE,
  PROTOCOL,
  STATES_BYTES,
  VERSION_MAJOR,
  VERSION_MINORS,
  WAIT_END_BYTES,
  type CommandName,
  type ReaderState,
} from './pcsc-messages.ts'

export interface PcscCardHandle {
  readonly card: number
  readonly protocol: number
}

/** pcscd waits for readers that were just plugged in, and for a card to start. */
const REPLY_MS = 15_000
/** A chip may ask for more time; a whole inspection has a limit of its own. */
const TRANSMIT_MS = 60_000
const SYSTEM_SCOPE = 2
const MAX_WAITING_BYTES = MAX_APDU_BYTES + STATES_BYTES

interface Awaited {
  readonly length: number
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (fault: PcscFault) => void
}

export class PcscConnection {
  readonly #stream: Duplex
  #received: Buffer[] = []
  #receivedBytes = 0
  #awaited: Awaited | null = null
  #fault: PcscFault | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #context: number | null = null

  private constructor(stream: Duplex) {
    this.#stream = stream
    stream.on('data', (bytes: Buffer) => this.#receive(bytes))
    stream.on('error', () => this.#fail(new PcscFault('disconnected')))
    stream.on('close', () => this.#fail(new PcscFault('disconnected')))
  }

  /**
   * Agrees on a version.
   * @throws PcscFault, and has then closed the stream
   */
  static async open(stream: Duplex): Promise<PcscConnection> {
    const connection = new PcscConnection(stream)
    try {
      await connection.#agreeOnVersion()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  async #agreeOnVersion(): Promise<void> {
    let minor = VERSION_MINORS[0] ?? 0
    for (const isLast of [false, true]) {
      const [major, theirs = 0, result] = await this.#call('version', [VERSION_MAJOR, minor, 0])
      if (result === 0) return
      // A refusal names the version of pcscd.
      if (isLast || major !== VERSION_MAJOR || !VERSION_MINORS.includes(theirs))
        throw new PcscFault('protocol_unknown')
      minor = theirs
    }
  }

  readers(): Promise<ReaderState[]> {
    return this.#inTurn(async () => {
      this.#send(encodeRequest('getReaderStates', Buffer.alloc(0)))
      return parseReaderStates(await this.#read(STATES_BYTES, REPLY_MS))
    })
  }

  /**
   * Gives the readers, then resolves when one of them has changed; use a connection for nothing else meanwhile. A change
   * between two calls is in the readers of the second.
   */
  waitForChange(onReaders: (readers: ReaderState[]) => void): Promise<void> {
    return this.#inTurn(async () => {
      this.#send(encodeRequest('waitForChange', Buffer.alloc(0)))
      onReaders(parseReaderStates(await this.#read(STATES_BYTES, REPLY_MS)))
      await this.#read(WAIT_END_BYTES, null)
    })
  }

  /** @throws PcscFault */
  async connect(name: string, share: keyof typeof SHARE): Promise<PcscCardHandle> {
    const context = await this.#getContext()
    const body = encodeConnect(context, name, SHARE[share])
    return this.#inTurn(async () => decodeConnect(await this.#exchange('connect', body)))
  }

  /** Starts the card again. */
  async reconnect(
    { card }: PcscCardHandle,
    share: keyof typeof SHARE,
    initialisation: number,
  ): Promise<PcscCardHandle> {
    const words = [card, SHARE[share], PROTOCOL.any, initialisation, 0, 0]
    const [, , , , protocol = 0, result = 0] = await this.#call('reconnect', words)
    requireSuccess(result)
    requireProtocol(protocol)
    return { card, protocol }
  }

  /** @param apdu a command, at most 65 548 bytes; returns data and status word */
  transmit({ card, protocol }: PcscCardHandle, apdu: Uint8Array): Promise<Buffer> {
    if (apdu.length > MAX_APDU_BYTES) throw new TypeError('a command that no reader takes')
    return this.#inTurn(async () => {
      const body = encodeTransmit(card, protocol, apdu.length)
      this.#send(encodeRequest('transmit', body, apdu))
      const length = decodeTransmit(await this.#read(body.length, TRANSMIT_MS))
      return this.#read(length, REPLY_MS)
    })
  }

  async disconnect({ card }: PcscCardHandle, disposition: number): Promise<void> {
    const [, , result = 0] = await this.#call('disconnect', [card, disposition, 0])
    requireSuccess(result)
  }

  /** Ends every request with the fault `disconnected`. */
  close(): void {
    this.#fail(new PcscFault('disconnected'))
  }

  async #getContext(): Promise<number> {
    if (this.#context !== null) return this.#context
    const [, context = 0, result = 0] = await this.#call('establishContext', [SYSTEM_SCOPE, 0, 0])
    requireSuccess(result)
    this.#context = context
    return context
  }

  #call(command: CommandName, words: readonly number[]): Promise<number[]> {
    return this.#inTurn(async () => decodeWords(await this.#exchange(command, encodeWords(words))))
  }

  #exchange(command: CommandName, body: Buffer): Promise<Buffer> {
    this.#send(encodeRequest(command, body))
    return this.#read(body.length, REPLY_MS)
  }

  /** pcscd answers one request at a time. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run)
    this.#turn = result.catch(() => undefined)
    return result
  }

  #send(bytes: Buffer): void {
    if (this.#fault !== null) throw this.#fault
    if (this.#receivedBytes > 0) {
      // Bytes that no request asked for would be taken for the reply to the next one.
      this.#fail(new PcscFault('malformed_reply'))
      throw new PcscFault('malformed_reply')
    }
    this.#stream.write(bytes)
  }

  /** @param limitMs null waits without limit */
  #read(length: number, limitMs: number | null): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== null) return reject(this.#fault)
      const timer =
        limitMs === null ? undefined : setTimeout(() => this.#fail(new PcscFault('disconnected')), limitMs)
      this.#awaited = {
        length,
        resolve: (bytes) => {
          clearTimeout(timer)
          resolve(bytes)
        },
        reject: (fault) => {
          clearTimeout(timer)
          reject(fault)
        },
      }
      this.#deliver()
    })
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes)
    this.#receivedBytes += bytes.length
    if (this.#receivedBytes > MAX_WAITING_BYTES) this.#fail(new PcscFault('malformed_reply'))
    else this.#deliver()
  }

  #deliver(): void {
    const awaited = this.#awaited
    if (awaited === null || this.#receivedBytes < awaited.length) return
    const bytes = Buffer.concat(this.#received)
    const rest = bytes.subarray(awaited.length)
    this.#received = rest.length > 0 ? [rest] : []
    this.#receivedBytes = rest.length
    this.#awaited = null
    awaited.resolve(bytes.subarray(0, awaited.length))
  }

  #fail(fault: PcscFault): void {
    if (this.#fault !== null) return
    this.#fault = fault
    this.#received = []
    this.#receivedBytes = 0
    this.#stream.destroy()
    const awaited = this.#awaited
    this.#awaited = null
    awaited?.reject(fault)
  }
}
