/**
 * The routes of the console over real HTTP, on workflows without an appliance around them. Who is signed in is said by the test:
 * sign-in, cookies and the guards before the routes have tests of their own.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { errorHandler } from '../../../server/api/error-response.ts'
import { openRequest } from '../../../server/api/request-context.ts'
import { accountUploads, UploadBudget } from '../../../server/http/upload-budget.ts'
import { loadCameraLimits } from '../../../server/config/cameras.ts'
import { rememberStaff, type Role } from '../../../server/counter/access.ts'
import type { CounterDeps } from '../../../server/counter/deps.ts'
import { AREAS } from '../../../server/counter/router.ts'
import { createWork } from '../../../server/counter/work.ts'
import { kioskTexts } from '../../../server/open-kiosk.ts'
import { loadLists, loadScreens, openSettings } from '../../../server/open-settings.ts'
import { listFaceReasons } from '../../../server/kiosk/try-ends.ts'
import { BUILT_IN } from '../../../server/proofing/applications.ts'
import type { Visit } from '../../../server/store/visits.ts'
import { v7 as uuidv7 } from 'uuid'
import { buildVisit } from '../../support/a-visit.ts'
import { tryToJoin } from '../../../server/sync/join.ts'
import { openWorkflowBench, type BenchOptions, type WorkflowBench } from '../../support/workflow-bench.ts'

export const ADA = '01890a5d-ac96-774b-bcce-b302099a8058'
export const BOB = '01890a5d-ac96-774b-bcce-b302099a8059'

export interface Answered<T> {
  readonly status: number
  readonly body: T
  readonly headers: Headers
}

export interface Person {
  call<T = unknown>(
    method: string,
    path: string,
    payload?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answered<T>>
  /** A body that is no JSON. */
  send<T = unknown>(path: string, body: BodyInit, type?: string): Promise<Answered<T>>
}

export interface ConsoleBench extends WorkflowBench {
  readonly deps: CounterDeps
  as(roles: readonly Role[], staffId?: string, isFresh?: boolean): Person
  onDisplay(token: string, method: 'GET' | 'POST', answer?: object): Promise<Answered<unknown>>
  aVisit(over?: Partial<Visit>): Visit
}

export async function openConsole(options: BenchOptions = {}): Promise<ConsoleBench> {
  const bench = await openWorkflowBench(options)
  const { ctx, workflows } = bench
  const { store, config, clock, log } = ctx
  const tenantId = config.tenant.id
  const applicationId = store.apiKeys.ensureApplication(tenantId, BUILT_IN.COUNTER, clock.now())
  const face = loadScreens(ctx)
  const uploads = new UploadBudget({ applicationBytes: 1e8, serverBytes: 1e8, idleMs: 60_000 })
  const deps: CounterDeps = {
    ctx,
    store,
    workflows,
    clock,
    newId: () => uuidv7(),
    log,
    config,
    screensDir: bench.t.dataDir,
    localPort: () => 0,
    allowedHosts: ['127.0.0.1'],
    caller: { tenantId, applicationId, role: 'RELYING_SERVICE', reach: { kind: 'TENANT' } },
    staffProvider: null,
    uploads,
    cameraLimits: loadCameraLimits(),
    joinCentralService: (input, author) => tryToJoin(ctx, input, author),
    get journey() {
      return face.journey
    },
    get brand() {
      return face.brand?.view
    },
    settings: openSettings(ctx, loadLists(config), face),
    kioskTexts,
    listFaceReasons: ({ id, status, evaluation }) =>
      listFaceReasons({ evidenceId: id, evidenceStatus: { status, ...evaluation } }, face.guidance),
  }
  const work = createWork(deps)
  const app = express()
  app.use(
    openRequest(ctx),
    accountUploads(uploads, () => applicationId),
  )
  app.use(work.display)
  app.use((req, _res, next) => {
    const who = req.get('x-signed-in')
    if (who !== undefined) rememberStaff(req, JSON.parse(who) as Parameters<typeof rememberStaff>[1])
    next()
  })
  for (const { path, router } of AREAS) app.use(path, router(deps))
  app.use(work.staff)
  app.use(errorHandler(log))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async <T>(method: string, path: string, headers: Record<string, string>, body?: BodyInit) => {
    const response = await fetch(`${origin}/${path}`, { method, headers, ...(body ? { body } : {}) })
    // Keeps the byte order mark, which text() removes.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
    const isJson = /json(;|$)/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
    }
  }
  return {
    ...bench,
    deps,
    as: (roles, staffId = ADA, isFresh = true) => {
      const signedIn = { 'x-signed-in': JSON.stringify({ staffId, name: 'Ada', roles, isFresh }) }
      return {
        call: (method, path, payload, headers = {}) =>
          payload === undefined
            ? ask(method, path, { ...signedIn, ...headers })
            : ask(
                method,
                path,
                { ...signedIn, ...headers, 'content-type': 'application/json' },
                JSON.stringify(payload),
              ),
        send: (path, body, type) =>
          ask('POST', path, { ...signedIn, ...(type ? { 'content-type': type } : {}) }, body),
      }
    },
    onDisplay: (token, method, answer) =>
      ask(
        method,
        'display/consent',
        { authorization: `Bearer ${token}`, ...(answer ? { 'content-type': 'application/json' } : {}) },
        answer && JSON.stringify(answer),
      ),
    aVisit: (over = {}) => {
      const visit = buildVisit(bench.now(), over)
      store.visits.add(visit)
      return visit
    },
    close: () => {
      server.closeAllConnections()
      server.close()
      bench.close()
    },
  }
}
