/** Generates the OpenAPI 3.1 description from the route table, the contract and the examples. Pure. */
import { z } from 'zod'
import { describePathParameters, describeSchemas, referTo, type Json } from '../../http/openapi.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { CONTRACT, EVENT_TYPES, SCOPES, TENANT_HEADER } from './contract.ts'
import { EVENT_EXAMPLES, EXAMPLES } from './examples.ts'
import { COMMON_FAILURES, OWN_FAILURES } from '../problems.ts'
import { BASE_PATH, ROUTE_LIST, type Operation, type Route } from './routes.ts'

const CHAPTERS: Readonly<Record<Route['chapter'], string>> = {
  Proofs: 'Take sealed proofs over: the feed, the archives, search, acknowledgement.',
  Deletion: 'Deletions with their receipts, erasure by request, legal holds.',
  Fleet: 'The kiosks, their alarms, and letting one join or leave.',
  Access: 'The access log of the tenant.',
  Webhooks: 'Receive events without polling.',
  Bundles: 'What kiosks pull down: settings, policies, watchlists.',
  Keys: 'The key that calls.',
}

export function describeApi(): Json {
  const paths: Record<string, Json> = {}
  for (const [operation, route] of ROUTE_LIST) {
    const path = BASE_PATH + route.path
    paths[path] = { ...paths[path], [route.method]: describeRoute(operation, route) }
  }
  paths['/verify'] = { post: VERIFY }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Counterproof central relying service: head-office API',
      version: PRODUCT_VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(CHAPTERS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, describeWebhook(type)])),
    components: {
      schemas: describeSchemas(CONTRACT, EXAMPLES),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of a consumer.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-counterproof-staff',
          description:
            'The session of a person, which `/staff/sign-in` begins. A change also needs the Origin of the service.',
        },
      },
    },
  }
}

function describeRoute(operation: Operation, route: Route): Json {
  const { scope, chapter, summary, note, body, people } = route
  return {
    operationId: operation,
    tags: [chapter],
    summary,
    description: [note, scope ? `**Scope:** \`${scope}\`.` : 'Any valid key.'].filter(Boolean).join('\n\n'),
    security: [{ key: [] }, ...(people ? [{ session: [] }] : [])],
    parameters: [
      ...(people ? [TENANT_PARAMETER] : []),
      ...describePathParameters(route.path, describePathParameter),
      ...queryParameters(route.query),
    ],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: referTo(body) } } } }
      : {}),
    responses: { ...describeAnswer(route), ...describeFailures(route.failures) },
  }
}

const TENANT_PARAMETER: Json = {
  name: TENANT_HEADER,
  in: 'header',
  required: false,
  description: 'Tenant of the call. A session must send it; a key has one tenant.',
  schema: { type: 'string' },
}

function describePathParameter(name: string): Json {
  return {
    schema: name === 'version' ? { type: 'integer', minimum: 1 } : { type: 'string', format: 'uuid' },
  }
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (!query) return []
  const { properties = {} } = z.toJSONSchema(query, { io: 'output' })
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...form } = schema as Json
    return { name, in: 'query', required: false, ...(description ? { description } : {}), schema: form }
  })
}

function describeAnswer({ answer, status = 200 }: Route): Json {
  if (answer === 'none') return { '204': { description: 'Done' } }
  if (answer === 'archive') {
    return {
      '200': {
        description: 'The zip',
        headers: { ETag: { schema: { type: 'string' }, description: 'SHA-256 of the archive, quoted' } },
        content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
      },
      '304': { description: 'The caller has it already (If-None-Match)' },
    }
  }
  if (answer === 'csv') {
    return { '200': { description: 'The table', content: { 'text/csv': { schema: { type: 'string' } } } } }
  }
  return { [status]: { description: 'OK', content: { 'application/json': { schema: referTo(answer) } } } }
}

/** @param more statuses in addition to the common ones */
function describeFailures(more: readonly number[] = []): Json {
  const own = Object.fromEntries(more.map((status) => [status, OWN_FAILURES[status] ?? 'Refused']))
  return Object.fromEntries(
    Object.entries({ ...own, ...COMMON_FAILURES }).map(([status, description]) => [
      status,
      { description, content: { 'application/problem+json': { schema: referTo('Problem') } } },
    ]),
  )
}

function describeWebhook(type: (typeof EVENT_TYPES)[number]): Json {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })
  return {
    post: {
      summary: type,
      parameters: [
        header('webhook-id', 'The same at every try of an event'),
        header('webhook-timestamp', 'Seconds since 1970'),
        header(
          'webhook-signature',
          '`v1,` and base64 of HMAC-SHA-256; several, separated by spaces, during rotation',
        ),
      ],
      requestBody: {
        content: { 'application/json': { schema: EVENT_SCHEMA, example: EVENT_EXAMPLES[type] } },
      },
      responses: { '2XX': { description: 'Delivered. Anything else is tried again.' } },
    },
  }
}

const EVENT_SCHEMA: Json = {
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: {
    type: { type: 'string', enum: EVENT_TYPES },
    timestamp: { type: 'string', format: 'date-time' },
    data: { type: 'object', description: 'Ids and states only' },
  },
}

const VERIFY: Json = {
  operationId: 'verify',
  tags: ['Proofs'],
  summary: 'Returns the report on an archive; stores and logs nothing',
  description:
    'Uses the keys that you send; with a key of scope `proofs:read` also those of the kiosks of its tenant. Also ' +
    'accepts the bare archive as the body. A fault of the archive is a problem in the report; the call succeeds.',
  security: [{}, { key: [] }],
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['archive'],
          properties: {
            archive: {
              type: 'string',
              format: 'binary',
              description: 'The zip, or the saved answer of GET proof',
            },
            keys: { type: 'string', description: 'JWKS, JWK or PEM' },
            ca: { type: 'string', description: 'PEM: authorities of signing certificates' },
            tsaCa: { type: 'string', description: 'PEM: authorities of time stamps' },
          },
        },
      },
    },
  },
  responses: {
    '200': {
      description: 'The report',
      content: { 'application/json': { schema: referTo('VerificationReport') } },
    },
    ...describeFailures(),
  },
}

const INTRODUCTION = `Head-office systems take sealed proofs over from the central relying service, follow the kiosks, and
publish what kiosks run by.

**Keys.** Every call carries \`Authorization: Bearer KEY\`. A key belongs to one consumer of one tenant and has scopes:
${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. Data of another tenant is answered with 404.
Make keys with \`npm run central -- consumers create\`; several are valid at once, so they are changed without a gap.
A person has a session instead, and each call names its tenant in the header \`${TENANT_HEADER}\`.

**Fetching proofs.** Call \`GET ${BASE_PATH}/proofs?wait=30&after=…\` in a loop, fetch each archive, keep it together with
\`next\`, then acknowledge. No proof is skipped, even if many kiosks and instances write at the same time.

**Failures** are problem documents (RFC 9457) that repeat nothing of the request. 429 and 503 carry Retry-After.`
