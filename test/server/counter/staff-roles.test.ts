/** Every route of the console against every role: read from the routers themselves, so that none can be forgotten. */
import { get } from 'node:http'
import type { RequestHandler, Router } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ALLOWED,
  permissionAskedBy,
  PERMISSIONS,
  ROLES,
  type Permission,
} from '../../../server/counter/access.ts'
import type { CounterDeps } from '../../../server/counter/deps.ts'
import { AREAS } from '../../../server/counter/router.ts'
import { createWork } from '../../../server/counter/work.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'

interface Layer {
  readonly rawPath?: unknown
  readonly handle: RequestHandler & { readonly stack?: readonly Layer[] }
  readonly route?: {
    readonly path: string
    readonly methods: Readonly<Record<string, boolean>>
    readonly stack: readonly { readonly handle: RequestHandler }[]
  }
}

interface Found {
  readonly method: string
  readonly path: string
  /** Undefined: it asks for none. */
  readonly permission: Permission | undefined
}

/** Stands in for every part of the appliance while routers are put together; nothing is asked of it. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : name === 'then' ? undefined : anything),
  apply: () => anything,
  construct: () => anything as object,
})

function routesOf(router: Router, before: string): Found[] {
  const layers = (router as unknown as { readonly stack: readonly Layer[] }).stack
  return layers.flatMap(({ route, handle, rawPath }): Found[] => {
    const inner = typeof rawPath === 'string' && rawPath !== '/' ? before + rawPath : before
    if (handle.stack && !route) return routesOf(handle as unknown as Router, inner)
    if (!route) return []
    const permission = route.stack.map(({ handle: guard }) => permissionAskedBy(guard)).find(Boolean)
    const path = route.path === '/' ? before : before + route.path
    return Object.keys(route.methods).map((method) => ({ method: method.toUpperCase(), path, permission }))
  })
}

const routes = [
  ...AREAS.flatMap(({ path, router }) => routesOf(router(anything as CounterDeps), path)),
  ...routesOf(createWork(anything as CounterDeps).staff, ''),
]
const NOBODYS = '00000000-0000-7000-8000-000000000000'

let counter: CounterApp
const people = new Map<string, CounterBrowser>()
beforeAll(async () => {
  counter = await startCounterApp()
  for (const role of ROLES) people.set(role, await counter.signedIn(role))
})
afterAll(() => counter.close())

/** With an id that nobody has, so that nothing is done where it is allowed. */
async function ask(person: CounterBrowser, { method, path }: Found) {
  const address = path.replace(/^\//, '').replaceAll(/:[A-Za-z]+/g, NOBODYS)
  // A body that no route takes.
  const payload = method === 'GET' || method === 'DELETE' ? undefined : { nothing: 'of the contract' }
  const { status, body } = await person.call<{ type?: string } | null>(method, address, payload)
  return { status, problem: (body?.type ?? '').replace('urn:counterproof:problem:', '') }
}

test('every route of the console names the permission it needs', () => {
  expect(routes.length).toBeGreaterThanOrEqual(70)
  expect(routes.filter(({ permission }) => permission === undefined)).toEqual([])
})

test('nobody reaches a route without having signed in', async () => {
  const stranger = counter.browser()
  for (const route of routes) {
    expect([route.method, route.path, (await ask(stranger, route)).status]).toEqual([
      route.method,
      route.path,
      401,
    ])
  }
})

describe.each(ROLES)('the role of %s', (role) => {
  test('reaches the routes of its permissions, and no other', async () => {
    const person = people.get(role)
    if (!person) throw new TypeError('nobody of this role')
    for (const route of routes) {
      // The fresh factor and the minute of a session are no matter of roles.
      await person.session('touch')
      const { problem } = await ask(person, route)
      const isAllowed = route.permission !== undefined && ALLOWED[role].includes(route.permission)
      expect([route.method, route.path, problem === 'forbidden']).toEqual([
        route.method,
        route.path,
        !isAllowed,
      ])
    }
  })
})

test('every permission is somebody’s, and who runs the machine or reads the log sees no applicant', () => {
  const given = new Set(ROLES.flatMap((role) => ALLOWED[role]))
  expect(PERMISSIONS.filter((permission) => !given.has(permission))).toEqual([])
  for (const role of ['administrator', 'auditor'] as const) {
    expect(
      ALLOWED[role].filter((permission) => /^(proofings:(open|assist|erase)|desk|help)/.test(permission)),
    ).toEqual([])
  }
})

describe('what another page makes a browser send', () => {
  const path = 'session/lock'

  test('is refused by its Origin, by the lack of one, and without the header of our page', async () => {
    const person = people.get('officer')
    const refused: readonly Record<string, string>[] = [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'x-counterproof': 'elsewhere' },
    ]
    for (const headers of refused) {
      expect([headers, (await person?.call('POST', path, {}, headers))?.status]).toEqual([headers, 403])
    }
    expect((await person?.session())?.state).toBe('SIGNED_IN')
  })

  test('is refused under a name that is not ours (a rebound DNS name)', async () => {
    // fetch sets Host by itself.
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { host: 'elsewhere.example' }
      get(`${counter.app.url}/counter/api/session`, { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }).once('error', reject)
    })
    expect(status).toBe(403)
  })

  test('cannot frame the page or run a script in it', async () => {
    const answer = await fetch(`${counter.origin}/counter/desk/7K4P-2M9X`)
    expect(answer.status).toBe(200)
    const policy = answer.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(part)
    }
    expect((await fetch(`${counter.origin}/counter/missing.js`)).status).toBe(404)
  })
})
