/** The parts of an OpenAPI 3.1 description that every API of ours writes alike. Data in, data out. */
import { z } from 'zod'

export type Json = Record<string, unknown>

export function referTo(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` }
}

/** The parameters `{name}` of a path template. */
export function describePathParameters(path: string, describe: (name: string) => Json): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...describe(name),
  }))
}

/**
 * The schemas by their names, as values are sent: defaults and null-for-absent included. Answers are left open, so that
 * clients stay so too.
 */
export function describeSchemas(
  contract: Readonly<Record<string, z.ZodType>>,
  examples: Readonly<Record<string, unknown>>,
): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(contract)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'input',
    override: ({ jsonSchema }) => {
      joinNull(jsonSchema)
      // JSON Schema has no such format; the pattern says it.
      if (jsonSchema.format === 'base64url') delete jsonSchema.format
    },
  })
  // The dialect and the address of each are those of the whole document.
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _address, ...schema }]) => [
      id,
      { ...schema, ...(examples[id] === undefined ? {} : { examples: [examples[id]] }) },
    ]),
  )
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
