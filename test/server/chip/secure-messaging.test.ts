import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encodeCommand,
  makeCommand,
  parseCommand,
  parseResponse,
  type CommandApdu,
  type ResponseApdu,
} from '../../../server/chip/apdu.ts'
import { addPadding, CIPHERS, computeMac, type CipherName } from '../../../server/chip/ciphers.ts'
import { ChipFault } from '../../../server/chip/outcome.ts'
import {
  deriveSessionKeys,
  openCommand,
  protectResponse,
  SecureChannel,
  SecureSession,
} from '../../../server/chip/secure-messaging.ts'
import { readTlvs, writeTlv } from '../../../server/chip/tlv.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'
import { readChipVector } from '../../support/shared-data.ts'

const vector = readChipVector('sm-3des-read-com.json') as {
  sm: { ksEnc: string; ksMac: string }
  ssc: string
  steps: readonly {
    plainCommand: string
    c: string
    r: string
    plainData: string
    sw: string
    sscAfter: string
  }[]
} | null

test.skipIf(vector === null)('the worked reading of EF.COM is reproduced byte by byte', () => {
  const { sm, ssc, steps } = vector as NonNullable<typeof vector>
  const keys = { cipher: 'TDES', encryption: hex(sm.ksEnc), checksum: hex(sm.ksMac) } as const
  const session = new SecureSession(keys, hex(ssc))
  for (const step of steps) {
    const sent = session.protect(parseCommand(hex(step.plainCommand)))
    expect(encodeCommand(sent)).toEqual(hex(step.c))
    expect(openCommand(keys, session.counter, sent).data).toEqual(parseCommand(hex(step.plainCommand)).data)
    const opened = session.open(parseResponse(hex(step.r)))
    expect(Buffer.from(opened.data)).toEqual(hex(step.plainData))
    expect(opened.statusWord).toBe(Number.parseInt(step.sw, 16))
    expect(session.counter).toEqual(hex(step.sscAfter))
  }
})

const READ = makeCommand([0, 0xb0, 0, 0], { le: 224 })

/** A session after one command, and the response that its chip gives. */
function exchange(cipher: CipherName, response: ResponseApdu, command: CommandApdu = READ) {
  const keys = deriveSessionKeys(cipher, randomBytes(32))
  const session = new SecureSession(keys)
  const sent = session.protect(command)
  const counter = session.counter
  counter[counter.length - 1] = (counter.at(-1) ?? 0) + 1
  const oddIns = command.ins % 2 === 1
  return { keys, session, sent, reply: protectResponse(keys, counter, response, oddIns) }
}

const ciphers = fc.constantFrom(...(Object.keys(CIPHERS) as CipherName[]))

test('every cipher carries any command to the chip and any response back', () => {
  const data = fc.uint8Array({ maxLength: 400 })
  fc.assert(
    fc.property(
      ciphers,
      fc.constantFrom(0xb0, 0xb1, 0x88),
      data,
      fc.constantFrom(null, 1, 256, 257, 65_536),
      data,
      (cipher, ins, sent, le, answered) => {
        const command = makeCommand([0, ins, 1, 2], {
          data: Buffer.from(sent),
          ...(le === null ? {} : { le }),
        })
        const response = { data: Buffer.from(answered), statusWord: 0x6282 }
        const { keys, session, sent: wrapped, reply } = exchange(cipher, response, command)
        const received = parseCommand(encodeCommand(wrapped))
        expect(openCommand(keys, session.counter, received)).toEqual(command)
        expect(session.open(reply)).toEqual(response)
      },
    ),
    { numRuns: 60 },
  )
})

/** Every change of the bytes of a reply, and the verdict. */
const CHANGES: readonly (readonly [
  name: string,
  change: (reply: ResponseApdu) => ResponseApdu,
  reason: string,
])[] = [
  ['without data objects', ({ statusWord }) => ({ data: hex(''), statusWord }), 'reply_unprotected'],
  ['without a checksum', (reply) => without(reply, 0x8e), 'malformed_reply'],
  ['without a cryptogram', (reply) => without(reply, 0x87), 'reply_forged'],
  ['without a status', (reply) => without(reply, 0x99), 'reply_forged'],
  ['with another status', ({ data }) => ({ data, statusWord: 0x6282 }), 'reply_forged'],
  ['with one changed bit of the checksum', (reply) => flip(reply, -1), 'reply_forged'],
  ['with one changed bit of the cryptogram', (reply) => flip(reply, 5), 'reply_forged'],
  ['with an object twice', (reply) => before(reply, hex('99029000')), 'malformed_reply'],
  ['with an unknown object', (reply) => before(reply, hex('9A0101')), 'malformed_reply'],
  ['with bytes after the checksum', (reply) => after(reply, hex('00')), 'malformed_reply'],
  ['with a short checksum', (reply) => after(without(reply, 0x8e), hex('8E0401020304')), 'reply_forged'],
]

describe.each(['TDES', 'AES-128', 'AES-192', 'AES-256'] as const)('with %s a reply', (cipher) => {
  const RESPONSE = { data: hex('60145F01'), statusWord: 0x9000 }

  test.each(CHANGES)('%s is refused, and the session is closed', (_, change, reason) => {
    const { session, reply } = exchange(cipher, RESPONSE)
    expect(() => session.open(change(reply))).toThrow(
      expect.objectContaining({ name: 'ChipFault', reason }) as ChipFault,
    )
    expect(() => session.protect(READ)).toThrow(new ChipFault('session_closed'))
    expect(() => session.open(reply)).toThrow(new ChipFault('session_closed'))
  })

  test('that is repeated is refused, because the counter has advanced', () => {
    const { session, reply } = exchange(cipher, RESPONSE)
    session.open(reply)
    session.protect(READ)
    expect(() => session.open(reply)).toThrow(new ChipFault('reply_forged'))
  })

  test('to an odd instruction has a cryptogram without a padding indicator', () => {
    const { session, reply } = exchange(cipher, RESPONSE, makeCommand([0, 0xb1, 0, 0], { le: 224 }))
    expect(readTlvs(reply.data)[0]).toMatchObject({ tag: 0x85 })
    expect(session.open(reply)).toEqual(RESPONSE)
  })

  test('with a genuine checksum over bytes that are no cryptogram is refused', () => {
    const { session } = exchange(cipher, RESPONSE)
    const { keys } = session
    const counter = session.counter
    counter[counter.length - 1] = (counter.at(-1) ?? 0) + 1
    const { blockLength } = CIPHERS[cipher]
    const objects = Buffer.concat([writeTlv(0x87, hex('01'), Buffer.alloc(blockLength - 1)), hex('99029000')])
    const covered = Buffer.concat([counter, addPadding(objects, blockLength)])
    const checksum = computeMac(cipher, keys.checksum, covered)
    const reply = { data: Buffer.concat([objects, writeTlv(0x8e, checksum)]), statusWord: 0x9000 }
    expect(() => session.open(reply)).toThrow(new ChipFault('malformed_reply'))
  })
})

test('a plain error keeps its status word', () => {
  const { session } = exchange('TDES', { data: hex(''), statusWord: 0x9000 })
  expect(() => session.open({ data: hex(''), statusWord: 0x6988 })).toThrow(
    expect.objectContaining({ reason: 'reply_unprotected', statusWord: 0x6988 }) as ChipFault,
  )
})

test('a command of other keys or another counter is not opened', () => {
  const { keys, session, sent } = exchange('AES-128', { data: hex(''), statusWord: 0x9000 })
  expect(() => openCommand(deriveSessionKeys('AES-128', hex('01')), session.counter, sent)).toThrow(ChipFault)
  expect(() => openCommand(keys, Buffer.alloc(16), sent)).toThrow(ChipFault)
  expect(() => openCommand(keys, session.counter, { ...sent, cla: 0 })).toThrow(ChipFault)
})

test('a counter at its end continues at zero, and keys of a wrong length are a mistake of the caller', () => {
  const keys = deriveSessionKeys('TDES', hex('01'))
  const session = new SecureSession(keys, hex('FFFFFFFFFFFFFFFF'))
  session.protect(READ)
  expect(session.counter).toEqual(Buffer.alloc(8))
  expect(() => new SecureSession(keys, Buffer.alloc(16))).toThrow(TypeError)
  expect(() => session.protect({ ...READ, cla: 0x0c })).toThrow(TypeError)
})

test('a channel sends protected commands and returns opened responses', async () => {
  const keys = deriveSessionKeys('AES-256', randomBytes(32))
  const counters = [1, 2].map((count) => Buffer.concat([Buffer.alloc(15), Buffer.of(count)]))
  const response = { data: hex('AA'), statusWord: 0x9000 }
  const chip = {
    transmit: async (command: CommandApdu) => {
      expect(openCommand(keys, counters[0] as Buffer, command)).toEqual(READ)
      return protectResponse(keys, counters[1], response)
    },
  }
  expect(await new SecureChannel(chip, new SecureSession(keys)).transmit(READ)).toEqual(response)
})

function without(reply: ResponseApdu, tag: number): ResponseApdu {
  const kept = readTlvs(reply.data).filter((object) => object.tag !== tag)
  return { ...reply, data: Buffer.concat(kept.map(({ raw }) => raw)) }
}

function before(reply: ResponseApdu, more: Buffer): ResponseApdu {
  return { ...reply, data: Buffer.concat([more, reply.data]) }
}

function after(reply: ResponseApdu, more: Buffer): ResponseApdu {
  return { ...reply, data: Buffer.concat([reply.data, more]) }
}

function flip(reply: ResponseApdu, at: number): ResponseApdu {
  const data = Buffer.from(reply.data)
  const index = at < 0 ? data.length + at : at
  data[index] = (data[index] ?? 0) ^ 1
  return { ...reply, data }
}
