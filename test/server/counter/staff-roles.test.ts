/**
 * Every route of the console against every role. The routes are read from the routers themselves, so that none can be
 * forgotten; who may ask which is written here by hand, and owes nothing to the product's own table.
 */
import { get } from 'node:http'
import type { RequestHandler, Router } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALLOWED, permissionAskedBy, type Permission, type Role } from '../../../server/counter/access.ts'
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
const ROLES = ['officer', 'supervisor', 'auditor', 'administrator', 'display'] as const

/** Roles → routes that only they may call. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  'supervisor administrator': [
    'GET /staff',
    'POST /staff/:staffId/unlock',
    'POST /sync/try-now',
    'POST /sync/items/:sequence/send-again',
    'POST /webhooks/:webhookId/deliveries/:deliveryId/send-again',
    'POST /webhooks/:webhookId/enable',
    'POST /webhooks/:webhookId/test',
    'POST /devices/ledger/clear',
  ],
  administrator: [
    'POST /devices/parts/:name/fetch',
    'POST /staff',
    'PUT /staff/:staffId/roles',
    'POST /staff/:staffId/disable',
    'POST /staff/:staffId/enable',
    'POST /staff/:staffId/reset',
    'GET /keys',
    'POST /keys',
    'POST /keys/rotate',
    'DELETE /keys/:keyId',
    'POST /keys/requests/:requestId/make',
    'DELETE /keys/requests/:requestId',
    'GET /checklist',
    'POST /checklist/tests/face-camera',
    'POST /checklist/tests/face-camera/missing',
    'POST /checklist/tests/document-camera',
    'POST /checklist/tests/voice',
    'POST /checklist/tests/printer',
    'GET /checklist/pictures/document-camera',
    'POST /checklist/backup',
    'POST /doctor',
    'GET /settings',
    'GET /settings/:name',
    'GET /settings/:name/versions/:id',
    'POST /settings/:name/check',
    'PUT /settings/:name',
    'POST /settings/:name/undo',
    'POST /sync/join',
  ],
  auditor: ['GET /audit', 'GET /audit/chain', 'POST /audit/checkpoint', 'POST /audit/export'],
  'officer supervisor auditor': ['GET /today', 'GET /proofings', 'POST /search'],
  'officer supervisor display': ['GET /waiting'],
  'supervisor auditor': ['GET /proofings.csv', 'GET /charts/:file', 'GET /failures.csv'],
  'officer supervisor': [
    'POST /help-calls/:visitId/answer',
    'POST /help-calls/:visitId/close',
    'POST /help-calls/:visitId/reopen',
    'GET /proofings/:identityId',
    'GET /proofings/:identityId/evidences/:evidenceId/images/:imageId',
    'POST /proofings/:identityId/seal-check',
    'GET /proofings/:identityId/deletion-receipt',
    'GET /desk',
    'POST /desk/next',
    'GET /desk/:adjudicationId',
    'POST /desk/:adjudicationId/claim',
    'POST /desk/:adjudicationId/release',
    'GET /desk/:adjudicationId/images/:imageId',
    'POST /desk/:adjudicationId/answers',
    'POST /desk/:adjudicationId/draft',
    'POST /desk/:adjudicationId/confirm',
    'POST /desk/:adjudicationId/undo',
    'POST /assist/begin',
    'POST /assist/take-over',
    'GET /assist',
    'GET /assist/features',
    'GET /assist/countries',
    'GET /assist/:visitId',
    'POST /assist/:visitId/consent-display',
    'GET /assist/:visitId/images/:imageId',
    'POST /assist/:visitId/document/session',
    'POST /assist/:visitId/document/file',
    'POST /assist/:visitId/document/photo',
    'GET /assist/:visitId/document/photo/:photoId',
    'POST /assist/:visitId/document/photos',
    'POST /assist/:visitId/document/typed',
    'POST /assist/:visitId/typed',
    'POST /assist/:visitId/chip',
    'POST /assist/:visitId/details',
    'POST /assist/:visitId/details/check',
    'POST /assist/:visitId/portrait/session',
    'POST /assist/:visitId/portrait/file',
    'POST /assist/:visitId/evidences/:evidenceId/attendance',
    'POST /assist/:visitId/finish',
    'POST /assist/:visitId/stop',
  ],
  supervisor: [
    'POST /proofings/:identityId/erase',
    'GET /keys/requests',
    'POST /keys/requests/:requestId/confirm',
    'POST /keys/requests/:requestId/decline',
  ],
  'officer supervisor auditor administrator': [
    'GET /sync',
    'GET /sync/items',
    'GET /webhooks',
    'GET /webhooks/:webhookId/deliveries',
    'GET /devices',
    'GET /levels',
    'GET /devices/ledger',
  ],
  'officer supervisor administrator': [
    'POST /devices/parts/:name/self-test',
    'POST /devices/ledger/inspections',
    'POST /devices/ledger/tampering',
  ],
  'supervisor auditor administrator': ['GET /charts', 'GET /failures'],
}

/** Asked for a second factor of the last minutes, too. */
const NEED_FRESH: readonly string[] = [
  'POST /staff',
  'PUT /staff/:staffId/roles',
  'POST /staff/:staffId/disable',
  'POST /staff/:staffId/enable',
  'POST /staff/:staffId/reset',
  'POST /keys',
  'POST /keys/rotate',
  'DELETE /keys/:keyId',
  'POST /keys/requests/:requestId/make',
  'POST /keys/requests/:requestId/confirm',
  'POST /keys/requests/:requestId/decline',
  'DELETE /keys/requests/:requestId',
  'POST /audit/checkpoint',
  'POST /audit/export',
  'POST /proofings/:identityId/erase',
  'POST /sync/join',
  'PUT /settings/:name',
  'POST /settings/:name/undo',
]
const named = ({ method, path }: Pick<Found, 'method' | 'path'>): string => `${method} ${path}`
const mayAsk = (role: Role, route: string): boolean =>
  Object.entries(MAY).some(([roles, list]) => list.includes(route) && roles.split(' ').includes(role))

const NOBODYS = '00000000-0000-7000-8000-000000000000'

let counter: CounterApp
const people = new Map<string, CounterBrowser>()
beforeAll(async () => {
  counter = await startCounterApp()
  for (const role of ROLES) people.set(role, await counter.signedIn(role))
})
afterAll(() => counter.close())

/** Uses an unknown id, so that an allowed call changes nothing. */
async function ask(person: CounterBrowser, { method, path }: Found) {
  const address = path.replace(/^\//, '').replaceAll(/:[A-Za-z]+/g, NOBODYS)
  // A body that no route takes.
  const payload = method === 'GET' || method === 'DELETE' ? undefined : { nothing: 'of the contract' }
  const { status, body } = await person.call<{ type?: string } | null>(method, address, payload)
  return { status, problem: (body?.type ?? '').replace('urn:counterproof:problem:', '') }
}

test('every route of the console names the permission it needs, and stands in the table of this file once', () => {
  expect(routes.filter(({ permission }) => permission === undefined)).toEqual([])
  expect(Object.values(MAY).flat().sort()).toEqual(routes.map(named).sort())
})

test('no route is reachable without a sign-in', async () => {
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
  test('reaches its routes, and no other', async () => {
    const person = people.get(role)
    if (!person) throw new TypeError('nobody of this role')
    for (const route of routes) {
      // The minute of a session is no matter of roles.
      await person.session('touch')
      const { problem } = await ask(person, route)
      expect([named(route), problem === 'forbidden']).toEqual([named(route), !mayAsk(role, named(route))])
      expect([named(route), problem]).not.toEqual([named(route), 'fresh_factor_needed'])
    }
  })
})

/** Beyond the routes: what pages show and what a route asks within. */
test('who runs the machine or reads the log sees no applicant, and one role alone overrules', () => {
  const permitted = (role: Role): string[] => [...ALLOWED[role]].sort()
  expect(permitted('officer')).toEqual([
    'desk:decide',
    'devices:act',
    'devices:see',
    'help:answer',
    'proofings:assist',
    'proofings:list',
    'proofings:open',
    'sync:see',
    'waiting:see',
  ])
  expect(permitted('display')).toEqual(['waiting:see'])
  expect(permitted('supervisor')).toEqual(
    [
      ...permitted('officer'),
      'charts:export',
      'charts:see',
      'desk:overrule',
      'devices:clear-tampering',
      'keys:confirm',
      'proofings:erase',
      'staff:unlock',
      'sync:act',
    ].sort(),
  )
  expect(permitted('auditor')).toEqual([
    'audit:export',
    'audit:read',
    'charts:export',
    'charts:see',
    'devices:see',
    'proofings:list',
    'sync:see',
  ])
  expect(permitted('administrator')).toEqual([
    'charts:see',
    'checklist:do',
    'devices:act',
    'devices:clear-tampering',
    'devices:see',
    'doctor:run',
    'keys:manage',
    'settings:change',
    'staff:manage',
    'staff:unlock',
    'sync:act',
    'sync:join',
    'sync:see',
  ])
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

/** Last, because it sets the clock of every session on. */
describe.each(ROLES)('the role of %s, minutes after its sign-in,', (role) => {
  test('is asked for a fresh second factor before accounts, keys, the log’s exports and an erasure, and nowhere else', async () => {
    const person = await counter.signedIn(role)
    counter.tick(5 * 60_000)
    const asked: string[] = []
    for (const route of routes) {
      await person.session('touch')
      if ((await ask(person, route)).problem === 'fresh_factor_needed') asked.push(named(route))
    }
    expect(asked.sort()).toEqual(NEED_FRESH.filter((route) => mayAsk(role, route)).sort())
  })
})
