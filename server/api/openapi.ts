/** Writes the OpenAPI 3.1 description from the route table and the contract. Data in, data out. */
import { z } from 'zod'
import { CONTRACT } from './contract/index.ts'
import type { ContractName } from './contract/index.ts'
import { PROBLEMS } from './problems.ts'
import { ROUTE_LIST } from './routes.ts'
import type { Parameter, Part, RequestBody, Route } from './routes.ts'

/** Version of the interface description that we implement (spec "Versioning"). */
const INTERFACE_VERSION = '3.32.0'

/** What any call with a key may end with. */
const KEYED_FAILURES = [400, 401, 403, 429, 500, 503]
const PUBLIC_FAILURES = [403, 500, 503]

type Json = Record<string, unknown>

export function describeApi(): Json {
  const paths: Record<string, Json> = {}
  for (const route of ROUTE_LIST) {
    paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Identity Proofing Relying Service API',
      version: INTERFACE_VERSION,
      description: 'The HTTP interface of the Counterproof appliance.',
    },
    paths,
    components: {
      schemas: describeSchemas(),
      securitySchemes: {
        apikey: {
          type: 'apiKey',
          in: 'header',
          name: 'apikey',
          description: 'A back-end or user-agent key.',
        },
      },
    },
  }
}

function describeRoute(route: (typeof ROUTE_LIST)[number]): Json {
  const keyed = route.access !== 'public'
  const failures = [...new Set([...(keyed ? KEYED_FAILURES : PUBLIC_FAILURES), ...(route.failures ?? [])])]
  const parameters = [
    ...pathParameters(route.path),
    ...(keyed ? [USER_AGENT] : []),
    ...(route.parameters ?? []).map(describeParameter),
  ]
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(keyed ? { description: `Roles: ${route.access.join(', ')}.`, security: [{ apikey: [] }] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: describeBody(route.body) } : {}),
    responses: {
      ...describeAnswer(route),
      ...Object.fromEntries(failures.sort().map((status) => [String(status), describeFailure(status)])),
    },
  }
}

const USER_AGENT: Json = { name: 'User-Agent', in: 'header', required: true, schema: { type: 'string' } }

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

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

function describePart(part: Part): Json {
  switch (part.content) {
    case 'image':
      return { type: 'string', contentMediaType: 'image/*', format: 'binary' }
    case 'file':
      return { type: 'string', contentMediaType: 'application/octet-stream', format: 'binary' }
    default:
      return reference(part.content)
  }
}

function describeAnswer({ answer }: Route): Json {
  switch (answer.kind) {
    case 'none':
      return { '204': { description: 'Done, no content' } }
    case 'openapi':
      return {
        '200': {
          description: 'OpenAPI 3.1',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
      }
    case 'json':
      return {
        '200': { description: 'OK', content: { 'application/json': { schema: reference(answer.schema) } } },
        ...(answer.orRedirect ? { '302': REDIRECT } : {}),
      }
    case 'callback':
      return { '201': { description: 'Taken, no content' }, '302': REDIRECT }
    case 'multipart':
      return {
        '200': {
          description: `Parts: ${answer.parts.join(', ')}`,
          content: { [answer.mediaType]: { schema: { type: 'string', format: 'binary' } } },
        },
      }
  }
}

const REDIRECT: Json = {
  description: 'Go on at the address in Location',
  headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
}

function describeFailure(status: number): Json {
  const titles = Object.values(PROBLEMS)
    .filter((problem) => problem.status === status)
    .map((problem) => problem.title)
  return {
    description: [...new Set(titles)].join(' · '),
    content: { 'application/problem+json': { schema: reference('ProblemDocument') } },
  }
}

function describeSchemas(): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(CONTRACT)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // As sent: defaults and null-for-absent included. Answers are left open, so that clients stay so too.
    io: 'input',
  })
  // The dialect and the address of each are those of the whole document.
  const own = ([key]: [string, unknown]) => key !== '$schema' && key !== '$id'
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(own)),
    ]),
  )
}

function reference(name: ContractName): Json {
  return { $ref: `#/components/schemas/${name}` }
}
