import addFormatsModule from 'ajv-formats'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EXAMPLES } from '../../../server/api/contract/examples.ts'
import { CONTRACT } from '../../../server/api/contract/index.ts'
import type { ContractName } from '../../../server/api/contract/index.ts'
import { describeApi } from '../../../server/api/openapi.ts'
import { WEBHOOK_MESSAGES, messageName } from '../../../server/api/contract/webhook-messages.ts'
import { ROUTE_LIST } from '../../../server/api/routes.ts'
import { methodsByPath } from '../../../server/http/routes.ts'
import { ERROR_CATALOGUE } from '../../../server/proofing/error-codes.ts'
import { ERASURE_REASONS } from '../../../server/store/erasures.ts'
import { EVENT_BODIES } from '../../../server/store/event-bodies.ts'
import { WEBHOOK_EVENTS, WEBHOOK_EVENT_TYPES } from '../../../server/webhooks/event-types.ts'
import { startApi } from './support.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}
interface Described {
  readonly description?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly security: readonly object[]
  readonly parameters: readonly Described[]
  readonly requestBody?: Described
  readonly responses: Readonly<Record<string, Described>>
  readonly callbacks?: Readonly<Record<string, object>>
}
interface Description {
  readonly openapi: string
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Described>>
  }
  readonly 'x-error-codes': readonly { readonly code: string }[]
}

const description = describeApi() as unknown as Description
const { schemas } = description.components
const operations = ROUTE_LIST.map((route) => ({
  route,
  described: description.paths[route.path]?.[route.method],
}))

/** Those of paths; webhooks and callbacks are requests that we send. */
const allOperations = Object.values(description.paths).flatMap((methods) => Object.values(methods))

const EVENTS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(WEBHOOK_MESSAGES).map(([type, schema]) => [messageName(type), schema]),
)

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
addFormatsModule.default(ajv)
ajv.addVocabulary(['components', 'schemas'])
ajv.addSchema({ $id: 'openapi', components: { schemas } })
const validatorOf = (name: string) => ajv.getSchema(`openapi#/components/schemas/${name}`)

describe('the description and the routes', () => {
  test('every path of the table answers: an unlisted method is 405 with the listed ones', async () => {
    await using api = await startApi()
    for (const [path, methods] of methodsByPath(ROUTE_LIST)) {
      const reply = await api.send(
        'PATCH',
        path.replaceAll(/\{\w+\}/g, '01890a5d-ac96-774b-bcce-b302099a8057'),
      )
      expect([path, reply.status, reply.headers.allow]).toEqual([path, 405, methods.join(', ')])
    }
  })

  test('it is served without a key, as JSON, and is OpenAPI 3.1', async () => {
    await using api = await startApi()
    const reply = await api.send('GET', '/openapi.json', { key: null })
    expect(reply.json).toEqual(JSON.parse(JSON.stringify(description)))
    expect(description.openapi).toBe('3.1.0')
  })
})

describe('every schema', () => {
  /** Each property below a schema, with its place. What a reference points to describes it too. */
  function* propertiesOf(schema: Schema, at: string): Generator<[string, Schema]> {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      yield [`${at}.${name}`, property]
      yield* propertiesOf(property, `${at}.${name}`)
    }
    for (const inner of [
      schema.items,
      schema.additionalProperties,
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
    ]) {
      if (typeof inner === 'object') yield* propertiesOf(inner, `${at}[]`)
    }
  }
  const resolve = ({ $ref }: Schema): Schema | undefined => schemas[$ref?.split('/').at(-1) ?? '']

  test.each(Object.entries(schemas))('%s and its fields say what they are', (name, schema) => {
    expect(schema.description).toMatch(/.{4}/)
    for (const [place, property] of propertiesOf(schema, name)) {
      expect([place, property.description ?? resolve(property)?.description]).toEqual([
        place,
        expect.stringMatching(/.{4}/),
      ])
    }
  })

  test('is a JSON schema of 2020-12 without unknown words, and its references lead somewhere', () => {
    const messages = Object.keys(WEBHOOK_MESSAGES).map(messageName)
    expect(Object.keys(schemas).sort()).toEqual(
      [...Object.keys(CONTRACT), ...messages, 'WebhookEvent'].sort(),
    )
    for (const name of Object.keys(schemas))
      expect([name, typeof validatorOf(name)]).toEqual([name, 'function'])
    const references = [...JSON.stringify(description).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(100)
    for (const [, kind, name] of references) {
      const group: Readonly<Record<string, unknown>> =
        kind === 'headers' ? description.components.headers : schemas
      expect(Object.keys(group)).toContain(name)
    }
  })

  test('of a message has an example that keeps to it, in the description and in the contract', () => {
    const messages = ROUTE_LIST.flatMap(({ body, answer }) => [
      ...(body?.kind === 'json' ? [body.schema] : []),
      ...(answer.kind === 'json' ? [answer.schema] : []),
    ])
    expect(messages.filter((name) => !(name in EXAMPLES))).toEqual([])
    for (const [name, example] of Object.entries(EXAMPLES)) {
      const validate = validatorOf(name)
      expect(schemas[name]?.examples).toEqual([example])
      expect([name, validate?.(example), validate?.errors]).toEqual([name, true, null])
      const schema = CONTRACT[name as ContractName] ?? EVENTS[name]
      expect(schema.safeParse(example).error?.issues).toBeUndefined()
    }
  })

  test('refuses what the contract refuses', () => {
    expect(validatorOf('OtpRequest')?.({ value: '123' })).toBe(false)
    expect(validatorOf('LivenessRequest')?.({ nbChallenge: 4 })).toBe(false)
    expect(validatorOf('LivenessRequest')?.({ nbChallenge: null })).toBe(true)
    expect(validatorOf('FraudChecksRequest')?.([])).toBe(false)
    expect(validatorOf('TrustedClaimRequest')?.({ idpIdentifier: 'a', oidcGrantType: null })).toBe(true)
    expect(validatorOf('TrustedClaimRequest')?.({ idpIdentifier: 'a', oidcGrantType: 'IMPLICIT' })).toBe(
      false,
    )
  })
})

describe.each(operations)('$route.operation', ({ route, described }) => {
  const statuses = Object.keys(described.responses)

  test('says to which chapter it belongs, who may call, and how its result is read', () => {
    expect(description.tags.map(({ name }) => name)).toContain(described.tags[0])
    expect(described.description).toMatch(/Synchronous\.|Asynchronous/)
    if (route.access === 'public') {
      expect(described.security).toEqual([])
      return
    }
    expect(described.security).toEqual([{ apikey: [] }])
    expect(described.description.includes('user-agent')).toBe(route.access.includes('USER_AGENT'))
  })

  test('names each of its parameters and headers once, with a description', () => {
    const names = described.parameters.map(({ name, in: where }) => `${where} ${name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const parameter of described.parameters) expect(parameter.description).toMatch(/.{8}/)
    if (route.access !== 'public')
      expect(names).toEqual(
        expect.arrayContaining(['header User-Agent', 'header X-Forwarded-For', 'header Tenant-Role']),
      )
    expect(names.includes('header Idempotency-Key')).toBe(route.method === 'post')
  })

  test('lists the statuses that it may answer, failures as problem documents', () => {
    const expected = [
      ...(route.access === 'public' ? ['429', '500', '503'] : ['400', '403', '429', '500', '503']),
      ...(route.method === 'post' ? ['408', '409', '413', '422'] : []),
      ...(route.path.includes('{id}') ? ['404'] : []),
      ...(route.failures ?? []).map(String),
    ]
    expect(statuses).toEqual(expect.arrayContaining(expected))
    for (const [status, response] of Object.entries(described.responses)) {
      expect(response.description).toMatch(/.{2}/)
      expect(response.headers).toHaveProperty('X-Correlation-Id')
      if (Number(status) < 400) expect(response.headers).toHaveProperty('RateLimit')
      else {
        expect(response.content?.['application/problem+json']?.schema.$ref).toBe(
          '#/components/schemas/ProblemDocument',
        )
      }
    }
    expect(described.responses['429']?.headers).toHaveProperty('Retry-After')
  })

  test('announces its deprecation, or none', () => {
    const headers = Object.keys(described.responses['200']?.headers ?? {})
    expect(described.deprecated ?? false).toBe(route.deprecated !== undefined)
    expect(headers.includes('Deprecation') && headers.includes('Link')).toBe(route.deprecated !== undefined)
  })
})

describe('the form of OpenAPI 3.1', () => {
  /** Fixed fields of each object (OpenAPI 3.1.0 section 4.8) as far as we write them: [required, allowed besides]. */
  const FORMS = {
    root: [
      ['openapi', 'info', 'paths'],
      ['servers', 'tags', 'components', 'webhooks', 'x-error-codes'],
    ],
    info: [
      ['title', 'version'],
      ['summary', 'description', 'license'],
    ],
    components: [[], ['schemas', 'headers', 'securitySchemes']],
    operation: [
      ['operationId', 'responses'],
      [
        'tags',
        'summary',
        'description',
        'externalDocs',
        'deprecated',
        'security',
        'parameters',
        'requestBody',
        'callbacks',
      ],
    ],
    parameter: [
      ['name', 'in', 'schema'],
      ['required', 'description', 'example'],
    ],
    requestBody: [['content'], ['required', 'description']],
    response: [['description'], ['headers', 'content']],
    header: [['schema'], ['required', 'description', 'example']],
    reference: [['$ref'], []],
    mediaType: [['schema'], []],
  } as const
  const expectForm = (form: keyof typeof FORMS, value: unknown, place: string) => {
    const [required, more] = FORMS[form]
    const keys = Object.keys(value as object)
    const stray = keys.filter((key) => ![...required, ...more].some((allowed) => allowed === key))
    const missing = required.filter((key) => !keys.includes(key))
    expect({ place, stray, missing }).toEqual({ place, stray: [], missing: [] })
  }

  test('is kept throughout', () => {
    const { info, components } = description
    expectForm('root', description, 'root')
    expectForm('info', info, 'info')
    expectForm('components', components, 'components')
    for (const [name, header] of Object.entries(components.headers)) expectForm('header', header, name)
    for (const described of allOperations) {
      const at = described.operationId
      expectForm('operation', described, at)
      for (const parameter of described.parameters) {
        expectForm('parameter', parameter, `${at} ${parameter.name}`)
        if (parameter.in === 'path') expect([at, parameter.required]).toEqual([at, true])
      }
      if (described.requestBody) expectForm('requestBody', described.requestBody, at)
      for (const [status, response] of Object.entries(described.responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/)
        expectForm('response', response, `${at} ${status}`)
        for (const [name, header] of Object.entries(response.headers ?? {})) {
          expectForm(
            Object.hasOwn(header as object, '$ref') ? 'reference' : 'header',
            header,
            `${at} ${name}`,
          )
        }
      }
      for (const { content } of [described.requestBody ?? {}, ...Object.values(described.responses)]) {
        for (const [type, media] of Object.entries(content ?? {})) {
          expect(type).toMatch(/^[a-z]+\/[a-z+-]+$/)
          expectForm('mediaType', media, `${at} ${type}`)
        }
      }
    }
  })

  test('operation ids are unique', () => {
    const ids = allOperations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('consents that come first are named where they are needed', () => {
  const needs = (operation: string) =>
    operations.find(({ route }) => route.operation === operation)?.described.description
  expect(needs('submitPortrait')).toContain('**Consent first:** PORTRAIT.')
  expect(needs('submitMobile')).toContain('**Consent first:** MOBILE_OTP.')
  expect(needs('submitClaim')).toContain('**Consent first:** ID_CLAIM.')
  for (const operation of ['submitDocument', 'submitTextDocument'])
    expect(needs(operation)).not.toContain('Consent first')
})

test('the error catalogue is there as data and as text', () => {
  expect(description['x-error-codes'].map(({ code }) => code)).toEqual(Object.keys(ERROR_CATALOGUE))
  for (const [code, { meaning }] of Object.entries(ERROR_CATALOGUE)) {
    expect(description.info.description).toContain(`| ${code} | ${meaning} |`)
  }
})

describe('what the appliance sends', () => {
  const { webhooks } = description
  const bodyOf = ({ requestBody }: OperationObject) => requestBody?.content?.['application/json']?.schema.$ref

  test('is described for every type of event that webhooks send, with the headers of its signature', () => {
    expect(Object.keys(webhooks).sort()).toEqual([...WEBHOOK_EVENT_TYPES, 'webhook.test'].sort())
    for (const [type, { post }] of Object.entries(webhooks)) {
      expect(bodyOf(post)).toBe(`#/components/schemas/${messageName(type)}`)
      expect(post.parameters.map(({ name, required }) => [name, required])).toEqual([
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ])
    }
  })

  test.each(WEBHOOK_EVENT_TYPES)(
    'a message %s has the members that are told, of the log’s own types',
    (type) => {
      const { required = [], properties = {} } = messageData(type)
      const { identityId, sequence, ...told } = properties
      expect([identityId, sequence]).not.toContain(undefined)
      expect(Object.keys(told).sort()).toEqual([...WEBHOOK_EVENTS[type]].sort())
      // The log compares each event with a schema: where that names a member, the message says the same of it.
      const body = EVENT_BODIES[type] as unknown as { readonly shape: Readonly<Record<string, z.ZodType>> }
      for (const [member, schema] of Object.entries(body.shape)) {
        if (!(member in told)) continue
        expect([member, rulesOf(told[member])]).toEqual([member, rulesOf(z.toJSONSchema(schema) as Schema)])
        expect([member, required.includes(member)]).toEqual([member, !schema.safeParse(undefined).success])
      }
    },
  )

  test('says why an identity was erased in the words of the store', () => {
    expect(messageData('identity.erased').properties?.reason).toMatchObject({ enum: [...ERASURE_REASONS] })
  })

  test('to a receiver and to a biometric server hangs on the operation that starts it', () => {
    const callbacksOf = (operationId: string) =>
      allOperations.find((each) => each.operationId === operationId)?.callbacks ?? {}
    expect(Object.keys(callbacksOf('registerWebhook').event ?? {})).toEqual(['{$request.body#/url}'])
    expect(Object.keys(callbacksOf('openPortraitSession'))).toEqual([
      'orderSession',
      'fetchResult',
      'fetchPicture',
      'forgetSession',
    ])
  })

  function messageData(type: string): Schema & { readonly required?: readonly string[] } {
    return schemas[messageName(type)]?.properties?.data ?? {}
  }
  function rulesOf({ description: _, $schema: __, ...rules }: Schema & { readonly $schema?: string }) {
    return rules
  }
})

test('a validator of OpenAPI finds nothing that is no OpenAPI 3.1', async () => {
  const config = await createConfig({
    rules: {
      struct: 'error',
      'no-unresolved-refs': 'error',
      'path-parameters-defined': 'error',
      'operation-operationId-unique': 'error',
      'no-invalid-media-type-examples': 'error',
      'no-invalid-schema-examples': 'error',
    },
  })
  const problems = await lintFromString({ source: JSON.stringify(description), config })
  expect(problems.map(({ message, location }) => [location[0]?.pointer, message])).toEqual([])
})
