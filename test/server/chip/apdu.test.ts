import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encodeCommand,
  makeCommand,
  parseCommand,
  parseResponse,
  type CommandApdu,
} from '../../../server/chip/apdu.ts'
import { ChipFault, decideOutcome, toRefusal } from '../../../server/chip/outcome.ts'
import { nameStatus, requireSuccess } from '../../../server/chip/status-words.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'

/** ISO/IEC 7816-4, table 1: the cases 1 to 4 in short and extended form. */
const CASES: readonly (readonly [name: string, command: CommandApdu, bytes: string])[] = [
  ['neither data nor reply', makeCommand([0, 0xa4, 0, 0x0c]), '00A4000C'],
  ['a short reply', makeCommand([0, 0x84, 0, 0], { le: 8 }), '0084000008'],
  ['256 bytes of reply', makeCommand([0, 0xb0, 0, 0], { le: 256 }), '00B0000000'],
  ['short data', makeCommand([0, 0xa4, 2, 0x0c], { data: hex('011E') }), '00A4020C02011E'],
  [
    'short data and reply',
    makeCommand([0, 0x88, 0, 0], { data: hex('0102'), le: 256 }),
    '008800000201020' + '0',
  ],
  ['257 bytes of reply', makeCommand([0, 0xb0, 0, 0], { le: 257 }), '00B00000000101'],
  ['65 536 bytes of reply', makeCommand([0, 0xb0, 0, 0], { le: 65_536 }), '00B00000000000'],
  [
    'long data',
    makeCommand([0, 0x86, 0, 0], { data: Buffer.alloc(256, 1) }),
    `0086000000 0100 ${'01'.repeat(256)}`,
  ],
  [
    'short data and a long reply',
    makeCommand([0, 0x88, 0, 0], { data: hex('0102'), le: 512 }),
    '0088000000 0002 0102 0200',
  ],
  [
    'long data and a short reply',
    makeCommand([0, 0x86, 0, 0], { data: Buffer.alloc(300, 2), le: 256 }),
    `0086000000 012C ${'02'.repeat(300)} 0100`,
  ],
]

describe('a command with', () => {
  test.each(CASES)('%s is written and read', (_, command, bytes) => {
    expect(encodeCommand(command).toString('hex')).toBe(hex(bytes).toString('hex'))
    const read = parseCommand(hex(bytes))
    expect({ ...read, data: Buffer.from(read.data) }).toEqual({ ...command, data: Buffer.from(command.data) })
  })

  test.each(['', '00A400', '00A4000C0201', '00A4000C01020304', '00A4000C0000', '00A4000C0000010203'])(
    'the hexadecimal bytes “%s” is refused',
    (bytes) => {
      expect(() => parseCommand(hex(bytes))).toThrow(ChipFault)
    },
  )

  test('lengths that no form has is a mistake of the caller', () => {
    expect(() => encodeCommand(makeCommand([0, 0xb0, 0, 0], { le: 65_537 }))).toThrow(TypeError)
    expect(() => encodeCommand(makeCommand([0, 0xb0, 0, 0], { data: Buffer.alloc(65_536) }))).toThrow(
      TypeError,
    )
  })

  test('arbitrary lengths is read as it was written', () => {
    const lengths = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 65_536 }))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), lengths, (length, le) => {
        const command = { cla: 0, ins: 0xb1, p1: 0, p2: 0, data: Buffer.alloc(length, 7), le }
        const read = parseCommand(encodeCommand(command))
        expect([read.data.length, read.le]).toEqual([length, le])
      }),
      { numRuns: 300 },
    )
  })
})

describe('a response', () => {
  test('is data and a status word', () => {
    expect(parseResponse(hex('AABB9000'))).toEqual({ data: hex('AABB'), statusWord: 0x9000 })
    expect(parseResponse(hex('6A82'))).toEqual({ data: hex(''), statusWord: 0x6a82 })
    expect(() => parseResponse(hex('90'))).toThrow(ChipFault)
    expect(() => parseResponse(Buffer.alloc(65_539))).toThrow(ChipFault)
  })

  test.each([
    [0x9000, 'success'],
    [0x6a82, 'file_not_found'],
    [0x6c12, 'exact_length_known'],
    [0x6103, 'bytes_available'],
    [0x63c2, 'tries_left'],
    [0x1234, 'unknown'],
  ])('with the status word %i is called %s', (statusWord, name) => {
    expect(nameStatus(statusWord)).toBe(name)
  })

  test('without success is a fault that keeps the status word', async () => {
    const refused = await decideOutcome(async () => {
      requireSuccess({ data: hex(''), statusWord: 0x6982 })
      return {}
    })
    expect(refused).toEqual({ verdict: 'failed', reason: 'status_refused', statusWord: 0x6982 })
  })
})

test('a verdict is made of a fault of the chip only; another exception passes', async () => {
  expect(toRefusal(new ChipFault('connection_lost'))).toEqual({
    verdict: 'aborted',
    reason: 'connection_lost',
    statusWord: null,
  })
  await expect(decideOutcome(() => Promise.reject(new TypeError('ours')))).rejects.toThrow(TypeError)
  expect(await decideOutcome(async () => ({ fact: 1 }))).toEqual({ verdict: 'successful', fact: 1 })
})
