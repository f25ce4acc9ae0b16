/** Every operation with every status that its description declares: what is sent is what was described. */
import { describe, expect, test } from 'vitest'
import { DEFAULT_API_CONFIG } from '../../../server/api/deps.ts'
import { describeApi } from '../../../server/api/openapi.ts'
import { PROBLEMS } from '../../../server/http/problems.ts'
import { ROUTES } from '../../../server/api/routes.ts'
import type { ApiWorkflows } from '../../../server/api/workflows-port.ts'
import { AppError } from '../../../server/errors.ts'
import type { ErrorCode } from '../../../server/errors.ts'
import { readDescription } from '../../support/openapi.ts'
import type { DescribedOperation, JsonSchema } from '../../support/openapi.ts'
import { EVIDENCE_ID, IDENTITY_ID, SESSION_ID, aFile, aForm, startApi } from './support.ts'
import type { Reply, Sent } from './support.ts'

const description = readDescription(JSON.parse(JSON.stringify(describeApi())))
/** Those of the route table; the others are mounted by other parts. */
const operations = description.operations.filter(({ operationId }) => operationId in ROUTES)

const IDS: Readonly<Record<string, string>> = {
  id: IDENTITY_ID,
  evidenceId: EVIDENCE_ID,
  adjudicationId: EVIDENCE_ID,
  fileId: EVIDENCE_ID,
  sessionId: SESSION_ID,
  webhookId: IDENTITY_ID,
  deliveryId: EVIDENCE_ID,
  iso3: 'FRA',
}
const QUERIES: Readonly<Record<string, string>> = { correlationID: 'c1', state: 's', code: 'c' }

/** A request that is in order, made of the examples that the description shows. */
function requestOf(operation: DescribedOperation): { path: string; sent: Sent } {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => IDS[name] ?? '')
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.name in QUERIES)
    .map(({ name, schema }) => {
      const [first] = schema.enum ?? []
      return `${name}=${typeof first === 'string' ? first : QUERIES[name]}`
    })
    .join('&')
  const { 'application/json': json, 'multipart/form-data': form } = operation.requests
  const body = json
    ? { json: exampleOf(json) }
    : form
      ? { form: aForm(Object.fromEntries(partsOf(form))) }
      : {}
  return {
    path: query ? `${path}?${query}` : path,
    sent: { ...body, ...(operation.isKeyed ? {} : { key: null }) },
  }
}

function partsOf({ properties = {} }: JsonSchema): (readonly [string, string | File])[] {
  return Object.entries(properties).map(([name, part]) => [
    name,
    part.format === 'binary' ? aFile() : JSON.stringify(exampleOf(part)),
  ])
}

function exampleOf(schema: JsonSchema): unknown {
  return description.resolve(schema).examples?.[0]
}

function expectDescribed(operation: DescribedOperation, reply: Reply): void {
  const { status, text, headers } = reply
  const answer = { status, text, contentType: headers['content-type'] ?? '' }
  expect(description.faultsOf(operation, answer)).toEqual([])
}

/** The workflow that carries the operation out; null where none does. */
function workflowOf({ operationId }: DescribedOperation): keyof ApiWorkflows | null {
  if (operationId === 'openapi' || operationId === 'proofSchema') return null
  if (operationId === 'healthcheck') return 'health'
  const other: Readonly<Record<string, keyof ApiWorkflows>> = {
    openPortraitSessionByOldName: 'openPortraitSession',
  }
  const act = /^(submit|get|delete)(Mobile|Email|Landline)$/.exec(operationId)?.[1]
  if (act)
    return ({ submit: 'submitContact', get: 'getContact', delete: 'abandonContact' } as const)[act as 'get']
  if (/^submit(Email|Landline)?Otp$/.test(operationId)) return 'submitPasscode'
  return other[operationId] ?? (operationId as keyof ApiWorkflows)
}

/** Every error code whose status the operation declares. */
function failuresOf({ responses }: DescribedOperation): readonly ErrorCode[] {
  return (Object.keys(PROBLEMS) as ErrorCode[]).filter((code) => PROBLEMS[code].status in responses)
}

const NAMED = operations.map((operation) => ({ operation, name: operation.operationId }))

describe('what is answered is what was described', () => {
  test.each(NAMED)('$name, carried out', async ({ operation }) => {
    await using api = await startApi()
    const { path, sent } = requestOf(operation)
    const reply = await api.send(operation.method, path, sent)
    expect(reply.status).toBeLessThan(300)
    expectDescribed(operation, reply)
  })

  test.each(NAMED)('$name, failing in every way that it declares', async ({ operation }) => {
    const workflow = workflowOf(operation)
    if (!workflow) return
    let failure: ErrorCode = 'internal'
    const fail = async () => {
      throw new AppError(failure)
    }
    // More calls than failures: the limits are tested below.
    const rateLimits = { ...DEFAULT_API_CONFIG.rateLimits, otp: 1000, callback: 1000, poll: 1000 }
    await using api = await startApi({ workflows: { [workflow]: fail }, config: { rateLimits } })
    const { path, sent } = requestOf(operation)
    for (failure of failuresOf(operation)) {
      const reply = await api.send(operation.method, path, sent)
      expect([failure, reply.status]).toEqual([failure, PROBLEMS[failure].status])
      expectDescribed(operation, reply)
    }
  })

  test.each(NAMED.filter(({ operation }) => operation.isKeyed))(
    '$name, without a key, without a User-Agent, once too often, and while shutting down',
    async ({ operation }) => {
      const { path, sent } = requestOf(operation)
      const perRole = { RELYING_SERVICE: 1, USER_AGENT: 1 }
      await using api = await startApi({
        config: { rateLimits: { ...DEFAULT_API_CONFIG.rateLimits, perRole, poll: 1 } },
      })
      const replies = [
        await api.send(operation.method, path, { ...sent, key: null }),
        await api.send(operation.method, path, { ...sent, headers: { 'User-Agent': undefined } }),
        await api.send(operation.method, path, sent),
        await api.send(operation.method, path, sent),
      ]
      await using leaving = await startApi({ isDraining: () => true })
      replies.push(await leaving.send(operation.method, path, sent))
      expect(replies.map(({ status }) => status)).toEqual(expect.arrayContaining([403, 400, 429, 503]))
      for (const reply of replies) expectDescribed(operation, reply)
    },
  )

  test('a login that continues elsewhere, before and after', async () => {
    const after = { redirectTo: 'https://app.example/welcome' }
    await using api = await startApi({ workflows: { finishTrustedClaim: async () => after } })
    for (const [operationId, more] of [
      ['requestTrustedClaim', { json: { idpIdentifier: 'bank', responseType: 'HTTP_REDIRECT' } }],
      ['finishTrustedClaim', {}],
    ] as const) {
      const operation = operations.find((item) => item.operationId === operationId)
      if (!operation) throw new Error(`${operationId} is not described`)
      const { path, sent } = requestOf(operation)
      const reply = await api.send(operation.method, path, { ...sent, ...more })
      expect(reply.status).toBe(302)
      expectDescribed(operation, reply)
    }
  })

  test('a body that breaks its own contract is our fault, and said so', async () => {
    await using api = await startApi({ workflows: { getIdentity: async () => ({}) as never } })
    const operation = operations.find((item) => item.operationId === 'getIdentity')
    if (!operation) throw new Error('getIdentity is not described')
    const reply = await api.send('GET', requestOf(operation).path)
    expect(reply.status).toBe(500)
    expectDescribed(operation, reply)
  })

  test('an answer beside its description is found', () => {
    const operation = operations.find((item) => item.operationId === 'getIdentityStatus')
    if (!operation) throw new Error('getIdentityStatus is not described')
    const json = 'application/json'
    const faults = (status: number, text: string, contentType = json) =>
      description.faultsOf(operation, { status, text, contentType }).length
    expect(faults(418, '{}')).toBe(1)
    expect(faults(200, '{}')).toBe(1)
    expect(faults(200, '')).toBe(1)
    expect(faults(200, '<html>', 'text/html')).toBe(1)
    expect(faults(200, JSON.stringify({ globalStatus: { id: 'i', status: 'HAPPY' } }))).toBeGreaterThan(0)
  })
})
