import type { z } from 'zod'
/** The head-office API over HTTP by itself: key, scope, limits, what is read, what is answered, and every failure's words. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import express from 'express'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError, fieldProblem, type ErrorCode } from '../../../server/errors.ts'
import { HeadOfficeOptionsSchema } from '../../../server/central/head-office/options.ts'
import type { SystemHolder } from '../../../server/central/head-office/guard.ts'
import { createHeadOfficeHttp, type Handlers } from '../../../server/central/head-office/http.ts'
import { describeApi } from '../../../server/central/head-office/openapi.ts'
import { CallWindow } from '../../../server/http/call-window.ts'
import { ROUTE_LIST } from '../../../server/central/head-office/routes.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8058'
const KEY = 'c'.repeat(40)

interface Logged {
  readonly level: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}
interface Called {
  readonly operation: string
  readonly call: Readonly<Record<string, unknown>>
}

let server: Server
let url: string
let logged: Logged[]
let called: Called[]
/** The handler of every operation. */
let reply: (call: Called) => Promise<unknown>
let holder: SystemHolder | null
beforeEach(() => {
  logged = []
  called = []
  reply = async () => ({})
  holder = {
    kind: 'system',
    keyId: 'key 1',
    consumerId: 'consumer 1',
    tenantId: 'acme',
    name: 'archive',
    scopes: [
      'proofs:read',
      'bundles:publish',
      'webhooks:manage',
      'fleet:manage',
    ] as unknown as SystemHolder['scopes'],
    keyExpiresAt: null,
  }
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function start(options: z.input<typeof HeadOfficeOptionsSchema> = {}): Promise<void> {
  const handlers = Object.fromEntries(
    ROUTE_LIST.map(([operation]) => [
      operation,
      (call: Called['call']) => {
        const one = { operation, call }
        called.push(one)
        return reply(one)
      },
    ]),
  ) as unknown as Handlers
  const note = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields: fields as Logged['fields'], message })
  const http = createHeadOfficeHttp({
    options: HeadOfficeOptionsSchema.parse(options),
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    countCalls: () => new CallWindow(),
    authenticate: async (key) => (key === KEY ? holder : null),
    authenticatePerson: async () => null,
    accessLog: { noteReading: async () => undefined, noteRefusal: async () => undefined },
    handlers,
  })
  const app = express()
  app.disable('x-powered-by')
  app.use(http.router, http.unknown, http.failures)
  server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors: readonly { readonly code: string; readonly field?: string; readonly message: string }[]
  readonly correlationId: string
}
async function ask(
  method: string,
  path: string,
  {
    key = KEY,
    body,
    headers = {},
  }: { key?: string | null; body?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(
    path.startsWith('/head') || path.startsWith('//') ? url + path : `${url}/head-office/v1${path}`,
    {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    },
  )
  const text = await answer.text()
  const isJson = (answer.headers.get('content-type') ?? '').includes('json')
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Problem,
  }
}
const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body.type.replace(/^.*:/, '')]

describe('a call', () => {
  test('reaches the handler of its operation with who calls and what was sent, and is answered once', async () => {
    await start()
    reply = async () => ({ proofs: [], next: null, more: false })
    const answer = await ask('GET', '/proofs?limit=7')
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({ proofs: [], next: null, more: false })
    expect(called).toHaveLength(1)
    expect(called[0]).toMatchObject({
      operation: 'listProofs',
      call: { holder, params: {}, query: { limit: 7 }, body: undefined, isHead: false },
    })
    const correlationId = answer.headers.get('x-correlation-id')
    expect(correlationId).toMatch(/^[0-9a-f-]{36}$/)
    expect(called[0]?.call.correlationId).toBe(correlationId)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('ratelimit-policy')).toBe('"key"; q=600; w=60')
    expect(answer.headers.get('ratelimit')).toMatch(/^"key"; r=599; t=\d+$/)
    await expect.poll(() => logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({
      level: 'info',
      message: 'a head-office call ended',
      fields: { correlationId, operation: 'listProofs', status: 200, complete: true, keyId: 'key 1' },
    })
    expect(JSON.stringify(logged)).not.toContain('/proofs')
  })

  test('with ids takes those alone that look like ids, however they are written', async () => {
    await start()
    await ask('GET', `/proofs/${ID.toUpperCase()}`)
    expect(called[0]).toMatchObject({ operation: 'getProof', call: { params: { proofId: ID } } })
    for (const id of ['1', `${ID}0`, `x${ID}`, 'archive']) {
      expect(codeOf(await ask('GET', `/proofs/${id}`))).toEqual([404, 'not_found'])
    }
    expect(called).toHaveLength(1)
  })

  test('for a version of a bundle takes a whole number', async () => {
    await start()
    const [, route] = ROUTE_LIST.find(([, { path }]) => path.includes('{version}')) ?? []
    const path = (version: string) => (route?.path ?? '').replace('{version}', version)
    const method = (route?.method ?? 'get').toUpperCase()
    holder = { ...(holder as SystemHolder), scopes: [route?.scope ?? 'proofs:read'] }
    expect((await ask(method, path('12'))).status).toBeLessThan(300)
    for (const version of ['0', '01', '1.5', '-1', '1234567890', 'x']) {
      expect((await ask(method, path(version))).status).toBe(404)
    }
  })

  test('that is answered with nothing is a 204, and what was made is a 201', async () => {
    await start()
    holder = {
      ...(holder as SystemHolder),
      scopes: ROUTE_LIST.flatMap(([, { scope }]) => (scope ? [scope] : [])),
    }
    reply = async () => ({})
    for (const [operation, route] of ROUTE_LIST) {
      if (route.answer === 'archive' || route.answer === 'csv' || route.body) continue
      const path = route.path.replace('{version}', '1').replaceAll(/\{\w+\}/g, ID)
      const { status } = await ask(route.method.toUpperCase(), path)
      expect([operation, status]).toEqual([operation, route.answer === 'none' ? 204 : (route.status ?? 200)])
    }
  })

  test('tells its handler when the caller has hung up', async () => {
    await start()
    const { promise: isReached, resolve: reached } = Promise.withResolvers<AbortSignal>()
    reply = ({ call }) => {
      reached(call.signal as AbortSignal)
      return new Promise(() => undefined)
    }
    const leaving = new AbortController()
    const asked = fetch(`${url}/head-office/v1/proofs`, {
      headers: { authorization: `Bearer ${KEY}` },
      signal: leaving.signal,
    }).catch(() => undefined)
    const signal = await isReached
    expect(signal.aborted).toBe(false)
    leaving.abort()
    await asked
    await expect.poll(() => signal.aborted).toBe(true)
  })
})

describe('a key', () => {
  test.each([[null], ['x'.repeat(40)]])(
    'that is %j opens no path, and the answer does not show which paths exist',
    async (key) => {
      await start()
      for (const path of ['/proofs', '/nothing', `/proofs/${ID}`, '/proofs/x']) {
        const answer = await ask('GET', path, { key })
        expect(codeOf(answer)).toEqual([401, 'unauthorized'])
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="counterproof"')
        expect(answer.headers.get('ratelimit-policy')).toBe('"address"; q=60; w=60')
      }
      expect(codeOf(await ask('DELETE', '/proofs', { key }))).toEqual([401, 'unauthorized'])
      expect(called).toEqual([])
    },
  )

  test('without the scope of the operation is refused it', async () => {
    await start()
    holder = { ...(holder as SystemHolder), scopes: [] }
    expect(codeOf(await ask('GET', '/proofs'))).toEqual([403, 'forbidden'])
    expect((await ask('GET', '/me')).status).toBe(200)
    expect(called.map(({ operation }) => operation)).toEqual(['me'])
  })

  test('that calls too often waits', async () => {
    await start({ callsPerMinute: 2 })
    expect((await ask('GET', '/proofs')).headers.get('ratelimit')).toMatch(/; r=1;/)
    expect((await ask('GET', '/proofs')).headers.get('ratelimit')).toMatch(/; r=0;/)
    const refused = await ask('GET', '/proofs')
    expect(codeOf(refused)).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(called).toHaveLength(2)
  })

  test('that is guessed too often is not looked up, and the right one is still accepted', async () => {
    await start({ openCallsPerMinute: 2 })
    for (let count = 0; count < 2; count++)
      expect((await ask('GET', '/proofs', { key: null })).status).toBe(401)
    expect(codeOf(await ask('GET', '/proofs', { key: 'x' }))).toEqual([429, 'rate_limited'])
    expect((await ask('GET', '/proofs')).status).toBe(200)
  })
})

describe('a path', () => {
  test('with another method says which it takes', async () => {
    await start()
    const answer = await ask('DELETE', '/proofs')
    expect(codeOf(answer)).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
    expect((await ask('PUT', '/proofs/search')).headers.get('allow')).toBe('POST')
    const webhooks = (await ask('DELETE', '/webhooks')).headers.get('allow')?.split(', ').sort()
    expect(webhooks).toEqual(['GET', 'HEAD', 'POST'])
    await expect
      .poll(() => logged.map(({ fields }) => fields.operation))
      .toEqual(['refused', 'refused', 'refused'])
  })

  test('that no route has is not found, in the words of the service', async () => {
    await start()
    for (const path of ['/nothing', '/Proofs', '/proofs/']) {
      expect(codeOf(await ask('GET', path))).toEqual([404, 'not_found'])
    }
    expect(codeOf(await ask('GET', '/head-office'))).toEqual([404, 'not_found'])
    expect(codeOf(await ask('GET', '/proofs/%zz'))).toEqual([404, 'not_found'])
    await expect
      .poll(() => logged.map(({ fields }) => fields.operation))
      .toEqual(['unknown', 'unknown', 'unknown', 'unknown', 'unreadable'])
  })
})

describe('a body', () => {
  const search = (body?: string, headers?: Record<string, string>) =>
    ask('POST', '/proofs/search', {
      ...(body === undefined ? {} : { body }),
      ...(headers ? { headers } : {}),
    })
  beforeEach(() => {
    holder = {
      ...(holder as SystemHolder),
      scopes: ['proofs:search', 'bundles:publish'] as unknown as SystemHolder['scopes'],
    }
    reply = async () => ({ proofs: [] })
  })

  test('is read by the contract', async () => {
    await start()
    expect((await search('{"correlationId":"order 1"}')).status).toBe(200)
    expect(called[0]?.call.body).toEqual({ correlationId: 'order 1' })
    const unknown = await search('{"correlationId":"order 1","name":"somebody"}')
    expect(codeOf(unknown)).toEqual([400, 'validation_failed'])
    expect(unknown.text).not.toContain('somebody')
    expect(codeOf(await search('{'))).toEqual([400, 'malformed_body'])
    expect(codeOf(await search(' \r\n\t'))[0]).toBe((await search()).status)
  })

  test('is as large as it may be: more for a bundle', async () => {
    await start()
    const long = (bytes: number) => `{"correlationId":"${'x'.repeat(bytes)}"}`
    expect(codeOf(await search(long(64 * 1024)))).toEqual([413, 'upload_too_large'])
    const [, publish] = ROUTE_LIST.find(([operation]) => operation === 'publishBundle') ?? []
    const bundle = (bytes: number) =>
      ask('POST', publish?.path ?? '', { body: `{"settings":{"a":"${'x'.repeat(bytes)}"}}` })
    holder = { ...(holder as SystemHolder), scopes: publish?.scope ? [publish.scope] : [] }
    expect((await bundle(1024 * 1024)).status).not.toBe(413)
    expect((await bundle(10 * 1024 * 1024)).status).toBe(413)
    expect(called.map(({ operation }) => operation)).toEqual(['publishBundle'])
  })

  test('that is compressed is not opened', async () => {
    await start()
    expect(codeOf(await search('{}', { 'content-encoding': 'gzip' }))).toEqual([400, 'malformed_body'])
    expect((await search('{"correlationId":"a"}', { 'content-encoding': 'Identity' })).status).toBe(200)
  })

  test('with a wrong field is refused with its name and our own words, and nothing of what came', async () => {
    await start()
    holder = { ...(holder as SystemHolder), scopes: ['proofs:read'] }
    const { body, text } = await ask('GET', '/proofs?limit=many')
    expect(body.errors).toEqual([{ code: 'wrong_type', field: 'limit', message: 'must be of type number' }])
    expect(text).not.toContain('many')
  })
})

describe('an archive', () => {
  const sha256 = 'a'.repeat(64)
  const archive = (over: object = {}) => ({
    sha256,
    bytes: 3,
    open: async () => Readable.from([Buffer.from('zip')]),
    ...over,
  })
  const path = `/proofs/${ID}/archive`

  test('is sent as it is, with its hash as its tag', async () => {
    await start()
    reply = async () => archive()
    const answer = await ask('GET', path)
    expect([answer.status, answer.text]).toEqual([200, 'zip'])
    expect(answer.headers.get('etag')).toBe(`"${sha256}"`)
    expect(answer.headers.get('content-type')).toBe('application/zip')
    expect(answer.headers.get('content-length')).toBe('3')
  })

  test('that the caller has already is not opened again, nor is one whose head alone is asked for', async () => {
    await start()
    let opened = 0
    reply = async () => archive({ open: async () => void opened++ })
    const known = await ask('GET', path, { headers: { 'if-none-match': `"${sha256}"` } })
    expect([known.status, known.text]).toEqual([304, ''])
    const head = await ask('HEAD', path)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '3'])
    expect(called[1]?.call.isHead).toBe(true)
    expect(opened).toBe(0)
  })

  test('of unknown length is sent', async () => {
    await start()
    reply = async () => archive({ bytes: null })
    const answer = await ask('GET', path)
    expect([answer.headers.get('content-length'), answer.text]).toEqual([null, 'zip'])
  })

  test('that breaks before its first byte is a problem like others, without its tag', async () => {
    await start()
    reply = async () => archive({ open: () => Promise.reject(new AppError('centre_unavailable')) })
    const answer = await ask('GET', path)
    expect(codeOf(answer)).toEqual([503, 'centre_unavailable'])
    expect(answer.headers.get('etag')).toBeNull()
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  })

  test('that cannot be read to its end is cut off: the call fails and is logged as incomplete', async () => {
    await start()
    reply = async () =>
      archive({
        bytes: 100,
        open: async () =>
          Readable.from(
            (async function* () {
              yield Buffer.from('zip')
              await new Promise((resolve) => setTimeout(resolve, 20))
              throw new Error('the disk is gone')
            })(),
          ),
      })
    await expect(ask('GET', path)).rejects.toThrow()
    await expect
      .poll(() => logged.find(({ message }) => message === 'a head-office call ended')?.fields)
      .toMatchObject({ complete: false })
  })
})

describe('a failure', () => {
  const failing = async (error: Error, method = 'GET') => {
    await start()
    reply = () => Promise.reject(error)
    return ask(method, '/proofs')
  }

  test.each<[ErrorCode, number, string | null]>([
    ['validation_failed', 400, null],
    ['malformed_body', 400, null],
    ['malformed_request', 400, null],
    ['upload_too_large', 413, null],
    ['forbidden', 403, null],
    ['not_found', 404, null],
    ['proof_not_found', 404, null],
    ['method_not_allowed', 405, null],
    ['request_timeout', 408, null],
    ['revision_conflict', 409, null],
    ['transition_refused', 409, null],
    ['verification_stopped', 422, null],
    ['rate_limited', 429, '5'],
    ['status_not_stored', 503, '5'],
    ['centre_unavailable', 503, '5'],
    ['shutting_down', 503, '5'],
  ])('%s is %d, with Retry-After %j', async (code, status, retryAfter) => {
    const answer = await failing(new AppError(code, { secret: 'not shown' }))
    expect(codeOf(answer)).toEqual([status, code])
    expect(answer.headers.get('retry-after')).toBe(retryAfter)
    expect(answer.body).toMatchObject({ status, errors: [{ code, message: answer.body.title }] })
    expect(answer.body.detail.length).toBeGreaterThan(10)
    expect(answer.body.correlationId).toBe(answer.headers.get('x-correlation-id'))
    expect(answer.text).not.toContain('not shown')
    const isOurs = logged.some(({ level }) => level === 'error')
    expect(isOurs).toBe(status >= 500)
  })

  test.each([new AppError('storage_damaged'), new AppError('internal'), new TypeError('a bug')])(
    'of our own (%s) says nothing but that it is ours, and is logged by its kind',
    async (error) => {
      const answer = await failing(error)
      expect(codeOf(answer)).toEqual([500, 'internal'])
      expect(answer.body).toMatchObject({ title: 'Internal error', errors: [{ code: 'internal' }] })
      expect(answer.text).not.toContain('a bug')
      const [ours] = logged.filter(({ level }) => level === 'error')
      expect(ours).toMatchObject({ message: 'a head-office call failed', fields: { status: 500 } })
      expect(ours?.fields.correlationId).toBe(answer.body.correlationId)
    },
  )

  test('of a field names it', async () => {
    const answer = await failing(fieldProblem('too_many', 'url', 'at most twenty'))
    expect(answer.body.errors).toEqual([{ code: 'too_many', field: 'url', message: 'at most twenty' }])
  })

  test('has no body where the head alone was asked for', async () => {
    const answer = await failing(new AppError('not_found'), 'HEAD')
    expect([answer.status, answer.text]).toEqual([404, ''])
  })

  test.each([
    [Object.assign(new Error('x'), { status: 404 }), 404, 'not_found'],
    [Object.assign(new Error('x'), { status: 416 }), 400, 'malformed_request'],
    [Object.assign(new Error('x'), { status: 500 }), 500, 'internal'],
    [Object.assign(new Error('x'), { status: '400' }), 500, 'internal'],
    [new URIError('x'), 404, 'not_found'],
  ])('that Express or a file names by a status (%s) is one of ours', async (error, status, code) => {
    expect(codeOf(await failing(error))).toEqual([status, code])
  })
})

describe('the description', () => {
  const api = describeApi() as {
    readonly openapi: string
    readonly info: Readonly<Record<string, unknown>>
    readonly tags: readonly { readonly name: string; readonly description: string }[]
    readonly servers: unknown
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
    readonly webhooks: Readonly<Record<string, { readonly post: Described }>>
    readonly components: {
      readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>
      readonly securitySchemes: unknown
    }
  }
  interface Described {
    readonly operationId: string
    readonly tags: readonly string[]
    readonly summary: string
    readonly description: string
    readonly security: unknown
    readonly parameters: readonly Readonly<Record<string, unknown>>[]
    readonly requestBody?: {
      readonly required?: boolean
      readonly content: Readonly<Record<string, unknown>>
    }
    readonly responses: Readonly<
      Record<string, { readonly description: string; readonly content?: object; readonly headers?: object }>
    >
  }
  const of = (operation: string): Described => {
    const all = Object.values(api.paths).flatMap((methods) => Object.values(methods))
    const found = all.find(({ operationId }) => operationId === operation)
    if (!found) throw new Error(`${operation} is not described`)
    return found
  }
  beforeEach(() => start())

  test('says what the service is, and holds every operation under its path and method', () => {
    expect(api.openapi).toBe('3.1.0')
    expect(api.info).toMatchObject({
      title: 'Counterproof central relying service: head-office API',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    })
    expect(String(api.info.description)).toContain('`proofs:read`')
    expect(api.servers).toEqual([{ url: '/' }])
    expect(api.tags.map(({ name }) => name)).toEqual([
      'Proofs',
      'Deletion',
      'Fleet',
      'Access',
      'Webhooks',
      'Bundles',
      'Keys',
    ])
    for (const { description } of api.tags) expect(description.length).toBeGreaterThan(10)
    for (const [operation, { method, path, chapter, summary, people }] of ROUTE_LIST) {
      expect(api.paths[`/head-office/v1${path}`]?.[method]).toMatchObject({
        operationId: operation,
        tags: [chapter],
        summary,
        security: people ? [{ key: [] }, { session: [] }] : [{ key: [] }],
      })
    }
    expect(api.paths['/verify']?.post).toMatchObject({ operationId: 'verify', security: [{}, { key: [] }] })
    expect(api.components.securitySchemes).toMatchObject({ key: { type: 'http', scheme: 'bearer' } })
  })

  test('names the scope that an operation takes, or that any key does', () => {
    expect(of('listProofs').description).toMatch(/ cursor|\*\*Scope:\*\* `proofs:read`\.$/)
    expect(of('listProofs').description).toContain('\n\n**Scope:** `proofs:read`.')
    expect(of('getProof').description).toBe('**Scope:** `proofs:read`.')
    expect(of('me').description).toBe('Any valid key.')
  })

  test('gives each parameter its place, form and words', () => {
    expect(of('getProof').parameters).toEqual([
      { name: 'proofId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    ])
    const names = (operation: string) =>
      of(operation).parameters.map(({ in: place, name }) => `${String(place)} ${String(name)}`)
    expect(names('getKiosk')).toEqual(['header x-counterproof-tenant', 'path kioskId'])
    const versioned = ROUTE_LIST.find(([, { path }]) => path.includes('{version}'))?.[0] ?? ''
    expect(of(versioned).parameters).toContainEqual({
      name: 'version',
      in: 'path',
      required: true,
      schema: { type: 'integer', minimum: 1 },
    })
    const query = of('listProofs').parameters
    expect(query.map(({ name, in: place, required }) => [name, place, required])).toEqual(
      expect.arrayContaining([
        ['after', 'query', false],
        ['limit', 'query', false],
        ['wait', 'query', false],
      ]),
    )
    for (const { schema } of query) expect(schema).not.toHaveProperty('description')
    expect(of('me').parameters).toEqual([])
  })

  test('says what is sent and what comes back, by the schemas of the contract', () => {
    const ref = (name: string) => ({
      'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
    })
    expect(of('searchProofs').requestBody).toEqual({ required: true, content: ref('ProofSearch') })
    expect(of('getProof')).not.toHaveProperty('requestBody')
    expect(of('getProof').responses['200']).toEqual({ description: 'OK', content: ref('Proof') })
    for (const [operation, { answer, status }] of ROUTE_LIST) {
      const success = Object.keys(of(operation).responses).filter((each) => Number(each) < 400)
      expect([operation, success]).toEqual([
        operation,
        answer === 'none' ? ['204'] : answer === 'archive' ? ['200', '304'] : [String(status ?? 200)],
      ])
    }
    expect(of('getArchive').responses['200']).toMatchObject({
      headers: { ETag: { schema: { type: 'string' } } },
      content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
    })
  })

  test('says which failures any call may end with', () => {
    for (const operation of ['me', 'verify', 'getArchive']) {
      const failures = Object.entries(of(operation).responses).filter(([status]) => Number(status) >= 400)
      expect(failures.map(([status]) => Number(status))).toEqual([400, 401, 403, 404, 413, 429, 500, 503])
      for (const [, failure] of failures) {
        expect(failure.description.length).toBeGreaterThan(5)
        expect(failure.content).toEqual({
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        })
      }
    }
  })

  test('has a schema for each name that it refers to, and no address of another dialect in it', () => {
    const names = [...JSON.stringify(api).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name = '']) => name,
    )
    expect(new Set(names).size).toBeGreaterThan(10)
    for (const name of names) expect(api.components.schemas).toHaveProperty(name)
    for (const schema of Object.values(api.components.schemas)) {
      expect(schema).not.toHaveProperty('$schema')
      expect(schema).not.toHaveProperty('$id')
    }
    expect(api.components.schemas.Acknowledgement?.examples).toHaveLength(1)
    expect(api.components.schemas.Problem).not.toHaveProperty('examples')
  })

  test('tells webhooks by their event, with the headers of Standard Webhooks and an example', () => {
    expect(Object.keys(api.webhooks).sort()).toEqual([
      'alarm.raised',
      'kiosk.offline',
      'kiosk.revoked',
      'proof.deleted',
      'proof.marked',
      'proof.stored',
    ])
    for (const [type, { post }] of Object.entries(api.webhooks)) {
      expect(post.summary).toBe(type)
      expect(
        post.parameters.map(({ name, in: place, required, schema }) => [name, place, required, schema]),
      ).toEqual(
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
          name,
          'header',
          true,
          { type: 'string' },
        ]),
      )
      for (const { description } of post.parameters) expect(String(description).length).toBeGreaterThan(10)
      const content = post.requestBody?.content['application/json'] as {
        readonly schema: Readonly<Record<string, unknown>>
        readonly example: { readonly type: string }
      }
      expect(content.schema).toMatchObject({ type: 'object', required: ['type', 'timestamp', 'data'] })
      expect(content.example.type).toBe(type)
      expect(Object.keys(post.responses)).toEqual(['2XX'])
    }
  })

  test('says how an archive is given to the verification', () => {
    const form = of('verify').requestBody?.content['multipart/form-data'] as {
      readonly schema: { readonly required: unknown; readonly properties: object }
    }
    expect(of('verify').requestBody?.required).toBe(true)
    expect(form.schema.required).toEqual(['archive'])
    expect(Object.keys(form.schema.properties)).toEqual(['archive', 'keys', 'ca', 'tsaCa'])
    expect(of('verify').responses['200']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/VerificationReport' } },
    })
  })
})
