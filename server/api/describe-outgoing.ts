/** Describes the calls of the appliance for OpenAPI: webhooks, and calls of a biometric server. Pure. */
import { WEBHOOK_MESSAGES, messageName } from './contract/webhook-messages.ts'

type Json = Record<string, unknown>

const SIGNATURE_HEADERS: readonly Json[] = [
  header(
    'webhook-id',
    'The same at every try: the key against repeats',
    '01a1fff4-7d59-722c-b8fe-473ba9d4a747',
  ),
  header(
    'webhook-timestamp',
    'Of this try, in seconds since 1970; refuse what is older than five minutes',
    '1795300000',
  ),
  header(
    'webhook-signature',
    'One or more of `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, separated by spaces: ' +
      'two while a secret is replaced. The key is the secret of the registration without `whsec_`, from base64',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

/** Answers that a receiver may give (server/webhooks/README.md). */
const RECEIVER_ANSWERS: Json = {
  '2XX': { description: 'Delivered' },
  '410': { description: 'Nothing more is sent until the receiver is enabled again' },
  default: {
    description:
      'Not delivered: tried again for a day, not before the time in Retry-After (429, 502, 503, 504). Redirects are not followed',
  },
}

/** OpenAPI `webhooks`: one entry per type of event. */
export function describeWebhooks(): Json {
  return Object.fromEntries(
    Object.keys(WEBHOOK_MESSAGES).map((type) => [
      type,
      { post: message(`${messageName(type)}Webhook`, type, messageName(type)) },
    ]),
  )
}

/** OpenAPI `callbacks` of an operation. */
export function describeCallbacks(operation: string): Json | null {
  switch (operation) {
    case 'registerWebhook':
      return {
        event: {
          '{$request.body#/url}': {
            post: message('receiveEvent', 'Every event, from now on', 'WebhookEvent'),
          },
        },
      }
    case 'openPortraitSession':
      return BIOMETRIC_SERVER
    default:
      return null
  }
}

/** Schemas beside those of the contract. */
export function describeMessages(): Json {
  const names = Object.keys(WEBHOOK_MESSAGES).map(messageName)
  return {
    WebhookEvent: {
      description: 'Any message to a receiver of events. Types may come: pass over what you do not know',
      anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    },
  }
}

function message(operationId: string, summary: string, schema: string): Json {
  return {
    operationId,
    tags: ['Webhooks'],
    summary,
    description: 'Answer 2xx at once, and look up what you need by the ids.',
    security: [],
    parameters: SIGNATURE_HEADERS,
    requestBody: { required: true, content: json(schema) },
    responses: RECEIVER_ANSWERS,
  }
}

const SERVER = 'https://biometric-server.example'
const OF_SESSION = `${SERVER}/sessions/{$response.body#/sessionId}`
const CONFIGURED =
  'Address: `connectors.biometrics.url`. With `Authorization: Bearer` where a token is configured.'

/** Called only for the types in `connectors.biometrics.livenessTypes`. */
const BIOMETRIC_SERVER: Json = {
  orderSession: {
    [`${SERVER}/sessions`]: {
      post: {
        ...call('orderBiometricSession', 'Order a session, before this operation is answered'),
        parameters: [
          header('Idempotency-Key', 'The reference of the order', 'f1c6cf38-21ef-4a80-9a41-6f9c3b5bd1e0'),
        ],
        requestBody: { required: true, content: json('BiometricSessionOrder') },
        responses: { '2XX': { description: 'Opened', content: json('BiometricSessionOpened') } },
      },
    },
  },
  fetchResult: {
    [`${OF_SESSION}/result`]: {
      get: {
        ...call('getBiometricResult', 'Fetch the result, after the callback /capture/callbacks/biometrics'),
        responses: { '2XX': { description: 'The result', content: json('BiometricSessionResult') } },
      },
    },
  },
  fetchPicture: {
    [`${OF_SESSION}/image`]: {
      get: {
        ...call('getBiometricPicture', 'Fetch the picture'),
        responses: {
          '200': {
            description: 'The picture',
            content: Object.fromEntries(
              ['image/jpeg', 'image/png', 'image/webp'].map((type) => [
                type,
                { schema: { type: 'string', format: 'binary', contentMediaType: type } },
              ]),
            ),
          },
          '404': { description: 'There is none' },
        },
      },
    },
  },
  forgetSession: {
    [OF_SESSION]: {
      delete: {
        ...call('forgetBiometricSession', 'Delete the session: its result was fetched, or it was cancelled'),
        responses: { default: { description: 'Any answer' } },
      },
    },
  },
}

function call(operationId: string, summary: string): Json {
  return { operationId, tags: ['Callbacks'], summary, description: CONFIGURED, security: [] }
}

function header(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}

function json(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}
