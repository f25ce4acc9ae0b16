import { describe, expect, test } from 'vitest'
import {
  encodeCommand,
  type Channel,
  type CommandApdu,
  type ResponseApdu,
} from '../../../server/chip/apdu.ts'
import { ChipFault } from '../../../server/chip/outcome.ts'
import { FileReader, MAX_FILE_BYTES, type FileProgress } from '../../../server/chip/read-file.ts'
import { readTlv, writeTlv } from '../../../server/chip/tlv.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'

const FILE_ID = 0x0102
const none = (statusWord: number): ResponseApdu => ({ data: hex(''), statusWord })

function makeFile(length: number): Buffer {
  return writeTlv(0x75, Buffer.from(Array.from({ length }, (_, i) => i % 251)))
}

interface ChipLimits {
  /** Longest answer, and the status for a longer one. */
  readonly maxLe?: number
  readonly refusal?: number
  /** Longest answer without a refusal: the chip gives fewer bytes than asked for. */
  readonly maxGiven?: number
  /** The chip leaves the field before this command. */
  readonly lostAt?: number
  readonly selected?: number
  /** The chip states the exact length once before each answer. */
  readonly statesLength?: boolean
  readonly endStatus?: number
}

/** A chip without access control and with one file. */
function makeChip(file: Uint8Array, limits: ChipLimits = {}): Channel & { readonly commands: CommandApdu[] } {
  const { maxLe = 65_536, refusal = 0x6700, maxGiven = 65_536, lostAt = -1 } = limits
  const commands: CommandApdu[] = []
  let asked = 0
  const transmit = async (command: CommandApdu): Promise<ResponseApdu> => {
    if (commands.length === lostAt) throw new ChipFault('connection_lost')
    commands.push(command)
    const le = command.le ?? 0
    if (command.ins === 0xa4) return none(limits.selected ?? 0x9000)
    if (le > maxLe) return none(refusal)
    if (limits.statesLength === true && asked !== le) {
      asked = Math.min(le, 100)
      return none(0x6c00 | asked)
    }
    asked = 0
    const isOdd = command.ins === 0xb1
    const offset = isOdd
      ? Number(`0x${Buffer.from(readTlv(command.data, 0x54).value).toString('hex')}`)
      : command.p1 * 256 + command.p2
    const length = Math.min(isOdd ? le - 4 : le, maxGiven)
    const data = file.subarray(offset, offset + length)
    const statusWord = offset + length > file.length ? (limits.endStatus ?? 0x6282) : 0x9000
    return { data: isOdd ? writeTlv(0x53, data) : data, statusWord }
  }
  return { commands, transmit }
}

async function read(file: Uint8Array, limits: ChipLimits = {}, maxResponse = 256) {
  const chip = makeChip(file, limits)
  const outcome = await new FileReader({ maxResponse }).read(chip, FILE_ID)
  return { chip, outcome }
}

describe('a file', () => {
  test.each([2, 100, 127, 128, 223, 300, 5000])('with %i bytes of content is read whole', async (length) => {
    const file = makeFile(length)
    expect((await read(file)).outcome).toEqual({ verdict: 'successful', file })
  })

  test('begins with the command of the standard, and is never read past its end', async () => {
    const { chip } = await read(makeFile(300))
    expect(chip.commands.map((command) => encodeCommand(command).toString('hex'))).toEqual([
      '00a4020c020102',
      '00b0000004',
      '00b00004df',
      '00b000e34d',
    ])
  })

  test('above 32 767 bytes continues with the odd instruction and with offsets of three bytes', async () => {
    const file = makeFile(70_000)
    const { chip, outcome } = await read(file)
    expect(outcome).toEqual({ verdict: 'successful', file })
    const odd = chip.commands.filter(({ ins }) => ins === 0xb1)
    expect(new Set(odd.map(({ data }) => data[1]))).toEqual(new Set([2, 3]))
    expect(odd.every(({ le }) => (le ?? 0) <= 223)).toBe(true)
  })

  test('is read with extended lengths if chip and reader allow them', async () => {
    const file = makeFile(15_000)
    const { chip, outcome } = await read(file, {}, 4096)
    expect(outcome).toEqual({ verdict: 'successful', file })
    expect(chip.commands.length).toBeLessThan(8)
  })

  test.each([
    ['refuses long answers', { maxLe: 96 }],
    ['refuses them with another status', { maxLe: 128, refusal: 0x6a86 }],
    ['gives fewer bytes than asked for', { maxGiven: 50 }],
    ['states the exact length', { statesLength: true }],
  ] as const)('of a chip that %s is read whole', async (_, limits) => {
    const file = makeFile(1000)
    expect((await read(file, limits, 4096)).outcome).toEqual({ verdict: 'successful', file })
  })

  test('is read with the length that worked for the file before', async () => {
    const chip = makeChip(makeFile(1000), { maxLe: 128 })
    const reader = new FileReader()
    await reader.read(chip, FILE_ID)
    const first = chip.commands.length
    await reader.read(chip, FILE_ID)
    expect(chip.commands.slice(first).every(({ le }) => (le ?? 0) <= 128)).toBe(true)
  })

  test('with bytes after its object is read to the end of the object', async () => {
    const file = makeFile(40)
    expect((await read(Buffer.concat([file, Buffer.alloc(60)]))).outcome).toEqual({
      verdict: 'successful',
      file,
    })
  })

  test.each([[0x6a82], [0x6283]])('that the chip answers with status %i is absent', async (selected) => {
    expect((await read(makeFile(10), { selected })).outcome).toEqual({ verdict: 'successful', file: null })
  })
})

describe('reading fails', () => {
  test.each([
    ['if access is denied', makeFile(10), { selected: 0x6982 }, 'status_refused'],
    [
      'if the file states more than the bound',
      writeTlv(0x75, Buffer.alloc(MAX_FILE_BYTES)),
      {},
      'malformed_data',
    ],
    ['if the file has no definite length', hex('7580 0000 0000'), {}, 'malformed_data'],
    ['if the file ends before its length', makeFile(500).subarray(0, 300), {}, 'malformed_reply'],
    ['if the chip refuses every length', makeFile(500), { maxLe: 8 }, 'malformed_reply'],
    ['if the chip gives no bytes', makeFile(500), { maxGiven: 0 }, 'malformed_reply'],
  ] as const)('%s', async (_, file, limits, reason) => {
    expect((await read(file, limits)).outcome).toMatchObject({ verdict: 'failed', reason })
  })

  test('if the chip answers an odd instruction without its object', async () => {
    const file = makeFile(40_000)
    const chip = makeChip(file)
    const transmit: Channel['transmit'] = async (command) => {
      const response = await chip.transmit(command)
      return command.ins === 0xb1 ? { ...response, data: hex('0102') } : response
    }
    const outcome = await new FileReader().read({ transmit }, FILE_ID)
    expect(outcome).toMatchObject({ verdict: 'failed', reason: 'malformed_reply' })
  })
})

test('a file that ends before its length does not change the length for the next file', async () => {
  const reader = new FileReader()
  const broken = makeChip(makeFile(500).subarray(0, 300))
  expect(await reader.read(broken, FILE_ID)).toMatchObject({ verdict: 'failed', reason: 'malformed_reply' })
  const file = makeFile(500)
  expect(await reader.read(makeChip(file), FILE_ID)).toEqual({ verdict: 'successful', file })
})

test('after a chip was lost, reading continues from the last block', async () => {
  const file = makeFile(2000)
  const seen: FileProgress[] = []
  const reader = new FileReader({ onProgress: (progress) => seen.push(progress) })
  const lost = makeChip(file, { lostAt: 5 })
  expect(await reader.read(lost, FILE_ID)).toMatchObject({ verdict: 'aborted', reason: 'connection_lost' })
  const progress = seen.at(-1) ?? null
  expect(progress).toMatchObject({ fileId: FILE_ID, totalLength: file.length })
  const again = makeChip(file)
  expect(await reader.read(again, FILE_ID, progress)).toEqual({ verdict: 'successful', file })
  expect(again.commands[1]).toMatchObject({ p1: 0x02, p2: 0xa1 })
  expect(await reader.read(makeChip(file), 0x0101, progress)).toEqual({ verdict: 'successful', file })
})
