/** One try over a real socket: who may be reached, who is believed, and what an answer says. */
import type { LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSender, createWebhookSecret, type Sender } from '../../../server/outgoing/send.ts'
import { makeCertificateAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts'
import { startReceiver, type Receiver } from '../../support/webhook-receiver.ts'

const LAN = { allowHttp: true, allowPrivateAddresses: true, timeoutMs: 1_500 }
const PUBLIC = { allowHttp: false, allowPrivateAddresses: false, timeoutMs: 500 }

let sender: Sender | undefined
afterEach(() => sender?.close())
const send = (url: string, options: Parameters<typeof createSender>[0]) => {
  sender = createSender(options, 'Counterproof/test')
  return sender.send({ url, eventId: 'event', body: '{}', secrets: [createWebhookSecret()] })
}
/** Answers like a name server, one list after the other; the last one repeats. */
const namesOf = (...answers: readonly (readonly string[])[]) => {
  const asked: string[] = []
  const resolve = ((name: string, _: object, done: (error: null, found: LookupAddress[]) => void) => {
    asked.push(name)
    const addresses = answers[Math.min(asked.length, answers.length) - 1] ?? []
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as never
  return { resolve, asked }
}

describe('addresses', () => {
  let inside: Receiver
  beforeEach(async () => {
    inside = await startReceiver()
  })
  afterEach(() => inside.close())

  test.each([
    ['127.0.0.1'],
    ['10.0.0.7'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['93.184.216.34', '127.0.0.1'],
  ])('a public name that points to %s when it is sent is not called', async (...addresses) => {
    const { port } = new URL(inside.url)
    const { resolve, asked } = namesOf(addresses)
    const sent = await send(`http://hooks.bank.example:${port}/`, { ...PUBLIC, allowHttp: true, resolve })
    expect(sent).toEqual({ isDelivered: false, status: null, error: 'address_refused', slowDownMs: null })
    expect(asked).toEqual(['hooks.bank.example'])
    expect(inside.received).toEqual([])
  })

  test('a name is resolved, and judged, at every try: one that was good and turns inward is refused', async () => {
    const { port } = new URL(inside.url)
    // The receiver counts as public for as long as addresses of this machine are allowed.
    const rules = { allowHttp: true, allowPrivateAddresses: true }
    const { resolve, asked } = namesOf(['127.0.0.1'])
    const rebinding = createSender({ ...LAN, ...rules, resolve }, 'Counterproof/test')
    const outgoing = { url: `http://hooks.bank.example:${port}/`, eventId: 'event', body: '{}', secrets: [] }
    for (const tries of [1, 2, 3]) {
      expect(await rebinding.send(outgoing)).toMatchObject({ isDelivered: true })
      expect(asked).toHaveLength(tries)
    }
    await rebinding.close()
    const turned = namesOf(['192.0.2.1'], ['127.0.0.1'])
    sender = createSender({ ...PUBLIC, allowHttp: true, resolve: turned.resolve }, 'Counterproof/test')
    for (const tries of [1, 2]) {
      expect((await sender.send(outgoing)).error).toBe('address_refused')
      expect(turned.asked).toHaveLength(tries)
    }
    expect(inside.received).toHaveLength(3)
  })

  test('an address in figures is refused without a look-up', async () => {
    for (const host of ['127.0.0.1', '[::1]', '2130706433']) {
      const { port } = new URL(inside.url)
      expect((await send(`http://${host}:${port}/`, { ...PUBLIC, allowHttp: true })).error).toBe(
        'address_refused',
      )
    }
    expect(inside.received).toEqual([])
  })
})

describe('certificates', () => {
  let authority: CertificateAuthority
  let stranger: CertificateAuthority
  beforeAll(() => {
    authority = makeCertificateAuthority('House')
    stranger = makeCertificateAuthority('Stranger')
  })
  afterAll(() => {
    authority.remove()
    stranger.remove()
  })
  const receiverOf = (by: CertificateAuthority, name: string, period?: readonly [string, string]) => {
    const issued = by.issue({
      name,
      extensions: [`subjectAltName = DNS:${name}`, 'extendedKeyUsage = serverAuth'],
      issuer: by.root,
      ...(period ? { period } : {}),
    })
    return startReceiver({ tls: { key: readFileSync(issued.keyFile), cert: issued.pem } })
  }
  const sendTo = async (receiver: Receiver, ca?: string) => {
    const { port } = new URL(receiver.url)
    const { resolve } = namesOf(['127.0.0.1'])
    const sent = await send(`https://hooks.house.example:${port}/`, {
      ...LAN,
      resolve,
      ...(ca ? { ca } : {}),
    })
    await receiver.close()
    return { sent, heard: receiver.received.length }
  }

  test('an authority that the configuration names is believed', async () => {
    const { sent, heard } = await sendTo(
      await receiverOf(authority, 'hooks.house.example'),
      authority.root.pem,
    )
    expect([sent.isDelivered, heard]).toEqual([true, 1])
  })

  test.each([
    [
      'by an authority that is not configured',
      () => receiverOf(authority, 'hooks.house.example'),
      () => undefined,
    ],
    ['by another authority', () => receiverOf(stranger, 'hooks.house.example'), () => authority.root.pem],
    ['of another name', () => receiverOf(authority, 'other.house.example'), () => authority.root.pem],
    [
      'that is over',
      () => receiverOf(authority, 'hooks.house.example', ['20200101000000Z', '20210101000000Z']),
      () => authority.root.pem,
    ],
  ])('a certificate %s is refused, and nothing is sent', async (_, start, ca) => {
    const { sent, heard } = await sendTo(await start(), ca())
    expect(sent).toMatchObject({ isDelivered: false, status: null, error: 'certificate' })
    expect(heard).toBe(0)
  })
})

describe('answers', () => {
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(() => receiver.close())
  const sentWhen = (answer: (res: ServerResponse) => void) => {
    receiver.answer = (_, res) => {
      answer(res)
    }
    return send(receiver.url, LAN)
  }
  const inAMinute = () => new Date(Date.now() + 60_000).toUTCString()

  test.each([
    [200, {}, { isDelivered: true, error: null, slowDownMs: null }],
    [299, {}, { isDelivered: true, error: null }],
    [301, { location: 'http://127.0.0.1/' }, { isDelivered: false, error: 'redirect' }],
    [304, {}, { isDelivered: false, error: 'redirect' }],
    [400, { 'retry-after': '7' }, { isDelivered: false, error: 'status', slowDownMs: null }],
    [410, {}, { isDelivered: false, error: 'gone' }],
    [429, {}, { error: 'status', slowDownMs: 5_000 }],
    [429, { 'retry-after': '7' }, { slowDownMs: 7_000 }],
    [502, { 'retry-after': 'soon' }, { slowDownMs: 5_000 }],
    [503, {}, { error: 'status', slowDownMs: null }],
    [503, { 'retry-after': '999999999' }, { slowDownMs: 6 * 3_600_000 }],
    [504, { 'retry-after': '-7' }, { slowDownMs: 0 }],
    [503, { 'retry-after': 'Sat, 01 Jan 2000 00:00:00 GMT' }, { slowDownMs: 0 }],
  ])('%i with %j', async (status, headers, expected) => {
    const sent = await sentWhen((res) => res.writeHead(status, headers as never).end())
    expect(sent).toMatchObject({ status, ...expected })
  })

  test('Retry-After as a date', async () => {
    const { slowDownMs } = await sentWhen((res) => res.writeHead(503, { 'retry-after': inAMinute() }).end())
    expect(slowDownMs).toBeGreaterThan(55_000)
    expect(slowDownMs).toBeLessThanOrEqual(60_000)
  })

  test('a receiver that takes its time with the first byte is given up in time', async () => {
    const from = performance.now()
    expect(await sentWhen(() => undefined)).toMatchObject({ isDelivered: false, error: 'timeout' })
    expect(performance.now() - from).toBeLessThan(20_000)
  })

  test('headers that never end are a broken connection, not memory', async () => {
    const sent = await sentWhen((res) => {
      res.socket?.write('HTTP/1.1 200 OK\r\n')
      const flood = setInterval(() => res.socket?.write(`x-more: ${'a'.repeat(8_000)}\r\n`), 1)
      res.once('close', () => clearInterval(flood))
    })
    expect(sent).toEqual({ isDelivered: false, status: null, error: 'connection', slowDownMs: null })
  })
})
