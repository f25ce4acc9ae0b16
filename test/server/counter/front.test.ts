/** The console's front: which addresses are its page, which are its API, and how a refusal says why. */
import { createServer, type Server } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express from 'express'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorHandler } from '../../../server/api/error-response.ts'
import { openRequest } from '../../../server/api/request-context.ts'
import { createCounter, type Counter } from '../../../server/counter/router.ts'
import { CounterBrowser } from '../../support/counter.ts'
import { openAccounts } from '../../../server/counter/staff/accounts.ts'
import { openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
let counter: Counter
let server: Server
let port: number
beforeEach(async () => {
  its = await openConsole()
  const screensDir = join(its.t.dataDir, 'screens')
  mkdirSync(join(screensDir, 'assets'), { recursive: true })
  writeFileSync(join(screensDir, 'index.html'), '<!doctype html><title>counter</title>')
  writeFileSync(join(screensDir, 'assets', 'main.js'), 'void 0')
  port = 0
  counter = createCounter({
    ...its.deps,
    screensDir,
    allowedHosts: ['127.0.0.1', 'localhost'],
    localPort: () => port,
  })
  const app = express()
  app.use(openRequest(its.ctx))
  app.use('/counter', counter.router)
  app.use(errorHandler(its.deps.log))
  server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  counter.close()
  server.closeAllConnections()
  server.close()
  its.close()
})

const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}/counter${path}`, init)
async function signedIn(): Promise<CounterBrowser> {
  const accounts = openAccounts({ store: its.ctx.store, clock: its.ctx.clock, newId: its.deps.newId })
  const given = { login: 'ada', name: 'Ada', roles: ['officer'] as const, language: 'en' }
  const { setUpCode } = accounts.create(given, { author: { actor: 'operator' }, staffId: null })
  const person = new CounterBrowser(`http://localhost:${port}`)
  await person.setUpPasskey('ada', setUpCode)
  return person
}

describe('an address', () => {
  test.each(['/', '/desk', '/proofings/1', '/assets'])('%s is the page', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<title>counter</title>')
  })

  test('that names a file is that file, or nothing', async () => {
    expect(await (await get('/assets/main.js')).text()).toBe('void 0')
    for (const path of ['/nothing.js', '/desk.HTML', '/assets/other.css']) {
      const answer = await get(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json; charset=utf-8',
      ])
    }
    expect((await get('/desk', { method: 'POST' })).status).toBe(404)
  })

  test('of the API is never the page, and nothing without a session', async () => {
    for (const path of ['/api/today', '/api/nothing', '/api/audit']) {
      const answer = await get(path)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([401, 'no-store'])
    }
  })
})

describe('a signed-in officer', () => {
  test('is told what there is not, and why a state does not allow it', async () => {
    const person = await signedIn()
    expect((await person.call('GET', 'today')).status).toBe(200)
    expect((await person.call('GET', 'nothing')).status).toBe(404)
    const { id } = its.aVisit()
    const refused = await person.call<{ errors: object[] }>('POST', `help-calls/${id}/answer`, {
      answer: 'COMING',
    })
    expect(refused.status).toBe(403)
    expect(refused.body.errors).toEqual([
      { code: 'no_call', message: 'The present state does not allow this.' },
    ])
  })

  test('is signed out once the console has closed', async () => {
    const person = await signedIn()
    counter.close()
    expect((await person.call('GET', 'today')).status).toBe(401)
  })

  test('needs the page’s header and its origin for whatever changes something', async () => {
    const person = await signedIn()
    const headers = { 'x-counterproof': 'elsewhere' }
    expect((await person.call('POST', 'assist/begin', { language: 'en' }, headers)).status).toBe(403)
    const origin = { origin: 'https://elsewhere.example' }
    expect((await person.call('POST', 'assist/begin', { language: 'en' }, origin)).status).toBe(403)
    expect((await person.call('POST', 'assist/begin', { language: 'en' })).status).toBe(200)
  })
})
