/** Which browser the kiosk answers: the window that the appliance opened, or any browser of this machine. Real sockets. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import express from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { errorHandler } from '../../../server/api/error-response.ts'
import { openRequest } from '../../../server/api/request-context.ts'
import { systemClock } from '../../../server/clock.ts'
import { requireThisMachine } from '../../../server/kiosk/window.ts'
import { silentLog } from '../../../server/log.ts'
import { startKioskApp, type KioskApp } from './kiosk-app.ts'

const REFUSED = [403, 'urn:counterproof:problem:window_refused']
const OUR_ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null

let kiosk: KioskApp
afterEach(() => kiosk?.close())

interface Called {
  readonly answer: readonly [status: number, problem: string | undefined]
  /** The cookie of the answer, as the browser sends it from then on. */
  readonly cookie: string
  readonly setCookie: string
}

async function call(method: string, path: string, headers: object = {}, payload?: object): Promise<Called> {
  const { url } = kiosk.app
  const response = await fetch(`${url}/kiosk/api/${path}`, {
    method,
    headers: { origin: url, 'content-type': 'application/json', ...headers },
    ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
  })
  const setCookie = response.headers.get('set-cookie') ?? ''
  const text = await response.text()
  const problem = text === '' ? undefined : (JSON.parse(text) as { type?: string }).type
  return { answer: [response.status, problem], cookie: setCookie.split(';')[0] ?? '', setCookie }
}
const secretOf = () => kiosk.app.appliance.newWindowSecret() ?? ''
const enter = (secret: string) => call('POST', 'window', {}, { secret })
const looks = async (cookie: string) => (await call('GET', 'journey', { cookie })).answer

describe('where the appliance opens the window', () => {
  const start = async () => {
    kiosk = await startKioskApp({ kioskWindow: 'appliance' })
  }

  test('a caller without its cookie is refused everywhere, before anything else is looked at', async () => {
    await start()
    for (const [method, path] of [
      ['GET', 'journey'],
      ['GET', 'visit'],
      ['POST', 'session'],
      ['DELETE', 'session'],
      ['POST', 'help'],
      ['POST', 'document/file'],
      ['GET', 'none'],
    ] as const)
      expect([path, (await call(method, path)).answer]).toEqual([path, REFUSED])
    expect(await looks('counterproof-window=AAAA')).toEqual(REFUSED)
    expect(kiosk.visits()).toEqual([])
  })

  test('the secret works once, and buys a cookie that scripts and other sites cannot use', async () => {
    await start()
    const secret = secretOf()
    const { answer, cookie, setCookie } = await enter(secret)
    expect(answer).toEqual([204, undefined])
    expect(setCookie).toMatch(/; Path=\/kiosk\/api; HttpOnly; SameSite=Strict$/)
    expect(await looks(cookie)).toEqual([200, undefined])
    expect((await enter(secret)).answer).toEqual(REFUSED)
    // A late call with a used secret closes no window.
    expect(await looks(cookie)).toEqual([200, undefined])
    expect(kiosk.app.log()).not.toContain(secret)
  })

  test('a secret ends after two minutes, with the next one, and is not guessed', async () => {
    await start()
    const first = secretOf()
    const second = secretOf()
    expect((await enter(first)).answer).toEqual(REFUSED)
    expect((await enter('A'.repeat(43))).answer).toEqual(REFUSED)
    kiosk.tick(120_001)
    expect((await enter(second)).answer).toEqual(REFUSED)
  })

  test('another page of this machine may not exchange it', async () => {
    await start()
    const foreign = await call('POST', 'window', { origin: 'http://127.0.0.1:1' }, { secret: secretOf() })
    expect(foreign.answer[0]).toBe(403)
  })

  test('a window that is reopened is the only one from then on', async () => {
    await start()
    const before = await enter(secretOf())
    const after = await enter(secretOf())
    expect(await looks(before.cookie)).toEqual(REFUSED)
    expect(await looks(after.cookie)).toEqual([200, undefined])
  })

  test('the same window continues after a restart of the server; a secret of before is good no more', async () => {
    await start()
    const { cookie } = await enter(secretOf())
    const unused = secretOf()
    await kiosk.restart()
    expect(await looks(cookie)).toEqual([200, undefined])
    expect((await enter(unused)).answer).toEqual(REFUSED)
  })

  test('a request that a proxy passed on is refused, its cookie or not', async () => {
    await start()
    const { cookie } = await enter(secretOf())
    const headers = { cookie, 'x-forwarded-for': '127.0.0.1' }
    expect((await call('GET', 'journey', headers)).answer).toEqual(REFUSED)
  })
})

describe('where any browser of this machine is the window', () => {
  test('there is no secret, and a request from here is answered', async () => {
    kiosk = await startKioskApp({ kioskWindow: 'browser' })
    expect(kiosk.app.appliance.newWindowSecret()).toBeNull()
    expect(await looks('')).toEqual([200, undefined])
  })

  test.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via'])(
    'a request with %s came through a proxy and is refused',
    async (header) => {
      kiosk = await startKioskApp({ kioskWindow: 'browser' })
      expect((await call('GET', 'journey', { [header]: '127.0.0.1' })).answer).toEqual(REFUSED)
    },
  )
})

test.skipIf(OUR_ADDRESS === null)(
  'a peer from the network is refused, whatever its headers say',
  async () => {
    const app = express()
    app.use(openRequest({ newId: () => 'c', clock: systemClock, log: silentLog }))
    app.use(requireThisMachine(), (_req, res) => void res.status(204).end())
    app.use(errorHandler(silentLog))
    const server = createServer(app).listen(0, '0.0.0.0')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const statusAt = async (host: string) =>
      (await fetch(`http://${host}:${port}/`, { headers: { connection: 'close' } })).status
    try {
      expect(await statusAt(OUR_ADDRESS!)).toBe(403)
      expect(await statusAt('127.0.0.1')).toBe(204)
    } finally {
      server.close()
    }
  },
)
