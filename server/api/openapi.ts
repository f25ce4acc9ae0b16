/** Writes the OpenAPI 3.1 description from the route table, its notes and the contract. Pure. */
import type { ErrorCode } from '../errors.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { ERROR_CATALOGUE } from '../proofing/error-codes.ts'
import type { CatalogueEntry } from '../proofing/error-codes.ts'
import { EXAMPLES } from './contract/examples.ts'
import { CONTRACT } from './contract/index.ts'
import { WEBHOOK_MESSAGES, messageName } from './contract/webhook-messages.ts'
import { describeCallbacks, describeMessages, describeWebhooks } from './describe-outgoing.ts'
import { REPEAT_KEY_HEADER, REPLAYED_HEADER } from './idempotency.ts'
import { writeIntroduction } from './openapi-introduction.ts'
import { CHAPTERS, OPERATION_NOTES, describeReading } from './operation-notes.ts'
import { OTHER_ROUTES } from './other-routes.ts'
import type { DescribedRoute } from './other-routes.ts'
import { describePathParameters, describeSchemas, referTo, type Json } from '../http/openapi.ts'
import { PROBLEMS } from '../http/problems.ts'
import { CORRELATION_HEADER } from './request-context.ts'
import { ROUTE_LIST } from './routes.ts'
import type { Parameter, Part, RequestBody } from './route.ts'

/** Version of the implemented interface (spec "Versioning"). */
const INTERFACE_VERSION = '3.32.0'

const SCHEMAS = {
  ...CONTRACT,
  ...Object.fromEntries(
    Object.entries(WEBHOOK_MESSAGES).map(([type, schema]) => [messageName(type), schema]),
  ),
}

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
      description: writeIntroduction(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This appliance' }],
    tags: Object.entries(CHAPTERS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: { ...describeSchemas(SCHEMAS, EXAMPLES), ...describeMessages() },
      headers: HEADERS,
      securitySchemes: {
        apikey: {
          type: 'apiKey',
          in: 'header',
          name: 'apikey',
          description:
            'A back-end key (RELYING_SERVICE), a user-agent token for one identity, or a user-agent key (both USER_AGENT).',
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'Signature of an outside service by Standard Webhooks, with webhook-id and webhook-timestamp, within five minutes.',
        },
      },
    },
    'x-error-codes': Object.entries<CatalogueEntry>(ERROR_CATALOGUE).map(([code, entry]) => ({
      code,
      ...entry,
    })),
  }
}

// Refusals

/** Refusals of every operation. */
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
/** Refusals for an application that may only read the identity: it can change nothing and cannot seal the proof. */
const OF_SHARED: readonly ErrorCode[] = ['shared_for_reading']
const OF_BODY: readonly ErrorCode[] = [
  'validation_failed',
  'malformed_body',
  'request_timeout',
  'upload_too_large',
  'upload_budget_exceeded',
]
/** Refusals of every POST, which may have a body and an Idempotency-Key. */
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

function listRefusals(route: DescribedRoute): ReadonlySet<ErrorCode> {
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
    // A passcode belongs to existing evidence.
    ...(note.kind && route.rate !== 'otp' ? OF_SUBMISSION : []),
    ...(note.feature ? (['feature_disabled'] as const) : []),
    ...(note.image ? OF_IMAGE : []),
  ]
}

/** True if the operation needs a key of an application. */
function isKeyed({ access }: DescribedRoute): boolean {
  return typeof access !== 'string'
}

/** True for operations on an identity; webhooks belong to one application. */
function isOfIdentity({ path }: DescribedRoute): boolean {
  return /\{(id|adjudicationId)\}/.test(path) && !path.includes('webhooks')
}

function describeRefusals(route: DescribedRoute): Json {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const code of listRefusals(route)) (byStatus[PROBLEMS[code].status] ??= []).push(code)
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
    content: { 'application/problem+json': { schema: referTo('ProblemDocument') } },
  }
}

// One operation

function describeRoute(route: DescribedRoute): Json {
  const callbacks = describeCallbacks(route.operation)
  const parameters = [
    ...describePathParameters(route.path, (name) => ({
      description: PATH_PARAMETERS[name],
      schema: { type: 'string' },
    })),
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
    describeReading(note),
    note.kind && 'The transaction must be open: neither CLOSED nor PAUSED.',
    consents && consents.demanded.length > 0 && `**Consent first:** ${consents.demanded.join(', ')}.`,
    consents &&
      consents.respected.length > 0 &&
      `Refused after a refusal of ${consents.respected.join(', ')}.`,
    note.feature && `Where the tenant has \`${note.feature}\` switched on.`,
    rate === 'otp' && 'Also counted by the rate limit `otp-submission`.',
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

/** Headers that the spec requires for every call with a key. */
const KEYED_HEADERS: readonly Json[] = [
  headerParameter(
    'User-Agent',
    'The caller: application id/version (language), or the value of a browser.',
    true,
    {
      example: 'my-back-end/1.0 (en)',
    },
  ),
  headerParameter(
    'X-Forwarded-For',
    'Reserved. Any text is accepted; only the value of a configured proxy is used.',
  ),
  headerParameter('Tenant-Role', "Accepted where it agrees with the key's role, else 403.", false, {
    schema: { type: 'string', enum: ['RELYING_SERVICE', 'USER_AGENT'] },
  }),
]
const SIGNED_HEADERS: readonly Json[] = [
  headerParameter('webhook-id', 'Id of the message, equal in every try', true),
  headerParameter('webhook-timestamp', 'Time of this try, in seconds since 1970', true),
]
const REPEAT_KEY = headerParameter(
  REPEAT_KEY_HEADER,
  'Makes the call safe to repeat for 24 hours: the same request with the same key is performed once and gets the same ' +
    'answer. Bare or as a quoted string.',
  false,
  { schema: { type: 'string', minLength: 1, maxLength: 255 } },
)
const CORRELATION_PARAMETER = headerParameter(
  CORRELATION_HEADER,
  'Your id of this call, for the log: a UUID, a ULID or 16 to 64 hexadecimal digits with a letter among them. Anything else is replaced.',
)

function describeParameter({ name, in: where, required, type, values, description }: Parameter): Json {
  return { name, in: where, required, description, schema: { type, ...(values ? { enum: values } : {}) } }
}

function describeBody(body: RequestBody): Json {
  if (body.kind === 'json') {
    return {
      required: body.optional !== true,
      content: { 'application/json': { schema: referTo(body.schema) } },
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
      ...(body.orJson ? { 'application/json': { schema: referTo(body.orJson) } } : {}),
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
  return content === 'text' ? { type: 'string' } : referTo(content)
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
  const redirect = {
    description: 'Continue at the address in Location',
    headers: { ...headers, ...LOCATION },
  }
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
          content: { 'application/json': { schema: referTo(answer.schema) } },
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
      return { '201': { description: 'Accepted, no content', headers }, '302': redirect }
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
  Location: {
    required: true,
    description: 'Address to continue at',
    schema: { type: 'string', format: 'uri' },
  },
}

const HEADERS = {
  CorrelationId: { description: 'Id of this call, also in the log', schema: { type: 'string' } },
  RateLimit: {
    description: 'The tightest limit: remaining calls (r) and seconds until the next one is allowed (t)',
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
    description: 'Time from which the operation is deprecated (RFC 9745)',
    schema: { type: 'string' },
    example: '@1767225600',
  },
  Link: {
    description: 'The operation that replaces it (rel="successor-version")',
    schema: { type: 'string' },
  },
} as const

function header(name: keyof typeof HEADERS): Json {
  return { $ref: `#/components/headers/${name}` }
}
