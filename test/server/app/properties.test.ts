/**
 * Thousands of requests made from the server's own description: valid, nearly valid and hostile. Whatever comes, the
 * whole appliance answers within time, with a status and a body that it declared, and gives nothing away.
 * PROPERTY_RUNS=20000 makes more of them; PROPERTY_SEED repeats a run.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTE_LIST } from '../../../server/api/routes.ts'
import { ImageFaultError } from '../../../server/vision/protocol.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'
import { readDescription, valuesOf } from '../../support/openapi.ts'
import type { DescribedOperation, Description, JsonSchema } from '../../support/openapi.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 3000)
/** One seed for every run of the suite, so that a failure is the change's; `PROPERTY_SEED=random` looks further. */
const SEED = seedOf(process.env.PROPERTY_SEED ?? '20261121')
const RUNS_PER_OPERATION = Math.ceil(RUNS / ROUTE_LIST.length)
const ANSWER_WITHIN_MS = 30_000
/** Generous: what is held to a limit is each answer, not the machine that runs the tests. */
const OPERATION_TIMEOUT_MS = 30_000 + RUNS_PER_OPERATION * 200

/** Stands in every text that is sent, and nowhere else. */
const MARK = 'qZxJ9'
const NOT_LIMITED = 1_000_000_000

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer | null
}
interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}
interface Fixture {
  readonly ids: Readonly<Record<string, string>>
}

let app: TestApp
let description: Description
const succeeded = new Set<string>()
/** Only so many passcodes an hour go to one number. */
let numbers = 0

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-properties-'))
  const rateLimits = {
    relyingServicePerMinute: NOT_LIMITED,
    userAgentPerMinute: NOT_LIMITED,
    otpPerMinute: NOT_LIMITED,
  }
  const tenant = {
    id: 'default',
    name: 'Properties',
    mode: 'test',
    policy: 'default',
    features: { pauseResume: true },
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ rateLimits, tenant }))
  app = await startTestApp({ dataDir, vision: visionOfAnything() })
  description = readDescription((await app.json('GET', '/openapi.json', { key: null })).body)
})
afterAll(async () => {
  await app.runJobs()
  await app.close()
})

test('the description lists every operation of the route table', () => {
  const described = description.operations.map(({ operationId }) => operationId)
  expect(described).toEqual(expect.arrayContaining(ROUTE_LIST.map(({ operation }) => operation)))
})

test.each(ROUTE_LIST.map(({ operation }) => operation))(
  'whatever is sent to %s, the answer is one that was declared, in time, and repeats nothing of it',
  async (operationId) => {
    const operation = description.operations.find((item) => item.operationId === operationId)
    if (!operation) throw new Error(`${operationId} is not described`)
    const fixture = await prepare(operation.path)
    const requests = requestsTo(operation, fixture)
    await fc.assert(
      fc.asyncProperty(requests, async (sent) => {
        const logged = app.log().length
        const reply = await send(sent)
        const isKnown = sent.method === operation.method
        const faults = isKnown
          ? description.faultsOf(operation, {
              status: reply.status,
              contentType: reply.headers['content-type'] ?? '',
              text: reply.text,
            })
          : []
        expect(faults).toEqual([])
        expect(reply.status).not.toBe(500)
        if (isKnown && reply.status < 400) succeeded.add(operationId)
        if (reply.status >= 400) expectProblem(reply)
        expect(app.log().slice(logged)).not.toContain(MARK)
      }),
      { numRuns: RUNS_PER_OPERATION, seed: SEED },
    )
    await app.runJobs()
  },
  OPERATION_TIMEOUT_MS,
)

test(
  'whatever path is asked for, nothing but a problem document comes, and it repeats nothing of the path',
  async () => {
    await fc.assert(
      fc.asyncProperty(hostilePaths(), fc.constantFrom(...METHODS), async (path, method) => {
        const reply = await send({ method, path, headers: headersFor('back-end'), body: null })
        expect(reply.status).toBeGreaterThanOrEqual(400)
        expect(reply.status).not.toBe(500)
        expectProblem(reply)
      }),
      { numRuns: RUNS_PER_OPERATION * 2, seed: SEED },
    )
    expect(app.log()).not.toContain(MARK)
  },
  OPERATION_TIMEOUT_MS,
)

/** Unreachable without a provider for log-ins or a carrier for passcodes. */
const OUT_OF_REACH = [
  'requestTrustedClaim',
  'getTrustedClaim',
  'finishTrustedClaim',
  'submitOtp',
  'submitEmailOtp',
  'submitLandlineOtp',
  // Only the claimant may release or decide a case, and the name cannot be invented.
  'releaseAdjudication',
  'decideAdjudication',
]

test('the requests get far enough: every operation was carried out, not only refused', () => {
  const keyed = ROUTE_LIST.filter(({ access }) => access !== 'public').map(({ operation }) => operation)
  const never = keyed.filter((operation) => !succeeded.has(operation))
  expect(never.filter((operation) => !OUT_OF_REACH.includes(operation))).toEqual([])
})

test('after all that, the appliance still proofs, and no job is left behind', async () => {
  const { ids } = await prepare('')
  const { status, body } = await app.json('GET', `/v1/identities/${ids.id}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    idDocuments: [{ evidenceStatus: { status: 'VERIFIED' } }, { evidenceStatus: { status: 'NOT_VERIFIED' } }],
  })
  expect(app.log()).not.toMatch(/"level":(50|60)/)
})

function seedOf(text: string): number {
  return text === 'random' ? Date.now() % 2 ** 31 : Number(text)
}

/** The scripted vision, told that what is no scene of its own is no image. */
function visionOfAnything(): Vision {
  const vision = scriptedVision()
  return {
    ...vision,
    inspectImage: async (input) => {
      if (!isScene(input.image)) throw new ImageFaultError('not_an_image')
      return vision.inspectImage(input)
    },
  }
}

function isScene(image: Uint8Array): boolean {
  try {
    return 'shows' in (JSON.parse(Buffer.from(image).toString('utf8')) as object)
  } catch {
    return false
  }
}

/** An identity that has something of everything, so that requests get past the first refusal. */
async function prepare(path: string): Promise<Fixture> {
  const send = async (to: string, options: Parameters<TestApp['json']>[2]) => {
    const { status, body } = await app.json('POST', to, options)
    if (status !== 200) throw new Error(`${to.split('/').at(-1)} answered ${status}`)
    return body as Record<string, string>
  }
  const correlationID = randomUUID()
  const { id } = await send('/v1/identities', { payload: [], headers: { 'correlation-id': correlationID } })
  const base = `/v1/identities/${id}`
  const types = ['PORTRAIT', 'MOBILE_OTP', 'EMAIL_OTP', 'LANDLINE', 'GIV', 'ID_CLAIM']
  await send(`${base}/consents`, { payload: types.map((type) => ({ type, approved: true })) })
  const document = await send(`${base}/id-documents/capture`, { body: documentForm(aPassport()) })
  const unread = picture({ shows: 'document', lines: null, face: 'A' })
  const unreadable = await send(`${base}/id-documents/capture`, { body: documentForm(unread) })
  await send(`${base}/attributes/portrait/capture`, {
    body: portraitForm(picture({ shows: 'person', face: 'A' })),
  })
  const file = new FormData()
  file.append('File', new Blob(['x'], { type: 'text/plain' }), 'x.txt')
  const { id: fileId } = await send(`${base}/additional-files`, { body: file })
  const { addresses } = (await send(`${base}/addresses`, {
    payload: { city: 'Paris', country: 'FRA' },
  })) as unknown as { addresses: readonly { evidenceId: string }[] }
  const value = `+336${String(++numbers).padStart(8, '0')}`
  await send(`${base}/contact-details/mobile`, { payload: { value } })
  await send(`${base}/contact-details/landline`, { payload: { value: value.replace('+336', '+331') } })
  await send(`${base}/contact-details/email`, { payload: { value: `a${numbers}@mail.example` } })
  await send(`${base}/claim`, { payload: { attributesData: { surname: { value: 'Eriksson' } } } })
  await app.runJobs()
  if (path.includes('/adjudications')) await send(`${base}/adjudications/${unreadable.id}`, {})
  if (path.endsWith('/legal-hold'))
    await app.json('PUT', `${base}/legal-hold`, { payload: { reference: 'x' } })
  // There is none for an existing identity.
  if (path.includes('/deletion-receipts')) await app.json('DELETE', base)
  // It takes the place of the portrait: only where one is needed.
  const { sessionId = UNKNOWN_ID } = path.includes('{sessionId}')
    ? await send(`${base}/attributes/portrait/capture-session`, {})
    : {}
  const evidenceId = path.includes('/addresses')
    ? addresses[0].evidenceId
    : path.includes('/adjudications')
      ? unreadable.id
      : document.id
  const adjudicationId = path.includes('{adjudicationId}')
    ? app.appliance.store.adjudications.latest(unreadable.id)?.id
    : undefined
  return {
    ids: {
      id,
      evidenceId,
      fileId,
      sessionId,
      iso3: 'FRA',
      correlationID,
      ...(adjudicationId ? { adjudicationId } : {}),
      ...(path.includes('{webhookId}') ? await prepareWebhook(send) : {}),
    },
  }
}

/** One with a delivery; those that earlier requests made are removed, since there is room for twenty. */
async function prepareWebhook(
  send: (to: string, options: Parameters<TestApp['json']>[2]) => Promise<Record<string, string>>,
) {
  const { body } = await app.json('GET', '/v1/webhooks')
  const { webhooks } = body as { readonly webhooks: readonly { readonly webhookId: string }[] }
  for (const webhook of webhooks) await app.json('DELETE', `/v1/webhooks/${webhook.webhookId}`)
  const payload = { url: 'https://hooks.bank.example/events', events: ['proof.sealed'] }
  const { webhookId } = await send('/v1/webhooks', { payload })
  const { deliveryId } = await send(`/v1/webhooks/${webhookId}/test`, {})
  return { webhookId, deliveryId }
}

function expectProblem(reply: Reply): void {
  // An answer to HEAD has no body; and a sender that is cut off gets none.
  if (reply.text === '') return
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(JSON.parse(reply.text)).toMatchObject({ status: reply.status })
  // The successor of a deprecated operation is this path under its new name.
  const headers = JSON.stringify({ ...reply.headers, link: undefined })
  expect(reply.text + headers).not.toContain(MARK)
}

// Requests

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']
const UNKNOWN_ID = '01890a5d-ac96-774b-bcce-b302099a8059'

function headersFor(key: 'back-end' | 'user-agent' | 'none' | 'wrong'): OutgoingHttpHeaders {
  const keys = {
    'back-end': app.relyingServiceKey,
    'user-agent': app.userAgentKey,
    none: undefined,
    wrong: `${MARK}-key`,
  }
  const apikey = keys[key]
  return { 'User-Agent': 'properties/1 (en)', ...(apikey ? { apikey } : {}) }
}

function requestsTo(operation: DescribedOperation, { ids }: Fixture): fc.Arbitrary<Sent> {
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant(operation.method) },
    // A stray DELETE would take away what all later requests of this operation are about.
    { weight: 1, arbitrary: fc.constantFrom(...METHODS.filter((other) => other !== 'DELETE')) },
  )
  return fc
    .record({
      method,
      path: pathsOf(operation, ids),
      headers: headersOf(operation),
      body: bodiesOf(operation),
    })
    .map(({ method: sentMethod, path, headers, body }) => ({
      method: sentMethod,
      path,
      headers: { ...headers, ...body.headers },
      body: body.bytes,
    }))
}

function pathsOf(operation: DescribedOperation, ids: Fixture['ids']): fc.Arbitrary<string> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const filled = fc.tuple(
    ...names.map((name) =>
      fc.oneof(
        { weight: 12, arbitrary: fc.constant(ids[name] ?? UNKNOWN_ID) },
        { weight: 2, arbitrary: fc.constant(UNKNOWN_ID) },
        {
          weight: 2,
          arbitrary: hostileTexts().map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 3000)),
        },
      ),
    ),
  )
  const query = fc.tuple(
    ...operation.parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, required, schema }) => {
        const valid = valuesOf(schema, description.resolve, MARK).map(String)
        const good = ids[name] ? fc.oneof(fc.constant(ids[name]), valid) : valid
        const value = fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: hostileTexts() })
        return fc.option(
          value.map((text) => `${name}=${encodeURIComponent(text.toWellFormed().slice(0, 2000))}`),
          { nil: '', freq: required ? 12 : 2 },
        )
      }),
  )
  const extra = fc.constantFrom(
    '',
    '',
    '',
    `x${MARK}=${MARK}`,
    '__proto__[a]=1',
    'detailed=true&detailed=false',
    '%ff=%00',
  )
  return fc.tuple(filled, query, extra).map(([values, wanted, more]) => {
    const path = names.reduce(
      (text, name, index) => text.replace(`{${name}}`, () => values[index] || '%20'),
      operation.path,
    )
    const search = [...wanted, more].filter(Boolean).join('&')
    return search ? `${path}?${search}` : path
  })
}

function headersOf(operation: DescribedOperation): fc.Arbitrary<OutgoingHttpHeaders> {
  const key = operation.isKeyed
    ? fc.oneof(
        { weight: 20, arbitrary: fc.constant('back-end' as const) },
        { weight: 8, arbitrary: fc.constant('user-agent' as const) },
        { weight: 1, arbitrary: fc.constantFrom('none' as const, 'wrong' as const) },
      )
    : fc.constant('none' as const)
  const odd = fc.constantFrom<OutgoingHttpHeaders>(
    ...Array.from({ length: 8 }, () => ({})),
    { 'X-Forwarded-For': `${MARK}, 127.0.0.1` },
    { 'User-Agent': MARK },
    { 'User-Agent': ['a', 'b'] },
    { 'User-Agent': '' },
    { 'Tenant-Role': MARK },
    { 'Tenant-Role': 'USER_AGENT' },
    { 'X-Correlation-Id': MARK },
    { 'correlation-id': MARK.repeat(100) },
    { apikey: [MARK, MARK] },
    { Origin: `https://${MARK}.example` },
    { Host: `${MARK}.example` },
    { Cookie: `a=${MARK}` },
    { Accept: 'image/webp' },
    { 'Accept-Encoding': 'br;q=1, *;q=0' },
    { Range: 'bytes=0-1' },
    { 'If-None-Match': '*' },
    { 'X-HTTP-Method-Override': 'DELETE' },
    { [`x-${MARK}`]: 'y'.repeat(4000) },
    { 'Idempotency-Key': MARK },
    { 'Idempotency-Key': `"${MARK}-quoted"` },
    { 'Idempotency-Key': MARK.repeat(200) },
    { 'Idempotency-Key': '' },
  )
  return fc.tuple(key, odd).map(([whose, more]) => ({ ...headersFor(whose), ...more }))
}

interface Body {
  readonly headers: OutgoingHttpHeaders
  readonly bytes: Buffer | null
}

const NO_BODY: Body = { headers: {}, bytes: null }

function bodiesOf(operation: DescribedOperation): fc.Arbitrary<Body> {
  const { 'application/json': json, 'multipart/form-data': form } = operation.requests
  const good: fc.Arbitrary<Body>[] = []
  if (json) {
    const values = [examplesOf(json), valuesOf(json, description.resolve, MARK), nearly(json)]
    good.push(...values.map((value) => value.map(jsonBody)))
  }
  if (form) good.push(goodForms(form), nearlyForms(form))
  if (good.length === 0) return fc.constant(NO_BODY)
  return fc.oneof(
    ...good.map((arbitrary) => ({ weight: 4, arbitrary })),
    { weight: 3, arbitrary: hostileBodies() },
    { weight: 1, arbitrary: fc.constant(NO_BODY) },
  )
}

/** The description's own examples, for values that must be consistent, such as check digits. */
function examplesOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { examples = [] } = description.resolve(schema)
  return examples.length > 0 ? fc.constantFrom(...examples) : fc.constant({})
}

function jsonBody(value: unknown): Body {
  return textBody(JSON.stringify(value) ?? '', 'application/json')
}

function textBody(text: string, type: string): Body {
  return { headers: { 'Content-Type': type }, bytes: Buffer.from(text) }
}

/** A valid value in which one place was changed: left out, of another type, beyond its range, or with a field too many. */
function nearly(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc
    .tuple(valuesOf(schema, description.resolve, MARK), fc.nat(), wrongValues())
    .map(([value, where, wrong]) => {
      const places = placesOf(value)
      const place = places[where % places.length]
      if (!place) return wrong
      const copy = structuredClone(value) as Record<string, unknown>
      const parent = place
        .slice(0, -1)
        .reduce<Record<string, unknown>>((at, name) => at[name] as typeof copy, copy)
      const name = place.at(-1) ?? ''
      if (where % 4 === 0) delete parent[name]
      else if (where % 4 === 1) parent[`${MARK}-more`] = wrong
      else parent[name] = wrong
      return copy
    })
}

function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    [...path, name],
    ...placesOf(inner, [...path, name]),
  ])
}

function wrongValues(): fc.Arbitrary<unknown> {
  return fc.oneof(
    hostileTexts(),
    fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null], {
      value: { value: {} },
    }),
    fc.constantFrom<unknown>(MARK.repeat(500), [MARK], { [MARK]: MARK }, JSON.parse('{"__proto__":{"a":1}}')),
    fc.array(fc.constant({ type: 'VELOCITY', value: MARK }), { minLength: 60, maxLength: 200 }),
  )
}

function goodForms(schema: JsonSchema): fc.Arbitrary<Body> {
  const parts = Object.entries(schema.properties ?? {})
  const values = fc.tuple(
    ...parts.map(([name, part]) => partsOf(name, part, schema.required?.includes(name) ?? false)),
  )
  return fc
    .tuple(values, fc.constantFrom('\r\n', '\r\n', '\n'))
    .map(([written, eol]) => formBody(written, eol))
}

function partsOf(name: string, schema: JsonSchema, required: boolean): fc.Arbitrary<string> {
  const isFile = schema.format === 'binary'
  const content = isFile
    ? fc
        .constantFrom(
          aPassport(),
          picture({ shows: 'person', face: 'A' }),
          picture({ shows: 'document', lines: null, face: null }),
          picture({ shows: 'garbage' }),
          Buffer.from(''),
        )
        .map((bytes) => Buffer.from(bytes).toString('latin1'))
    : valuesOf(schema, description.resolve, MARK).map((value) =>
        Buffer.from(JSON.stringify(value)).toString('latin1'),
      )
  const head = isFile
    ? `Content-Disposition: form-data; name="${name}"; filename="../${MARK}.jpg"\r\nContent-Type: image/jpeg`
    : `Content-Disposition: form-data; name="${name}"`
  return fc.option(
    content.map((text) => `${head}\r\n\r\n${text}`),
    { nil: '', freq: required ? 12 : 2 },
  )
}

const BOUNDARY = 'kW5dE3'

function formBody(
  parts: readonly string[],
  eol: string,
  type = `multipart/form-data; boundary=${BOUNDARY}`,
): Body {
  const written = parts.filter(Boolean).map((part) => `--${BOUNDARY}\r\n${part}\r\n`)
  const text = `${written.join('')}--${BOUNDARY}--\r\n`.replaceAll('\r\n', eol)
  return { headers: { 'Content-Type': type }, bytes: Buffer.from(text, 'latin1') }
}

/** Forms that a careless or a hostile client writes. */
function nearlyForms(schema: JsonSchema): fc.Arbitrary<Body> {
  const [first = 'File'] = Object.keys(schema.properties ?? {})
  const odd = [
    `Content-Disposition: form-data\r\n\r\n${MARK}`,
    `Content-Disposition: form-data; name="${MARK}"\r\n\r\nx`,
    `Content-Disposition: form-data; name="${first}"; filename="${'../'.repeat(50)}${MARK}"\r\n\r\nx`,
    `Content-Disposition: form-data; name="${first}"; filename="a\u0000b"\r\nContent-Type: ${MARK}\r\n\r\nx`,
    `Content-Disposition: form-data; name="${first}"\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%${MARK}`,
    `Content-Disposition: form-data; name="__proto__"\r\n\r\n{"a":1}`,
    `Content-Disposition: form-data; name="${first}[a][b]"\r\n\r\n${MARK}`,
    `Content-Disposition: form-data; name="${MARK.repeat(2000)}"\r\n\r\nx`,
    `X-${MARK}: ${'y'.repeat(20_000)}\r\n\r\nx`,
    '\r\n\r\n',
  ]
  const types = [
    `multipart/form-data; boundary=${BOUNDARY}`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${MARK}`,
    `multipart/mixed; boundary=${BOUNDARY}`,
    `multipart/form-data; boundary="${'b'.repeat(200)}"`,
  ]
  const parts = fc.array(fc.constantFrom(...odd), { maxLength: 6 })
  return fc
    .tuple(parts, fc.constantFrom(...types), fc.double({ min: 0.2, max: 1, noNaN: true }), fc.boolean())
    .map(([written, type, share, cut]) => {
      const { headers, bytes } = formBody(written, '\r\n', type)
      return { headers, bytes: cut && bytes ? bytes.subarray(0, Math.floor(bytes.length * share)) : bytes }
    })
}

const DEEP = 20_000

function hostileBodies(): fc.Arbitrary<Body> {
  const texts = fc.constantFrom(
    '',
    'null',
    '[]',
    '{}',
    '"',
    '[{',
    `{"${MARK}":`,
    `\ufeff{"value":"${MARK}"}`,
    '['.repeat(DEEP),
    `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
    `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
    `{"value":"${MARK.repeat(100_000)}"}`,
    `{"__proto__":{"type":"PORTRAIT"},"constructor":{"prototype":{"a":"${MARK}"}}}`,
    `[{"__proto__":null,"type":"${MARK}","approved":true}]`,
    '{"value":"\\ud800","value":1e999}',
    '1e999999',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    `a=${MARK}&b[c]=1`,
  )
  const types = fc.constantFrom(
    'application/json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/merge-patch+json',
    'application/xml',
    'text/plain',
    'application/x-www-form-urlencoded',
    `${MARK}/${MARK}`,
    ';;;',
    '',
  )
  const more = fc.constantFrom<OutgoingHttpHeaders>(
    {},
    {},
    {},
    { 'Content-Encoding': 'gzip' },
    { 'Content-Encoding': MARK },
    { 'Transfer-Encoding': 'chunked' },
    { Expect: '100-continue' },
  )
  const bytes = fc.oneof(
    { weight: 6, arbitrary: texts.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)) },
  )
  return fc.tuple(bytes, types, more).map(([body, type, headers]) => ({
    headers: { ...(type ? { 'Content-Type': type } : {}), ...headers },
    bytes: body,
  }))
}

function hostileTexts(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => MARK + text),
    fc.constantFrom(
      `../../etc/${MARK}`,
      `..\\${MARK}`,
      `${MARK}\u0000`,
      `\u202e${MARK}\u2066`,
      `${MARK}\r\nSet-Cookie: a=b`,
      `'; DROP TABLE identities; -- ${MARK}`,
      `\${${MARK}}`,
      `<script>${MARK}</script>`,
      '__proto__',
      'constructor',
      `${MARK}${'é'.repeat(300)}`,
      `%2e%2e%2f${MARK}`,
      '-1',
      'NaN',
      ' ',
    ),
  )
}

/** Paths that no operation has. */
function hostilePaths(): fc.Arbitrary<string> {
  const segment = fc.oneof(
    hostileTexts().map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%',
      '%zz',
      '%00',
      '%c0%ae',
      '',
      '..%2f..%2fetc',
      'v1',
      'identities',
      'constructor',
    ),
  )
  return fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => `/${segments.join('/')}/${MARK}`)
}

/** Plain node:http: fetch would correct half of what is sent here. */
function send({ method, path, headers, body }: Sent): Promise<Reply> {
  const { hostname, port } = new URL(app.url)
  const length = body === null || headers['Transfer-Encoding'] ? {} : { 'Content-Length': body.byteLength }
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length },
      agent: false,
    })
    const late = setTimeout(() => {
      request.destroy()
      reject(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`))
    }, ANSWER_WITHIN_MS)
    let answered = false
    request.once('error', (error) => {
      // A server may hang up on a sender once it has answered.
      if (!answered) reject(error)
      clearTimeout(late)
    })
    request.once('response', (response) => {
      answered = true
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        clearTimeout(late)
        request.destroy()
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        })
      })
    })
    request.end(body ?? undefined)
  })
}
