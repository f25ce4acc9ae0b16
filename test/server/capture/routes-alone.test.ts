/** The routes of a capture component with pretended workflows: what is handed on, what is answered, what is refused before. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type ErrorRequestHandler } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRequest } from '../../../server/api/request-context.ts'
import { UploadBudget } from '../../../server/http/upload-budget.ts'
import { createCapture, type CaptureDeps } from '../../../server/capture/router.ts'
import { AppError } from '../../../server/errors.ts'

const SESSION = '7d444840-9dc0-41d1-b245-5ffdce74fad2'
const MIB = 1024 * 1024
const EVIDENCE = { status: 'PROCESSING', type: 'PASSPORT', id: '01890a5d-ac96-774b-bcce-b302099a8058' }
const EXPIRES = new Date('2026-03-02T09:10:00.000Z')
const CAPTURING = {
  state: 'CAPTURING',
  sequence: 1,
  ticket: 'a'.repeat(22),
  prompt: { kind: 'LOOK_STRAIGHT', index: 1, of: 2, colour: null, isHolding: false, attempt: 1 },
  hint: 'ALL_GOOD',
  progress: 0,
  face: null,
  expiresAt: '2026-03-02T09:10:00.000',
}
const GUIDANCE = { codes: [], hint: 'TAKE_PICTURE', outline: null, ready: true }

let server: Server
let url: string
let folder: string
let called: [string, ...unknown[]][]
let fails: AppError | null
let session: object
/** Held until the test lets it go. */
let gate: Promise<void> | null

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-component-'))
  writeFileSync(join(folder, 'counterproof-capture.js'), 'script')
  writeFileSync(join(folder, 'counterproof-capture.css'), 'style')
  const said =
    (name: string, answer: unknown) =>
    async (...given: readonly unknown[]) => {
      called.push([name, ...given])
      if (gate) await gate
      if (fails) throw fails
      return answer
    }
  const workflows = {
    getCaptureSession: async (id: string) => {
      if (id !== SESSION) throw new AppError('not_found', { resource: 'session' })
      return session
    },
    guideCapture: said('guide', GUIDANCE),
    captureDocument: said('document', EVIDENCE),
    captureVideo: said('video', EVIDENCE),
    abandonCaptureSession: said('abandon', undefined),
    beginPortrait: said('begin', CAPTURING),
    addPortraitFrame: said('frame', { state: 'ENDED', evidence: EVIDENCE }),
  } as unknown as CaptureDeps['workflows']
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const uploads = new UploadBudget({ serverBytes: 64 * MIB, applicationBytes: 64 * MIB, idleMs: 10_000 })
  const app = express()
  app.use(openRequest({ newId: () => 'id', log, clock: { now: () => new Date() } }))
  const uploadLimits = { fileBytes: 4 * MIB, jsonBytes: 4 * 1024 }
  app.use(createCapture({ workflows, uploadLimits, uploads, component: { folder, colours: () => null } }))
  const caught: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!(error instanceof AppError)) return next(error)
    const fields = error.problems.map(({ field }) => field)
    res.status(499).json({ code: error.code, details: error.details, fields })
  }
  app.use(caught)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  called = []
  fails = null
  gate = null
  session = {
    kind: 'DOCUMENT',
    state: 'OPEN',
    applicationId: 'shop',
    identityId: 'not shown',
    settings: { sidesToCapture: ['FRONT', 'BACK'] },
    expiresAt: EXPIRES,
  }
})

interface Refusal {
  readonly code: string
  readonly details: object
  readonly fields: readonly string[]
}
const call = async (
  path: string,
  method = 'GET',
  body?: RequestInit['body'],
  headers: Record<string, string> = {},
) => {
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await answer.text()
  const isJson = (answer.headers.get('content-type') ?? '').includes('json')
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: (isJson ? JSON.parse(text) : null) as Refusal,
  }
}
const at = (rest = '') => `/sessions/${SESSION}${rest}`
/** Parts by name: bytes are a file, a text is JSON. */
const form = (...parts: readonly (readonly [string, Uint8Array | string])[]) => {
  const made = new FormData()
  for (const [name, part] of parts) {
    if (typeof part === 'string') made.append(name, new Blob([part], { type: 'application/json' }))
    else made.append(name, new Blob([Uint8Array.from(part)], { type: 'image/jpeg' }), 'picture.jpg')
  }
  return made
}
const jpeg = (bytes = 10) =>
  Uint8Array.from({ length: bytes }, (_, index) => (index === 0 ? 0xff : index % 256))
const sizeOf = (upload: unknown) => (upload as { bytes: Uint8Array }).bytes.length

describe('the built component', () => {
  test.each([
    ['/component.js', 'script', 'text/javascript'],
    ['/component.css', 'style', 'text/css'],
  ])('%s is handed out to any page, which asks each time whether it changed', async (path, text, type) => {
    const answer = await call(path)
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(answer.headers.get('content-type')).toContain(type)
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  })

  test('that is not built is not found', async () => {
    rmSync(join(folder, 'counterproof-capture.css'))
    expect((await call('/component.css')).body).toMatchObject({ code: 'not_found' })
    writeFileSync(join(folder, 'counterproof-capture.css'), 'style')
  })
})

describe('a session', () => {
  test('is shown by its task and its expiry alone, and the answer is not cached', async () => {
    const answer = await call(at())
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({
      kind: 'DOCUMENT',
      state: 'OPEN',
      sidesToCapture: ['FRONT', 'BACK'],
      expiresAt: '2026-03-02T09:10:00.000',
    })
  })

  test('of a portrait is shown by its liveness', async () => {
    const settings = { livenessType: 'LIVENESS_ACTIVE', securityLevel: 'HIGH', nbChallenge: 2 }
    session = { ...session, kind: 'PORTRAIT', settings }
    expect((await call(at())).body).toEqual({
      kind: 'PORTRAIT',
      state: 'OPEN',
      ...settings,
      expiresAt: '2026-03-02T09:10:00.000',
    })
  })

  test('is given up by its id, in letters of either case', async () => {
    const answer = await call(`/sessions/${SESSION.toUpperCase()}`, 'DELETE')
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(called).toEqual([['abandon', SESSION]])
  })

  test.each(['x', SESSION.replace('41d1', '71d1'), SESSION.replace('7d', '8d')])(
    'called %s is none, whatever is sent to it',
    async (id) => {
      for (const rest of ['', '/frame', '/portrait/frame', '/portrait/begin', '/document', '/video', '/x']) {
        const answer = await call(`/sessions/${id}${rest}`, 'POST', form(['Frame', jpeg()]))
        expect(answer.body).toMatchObject({ code: 'not_found', details: { resource: 'session' } })
      }
      expect(called).toEqual([])
    },
  )

  test('has nothing else below it, and there is nothing beside it', async () => {
    expect((await call(at('/other'))).body).toEqual({ code: 'not_found', details: {}, fields: [] })
    expect((await call('/other')).body).toMatchObject({ code: 'not_found' })
  })

  test.each([
    ['', 'PUT', 'GET, HEAD, DELETE'],
    ['/frame', 'GET', 'POST'],
    ['/portrait/frame', 'GET', 'POST'],
    ['/portrait/begin', 'GET', 'POST'],
    ['/document', 'PUT', 'POST'],
    ['/video', 'DELETE', 'POST'],
  ])('at %j takes no %s, and says what it takes: %s', async (rest, method, allowed) => {
    const answer = await call(at(rest), method)
    expect(answer.body).toMatchObject({ code: 'method_not_allowed' })
    expect(answer.headers.get('allow')).toBe(allowed)
  })

  test.each([
    ['', '"capture-session"; q=60; w=60'],
    ['/document', '"capture-session"; q=60; w=60'],
    ['/frame', '"capture-frame"; q=300; w=60'],
    ['/portrait/frame', '"portrait-frame"; q=1200; w=60'],
  ])('at %j counts its calls by %s', async (rest, policy) => {
    const answer = await call(at(rest), rest === '' ? 'GET' : 'PUT')
    expect(answer.headers.get('ratelimit-policy')).toContain(policy)
  })
})

describe('a live picture of a document', () => {
  test('is handed on with its bytes, and answered with guidance', async () => {
    const answer = await call(at('/frame'), 'POST', form(['Frame', jpeg(2_000)]))
    expect(answer.body).toEqual(GUIDANCE)
    const [[name, id, frame]] = called
    expect([name, id, sizeOf(frame)]).toEqual(['guide', SESSION, 2_000])
  })

  test('has two mebibytes at most, and has to be there', async () => {
    expect((await call(at('/frame'), 'POST', form(['Frame', jpeg(2 * MIB)]))).status).toBe(200)
    const large = await call(at('/frame'), 'POST', form(['Frame', jpeg(2 * MIB + 1)]))
    expect(large.body).toMatchObject({ code: 'upload_too_large' })
    const none = await call(at('/frame'), 'POST', form())
    expect(none.body).toMatchObject({ code: 'validation_failed', fields: ['Frame'] })
    expect(called).toHaveLength(1)
  })

  test('that meets a full queue is to be sent again in a second; one with another fault is not', async () => {
    fails = new AppError('rate_limited')
    const busy = await call(at('/frame'), 'POST', form(['Frame', jpeg()]))
    expect([busy.body.code, busy.headers.get('retry-after')]).toEqual(['rate_limited', '1'])
    fails = new AppError('unreadable_image')
    const faulty = await call(at('/frame'), 'POST', form(['Frame', jpeg()]))
    expect([faulty.body.code, faulty.headers.get('retry-after')]).toEqual(['unreadable_image', null])
  })

  test('is one of two that are under way, and a third is refused', async () => {
    const held = Promise.withResolvers<void>()
    gate = held.promise
    const under = [1, 2].map(() => call(at('/frame'), 'POST', form(['Frame', jpeg()])))
    await new Promise((resolve) => {
      const look = () => (called.length === 2 ? resolve(null) : setTimeout(look, 5))
      look()
    })
    const third = await call(at('/frame'), 'POST', form(['Frame', jpeg()]))
    expect(third.body).toMatchObject({ code: 'upload_budget_exceeded' })
    held.resolve()
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('a live picture of a person', () => {
  const signature = { sequence: 7, ticket: 'a'.repeat(22), signature: 'b'.repeat(86) }
  const send = (...parts: readonly (readonly [string, Uint8Array | string])[]) =>
    call(at('/portrait/frame'), 'POST', form(...parts))

  test('is handed on with its signature, and the end is told', async () => {
    const answer = await send(['Frame', jpeg(300)], ['FrameSignature', JSON.stringify(signature)])
    expect(answer.body).toEqual({ state: 'ENDED', evidence: EVIDENCE })
    const [[name, id, sent]] = called
    expect([name, id, (sent as { signature: object }).signature]).toEqual(['frame', SESSION, signature])
    expect(sizeOf((sent as { frame: object }).frame)).toBe(300)
  })

  test('is refused without a signature, with one that is no JSON and with one that is none', async () => {
    const codes: string[] = []
    for (const parts of [
      [['Frame', jpeg()]],
      [
        ['Frame', jpeg()],
        ['FrameSignature', '{'],
      ],
      [
        ['Frame', jpeg()],
        ['FrameSignature', JSON.stringify({ ...signature, sequence: 0 })],
      ],
      [['FrameSignature', JSON.stringify(signature)]],
    ] as const) {
      codes.push((await send(...parts)).body.code)
    }
    expect(codes).toEqual(['validation_failed', 'malformed_body', 'validation_failed', 'validation_failed'])
    expect(called).toEqual([])
  })

  test('that meets a full queue is to be sent again in a second', async () => {
    fails = new AppError('rate_limited')
    const busy = await send(['Frame', jpeg()], ['FrameSignature', JSON.stringify(signature)])
    expect(busy.headers.get('retry-after')).toBe('1')
  })
})

describe('the beginning of a portrait', () => {
  const publicKey = { kty: 'EC', crv: 'P-256', x: 'a'.repeat(43), y: 'b'.repeat(43) }
  const begin = (body: object | string) =>
    call(at('/portrait/begin'), 'POST', typeof body === 'string' ? body : JSON.stringify(body), {
      'content-type': 'application/json',
    })

  test('hands on the key of the component, and answers with the first prompt', async () => {
    expect((await begin({ publicKey })).body).toEqual(CAPTURING)
    expect(called).toEqual([['begin', SESSION, { publicKey }]])
  })

  test('is refused without a key, and with more than a body of this kind may have', async () => {
    expect((await begin({})).body).toMatchObject({ code: 'validation_failed' })
    expect((await begin(' '.repeat(4 * 1024 + 1))).body).toMatchObject({ code: 'upload_too_large' })
    expect(called).toEqual([])
  })

  test('that meets a full queue is to be sent again in a second', async () => {
    fails = new AppError('rate_limited')
    expect((await begin({ publicKey })).headers.get('retry-after')).toBe('1')
  })
})

describe('the pictures of a document', () => {
  const send = (...parts: readonly (readonly [string, Uint8Array | string])[]) =>
    call(at('/document'), 'POST', form(...parts))
  interface Sent {
    readonly sides: Readonly<Record<string, object>>
    readonly frames: Readonly<Record<string, readonly object[]>>
    readonly device?: object
    readonly scannedBarcode?: string
  }

  test('are handed on by their sides, with further pictures, the device and what a scanner typed', async () => {
    const answer = await send(
      ['DocumentFront', jpeg(100)],
      ['DocumentBack', jpeg(200)],
      ['FrontFrame', jpeg(11)],
      ['FrontFrame', jpeg(12)],
      ['BackFrame', jpeg(13)],
      ['Barcode', '"@ANSI"'],
      ['CaptureDetails', '{}'],
    )
    expect(answer.body).toEqual(EVIDENCE)
    const [[name, id, sent]] = called as [[string, string, Sent]]
    expect([name, id]).toEqual(['document', SESSION])
    const sizes = (uploads: readonly object[]) => uploads.map(sizeOf)
    expect(Object.entries(sent.sides).map(([side, upload]) => [side, sizeOf(upload)])).toEqual([
      ['FRONT', 100],
      ['BACK', 200],
    ])
    expect([sizes(sent.frames.FRONT), sizes(sent.frames.BACK)]).toEqual([[11, 12], [13]])
    expect(sent.scannedBarcode).toBe('"@ANSI"')
    expect(sent.device).toEqual({})
  })

  test('may be one side, with nothing said of the device', async () => {
    await send(['DocumentBack', jpeg()])
    const [[, , sent]] = called as [[string, string, Sent]]
    expect(Object.keys(sent.sides)).toEqual(['BACK'])
    expect([sent.frames, sent.device, sent.scannedBarcode]).toEqual([
      { FRONT: [], BACK: [] },
      undefined,
      undefined,
    ])
  })

  test('have four further ones of two mebibytes each, and no more', async () => {
    const further = (count: number, bytes = 10) =>
      Array.from({ length: count }, () => ['FrontFrame', jpeg(bytes)] as const)
    expect((await send(['DocumentFront', jpeg()], ...further(4))).status).toBe(200)
    expect((await send(['DocumentFront', jpeg()], ...further(5))).body).toMatchObject({
      code: 'validation_failed',
      fields: ['FrontFrame'],
    })
    expect((await send(['DocumentFront', jpeg()], ...further(1, 2 * MIB))).status).toBe(200)
    expect((await send(['DocumentFront', jpeg()], ...further(1, 2 * MIB + 1))).body).toMatchObject({
      code: 'upload_too_large',
    })
  })

  test('may be as large as two whole sides and all further ones are together', async () => {
    const all = ['FrontFrame', 'BackFrame'].flatMap((part) =>
      Array.from({ length: 4 }, () => [part, jpeg(2 * MIB)] as const),
    )
    const whole = await send(['DocumentFront', jpeg(4 * MIB)], ['DocumentBack', jpeg(4 * MIB)], ...all)
    expect(whole.status).toBe(200)
  })

  test('have a barcode of 4096 bytes at most', async () => {
    expect((await send(['DocumentFront', jpeg()], ['Barcode', 'x'.repeat(4096)])).status).toBe(200)
    expect((await send(['DocumentFront', jpeg()], ['Barcode', 'x'.repeat(4097)])).status).toBe(499)
  })

  test('are refused with details that are no JSON', async () => {
    expect((await send(['DocumentFront', jpeg()], ['CaptureDetails', '{'])).body.code).toBe('malformed_body')
    expect(called).toEqual([])
  })
})

describe('a video', () => {
  test('is handed on with what it was filmed with, and is one file', async () => {
    const parts = [['Video', jpeg(500)] as const, ['CaptureDetails', '{}'] as const]
    expect((await call(at('/video'), 'POST', form(...parts))).body).toEqual(EVIDENCE)
    const [[name, id, video, device]] = called
    expect([name, id, sizeOf(video), device]).toEqual(['video', SESSION, 500, {}])
    expect((await call(at('/video'), 'POST', form(['CaptureDetails', '{}']))).body).toMatchObject({
      code: 'validation_failed',
      fields: ['Video'],
    })
  })
})
