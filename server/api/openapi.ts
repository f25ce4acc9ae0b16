/** Writes the OpenAPI 3.1 description from the route table, the notes on it and the contract. Data in, data out. */
import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { ERROR_CATALOGUE } from '../proofing/error-codes.ts'
import type { CatalogueEntry } from '../proofing/error-codes.ts'
import { EXAMPLES } from './contract/examples.ts'
import { CONTRACT } from './contract/index.ts'
import type { ContractName } from './contract/index.ts'
import { WEBHOOK_MESSAGES, messageName } from './contract/webhook-messages.ts'
import { describeCallbacks, describeMessages, describeWebhooks } from './describe-outgoing.ts'
import { REPEAT_KEY_HEADER, REPLAYED_HEADER } from './idempotency.ts'
import { CHAPTERS, OPERATION_NOTES, readingOf } from './operation-notes.ts'
import { OTHER_ROUTES } from './other-routes.ts'
import type { DescribedRoute } from './other-routes.ts'
import { PROBLEMS } from '../http/problems.ts'
import { CORRELATION_HEADER } from './request-context.ts'
import { ROUTE_LIST } from './routes.ts'
import type { Parameter, Part, RequestBody } from './routes.ts'

/** Version of the interface description that we implement (spec "Versioning"). */
const INTERFACE_VERSION = '3.32.0'

type Json = Record<string, unknown>

const DESCRIBED_ROUTES: readonly DescribedRoute[] = [
  ...ROUTE_LIST.map((route) => ({ ...route, note: OPERATION_NOTES[route.operation] })),
  ...OTHER_ROUTES,
]

export function describeApi(): Json {
  const paths: Record<string, Json> = {}
  for (const route of DESCRIBED_ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Identity Proofing Relying Service API',
      version: INTERFACE_VERSION,
      summary: 'The HTTP interface of the Counterproof appliance.',
      description: introduction(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This appliance' }],
    tags: Object.entries(CHAPTERS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: describeSchemas(),
      headers: HEADERS,
      securitySchemes: {
        apikey: {
          type: 'apiKey',
          in: 'header',
          name: 'apikey',
          description:
            'A back-end key (RELYING_SERVICE), a user-agent token that is good for one identity, or a user-agent key (both USER_AGENT).',
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'Signature of a service outside by Standard Webhooks, with webhook-id and webhook-timestamp, within five minutes.',
        },
      },
    },
    'x-error-codes': Object.entries<CatalogueEntry>(ERROR_CATALOGUE).map(([code, entry]) => ({
      code,
      ...entry,
    })),
  }
}

// What may be refused

/** Of every operation. */
const OF_ANY: readonly ErrorCode[] = [
  'host_refused',
  'address_too_long',
  'headers_too_large',
  'rate_limited',
  'internal',
  'shutting_down',
]
const OF_KEYED: readonly ErrorCode[] = ['user_agent_missing', 'key_missing', 'key_unknown', 'forbidden']
const OF_USER_AGENT: readonly ErrorCode[] = ['user_agent_keys_refused']
/** Refusals for an application that may only read the identity: it changes nothing and gets no proof that is not sealed yet. */
const OF_SHARED: readonly ErrorCode[] = ['shared_for_reading']
const OF_BODY: readonly ErrorCode[] = [
  'validation_failed',
  'malformed_body',
  'request_timeout',
  'upload_too_large',
  'upload_budget_exceeded',
]
/** A body and an Idempotency-Key may come with every POST. */
const OF_POST: readonly ErrorCode[] = [
  ...OF_BODY,
  'idempotency_key_reused',
  'idempotency_in_progress',
  'idempotency_answer_lost',
]
const OF_CHANGE: readonly ErrorCode[] = ['revision_conflict', 'status_not_stored']
const OF_EVIDENCE: readonly ErrorCode[] = [
  'identity_closed',
  'identity_paused',
  'identity_expired',
  'consent_missing',
]
/** Refusals of the operations that add evidence. */
const OF_SUBMISSION: readonly ErrorCode[] = ['too_many_open_jobs', 'quota_reached']
const OF_IMAGE: readonly ErrorCode[] = ['unsupported_image', 'unreadable_image', 'vision_unavailable']

function refusalsOf(route: DescribedRoute): ReadonlySet<ErrorCode> {
  const { note } = route
  return new Set([
    ...OF_ANY,
    ...(isKeyed(route) ? refusalsOfKeyed(route) : []),
    ...(route.parameters ? (['validation_failed'] as const) : []),
    ...(note.codes ?? []),
  ])
}

function refusalsOfKeyed(route: DescribedRoute): readonly ErrorCode[] {
  const { note } = route
  return [
    ...OF_KEYED,
    ...(route.access.includes('USER_AGENT') ? OF_USER_AGENT : []),
    ...(isOfIdentity(route) && (route.method !== 'get' || route.head === false) ? OF_SHARED : []),
    ...(route.method === 'post' ? OF_POST : []),
    ...(route.method === 'put' ? OF_BODY : []),
    ...(route.method === 'get' ? [] : OF_CHANGE),
    ...(route.path.includes('{id}') ? (['not_found'] as const) : []),
    ...(note.kind ? OF_EVIDENCE : []),
    // A passcode that is typed in belongs to a piece that is there already.
    ...(note.kind && route.rate !== 'otp' ? OF_SUBMISSION : []),
    ...(note.feature ? (['feature_disabled'] as const) : []),
    ...(note.image ? OF_IMAGE : []),
  ]
}

/** Called with a key of an application. */
function isKeyed({ access }: DescribedRoute): boolean {
  return typeof access !== 'string'
}

/** Webhooks are never shared. */
function isOfIdentity({ path }: DescribedRoute): boolean {
  return /\{(id|adjudicationId)\}/.test(path) && !path.includes('webhooks')
}

function describeRefusals(route: DescribedRoute): Json {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const code of refusalsOf(route)) (byStatus[PROBLEMS[code].status] ??= []).push(code)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [status, describeRefusal(Number(status), codes)]),
  )
}

function describeRefusal(status: number, codes: readonly ErrorCode[]): Json {
  const waits = codes.some(
    (code) => code === 'rate_limited' || PROBLEMS[code].retryAfterSeconds !== undefined,
  )
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join(' · '),
    headers: {
      [CORRELATION_HEADER]: header('CorrelationId'),
      ...(waits ? { 'Retry-After': header('RetryAfter') } : {}),
      ...(status === 429 ? rateHeaders() : {}),
    },
    content: { 'application/problem+json': { schema: reference('ProblemDocument') } },
  }
}

// One operation

function describeRoute(route: DescribedRoute): Json {
  const callbacks = describeCallbacks(route.operation)
  const parameters = [
    ...pathParameters(route.path),
    ...(route.parameters ?? []).map(describeParameter),
    ...(isKeyed(route) && route.method === 'post' ? [REPEAT_KEY] : []),
    ...(isKeyed(route) ? KEYED_HEADERS : []),
    ...(route.access === 'signature' ? SIGNED_HEADERS : []),
    CORRELATION_PARAMETER,
  ]
  return {
    operationId: route.operation,
    tags: [route.note.chapter],
    summary: route.summary,
    description: describeUse(route),
    ...(route.note.seeAlso ? { externalDocs: route.note.seeAlso } : {}),
    ...(route.deprecated ? { deprecated: true } : {}),
    security: isKeyed(route) ? [{ apikey: [] }] : route.access === 'signature' ? [{ signature: [] }] : [],
    parameters,
    ...(route.body ? { requestBody: describeBody(route.body) } : {}),
    responses: { ...describeAnswer(route), ...describeRefusals(route) },
    ...(callbacks ? { callbacks } : {}),
  }
}

function describeUse(route: DescribedRoute): string {
  const { rate, note } = route
  const consents = note.kind ? consentNeeds(note.kind) : null
  return [
    note.text,
    describeAccess(route),
    readingOf(note),
    note.kind && 'The transaction has to be open: neither CLOSED nor PAUSED.',
    consents && consents.demanded.length > 0 && `**Consent first:** ${consents.demanded.join(', ')}.`,
    consents &&
      consents.respected.length > 0 &&
      `Refused after a refusal of ${consents.respected.join(', ')}.`,
    note.feature && `Where the tenant has \`${note.feature}\` switched on.`,
    rate === 'otp' && 'Counted by the policy `otp-submission` too.',
    route.deprecated && `Use \`${route.deprecated.successor}\`.`,
  ]
    .filter((sentence) => typeof sentence === 'string')
    .join(' ')
}

function describeAccess({ access }: DescribedRoute): string {
  switch (access) {
    case 'public':
      return 'Needs no key.'
    case 'session':
      return 'Needs no key: the session id is the credential.'
    case 'signature':
      return 'Needs no key: the signature is the credential.'
    default:
      return `**Keys:** ${access.map((role) => ROLE_NAMES[role]).join(' or ')}.`
  }
}

const ROLE_NAMES = { RELYING_SERVICE: 'back-end', USER_AGENT: 'user-agent (token or key)' } as const

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name],
    schema: { type: 'string' },
  }))
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'Id of the identity',
  evidenceId: 'Id of the evidence',
  adjudicationId: 'Id of the adjudication request',
  fileId: 'Id of the additional file',
  sessionId: 'Id of the capture session',
  iso3: 'Country code, ISO 3166-1 alpha-3',
  webhookId: 'Id of the webhook',
  deliveryId: 'Id of the delivery',
}

function headerParameter(name: string, description: string, required = false, more: Json = {}): Json {
  return { name, in: 'header', required, description, schema: { type: 'string' }, ...more }
}

/** What the conventions of the spec ask of every keyed call. */
const KEYED_HEADERS: readonly Json[] = [
  headerParameter(
    'User-Agent',
    'Who calls: application id/version (language), or what a browser sends.',
    true,
    {
      example: 'my-back-end/1.0 (en)',
    },
  ),
  headerParameter(
    'X-Forwarded-For',
    'Reserved. Any text is accepted; only that of a configured proxy counts.',
  ),
  headerParameter('Tenant-Role', "Accepted where it agrees with the key's role, else 403.", false, {
    schema: { type: 'string', enum: ['RELYING_SERVICE', 'USER_AGENT'] },
  }),
]
const SIGNED_HEADERS: readonly Json[] = [
  headerParameter('webhook-id', 'Id of the message, the same at every try', true),
  headerParameter('webhook-timestamp', 'Seconds since 1970, of this try', true),
]
const REPEAT_KEY = headerParameter(
  REPEAT_KEY_HEADER,
  'Makes the call safe to repeat for 24 hours: the same request under the same key is done once and answered alike. ' +
    'Bare or as a quoted string.',
  false,
  { schema: { type: 'string', minLength: 1, maxLength: 255 } },
)
const CORRELATION_PARAMETER = headerParameter(
  CORRELATION_HEADER,
  'Your id of this call, for the log: a UUID, a ULID or 16 to 64 hexadecimal digits. Anything else is replaced.',
)

function describeParameter({ name, in: where, required, type, values, description }: Parameter): Json {
  return { name, in: where, required, description, schema: { type, ...(values ? { enum: values } : {}) } }
}

function describeBody(body: RequestBody): Json {
  if (body.kind === 'json') {
    return {
      required: body.optional !== true,
      content: { 'application/json': { schema: reference(body.schema) } },
    }
  }
  const required = body.parts.filter((part) => part.required).map((part) => part.name)
  const form = {
    schema: {
      type: 'object',
      properties: Object.fromEntries(body.parts.map((part) => [part.name, describePart(part)])),
      ...(required.length > 0 ? { required } : {}),
    },
  }
  return {
    required: required.length > 0,
    content: {
      'multipart/form-data': form,
      ...(body.orJson ? { 'application/json': { schema: reference(body.orJson) } } : {}),
    },
  }
}

function describePart({ content, most }: Part): Json {
  const part = describeContent(content)
  return most === undefined ? part : { type: 'array', maxItems: most, items: part }
}

function describeContent(content: Part['content']): Json {
  if (content === 'image') return binary('image/*', ACCEPTED_PICTURES)
  if (content === 'frame') return binary('image/*', 'JPEG, PNG or WebP of at most 2 MB')
  if (content === 'video') return binary('video/*', 'MP4 or WebM')
  if (content === 'file') return binary('application/octet-stream', 'Any file')
  return content === 'text' ? { type: 'string' } : reference(content)
}

const ACCEPTED_PICTURES =
  'JPEG, PNG, WebP or HEIC of at most 80 megapixels, or PDF or TIFF (first page; of a document, the second is the back)'

function binary(contentMediaType: string, description?: string): Json {
  return { type: 'string', format: 'binary', contentMediaType, ...(description ? { description } : {}) }
}

// Answers

function describeAnswer(route: DescribedRoute): Json {
  const { answer } = route
  const headers = answerHeaders(route)
  const redirect = { description: 'Go on at the address in Location', headers: { ...headers, ...LOCATION } }
  switch (answer.kind) {
    case 'none':
      return { '204': { description: 'Done, no content', headers } }
    case 'description':
      return {
        '200': {
          description: answer.of,
          headers,
          content: { 'application/json': { schema: { type: 'object' } } },
        },
      }
    case 'json':
      return {
        '200': {
          description: 'OK',
          headers,
          content: { 'application/json': { schema: reference(answer.schema) } },
        },
        ...(answer.orRedirect ? { '302': redirect } : {}),
      }
    case 'file':
      return {
        '200': {
          description: 'The file',
          headers,
          content: { [answer.mediaType]: { schema: { type: 'string' } } },
        },
      }
    case 'callback':
      return { '201': { description: 'Taken, no content', headers }, '302': redirect }
    case 'multipart':
      return {
        '200': {
          description: `Parts: ${answer.parts.join(', ')}`,
          headers,
          content: { [answer.mediaType]: { schema: binary(answer.mediaType) } },
        },
      }
  }
}

function answerHeaders({ method, deprecated, access }: DescribedRoute): Json {
  return {
    [CORRELATION_HEADER]: header('CorrelationId'),
    ...rateHeaders(),
    ...(method === 'post' && typeof access !== 'string' ? { [REPLAYED_HEADER]: header('Replayed') } : {}),
    ...(deprecated ? { Deprecation: header('Deprecation'), Link: header('Link') } : {}),
  }
}

function rateHeaders(): Json {
  return { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') }
}

const LOCATION: Json = {
  Location: { required: true, description: 'Where to go on', schema: { type: 'string', format: 'uri' } },
}

const HEADERS = {
  CorrelationId: { description: 'Id of this call, in the log too', schema: { type: 'string' } },
  RateLimit: {
    description: 'The tightest limit: calls left (r) and seconds until one more is let in (t)',
    schema: { type: 'string' },
    example: '"relying-service"; r=599; t=60',
  },
  RateLimitPolicy: {
    description: 'Every limit that counted the call: calls (q) per window of seconds (w)',
    schema: { type: 'string' },
    example: '"relying-service"; q=600; w=60',
  },
  RetryAfter: { description: 'Seconds to wait before the next try', schema: { type: 'integer', minimum: 0 } },
  Replayed: {
    description: 'true: the answer of an earlier call with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745)',
    schema: { type: 'string' },
    example: '@1767225600',
  },
  Link: {
    description: 'The operation that takes its place (rel="successor-version")',
    schema: { type: 'string' },
  },
} as const

function header(name: keyof typeof HEADERS): Json {
  return { $ref: `#/components/headers/${name}` }
}

// Schemas

function describeSchemas(): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(CONTRACT)) registry.add(schema, { id })
  for (const [type, schema] of Object.entries(WEBHOOK_MESSAGES))
    registry.add(schema, { id: messageName(type) })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // As sent: defaults and null-for-absent included. Answers are left open, so that clients stay so too.
    io: 'input',
    override: ({ jsonSchema }) => {
      joinNull(jsonSchema)
      // No format of JSON Schema; the pattern says it.
      if (jsonSchema.format === 'base64url') delete jsonSchema.format
    },
  })
  // The dialect and the address of each are those of the whole document.
  const own = ([key]: [string, unknown]) => key !== '$schema' && key !== '$id'
  const described = Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      { ...Object.fromEntries(Object.entries(schema).filter(own)), ...exampleOf(id) },
    ]),
  )
  return { ...described, ...describeMessages() }
}

/** `anyOf: [{ type: 'string' }, { type: 'null' }]` says the same as `type: ['string', 'null']`, at more length. */
function joinNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [inner, none, ...others] = schema.anyOf ?? []
  if (none?.type !== 'null' || others.length > 0 || typeof inner?.type !== 'string') return
  const { description } = schema
  delete schema.anyOf
  Object.assign(schema, inner, { type: [inner.type, 'null'] }, description ? { description } : {})
  if (schema.enum) schema.enum = [...schema.enum, null]
  if (schema.const !== undefined) {
    schema.enum = [schema.const, null]
    delete schema.const
  }
}

function exampleOf(name: string): Json {
  const example = EXAMPLES[name]
  return example === undefined ? {} : { examples: [example] }
}

function reference(name: ContractName): Json {
  return { $ref: `#/components/schemas/${name}` }
}

// Introduction

function introduction(): string {
  return `A back end opens an identity (one proofing transaction), submits evidence, reads what became of it and its level of
assurance, and retrieves a signed proof. This description is served at \`/openapi.json\` and, as a page, at \`/docs\`.

**Keys.** Every call under \`/v1\` carries a key in the header \`apikey\` and a \`User-Agent\`. A back-end key acts for the
relying service. For the application in the hand of the person the back end asks for a **user-agent token**
(\`POST /v1/identities/{id}/user-agent-token\`): it is sent like a key, is good for that identity alone, and ends after some
minutes or with the proof. A user-agent key does the same on every identity of its application whose id its holder knows, for
as long as the key lasts; a tenant may switch such keys off (403 \`user_agent_keys_refused\`). Neither sees verification
details, looks an identity up by correlation id, lists, or reads pictures back.

**Applications.** An identity, its evidence, sessions, cases, proof, legal hold and deletion receipt, and a webhook, belong to
the application whose key made them. Another application of the tenant gets 404, as for an id that never was. Correlation ids
are unique within an application. The tenant may share identities between applications (\`tenant.sharing\`): \`read\` lets
another back end look, fetch pictures and repeat a proof that was sealed (anything else is 403 \`shared_for_reading\`),
\`act\` lets it do everything. Webhooks are told of what their application may look at, and are never shared.

**Results.** Asynchronous operations answer PROCESSING; poll the status of the evidence. A GET changes nothing, but for
\`…/proof\`, which closes the transaction, and \`…/resume\`. JSON is sent in one form, members sorted by name. No answer
under \`/v1\` may be cached.

**Values.** Date-times are UTC without zone suffix, \`yyyy-MM-ddTHH:mm:ss.SSS\`, 0 to 7 fraction digits; dates are
\`yyyy-MM-dd\`; countries are ISO 3166-1 alpha-3; phone numbers are E.164. Unknown fields of a request are ignored and not
stored; null means the same as absent.

**Limits.** Calls are counted per key over a sliding minute, one-time passcodes besides, calls without a key per address:
see \`RateLimit\`, \`RateLimit-Policy\` and, with 429, \`Retry-After\`. Bodies under way share a budget of bytes per
application and per server; what goes beyond it is 429 \`upload_budget_exceeded\` before it is read. Requests have to arrive in
time (408). A path with another
method than those listed answers 405 with \`Allow\`. An application and an identity have limits of open checks
(\`too_many_open_jobs\`, 429) and of what is kept of them (\`quota_reached\`, 403): identities, pieces of evidence and bytes.
Checks of different applications take turns; a person at the kiosk or the counter goes first.

**Pictures** are kept up to their own end: what a phone or anyone else has appended to a JPEG, PNG or WebP file is cut off,
and hashes in the proof are of what was kept.

**Repeating.** Every POST takes an \`Idempotency-Key\`. The same request under the same key within 24 hours is done once and
answered alike, with \`Idempotency-Replayed: true\`; another request under it is 422, one that still runs 409. After a failure
the key is free again.

**Failures** are problem documents (RFC 9457) and carry nothing of the request but names of fields and ids.

<details><summary>Problem types</summary>

${table(
  ['Status', 'type: urn:counterproof:problem:…', 'Meaning'],
  Object.entries(PROBLEMS)
    .map(([code, { status, title }]) => [String(status), `\`${code}\``, title])
    .sort(([a = ''], [b = '']) => a.localeCompare(b)),
)}

</details>

<details><summary>Codes of results and failures</summary>

${table(
  ['Code', 'Meaning', 'Status of the call', 'Advice'],
  Object.entries<CatalogueEntry>(ERROR_CATALOGUE).map(([code, { meaning, httpStatus, advice }]) => [
    code,
    meaning,
    httpStatus === null ? 'in the result' : String(httpStatus),
    advice,
  ]),
)}

</details>
`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
