/**
 * The chip of a recording: compares each command with the recorded one and gives the recorded response. Reading commands that the
 * recording has around the protocol are played, too, so that the counters agree.
 */
import {
  encodeCommand,
  parseCommand,
  parseResponse,
  type Channel,
  type CommandApdu,
  type ResponseApdu,
} from '../apdu.ts'
import { ChipFault } from '../outcome.ts'
import { nextCounter, openCommand, type SecureSession } from '../secure-messaging.ts'
import { readTlvs, type Tlv } from '../tlv.ts'
import type { RecordedPair } from './recording.ts'

export interface CommandCounts {
  readonly recorded: number
  /** The same bytes. */
  readonly exact: number
  /** The same but for Le, or for a key or parameter reference that one of them leaves out. */
  readonly equivalent: number
  readonly different: number
  /** Not asked for by the protocol. */
  readonly left: number
}

const MSE = 0x22
const REFERENCE = 0x84
/** SELECT and READ BINARY. */
const READING: readonly number[] = [0xa4, 0xb0, 0xb1]

export class RecordedChannel implements Channel {
  readonly #pairs: readonly RecordedPair[]
  #next = 0
  #exact = 0
  #equivalent = 0
  #different = 0

  constructor(pairs: readonly RecordedPair[]) {
    this.#pairs = pairs
  }

  /** The session that protects the commands; null if they are plain. */
  session: SecureSession | null = null

  get counts(): CommandCounts {
    return {
      recorded: this.#pairs.length,
      exact: this.#exact,
      equivalent: this.#equivalent,
      different: this.#different,
      left: this.#pairs.length - this.#next,
    }
  }

  /** The next recorded command as it was before protection, or null at the end. Throws ChipFault if it is none. */
  peek(): CommandApdu | null {
    const pair = this.#pairs[this.#next]
    return pair === undefined ? null : this.#openNext(pair)
  }

  /** Plays the reading commands before the next command of the protocol. */
  playReading(): void {
    for (let command = this.peek(); command !== null && READING.includes(command.ins); command = this.peek())
      this.play()
  }

  /** Plays the next recorded pair as it is, and verifies its protection. */
  play(): void {
    const pair = this.#pairs[this.#next]
    if (pair === undefined) throw new ChipFault('connection_lost')
    const command = this.#openNext(pair)
    const sent = this.session === null ? command : this.session.protect(command)
    this.#count(sent, command, pair)
    const response = parseResponse(pair.r)
    this.session?.open(response)
    this.#next += 1
  }

  async transmit(sent: CommandApdu): Promise<ResponseApdu> {
    const pair = this.#pairs[this.#next]
    if (pair === undefined) throw new ChipFault('connection_lost')
    this.#next += 1
    const { session } = this
    const plain = session === null ? sent : openCommand(session.keys, session.counter, sent)
    this.#count(sent, plain, pair)
    return parseResponse(pair.r)
  }

  #openNext({ c }: RecordedPair): CommandApdu {
    const command = parseCommand(c)
    const { session } = this
    return session === null ? command : openCommand(session.keys, nextCounter(session.counter), command)
  }

  /** @param plain what was sent, before protection */
  #count(sent: CommandApdu, plain: CommandApdu, { c }: RecordedPair): void {
    if (encodeCommand(sent).equals(c)) this.#exact += 1
    else if (this.#isEquivalent(plain, c)) this.#equivalent += 1
    else this.#different += 1
  }

  #isEquivalent(plain: CommandApdu, recorded: Uint8Array): boolean {
    try {
      const command = parseCommand(recorded)
      const { session } = this
      return isAlike(plain, session === null ? command : openCommand(session.keys, session.counter, command))
    } catch (error) {
      if (error instanceof ChipFault) return false
      throw error
    }
  }
}

function isAlike(one: CommandApdu, other: CommandApdu): boolean {
  const isSameHeader =
    one.cla === other.cla && one.ins === other.ins && one.p1 === other.p1 && one.p2 === other.p2
  if (!isSameHeader) return false
  if (Buffer.compare(one.data, other.data) === 0) return true
  if (one.ins !== MSE) return false
  const [ours, theirs] = [readTlvs(one.data), readTlvs(other.data)]
  const isReferenceInBoth = [ours, theirs].every((objects) => objects.some(({ tag }) => tag === REFERENCE))
  return !isReferenceInBoth && Buffer.compare(joinOthers(ours), joinOthers(theirs)) === 0
}

function joinOthers(objects: readonly Tlv[]): Buffer {
  return Buffer.concat(objects.filter(({ tag }) => tag !== REFERENCE).map(({ raw }) => raw))
}
