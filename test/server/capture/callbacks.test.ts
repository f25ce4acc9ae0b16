/** Callbacks of services outside, behind a real HTTP server; what a workflow makes of one is tested with the workflow. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRequest } from '../../../server/api/request-context.ts'
import { UploadBudget } from '../../../server/http/upload-budget.ts'
import { createCallbacks } from '../../../server/capture/callbacks.ts'
import { AppError } from '../../../server/errors.ts'

const KIB = 1024
let server: Server
let url: string
let taken: unknown[] = []
let refusing = false

const taking = (by: string) => async (headers: object, body: Uint8Array) => {
  if (refusing) throw new AppError('unauthorized')
  taken.push([by, headers, Buffer.from(body).toString('utf8')])
}
beforeAll(async () => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const uploads = new UploadBudget({ serverBytes: 64 * KIB, applicationBytes: 64 * KIB, idleMs: 10_000 })
  const app = express()
  app.use(openRequest({ newId: () => 'id', log, clock: { now: () => new Date() } }))
  const workflows = {
    takeLivenessCallback: taking('biometrics'),
    takeAdjudicationAnswer: taking('adjudication'),
    takeCallReport: taking('voice'),
  }
  app.use(createCallbacks({ workflows, uploads }))
  const caught: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!(error instanceof AppError)) return next(error)
    res.status(499).json({ code: error.code })
  }
  app.use(caught)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  taken = []
  refusing = false
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const send = (path: string, body: string, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(`${url}${path}`, { method, ...(method === 'GET' ? {} : { body }), headers })
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code

describe('a callback', () => {
  test.each(['biometrics', 'adjudication'])(
    'of %s is handed on byte for byte with its three headers, and answered with nothing',
    async (service) => {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1772442000',
        'webhook-signature': 'v1,abc',
      }
      const answer = await send(`/${service}`, '{ "id":"Zoë" }', headers)
      expect([answer.status, answer.headers.get('cache-control'), await answer.text()]).toEqual([
        204,
        'no-store',
        '',
      ])
      expect(taken).toEqual([
        [service, { id: 'msg_1', timestamp: '1772442000', signature: 'v1,abc' }, '{ "id":"Zoë" }'],
      ])
    },
  )

  test('without its headers is for the workflow to refuse', async () => {
    await send('/biometrics', '{}')
    expect(taken).toEqual([
      ['biometrics', { id: undefined, timestamp: undefined, signature: undefined }, '{}'],
    ])
  })

  test('has a body of 8 KiB at most', async () => {
    expect((await send('/biometrics', 'x'.repeat(8 * KIB))).status).toBe(204)
    expect(await codeOf(await send('/biometrics', 'x'.repeat(8 * KIB + 1)))).toBe('upload_too_large')
    expect(taken).toHaveLength(1)
  })

  test('is posted, to these two addresses', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await send('/adjudication', '{}', {}, method)
      expect([answer.headers.get('allow'), await codeOf(answer)]).toEqual(['POST', 'method_not_allowed'])
    }
    expect(await codeOf(await send('/other', '{}'))).toBe('not_found')
    expect(await codeOf(await send('/', '{}'))).toBe('not_found')
    expect(taken).toEqual([])
  })

  // Last: the address is held back afterwards.
  test('that is refused six hundred times in a minute is held back, one that is taken never', async () => {
    refusing = true
    // Refused ones of the test before count as well.
    const codes = new Set<string>()
    for (let sent = 0; sent < 600; sent++) codes.add(await codeOf(await send('/biometrics', '{}')))
    expect([...codes]).toContain('unauthorized')
    const held = await send('/biometrics', '{}')
    expect(await codeOf(held)).toBe('rate_limited')
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0)
    refusing = false
    expect((await send('/biometrics', '{}')).status).toBe(204)
  })
})
