/** A simulated chip in a virtual reader: the server of this test speaks as vpcd does. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeCommand, parseResponse, type CommandApdu } from '../../../../server/chip/apdu.ts'
import { inspectChip } from '../../../../server/chip/inspection/inspect.ts'
import { ChipFault } from '../../../../server/chip/outcome.ts'
import { CHIP_FAULTS } from '../../../../server/tools/simulator/chip/faults.ts'
import { makeDocument } from '../../../../server/tools/simulator/chip/profiles.ts'
import { insertCard } from '../../../../server/tools/simulator/chip/vpcd.ts'

let server: Server
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  server.close()
  await once(server, 'close')
})

const RESET = Buffer.of(0, 1, 2)
const ATR = Buffer.of(0, 1, 4)

/** The slot of the virtual reader, which the chip connects to. */
function openSlot(socket: Socket) {
  const receive = async (): Promise<Buffer> => {
    let bytes = Buffer.alloc(0)
    while (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0)) {
      const [more] = (await once(socket, 'data')) as [Buffer]
      bytes = Buffer.concat([bytes, more])
    }
    return bytes.subarray(2)
  }
  const exchange = (message: Buffer): Promise<Buffer> => {
    const received = receive()
    socket.write(message)
    return received
  }
  return {
    exchange,
    reset: async () => void socket.write(RESET),
    transmit: async (command: CommandApdu) => {
      const bytes = encodeCommand(command)
      const length = Buffer.of(bytes.length >> 8, bytes.length & 0xff)
      const isLost = once(socket, 'close').then(() => {
        throw new ChipFault('connection_lost')
      })
      return parseResponse(await Promise.race([exchange(Buffer.concat([length, bytes])), isLost]))
    },
  }
}

test('a whole inspection passes through the messages of vpcd', async () => {
  const { card, ...input } = makeDocument('eacpace')
  const connected = once(server, 'connection') as Promise<[Socket]>
  const inserted = await insertCard(card, (server.address() as AddressInfo).port)
  const slot = openSlot((await connected)[0])
  expect((await slot.exchange(ATR)).toString('hex')).toBe('3b80800101')
  expect((await inspectChip(slot, input)).verdict).toBe('successful')
  await slot.reset()
  const again = await inspectChip(slot, { ...input, keys: { mrz: [], can: '000000' } })
  expect(again.verdict).toBe('failed')
  await inserted.remove()
})

test('a copy with a named fault does not pass', async () => {
  const { card, ...input } = makeDocument('eac', CHIP_FAULTS.copied())
  const inspection = await inspectChip(card, input)
  expect(inspection).toMatchObject({ verdict: 'failed', cloneProtection: { verdict: 'failed' } })
})
