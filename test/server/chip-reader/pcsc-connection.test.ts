/** The socket of pcscd with replies that a daemon of another version, a broken or a hostile one could give. */
import { afterEach, describe, expect, test } from 'vitest'
import { makeCommand } from '../../../server/chip/apdu.ts'
import { findCardKind } from '../../../server/chip-reader/card-kind.ts'
import { PcscCard } from '../../../server/chip-reader/pcsc-card.ts'
import { PcscConnection } from '../../../server/chip-reader/pcsc-connection.ts'
import { STATES_BYTES } from '../../../server/chip-reader/pcsc-messages.ts'
import {
  afterVersion,
  startScriptedPcscd,
  words,
  type Script,
  type ScriptedPcscd,
} from '../../support/scripted-pcscd.ts'

const COMMANDS = { establish: 0x01, connect: 0x04, transmit: 0x09, version: 0x11, states: 0x12 } as const
const T0 = 1
const T1 = 2
const READER = 'Reader 00 00'

let daemon: ScriptedPcscd | null = null
afterEach(async () => {
  await daemon?.close()
  daemon = null
})

async function open(script: Script): Promise<PcscConnection> {
  daemon = await startScriptedPcscd(script)
  return PcscConnection.open(await daemon.connect())
}

/** A table with one reader. */
function makeStates({ name = READER, flags = 4, atrLength = 5 } = {}): Buffer {
  const table = Buffer.alloc(STATES_BYTES)
  table.write(name, 0, 'utf8')
  words(7, flags, 0).copy(table, 128)
  Buffer.from('3b80800101', 'hex').copy(table, 140)
  words(atrLength, T1).copy(table, 176)
  return table
}

/** A card that answers each command with the next response. */
function makeCard(protocol: number, responses: readonly string[]): Script {
  const left = [...responses]
  return afterVersion(({ command, body }) => {
    if (command === COMMANDS.establish) return words(2, 77, 0)
    if (command === COMMANDS.connect) return Buffer.concat([body.subarray(0, 140), words(5, protocol, 0)])
    const data = Buffer.from(left.shift() ?? '', 'hex')
    return Buffer.concat([body.subarray(0, 24), words(data.length, 0), data])
  })
}

describe('the version', () => {
  test('is 4:4, or that of a daemon that accepts only 4:5', async () => {
    const connection = await open(({ body }) => (body.readUInt32LE(4) === 5 ? body : words(4, 5, 0x8010001e)))
    expect(daemon?.requests.map(({ body }) => body.readUInt32LE(4))).toEqual([4, 5])
    connection.close()
  })

  test.each([
    ['older', words(4, 3, 0x8010001e)],
    ['newer, that refuses ours', words(4, 7, 0x8010001e)],
    ['another', words(5, 4, 0x8010001e)],
  ])('of a daemon that is %s is refused', async (_, reply) => {
    await expect(open(() => reply)).rejects.toMatchObject({ reason: 'protocol_unknown' })
  })

  test('is missing where the daemon closes', async () => {
    await expect(open(() => null)).rejects.toMatchObject({ reason: 'disconnected' })
  })
})

describe('the table of readers', () => {
  test('has name, card and answer to reset', async () => {
    const connection = await open(afterVersion(() => makeStates()))
    expect(await connection.readers()).toEqual([
      { name: READER, hasCard: true, isInUse: false, atr: Buffer.from('3b80800101', 'hex'), events: 7 },
    ])
    connection.close()
  })

  test.each([
    ['an answer to reset longer than any', makeStates({ atrLength: 0xffffffff })],
    ['a name that does not end', makeStates({ name: 'x'.repeat(128) })],
    ['a name with control characters', makeStates({ name: 'Reader\u001b[2J' })],
  ])('with %s is refused', async (_, table) => {
    const connection = await open(afterVersion(() => table))
    await expect(connection.readers()).rejects.toMatchObject({ reason: 'malformed_reply' })
    connection.close()
  })

  test('with more bytes than were asked for ends the connection', async () => {
    const connection = await open(afterVersion(() => Buffer.concat([makeStates(), Buffer.alloc(3)])))
    await connection.readers()
    await expect(connection.readers()).rejects.toMatchObject({ reason: 'malformed_reply' })
    await expect(connection.readers()).rejects.toMatchObject({ reason: 'malformed_reply' })
  })

  test('that floods the connection ends it', async () => {
    const connection = await open(afterVersion(() => Buffer.alloc(4_000_000)))
    await connection.readers().catch(() => undefined)
    await expect(connection.readers()).rejects.toMatchObject({ name: 'PcscFault' })
  })

  test('that is cut short ends with the connection', async () => {
    let count = 0
    const connection = await open(
      afterVersion(() => {
        count += 1
        return count === 1 ? makeStates().subarray(0, 100) : null
      }),
    )
    const readers = connection.readers()
    setTimeout(() => connection.close(), 20)
    await expect(readers).rejects.toMatchObject({ reason: 'disconnected' })
  })
})

describe('a card', () => {
  test.each([
    [0x8010000b, 'reader_busy'],
    [0x8010000c, 'no_card'],
    [0x80100009, 'reader_missing'],
    [0x80100066, 'card_unusable'],
    [0x8010006a, 'not_allowed'],
    [0x12345678, 'refused'],
  ])('is refused with code %i as %s', async (code, reason) => {
    const connection = await open(
      afterVersion(({ command, body }) =>
        command === COMMANDS.establish
          ? words(2, 77, 0)
          : Buffer.concat([body.subarray(0, 140), words(0, 0, code)]),
      ),
    )
    await expect(connection.connect(READER, 'exclusive')).rejects.toMatchObject({ reason })
    connection.close()
  })

  test.each([
    ['longer than any', words(0, 0, 0, 0, 0, 0, 65_549, 0)],
    ['shorter than its status', words(0, 0, 0, 0, 0, 0, 1, 0)],
  ])('whose response is %s is refused', async (_, reply) => {
    const connection = await open((request, count) =>
      request.command === COMMANDS.transmit ? reply : makeCard(T1, [])(request, count),
    )
    const handle = await connection.connect(READER, 'exclusive')
    const sent = connection.transmit(handle, Buffer.from('0084000008', 'hex'))
    await expect(sent).rejects.toMatchObject({ reason: 'malformed_reply' })
    connection.close()
  })

  test('with T=0 gets no Le beside data, is asked for its response, and repeats with the length that it names', async () => {
    const connection = await open(makeCard(T0, ['6102', 'abcd9000', '6c03', '0102039000']))
    const card = await PcscCard.connect(connection, READER, 'exclusive')
    const data = Buffer.from('3f00', 'hex')
    const selected = await card.transmit(makeCommand([0, 0xa4, 0, 0x0c], { data, le: 256 }))
    const read = await card.transmit(makeCommand([0, 0xb0, 0, 0], { le: 256 }))
    expect([selected, read]).toEqual([
      { data: Buffer.from('abcd', 'hex'), statusWord: 0x9000 },
      { data: Buffer.from('010203', 'hex'), statusWord: 0x9000 },
    ])
    const sent = daemon?.requests.flatMap(({ apdu }) => (apdu.length > 0 ? [apdu.toString('hex')] : []))
    expect(sent).toEqual(['00a4000c023f00', '00c0000002', '00b0000000', '00b0000003'])
    connection.close()
  })

  test('with T=0 refuses extended lengths without asking the card', async () => {
    const connection = await open(makeCard(T0, []))
    const card = await PcscCard.connect(connection, READER, 'exclusive')
    expect(await card.transmit(makeCommand([0, 0xb0, 0, 0], { le: 1000 }))).toMatchObject({
      statusWord: 0x6700,
    })
    expect(card.isShortOnly).toBe(true)
    connection.close()
  })

  test('that always has more data is given up', async () => {
    const connection = await open((request, count) =>
      request.command === COMMANDS.transmit
        ? Buffer.concat([request.body.subarray(0, 24), words(258, 0), Buffer.alloc(256), Buffer.of(0x61, 0)])
        : makeCard(T1, [])(request, count),
    )
    const card = await PcscCard.connect(connection, READER, 'exclusive')
    const read = card.transmit(makeCommand([0, 0xb0, 0, 0], { le: 256 }))
    await expect(read).rejects.toMatchObject({ reason: 'malformed_reply' })
    connection.close()
  })

  test('whose reader does not carry out an extended command is known to be short', async () => {
    const connection = await open((request, count) =>
      request.command === COMMANDS.transmit
        ? words(0, 0, 0, 0, 0, 0, 0, 0x80100016)
        : makeCard(T1, [])(request, count),
    )
    const card = await PcscCard.connect(connection, READER, 'exclusive')
    const read = card.transmit(makeCommand([0, 0xb0, 0, 0], { le: 1000 }))
    await expect(read).rejects.toMatchObject({ reason: 'connection_lost' })
    expect([card.isShortOnly, card.fault]).toEqual([true, 'not_transmitted'])
    connection.close()
  })
})

test.each([
  ['3b80800101', 'contactless'],
  ['3b8f8001804f0ca000000306030001000000006a', 'contactless'],
  ['3b8f80018000', 'contact'], // the historical bytes are missing
  ['3bff1300008131fe454543442d4142', 'contact'],
  ['', null],
])('the answer to reset %s is that of a card of the kind %s', (atr, kind) => {
  expect(findCardKind(Buffer.from(atr, 'hex'))).toBe(kind)
})
