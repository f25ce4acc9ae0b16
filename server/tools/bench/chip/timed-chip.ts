/**
 * A simulated chip whose commands cost the time of a real contactless one, on a clock of its own, so that nothing waits. The model has two
 * parts. Air: ISO/IEC 14443-2 type A at fc/128 or fc/32, nine bits for each byte (14443-3, 6.2), blocks of 256 bytes with three bytes of
 * frame and an acknowledgement for each chained block (14443-4, 7), a delay of 1172/fc between two frames (14443-3, 6.2.1). Chip and
 * reader: our assumptions, no measurements (`CHIP`), which a measurement of a real document has to replace.
 */
import { encodeCommand, type CommandApdu, type ResponseApdu } from '../../../chip/apdu.ts'
import type { InspectedChip } from '../../../chip/inspection/open-chip.ts'

export const BIT_RATES = ['106', '424'] as const
export type BitRate = (typeof BIT_RATES)[number]

const CARRIER_HZ = 13_560_000
const DIVISORS: Readonly<Record<BitRate, number>> = { '106': 128, '424': 32 }
const BITS_PER_BYTE = 9
const BLOCK_BYTES = 256
const FRAME_BYTES = 3
const FRAME_DELAY_MS = (1172 / CARRIER_HZ) * 1000
const STATUS_BYTES = 2

/** Milliseconds that we assume. */
export const CHIP = {
  /** Reader, USB and pcscd, for each command. */
  readerPerCommand: 2,
  perCommand: 10,
  /** Reading, encrypting and computing the checksum, for each byte of a response. */
  perByte: 0.05,
  /** One step of PACE, chip or active authentication with asymmetric keys. */
  perKeyOperation: 250,
} as const

const INS = { manageSecurity: 0x22, generalAuthenticate: 0x86, internalAuthenticate: 0x88 } as const
/** MSE:Set KAT runs chip authentication by itself. */
const KEY_AGREEMENT = { p1: 0x41, p2: 0xa6 } as const
/** The first step of PACE asks for the nonce, which needs no asymmetric key. */
const EMPTY_DATA_BYTES = 2

export class TimedChip implements InspectedChip {
  /** Milliseconds that reader, air and chip would have taken. */
  modelMs = 0
  /** Milliseconds that the simulation itself took, which a real document does not. */
  simulationMs = 0
  commands = 0
  readonly #chip: InspectedChip
  readonly #bytesPerMs: number
  readonly #slowness: number

  /** @param slowness multiplies the assumed times of the chip */
  constructor(chip: InspectedChip, rate: BitRate, slowness = 1) {
    this.#chip = chip
    this.#slowness = slowness
    this.#bytesPerMs = CARRIER_HZ / DIVISORS[rate] / BITS_PER_BYTE / 1000
  }

  async transmit(command: CommandApdu): Promise<ResponseApdu> {
    const started = performance.now()
    const response = await this.#chip.transmit(command)
    this.simulationMs += performance.now() - started
    this.commands += 1
    const { readerPerCommand, perCommand, perByte, perKeyOperation } = CHIP
    const received = response.data.length + STATUS_BYTES
    this.modelMs +=
      readerPerCommand +
      (perCommand + received * perByte + (needsKey(command) ? perKeyOperation : 0)) * this.#slowness +
      this.#send(encodeCommand(command).length) +
      this.#send(received)
    return response
  }

  async reset(): Promise<void> {
    await this.#chip.reset()
  }

  /** Milliseconds of one message on the air. */
  #send(bytes: number): number {
    const blocks = Math.max(1, Math.ceil(bytes / (BLOCK_BYTES - FRAME_BYTES)))
    const acknowledgements = blocks - 1
    const frames = blocks + acknowledgements
    return (bytes + frames * FRAME_BYTES) / this.#bytesPerMs + frames * FRAME_DELAY_MS
  }
}

function needsKey({ ins, p1, p2, data }: CommandApdu): boolean {
  if (ins === INS.manageSecurity) return p1 === KEY_AGREEMENT.p1 && p2 === KEY_AGREEMENT.p2
  if (ins === INS.generalAuthenticate) return data.length > EMPTY_DATA_BYTES
  return ins === INS.internalAuthenticate
}
