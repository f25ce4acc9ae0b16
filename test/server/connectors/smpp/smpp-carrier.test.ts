/** The SMPP carrier against the simulated SMSC, on a real socket: what goes out, what counts as accepted, and every fault. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Carrier, DeliveryReport } from '../../../../server/connectors/carrier.ts'
import { openSmppCarrier, type SmppSettings } from '../../../../server/connectors/sms/smpp/smpp-carrier.ts'
import { startSmpp, type SmppSimulator } from '../../../../server/tools/simulator/smpp.ts'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from '../../../support/certificate-authority.ts'
import { aMessage } from '../../../support/passcode-message.ts'
import { SOON } from '../../../support/soon.ts'

const MESSAGE = aMessage()
const clock = { now: () => new Date('2026-03-01T12:00:00Z') }

let smsc: SmppSimulator
const opened: Carrier[] = []
const reports: DeliveryReport[] = []
beforeEach(async () => {
  smsc = await startSmpp({ port: 0 })
  reports.length = 0
})
afterEach(async () => {
  for (const carrier of opened.splice(0)) carrier.close()
  await smsc.close()
})

function open(change: Partial<SmppSettings> = {}): Carrier {
  const { hostname: host, port } = new URL(smsc.url)
  const carrier = openSmppCarrier(
    {
      host,
      port: Number(port),
      tls: null,
      systemId: 'counterproof',
      password: 'secret',
      systemType: '',
      sender: 'Bank',
      reports: true,
      timeoutMs: 1000,
      enquireMs: 30_000,
      window: 10,
      pausesMs: [20, 50],
      ...change,
    },
    clock,
  )
  carrier.onReport?.((report) => reports.push(report))
  opened.push(carrier)
  return carrier
}

describe('a message', () => {
  test('is accepted with its id, and its delivery is reported and confirmed', async () => {
    expect(await open().send(MESSAGE)).toMatchObject({ kind: 'accepted', messageId: 'm-1' })
    expect(smsc.messages).toMatchObject([
      {
        to: MESSAGE.to,
        text: MESSAGE.text,
        message: {
          source: { ton: 5, npi: 0, digits: 'Bank' },
          destination: { ton: 1, npi: 1, digits: '33639980001' },
          registeredDelivery: 1,
        },
      },
    ])
    await vi.waitFor(() => expect(reports).toMatchObject([{ messageId: 'm-1', isDelivered: true }]), SOON)
    await vi.waitFor(() => expect(smsc.confirmed).toMatchObject([0]), SOON)
  })

  test('needs no report if none is wanted', async () => {
    expect(await open({ reports: false }).send(MESSAGE)).toMatchObject({ kind: 'accepted' })
    expect(smsc.messages[0].message.registeredDelivery).toBe(0)
  })

  test.each([
    ['+491701234567', { ton: 1, npi: 1, digits: '491701234567' }],
    ['80800', { ton: 3, npi: 0, digits: '80800' }],
  ])('comes from the sender %s', async (sender, source) => {
    await open({ sender }).send(MESSAGE)
    expect(smsc.messages[0].message.source).toMatchObject(source)
  })

  test('that is long goes in parts; the report about the last one counts', async () => {
    const text = 'رمز التحقق '.repeat(12)
    expect(await open().send({ ...MESSAGE, text })).toMatchObject({ kind: 'accepted', messageId: 'm-2' })
    expect(smsc.messages.map((part) => part.text).join('')).toBe(text)
    expect(smsc.messages.map(({ message }) => message.registeredDelivery)).toMatchObject([0, 1])
    await vi.waitFor(() => expect(reports.map(({ messageId }) => messageId)).toMatchObject(['m-2']), SOON)
  })

  test('waits for its turn in the window, and all go out over one connection', async () => {
    const carrier = open({ window: 2 })
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => carrier.send(MESSAGE)))
    expect(new Set(outcomes.map(({ kind }) => kind))).toMatchObject(new Set(['accepted']))
    expect([smsc.messages.length, smsc.binds]).toMatchObject([50, 1])
  })
})

describe('an SMSC that', () => {
  test.each([
    ['silent', { kind: 'unavailable', reason: 'timeout' }, 1],
    ['drop', { kind: 'unavailable', reason: 'unreachable' }, 1],
    ['half', { kind: 'unavailable', reason: 'unreachable' }, 1],
    ['malformed', { kind: 'unavailable', reason: 'malformed' }, 1],
    ['reject', { kind: 'request-refused', commandStatus: 0x0b }, 0],
    ['system-error', { kind: 'unavailable', reason: 'unexpected-answer', commandStatus: 0x08 }, 0],
  ] as const)(
    'answers by %s has not accepted the message, and gets it once',
    async (fault, outcome, taken) => {
      const carrier = open({ timeoutMs: 300 })
      smsc.setFault(fault)
      expect(await carrier.send(MESSAGE)).toMatchObject(outcome)
      expect(smsc.messages).toHaveLength(taken)
      expect(carrier.health().status).toBe('DEGRADED')
      smsc.setFault(null)
      await vi.waitFor(async () => expect((await carrier.send(MESSAGE)).kind).toBe('accepted'), SOON)
      expect(carrier.health()).toMatchObject({ status: 'UP', detail: 'configured' })
    },
  )

  test('asks for a pause gets the message when it takes messages again', async () => {
    const carrier = open({ timeoutMs: 3000 })
    smsc.setFault('throttle')
    const sent = carrier.send(MESSAGE)
    setTimeout(() => smsc.setFault(null), 200)
    expect(await sent).toMatchObject({ kind: 'accepted' })
    expect(smsc.messages).toHaveLength(1)
  })

  test('asks for a pause longer than the time limit is throttled', async () => {
    smsc.setFault('throttle')
    expect(await open({ timeoutMs: 400 }).send(MESSAGE)).toMatchObject({
      kind: 'unavailable',
      reason: 'throttled',
      commandStatus: 0x58,
    })
  })

  test('refuses the password gets no message', async () => {
    const carrier = open({ password: 'wrong', pausesMs: [10_000] })
    expect(await carrier.send(MESSAGE)).toMatchObject({ kind: 'credentials-refused' })
    expect(smsc.messages).toEqual([])
    expect(carrier.health()).toMatchObject({
      status: 'DEGRADED',
      detail: 'there is no connection to the carrier: credentials-refused',
    })
  })

  test('ends the connection is connected again, and reports then what happened meanwhile', async () => {
    smsc.setFault('no-report')
    await open().send(MESSAGE)
    smsc.drop()
    await vi.waitFor(() => expect(smsc.binds).toBe(2), SOON)
    await vi.waitFor(() => {
      smsc.report(1)
      expect(reports).toContainEqual({ messageId: 'm-1', isDelivered: true })
    }, SOON)
  })

  test('is gone without a word is noticed by the regular question', async () => {
    open({ enquireMs: 30, timeoutMs: 50 })
    await vi.waitFor(() => expect(smsc.binds).toBe(1), SOON)
    smsc.setFault('silent')
    await vi.waitFor(() => expect(smsc.binds).toBeGreaterThan(1), SOON)
  })

  test('is not there is unreachable, and found once it is', async () => {
    const { port } = new URL(smsc.url)
    await smsc.close()
    const carrier = open({ timeoutMs: 300 })
    expect(await carrier.send(MESSAGE)).toMatchObject({ kind: 'unavailable', reason: 'unreachable' })
    smsc = await startSmpp({ port: Number(port) })
    await vi.waitFor(async () => expect((await carrier.send(MESSAGE)).kind).toBe('accepted'), SOON)
  })

  test('accepts connections and says nothing is given up after the time limit', async () => {
    const mute = createServer(() => undefined)
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const address = mute.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect(await open({ port, timeoutMs: 200 }).send(MESSAGE)).toMatchObject({
      kind: 'unavailable',
      reason: 'timeout',
    })
    mute.close()
  })
})

describe('a delivery report', () => {
  test('that says no tells that the message did not arrive', async () => {
    smsc.setFault('undelivered')
    await open().send(MESSAGE)
    await vi.waitFor(() => expect(reports).toMatchObject([{ messageId: 'm-1', isDelivered: false }]), SOON)
  })

  test('that says nothing yet is confirmed, and not passed on', async () => {
    smsc.setFault('no-report')
    await open().send(MESSAGE)
    smsc.report(1, 'ENROUTE')
    await vi.waitFor(() => expect(smsc.confirmed).toMatchObject([0]), SOON)
    expect(reports).toEqual([])
  })

  test('that cannot be recorded is not confirmed, so that the SMSC sends it again', async () => {
    const carrier = open()
    carrier.onReport?.(() => {
      throw new Error('the disk is full')
    })
    await carrier.send(MESSAGE)
    await vi.waitFor(() => expect(smsc.confirmed).toMatchObject([0x64]), SOON)
  })

  test('that comes before the answer is passed on after what waits for the answer', async () => {
    smsc.setFault('early-report')
    const order: string[] = []
    const carrier = open()
    carrier.onReport?.(() => order.push('report'))
    await carrier.send(MESSAGE).then(() => order.push('answer'))
    await vi.waitFor(() => expect(order).toMatchObject(['answer', 'report']), SOON)
  })
})

test('TLS: the SMSC with a certificate of the named authority is connected, another one gets no password', async () => {
  const [right, wrong] = [makeCertificateAuthority('Right'), makeCertificateAuthority('Wrong')]
  const extensions = [...SIGNER_EXTENSIONS, 'subjectAltName = IP:127.0.0.1']
  const { pem: cert, keyFile } = right.issue({ name: 'smsc', extensions, issuer: right.root })
  await smsc.close()
  smsc = await startSmpp({ port: 0, tls: { cert, key: readFileSync(keyFile, 'utf8') } })
  const tls = (authorities: string) => ({ authorities, clientCertificate: null })
  expect(await open({ tls: tls(right.root.pem) }).send(MESSAGE)).toMatchObject({ kind: 'accepted' })
  expect(smsc.binds).toBe(1)
  expect(await open({ tls: tls(wrong.root.pem) }).send(MESSAGE)).toMatchObject({
    kind: 'unavailable',
    reason: 'certificate-refused',
  })
  expect(smsc.binds).toBe(1)
  right.remove()
  wrong.remove()
})

test('closing ends a message in progress and the connection', async () => {
  const carrier = open({ timeoutMs: 60_000 })
  await vi.waitFor(() => expect(smsc.binds).toBe(1), SOON)
  smsc.setFault('silent')
  const sent = carrier.send(MESSAGE)
  await vi.waitFor(() => expect(smsc.messages).toHaveLength(1), SOON)
  carrier.close()
  expect(await sent).toMatchObject({ kind: 'unavailable', reason: 'unreachable' })
})
