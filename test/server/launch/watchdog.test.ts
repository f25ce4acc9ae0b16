import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkAnswer, startWatchdog } from '../../../server/launch/watchdog.ts'
import { makeCertificateAuthority } from '../../support/certificate-authority.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function underSystemd(env: NodeJS.ProcessEnv) {
  const told: string[] = []
  const state = { alive: true }
  const watchdog = startWatchdog('http://127.0.0.1:8717/kiosk/', {
    env,
    notify: (word) => told.push(word),
    isAlive: async () => state.alive,
  })
  return { watchdog, told, state }
}

test('systemd is told that the server is ready, and thrice in its time that it answers', async () => {
  const { watchdog, told, state } = underSystemd({ NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000000' })
  expect(told).toEqual(['READY=1'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1'])
  state.alive = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toHaveLength(4)
  watchdog.stop()
  state.alive = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told.at(-1)).toBe('STOPPING=1')
})

test('without systemd nothing is told', async () => {
  const { watchdog, told } = underSystemd({ WATCHDOG_USEC: '60000000' })
  await vi.advanceTimersByTimeAsync(60_000)
  watchdog.stop()
  expect(told).toEqual([])
})

describe('a server is alive', () => {
  const serve = async (server: Server | TlsServer) => {
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    return { port, close: () => new Promise((done) => void server.close(done)) }
  }

  test('with any answer, also one that says that its database is down', async () => {
    const { port, close } = await serve(createServer((_req, res) => res.writeHead(503).end()))
    expect(await checkAnswer(`http://127.0.0.1:${port}/healthcheck`)).toBe(true)
    await close()
    expect(await checkAnswer(`http://127.0.0.1:${port}/healthcheck`)).toBe(false)
  })

  test('with a certificate that this machine does not know', async () => {
    const authority = makeCertificateAuthority('watchdog')
    const { root } = authority
    const [key, cert] = [readFileSync(root.keyFile), readFileSync(root.certificateFile)]
    const { port, close } = await serve(createTlsServer({ key, cert }, (_req, res) => res.end()))
    expect(await checkAnswer(`https://127.0.0.1:${port}/healthcheck`)).toBe(true)
    await close()
    authority.remove()
  })
})
