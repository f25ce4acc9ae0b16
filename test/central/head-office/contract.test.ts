/** The description is the judge: examples fit it, every answer fits it, and nothing that is sent ends in a fault of ours. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTRACT, type ContractName } from '../../../server/central/head-office/contract.ts'
import { EXAMPLES } from '../../../server/central/head-office/examples.ts'
import { BASE_PATH, ROUTE_LIST, ROUTES } from '../../../server/central/head-office/routes.ts'
import { readDescription, valuesOf, type Description } from '../../support/openapi.ts'
import {
  addAlarm,
  addKey,
  addKiosk,
  addProof,
  addTenant,
  aStatus,
  startOffice,
  type TestOffice,
} from './support.ts'

/** Stands for a body that is nested as deep as its size allows: recursion must not run out of stack. */
const DEEP = 'deep'
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000'
const deepBody = () => `{"settings":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`

test.each(Object.entries(EXAMPLES))('the example of %s fits its schema', (name, example) => {
  expect(CONTRACT[name as ContractName].safeParse(example).error).toBeUndefined()
})

describe('the head-office API against its own description', () => {
  let office: TestOffice
  let description: Description
  let key: string
  let ids: Record<string, string>

  beforeAll(async () => {
    office = await startOffice({ options: { callsPerMinute: 1_000_000, openCallsPerMinute: 1_000_000 } })
    description = readDescription(await (await fetch(`${office.url}/openapi.json`)).json())
    await addTenant(office, 'a')
    key = await addKey(office, 'a')
    const kioskId = await addKiosk(office, 'a', { status: aStatus({ backlog: 2 }), seenAt: new Date() })
    const { proofId } = await addProof(office, 'a', kioskId, 1)
    const webhook = await office.call(key, 'POST', '/webhooks', {
      url: 'https://hooks.bank.example/',
      events: ['proof.stored'],
    })
    await addProof(office, 'a', kioskId, 2)
    await office.call(key, 'POST', '/bundles', {})
    const { webhookId } = webhook.body
    const deliveries = await office.call(key, 'GET', `/webhooks/${webhookId}/deliveries`)
    ids = {
      kioskId,
      proofId,
      webhookId,
      alarmId: await addAlarm(office, 'a', kioskId),
      deliveryId: deliveries.body.deliveries[0]?.deliveryId ?? '',
      version: '1',
    }
  })
  afterAll(() => office.stop())

  const operationOf = (operationId: string) => {
    const found = description.operations.find((each) => each.operationId === operationId)
    if (!found) throw new Error(`${operationId} is not described`)
    return found
  }
  const judge = async (operationId: string, path: string, body?: unknown) => {
    const operation = operationOf(operationId)
    const answer = await office.call(key, operation.method, path, body)
    const contentType = answer.headers.get('content-type') ?? ''
    const faults = description.faultsOf(operation, { status: answer.status, contentType, text: answer.text })
    return { status: answer.status, faults }
  }

  test('every operation of the table is described, with its scope', () => {
    const described = description.operations.map(({ method, path }) => `${method} ${path}`).sort()
    const expected = ROUTE_LIST.map(([, { method, path }]) => `${method.toUpperCase()} ${BASE_PATH}${path}`)
    expect(described).toEqual([...expected, 'POST /verify'].sort())
    expect(ROUTES.getArchive.scope).toBe('proofs:read')
  })

  test('no route refuses the example of its body as not valid', async () => {
    const answers: Record<string, number> = {}
    for (const [operation, { path, body }] of ROUTE_LIST) {
      const example = body && EXAMPLES[body]
      if (!example) continue
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? UNKNOWN_ID)
      // Another example would revoke what the tests below use.
      const at = operation === 'revokeKiosk' ? path.replace('{kioskId}', UNKNOWN_ID) : target
      answers[operation] = (await office.call(key, 'POST', at, example)).status
    }
    expect(answers).toMatchObject({ publishBundle: 409, rollBackBundle: 409, createWebhook: 201 })
    expect(Object.values(answers).filter((status) => ![200, 201, 204, 404, 409].includes(status))).toEqual([])
    const bundle = { ...(EXAMPLES.BundleOrder as object), expectedVersion: 1 }
    expect((await office.call(key, 'POST', '/bundles', bundle)).status).toBe(201)
  })

  // Last what takes away: deleting, revoking.
  const order = [...ROUTE_LIST].sort(
    ([a], [b]) => Number(/^(delete|revoke)/.test(a)) - Number(/^(delete|revoke)/.test(b)),
  )
  test.each(order)(
    '%s: whatever is sent, the answer is one that is described',
    async (operationId, route) => {
      const operation = operationOf(operationId)
      const schema = operation.requests['application/json']
      const fits = schema ? valuesOf(schema, description.resolve, '') : fc.constant(undefined)
      const hostile = fc.oneof(
        fc.jsonValue(),
        fc.constantFrom(
          '',
          '{',
          '[]',
          '"\\u0000"',
          '{"__proto__":{"id":"x"}}',
          'null',
          '{"reason":"\\u0000"}',
        ),
        fc.constant(DEEP),
        fc.constant({
          correlationId: '\ud800',
          name: '\u0000',
          url: 'https://\u0000',
          settings: { constructor: 1 },
        }),
      )
      const pathId = fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.string({ minLength: 1 }).map(encodeURIComponent) },
        { weight: 1, arbitrary: fc.uuid() },
        fc.constantFrom('%00', '99999999999999999999', '-1', '0', "'%20OR%201=1--"),
      )
      const query = route.query
        ? fc.dictionary(
            fc.constantFrom('after', 'limit', 'wait', 'acknowledged', 'state', 'x', '__proto__'),
            fc.oneof(
              fc.constantFrom('0', '1', '-1', '1e9', 'false', 'open', '', '\u0000'),
              fc.uuid(),
              fc.string(),
            ),
            { maxKeys: 3 },
          )
        : fc.constant({})
      await fc.assert(
        fc.asyncProperty(fc.oneof(fits, hostile), pathId, query, async (body, id, params) => {
          const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => id ?? ids[name] ?? '')
          // A long poll would only wait here.
          const search = new URLSearchParams(
            Object.entries(params as Record<string, string>).filter(
              ([name, value]) => name !== 'wait' || !(Number(value) > 0),
            ),
          )
          const content = body === DEEP ? deepBody() : (body ?? {})
          const sent = route.method === 'post' ? content : undefined
          const address = `${BASE_PATH}${path}${search.size > 0 ? `?${search}` : ''}`
          const { status, faults } = await judge(operationId, address, sent)
          expect(faults).toEqual([])
          expect(status).toBeLessThan(500)
        }),
        { numRuns: 40, interruptAfterTimeLimit: 20_000 },
      )
    },
  )

  test.each([
    ['too large', 'x'.repeat(70_000), {}, 413],
    ['compressed', '{}', { 'content-encoding': 'gzip' }, 400],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}, 400],
    ['announced larger than it may be', '{}', { 'content-length': '99999999' }, 413],
  ])('a body that is %s is refused', async (_, body, headers, status) => {
    const { request } = await import('undici')
    const answer = await request(`${office.url}${BASE_PATH}/proofs/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...('content-length' in headers ? {} : headers) },
      body: 'content-length' in headers ? 'x'.repeat(99_999) : body,
    })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['content-type']).toContain('application/problem+json')
    await answer.body.dump()
  })

  test('a bundle without a body is refused, so that a client that lost it empties no kiosk', async () => {
    expect((await office.call(key, 'POST', '/bundles')).status).toBe(400)
    expect((await office.call(key, 'POST', '/bundles', null)).status).toBe(400)
  })

  test('a bundle may be far larger than other bodies, and what is wrong with it is named by field', async () => {
    const large = {
      watchlists: { documents: { entries: Array.from({ length: 20_000 }, (_, at) => `hash-${at}`) } },
    }
    expect((await office.call(key, 'POST', '/bundles', large)).status).toBe(201)
    for (const [bundle, field] of [
      [{ policies: { a: { id: 'b' } } }, 'policies'],
      [{ policies: { a: { name: 'no id' } } }, 'policies.a.id'],
      [{ policies: [] }, 'policies'],
      [{ settings: 'x' }, 'settings'],
      [{ settings: { '../x': 1 } }, 'settings.../x'],
      [{ more: 1 }, undefined],
    ] as const) {
      const answer = await office.call(key, 'POST', '/bundles', bundle)
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0]?.field).toBe(field)
    }
  })
})
