/** A server's own description, to judge its answers and to generate requests. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
  readonly contentMediaType?: string
  readonly examples?: readonly unknown[]
}

interface Content {
  readonly schema: JsonSchema
}

export interface DescribedOperation {
  readonly operationId: string
  readonly method: string
  /** Path with `{name}` for parameters. */
  readonly path: string
  readonly isKeyed: boolean
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly schema: JsonSchema
  }[]
  /** Media type → schema. */
  readonly requests: Readonly<Record<string, JsonSchema>>
  /** Status → media type → schema; without a media type if no body is sent. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Content>>>>
}

export interface Description {
  readonly operations: readonly DescribedOperation[]
  readonly resolve: (schema: JsonSchema) => JsonSchema
  /** Returns the deviations of an answer from the description; empty: none. */
  readonly faultsOf: (operation: DescribedOperation, answer: JudgedAnswer) => readonly string[]
}

export interface JudgedAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}
interface RawOperation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters?: DescribedOperation['parameters']
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

const COMPONENT = '#/components/schemas/'

export function readDescription(json: unknown): Description {
  const document = json as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', components: document.components })
  const validators = new Map<string, ValidateFunction>()
  const validatorOf = (schema: JsonSchema): ValidateFunction => {
    const key = JSON.stringify(schema)
    const known = validators.get(key) ?? ajv.compile(withAbsoluteReferences(schema))
    validators.set(key, known)
    return known
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]): DescribedOperation => {
      const { operationId, security, parameters = [], requestBody, responses } = raw
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        isKeyed: (security ?? []).length > 0,
        parameters,
        requests: mapValues(requestBody?.content ?? {}, ({ schema }) => schema),
        responses: mapValues(responses, ({ content }) => content ?? {}),
      }
    }),
  )
  return {
    operations,
    resolve: (schema) =>
      schema.$ref ? (document.components.schemas[schema.$ref.replace(COMPONENT, '')] ?? {}) : schema,
    faultsOf: (operation, answer) => {
      const declared = operation.responses[answer.status]
      if (!declared) return [`the status ${answer.status} is not declared`]
      const mediaTypes = Object.keys(declared)
      if (answer.text === '') return mediaTypes.length > 0 ? ['the body is missing'] : []
      const sent = answer.contentType.split(';', 1)[0] ?? ''
      const content = declared[sent]
      if (!content) return [`the media type ${sent || '(none)'} is not declared for ${answer.status}`]
      if (!sent.endsWith('json')) return []
      const validate = validatorOf(content.schema)
      if (validate(JSON.parse(answer.text))) return []
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
    },
  }
}

function withAbsoluteReferences(schema: JsonSchema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

/** A recent date, because a pattern alone also allows dates that do not exist. */
const someDay = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2040-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10))
const MAX_ITEMS = 4

/**
 * Generates values that the schema allows. Texts without a format contain `mark`, so that they can be found
 * again.
 */
export function valuesOf(
  schema: JsonSchema,
  resolve: Description['resolve'],
  mark: string,
): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema): fc.Arbitrary<unknown> => valuesOf(part, resolve, mark)
  if (schema.$ref) return inner(resolve(schema))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(inner))
  if (schema.allOf) {
    const parts = fc.tuple(...schema.allOf.map(inner))
    return parts.map((values): unknown => Object.assign({}, ...values))
  }
  const types = [schema.type ?? []].flat()
  return types.length === 0
    ? fc.jsonValue()
    : fc.oneof(...types.map((type) => valuesOfType(type, schema, inner, mark)))
}

function valuesOfType(
  type: string,
  schema: JsonSchema,
  inner: (part: JsonSchema) => fc.Arbitrary<unknown>,
  mark: string,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 1000, 1000) })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS)),
      })
    case 'object': {
      const fields = mapValues(schema.properties ?? {}, inner)
      const requiredKeys = (schema.required ?? []).filter((name) => name in fields)
      return fc.record(fields, { requiredKeys })
    }
    default:
      return textsOf(schema, mark)
  }
}

function textsOf(
  { format, pattern, minLength = 0, maxLength = 60 }: JsonSchema,
  mark: string,
): fc.Arbitrary<string> {
  if (format === 'date') return someDay
  if (format === 'uri') return fc.webUrl({ withQueryParameters: true })
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc
    .string({ unit: 'grapheme', minLength: Math.max(0, minLength - mark.length), maxLength: 60 })
    .map((text) => (mark + text).slice(0, Math.max(maxLength, minLength)))
}
