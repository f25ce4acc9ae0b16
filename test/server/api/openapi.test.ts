import { expect, test } from 'vitest'
import { CONTRACT } from '../../../server/api/contract/index.ts'
import { describeApi } from '../../../server/api/openapi.ts'
import { ROUTE_LIST, methodsByPath } from '../../../server/api/routes.ts'
import { startApi } from './support.ts'

interface Described {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
  components: { schemas: Record<string, unknown> }
}

const description = describeApi() as unknown as Described

test('the description lists exactly the operations that are mounted', () => {
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  )
  const mounted = ROUTE_LIST.map(({ method, path, operation }) => `${method} ${path} ${operation}`)
  expect(described.sort()).toEqual(mounted.sort())
})

test('every path of the table answers: an unlisted method is 405 with the listed ones', async () => {
  await using api = await startApi()
  for (const [path, methods] of methodsByPath()) {
    const reply = await api.send('PATCH', path.replaceAll(/\{\w+\}/g, '01890a5d-ac96-774b-bcce-b302099a8057'))
    expect([path, reply.status, reply.headers.allow]).toEqual([path, 405, methods.join(', ')])
  }
})

test('every reference in the description points to a schema that is there', () => {
  const text = JSON.stringify(description)
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target)
  expect(references.length).toBeGreaterThan(20)
  for (const target of references) {
    const name = target?.replace('#/components/schemas/', '') ?? ''
    expect(Object.keys(description.components.schemas)).toContain(name)
  }
  expect(Object.keys(description.components.schemas).sort()).toEqual(Object.keys(CONTRACT).sort())
})

test('every keyed operation describes its refusals as problem documents', () => {
  for (const { path, method, access } of ROUTE_LIST) {
    const statuses = Object.keys(description.paths[path]?.[method]?.responses ?? {})
    const expected = access === 'public' ? ['500'] : ['400', '401', '403', '429', '500', '503']
    expect(statuses).toEqual(expect.arrayContaining(expected))
  }
})

test('it is served without a key, as JSON, and is OpenAPI 3.1', async () => {
  await using api = await startApi()
  const reply = await api.send('GET', '/openapi.json', { key: null })
  expect(reply.json).toEqual(JSON.parse(JSON.stringify(description)))
  expect(description.openapi).toBe('3.1.0')
})
