/**
 * Reads files of a chip (ICAO Doc 9303-10, 3.6.3; ISO/IEC 7816-4, 7.2.3): finds the length that the chip answers, takes the length of
 * the file from its own header, and continues where a lost chip left off.
 */
import { EXTENDED_LE, makeCommand, SHORT_LE, type Channel, type ResponseApdu } from './apdu.ts'
import { ChipFault, decideOutcome, type Outcome } from './outcome.ts'
import { requireSuccess, STATUS } from './status-words.ts'
import { measureTlv, readTlv, writeTlv } from './tlv.ts'

/**
 * Data bytes of one READ BINARY, from the most to the least. 223 bytes with their protection fit a short response with every cipher;
 * chips that accept fewer are known for each of the others.
 */
const SHORT_LENGTHS = [223, 192, 160, 128, 96, 64, 32] as const
/** Bytes that secure messaging adds to an extended response, rounded up. */
const PROTECTION_OVERHEAD = 64
const MIN_EXTENDED = 512
/** Larger than any data group of a document. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024
const MAX_COMMANDS = 100_000
/** The first bytes of a file, which tell its length; a second read follows if they do not. No file is shorter. */
const HEADER_BYTES = 4
/** The largest offset of READ BINARY with an even instruction. */
const MAX_EVEN_OFFSET = 0x7fff
const DO = { offset: 0x54, data: 0x53 } as const

/** The bytes of one file that were read. They may be given again after the chip was lost and opened again. */
export interface FileProgress {
  readonly fileId: number
  readonly bytes: Uint8Array
  /** Length of the whole file; null until its header is read. */
  readonly totalLength: number | null
}

export interface ReadFileResult {
  /** Null if the chip has no such file, or has deactivated it. */
  readonly file: Uint8Array | null
}

export interface FileReaderOptions {
  /** Longest response that chip and reader allow, with protection, from EF.ATR/INFO; 256 if they did not say. */
  readonly maxResponse?: number
  /** Called after each block, for the display and to continue later. */
  readonly onProgress?: (progress: FileProgress) => void
}

/** Statuses of a length that the chip does not serve. */
const LENGTH_REFUSED: readonly number[] = [
  STATUS.wrong_length,
  STATUS.length_inconsistent,
  STATUS.parameters_wrong,
]
const ABSENT: readonly number[] = [STATUS.file_not_found, STATUS.file_deactivated]

/** One reader serves all files of a chip, so that a length that worked is kept. */
export class FileReader {
  readonly #lengths: readonly number[]
  readonly #onProgress: (progress: FileProgress) => void
  #length = 0

  constructor({ maxResponse = SHORT_LE, onProgress = () => undefined }: FileReaderOptions = {}) {
    const extended = Math.min(maxResponse, EXTENDED_LE) - PROTECTION_OVERHEAD
    this.#lengths = extended >= MIN_EXTENDED ? [extended, ...SHORT_LENGTHS] : SHORT_LENGTHS
    this.#onProgress = onProgress
  }

  /**
   * @param channel under secure messaging, unless the file is free
   * @param progress of an earlier attempt; its bytes are not read again
   */
  read(
    channel: Channel,
    fileId: number,
    progress: FileProgress | null = null,
  ): Promise<Outcome<ReadFileResult>> {
    return decideOutcome(async () => {
      const select = makeCommand([0, 0xa4, 0x02, 0x0c], { data: Buffer.of(fileId >> 8, fileId & 0xff) })
      const selected = await channel.transmit(select)
      if (ABSENT.includes(selected.statusWord)) return { file: null }
      requireSuccess(selected)
      return { file: await this.#readAll(channel, fileId, progress?.fileId === fileId ? progress : null) }
    })
  }

  async #readAll(channel: Channel, fileId: number, progress: FileProgress | null): Promise<Uint8Array> {
    let count = progress?.bytes.length ?? 0
    let totalLength = progress?.totalLength ?? null
    let bytes = makeRoom(progress?.bytes ?? Buffer.alloc(0), totalLength)
    for (let commands = 0; totalLength === null || count < totalLength; commands += 1) {
      if (commands === MAX_COMMANDS) throw new ChipFault('malformed_reply')
      const wanted = totalLength === null ? HEADER_BYTES : totalLength - count
      const block = await this.#readBlock(channel, count, wanted)
      bytes.set(block, count)
      count += block.length
      if (totalLength === null) {
        totalLength = measureFile(bytes.subarray(0, count))
        bytes = makeRoom(bytes.subarray(0, count), totalLength)
      }
      this.#onProgress({ fileId, bytes: bytes.subarray(0, count), totalLength })
    }
    return bytes.subarray(0, totalLength)
  }

  /** Lowers the length until the chip answers at least one byte. */
  async #readBlock(channel: Channel, offset: number, wanted: number): Promise<Uint8Array> {
    const worked = this.#length
    for (; this.#length < this.#lengths.length; this.#length += 1) {
      const le = Math.min(wanted + countAddedBytes(offset), this.#lengths[this.#length] ?? 0)
      let response = await requestBlock(channel, offset, le)
      if (response.statusWord >> 8 === 0x6c) {
        const exact = response.statusWord & 0xff
        response = await requestBlock(channel, offset, exact === 0 ? SHORT_LE : exact)
      }
      const isRefused = LENGTH_REFUSED.includes(response.statusWord)
      const data = isRefused ? Buffer.alloc(0) : toBlock(response, offset)
      if (data.length > 0) return data.subarray(0, wanted)
    }
    // This file is broken, not the length, which the next file needs.
    this.#length = worked
    throw new ChipFault('malformed_reply')
  }
}

/** @returns null if the header is not complete yet */
function measureFile(bytes: Uint8Array): number | null {
  const totalLength = measureTlv(bytes)?.totalLength ?? null
  if (totalLength !== null && totalLength > MAX_FILE_BYTES) throw new ChipFault('malformed_data')
  return totalLength
}

/** The whole length where it is known, else room for the header. */
function makeRoom(read: Uint8Array, totalLength: number | null): Buffer {
  const room = Buffer.alloc(Math.max(totalLength ?? 0, read.length + HEADER_BYTES))
  room.set(read)
  return room
}

/** The header of the object that an odd instruction answers counts in the length of the answer. */
function countAddedBytes(offset: number): number {
  return offset <= MAX_EVEN_OFFSET ? 0 : 4
}

/** Beyond 32 767 the offset is a data object, and the answer is one (ISO/IEC 7816-4, 7.2.3). */
function requestBlock(channel: Channel, offset: number, le: number): Promise<ResponseApdu> {
  if (offset <= MAX_EVEN_OFFSET)
    return channel.transmit(makeCommand([0, 0xb0, offset >> 8, offset & 0xff], { le }))
  const bytes =
    offset > 0xffff ? [offset >> 16, (offset >> 8) & 0xff, offset & 0xff] : [offset >> 8, offset & 0xff]
  return channel.transmit(makeCommand([0, 0xb1, 0, 0], { data: writeTlv(DO.offset, Buffer.from(bytes)), le }))
}

/** The end of the file is no error: the data before it is valid. */
function toBlock(response: ResponseApdu, offset: number): Uint8Array {
  const data =
    response.statusWord === STATUS.end_of_file ? response.data : requireSuccess(response, 'status_refused')
  if (offset <= MAX_EVEN_OFFSET || data.length === 0) return data
  try {
    return readTlv(data, DO.data).value
  } catch (cause) {
    throw cause instanceof ChipFault ? new ChipFault('malformed_reply', { cause }) : cause
  }
}
