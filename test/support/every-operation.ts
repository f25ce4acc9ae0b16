/**
 * Requests for every operation of `/v1`, from the route table and the contract's examples, with given ids. It
 * throws for an operation without known parameters or body, so that a new route cannot be forgotten.
 */
import { EXAMPLES } from '../../server/api/contract/examples.ts'
import { CONTRACT, type ContractName } from '../../server/api/contract/index.ts'
import { ROUTE_LIST, type Operation } from '../../server/api/routes.ts'

export type ListedRoute = (typeof ROUTE_LIST)[number]

/** Routes that need a key. */
export const KEYED_ROUTES: readonly ListedRoute[] = ROUTE_LIST.filter(({ path }) => path.startsWith('/v1/'))

/** Name of a path parameter → its id. */
export type Ids = Readonly<Record<string, string>>

export interface Recipe {
  readonly ids: Ids
  /** Exceptions for operations that need another id of the same name. */
  readonly of?: Partial<Readonly<Record<Operation, Ids>>>
  /** Operations whose answer depends on the query. */
  readonly queries?: Partial<Readonly<Record<Operation, string>>>
  readonly picture: Uint8Array
}

export interface Prepared {
  readonly method: string
  readonly path: string
  readonly body?: BodyInit
  readonly headers: Readonly<Record<string, string>>
}

/** Throws for a parameter without an id in the recipe. */
export function prepare(route: ListedRoute, recipe: Recipe): Prepared {
  const ids: Ids = { ...recipe.ids, ...recipe.of?.[route.operation] }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new TypeError(`${route.operation}: no recipe for the parameter ${name}`)
    return id
  })
  for (const { name, required } of route.parameters ?? []) {
    if (required && recipe.queries?.[route.operation] === undefined) {
      throw new TypeError(`${route.operation}: no recipe for the parameter ${name}`)
    }
  }
  const query = recipe.queries?.[route.operation] ?? ''
  return { method: route.method.toUpperCase(), path: path + query, ...bodyOf(route, recipe) }
}

const CONTRACT_NAMES: ReadonlySet<string> = new Set(Object.keys(CONTRACT))

function bodyOf({ operation, body }: ListedRoute, { picture }: Recipe): Pick<Prepared, 'body' | 'headers'> {
  switch (body?.kind) {
    case undefined:
      return { headers: {} }
    case 'json':
      return {
        body: JSON.stringify(exampleOf(operation, body.schema)),
        headers: { 'content-type': 'application/json' },
      }
    case 'multipart': {
      const form = new FormData()
      for (const { name, content } of body.parts) {
        const part = CONTRACT_NAMES.has(content)
          ? new Blob([JSON.stringify(exampleOf(operation, content as ContractName))], {
              type: 'application/json',
            })
          : new Blob([picture as BlobPart], { type: 'image/jpeg' })
        form.append(name, part, `${name}.part`)
      }
      return { body: form, headers: {} }
    }
  }
}

function exampleOf(operation: Operation, schema: ContractName): unknown {
  const example: unknown = EXAMPLES[schema]
  if (example === undefined) throw new TypeError(`${operation}: the contract has no example of ${schema}`)
  return example
}
