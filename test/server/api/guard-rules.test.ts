/** The guard before every route, rule by rule and at its limits, behind a real HTTP server. */
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { describe, expect, test } from 'vitest'
import { DEFAULT_API_CONFIG, type KeyHolder } from '../../../server/api/deps.ts'
import {
  refuseOversizedHead,
  refuseWhileDraining,
  requireKey,
  requireRole,
} from '../../../server/api/guard.ts'
import { getKeyHolder, openRequest } from '../../../server/api/request-context.ts'
import type { Access } from '../../../server/api/route.ts'
import { AppError } from '../../../server/errors.ts'
import { IDENTITY_ID, problemCode, startApi } from './support.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Code and details of our own errors, else the route's answer. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One request through these guards to a route that tells what reached it. */
async function through(
  guards: readonly RequestHandler[],
  sent: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  tell: (req: express.Request, res: express.Response) => object = () => ({ reached: true }),
): Promise<Answer> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const app = express()
  app.use(openRequest({ newId: () => IDENTITY_ID, log, clock: { now: () => new Date() } }))
  app.use(...guards)
  app.use((req, res) => void res.json(tell(req, res)))
  const caught: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!(error instanceof AppError)) return next(error)
    res.status(499).json({ code: error.code, details: error.details })
  }
  app.use(caught)
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const outgoing = request({
      port,
      host: '127.0.0.1',
      path: sent.path ?? '/',
      headers: sent.headers ?? {},
    }).end()
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    let text = ''
    for await (const piece of answer) text += String(piece)
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: JSON.parse(text) as Record<string, unknown>,
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('the head of a request', () => {
  const addressed = (length: number) =>
    through([refuseOversizedHead()], { path: `/${'x'.repeat(length - 1)}` }, (req) => ({
      length: req.originalUrl.length,
    }))

  test('may have an address of 8000 characters with its query, and not one more', async () => {
    expect((await addressed(8000)).body).toEqual({ length: 8000 })
    expect((await addressed(8001)).body).toEqual({ code: 'address_too_long', details: {} })
  })

  test('may have a hundred headers, and not one more', async () => {
    const counted = (req: express.Request) => ({ headers: req.rawHeaders.length / 2 })
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'x']))
    const send = (count: number) => through([refuseOversizedHead()], { headers: named(count) }, counted)
    // Host and Connection are sent by themselves.
    expect((await send(0)).body).toEqual({ headers: 2 })
    expect((await send(98)).body).toEqual({ headers: 100 })
    expect((await send(99)).body).toEqual({ code: 'headers_too_large', details: {} })
  })
})

describe('while the appliance stops', () => {
  const whenDraining = (isDraining: boolean, path: string) =>
    through([refuseWhileDraining({ isDraining: () => isDraining })], { path })

  test('everything but the health report is refused, and the connection closed', async () => {
    expect((await whenDraining(false, '/v1/identities')).body).toEqual({ reached: true })
    const refused = await whenDraining(true, '/v1/identities')
    expect(refused).toMatchObject({ headers: { connection: 'close' }, body: { code: 'shutting_down' } })
    for (const path of ['/healthcheck/more', '/', '/v1/healthcheck']) {
      expect((await whenDraining(true, path)).body).toEqual({ code: 'shutting_down', details: {} })
    }
    expect((await whenDraining(true, '/healthcheck')).body).toEqual({ reached: true })
  })
})

const BACK_END: KeyHolder = {
  keyId: 'k1',
  tenantId: 't1',
  applicationId: 'a1',
  role: 'RELYING_SERVICE',
  identityId: null,
}

const USER_AGENT: KeyHolder = { ...BACK_END, keyId: 'k2', role: 'USER_AGENT' }

describe('a key', () => {
  const asked: string[] = []
  const guard = requireKey({
    config: DEFAULT_API_CONFIG,
    authenticate: (key) => {
      asked.push(key)
      return /^good/.test(key) ? BACK_END : null
    },
  })
  const send = (headers: Readonly<Record<string, string>>) =>
    through([guard], { headers }, (_req, res) => ({ holder: getKeyHolder(res) }))
  const AGENT = { 'user-agent': 'bank/1' }

  test('is handed on with its tenant, application and role, and the answer may not be kept', async () => {
    const { body, headers } = await send({ ...AGENT, apikey: 'good' })
    expect(body).toEqual({ holder: BACK_END })
    expect(headers['cache-control']).toBe('no-store')
  })

  test.each([
    ['none', {}, 'key_missing'],
    ['an empty one', { apikey: '' }, 'key_missing'],
    ['an unknown one', { apikey: 'bad' }, 'key_unknown'],
  ])('is needed: %s is refused', async (_, headers, code) => {
    expect((await send({ ...AGENT, ...headers })).body).toEqual({ code, details: {} })
  })

  test('of 512 characters is looked up; a longer one is not even hashed', async () => {
    const keyOf = (length: number): string => 'good'.padEnd(length, 'x')
    expect((await send({ ...AGENT, apikey: keyOf(512) })).body).toEqual({ holder: BACK_END })
    asked.length = 0
    expect((await send({ ...AGENT, apikey: keyOf(513) })).body).toEqual({ code: 'key_unknown', details: {} })
    expect(asked).toEqual([])
  })

  test.each([
    ['none', {}],
    ['an empty one', { 'user-agent': '' }],
    ['blanks alone', { 'user-agent': '  ' }],
    // HTTP strips blanks and tabs by itself, and nothing else.
    ['blanks of another kind', { 'user-agent': '\u00a0' }],
  ])('comes with a User-Agent: %s is refused, and only once the key is known', async (_, headers) => {
    expect((await send({ apikey: 'good', ...headers })).body).toEqual({
      code: 'user_agent_missing',
      details: {},
    })
    expect((await send({ apikey: 'bad', ...headers })).body).toEqual({ code: 'key_unknown', details: {} })
  })

  test('is of one role: a Tenant-Role that says another one is refused, its own and none are not', async () => {
    const claimed = async (role: string) =>
      (await send({ ...AGENT, apikey: 'good', 'tenant-role': role })).body
    expect(await claimed('RELYING_SERVICE')).toEqual({ holder: BACK_END })
    expect(await claimed('')).toEqual({ holder: BACK_END })
    for (const other of ['USER_AGENT', 'relying_service', 'ADMIN']) {
      expect(await claimed(other)).toEqual({ code: 'forbidden', details: { header: 'Tenant-Role' } })
    }
  })
})

describe('a user agent', () => {
  const TOKEN: KeyHolder = { ...USER_AGENT, keyId: 'k3', identityId: IDENTITY_ID }
  const asked = async (userAgentKeys: 'allowed' | 'refused', holder: KeyHolder) => {
    const guard = requireKey({
      config: { ...DEFAULT_API_CONFIG, userAgentKeys },
      authenticate: () => holder,
    })
    const headers = { apikey: 'x', 'user-agent': 'browser/1' }
    return (await through([guard], { headers }, (_req, res) => ({ holder: getKeyHolder(res).keyId }))).body
  }

  test('may hold a key of its own unless the tenant takes tokens of one identity alone', async () => {
    expect(await asked('allowed', USER_AGENT)).toEqual({ holder: 'k2' })
    expect(await asked('refused', USER_AGENT)).toEqual({ code: 'user_agent_keys_refused', details: {} })
  })

  test('with a token of one identity is let in either way, and so is the back end', async () => {
    for (const setting of ['allowed', 'refused'] as const) {
      expect(await asked(setting, TOKEN)).toEqual({ holder: 'k3' })
      expect(await asked(setting, BACK_END)).toEqual({ holder: 'k1' })
    }
  })
})

describe('a route', () => {
  const holding = (holder: KeyHolder | null): RequestHandler =>
    requireKey({ config: DEFAULT_API_CONFIG, authenticate: () => holder ?? BACK_END })
  const ask = async (access: Access, holder: KeyHolder | null) => {
    const headers = { apikey: 'x', 'user-agent': 'bank/1' }
    const guards = holder ? [holding(holder), requireRole(access)] : [requireRole(access)]
    return (await through(guards, { headers })).body
  }
  const REACHED = { reached: true }

  test('lets in the roles that its table entry lists, and no other', async () => {
    expect(await ask(['RELYING_SERVICE'], BACK_END)).toEqual(REACHED)
    expect(await ask(['RELYING_SERVICE'], USER_AGENT)).toEqual({
      code: 'forbidden',
      details: { allowed: 'RELYING_SERVICE' },
    })
    expect(await ask(['USER_AGENT'], BACK_END)).toEqual({
      code: 'forbidden',
      details: { allowed: 'USER_AGENT' },
    })
    for (const holder of [BACK_END, USER_AGENT]) {
      expect(await ask(['RELYING_SERVICE', 'USER_AGENT'], holder)).toEqual(REACHED)
      expect(await ask([], holder)).toEqual({ code: 'forbidden', details: { allowed: '' } })
    }
  })

  test('that is public asks for no key at all', async () => {
    expect(await ask('public', null)).toEqual(REACHED)
  })
})

test('a request that the guard refuses reaches no workflow', async () => {
  await using api = await startApi()
  const identity = `/v1/identities/${IDENTITY_ID}`
  const refused = [
    await api.send('DELETE', identity, { key: null }),
    await api.send('DELETE', identity, { key: 'x'.repeat(600) }),
    await api.send('DELETE', identity, { headers: { 'User-Agent': ' ' } }),
    await api.send('DELETE', identity, { headers: { 'Tenant-Role': 'USER_AGENT' } }),
    await api.send('DELETE', `${identity}?x=${'x'.repeat(8000)}`),
  ]
  expect(refused.map((reply) => [reply.status, problemCode(reply)])).toEqual([
    [403, 'key_missing'],
    [403, 'key_unknown'],
    [400, 'user_agent_missing'],
    [403, 'forbidden'],
    [414, 'address_too_long'],
  ])
  expect(api.calls).toEqual([])
})
