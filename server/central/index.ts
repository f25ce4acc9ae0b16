/**
 * createCentralService({ config }) → { url, db, close }. The only file of the central service that knows every part.
 * Any number of instances may share one PostgreSQL: all state is in the database.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Clock } from '../clock.ts'
import { readTlsFiles } from '../files/tls-files.ts'
import { AppError } from '../errors.ts'
import { createLog, describeError, type Log } from '../log.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { openAdminSocket } from './admin/socket.ts'
import { SharedCallWindow, type CountName } from './call-counts.ts'
import type { CentralConfig } from './config.ts'
import type { CentralContext } from './context.ts'
import { SYSTEM, type Db } from './db/db.ts'
import { eraseProofs } from './deletion/erase.ts'
import { listHolds, placeHold, releaseHold } from './deletion/holds.ts'
import { listDeletions } from './deletion/receipts.ts'
import { listTenantsWithoutRetention } from './deletion/retention.ts'
import { createHeadOffice } from './head-office/index.ts'
import { answerLiveness, healthcheck, isLivenessCall } from './health.ts'
import { createKioskApi } from './kiosk-api/router.ts'
import { resolveAlarm } from './kiosks/alarms.ts'
import { createEnrolmentCode } from './kiosks/enrolment-codes.ts'
import { openArchive } from './kiosks/open-archive.ts'
import { revokeKiosk } from './kiosks/revoke.ts'
import { openContext } from './open-context.ts'
import { getPresent } from './rollouts/judge.ts'
import { describeRollout, listRollouts } from './rollouts/list.ts'
import { changeRollout } from './rollouts/rollouts.ts'
import { createSecrets } from './secrets.ts'
import { STORAGE_FAILURES } from './storage/storage-calls.ts'
import { isPageCall, sendUnavailablePage } from './plain-pages.ts'
import { startUpkeep, type Upkeep } from './upkeep.ts'

interface CentralOptions {
  readonly config: CentralConfig
  readonly log?: Log
  readonly clock?: Clock
  /** The built screens, for /fleet/ and /verify/ (launch/renderer.ts). */
  readonly screensDir?: string
}

export interface CentralService {
  readonly url: string
  readonly db: Db
  readonly context: CentralContext
  readonly upkeep: Upkeep
  /** Tells the proxies, refuses new work, finishes running work, then closes. May be called twice. */
  close(): Promise<void>
}

/** Time for running requests to end after the listener is closed. */
const DRAIN_MS = 10_000
/** Pauses between tries to open the database at the start. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_NAMED_TENANTS = 20
const KEEP_ALIVE_MS = 65_000 // longer than the idle time of common load balancers, so that they close first

export async function createCentralService(options: CentralOptions): Promise<CentralService> {
  const { config } = options
  const log = options.log ?? createLog(undefined, config.logLevel)
  // Answers from the first moment on, so that a load balancer and an operator see why it is not ready.
  let serve: RequestListener = answerNotReady
  const server = createListener(config, (req, res) =>
    isLivenessCall(req) ? answerLiveness(res) : serve(req, res),
  )
  await new Promise<void>((resolved, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, resolved)
  })
  const opened = await openWhenThere(config, log, options.clock).catch(async (error: unknown) => {
    server.closeAllConnections()
    await closeServer(server)
    throw error
  })
  const { context } = opened
  try {
    const state = { leaving: false, draining: false }
    const isDraining = (): boolean => state.draining
    const secrets = createSecrets(opened.masterKey)
    const countCalls = (name: CountName) =>
      new SharedCallWindow(context.db, (caller) => context.keys.current().callerHash(name, caller))
    const headOffice = createHeadOffice({
      db: context.db,
      log,
      clock: context.clock,
      options: config.headOffice,
      staffOidc: config.staff.oidc,
      secrets,
      countStorageFailures: () =>
        Object.fromEntries(STORAGE_FAILURES.map((kind) => [kind, context.storage.calls.count(kind)])),
      countCalls,
      screensDir: options.screensDir ?? null,
      openArchive: (stored) => openArchive(context, stored),
      hashCorrelationId: (tenantId, correlationId) =>
        context.keys.current().correlationHash(tenantId, correlationId),
      verifiers: { stranger: opened.strangersVerifier, consumer: context.verifier },
      statementKey: () => context.keys.current().statementKey,
      createEnrolmentCode: (order, note) => createEnrolmentCode(context, order, note),
      deletion: {
        list: listDeletions,
        erase: (order, note) => eraseProofs(context, order, note),
        listHolds,
        placeHold: (target, act, note) =>
          context.db.transaction(SYSTEM, async (queries) => {
            const hold = await placeHold(queries, target, act)
            await note(queries, hold)
            return hold
          }),
        releaseHold: (tenantId, holdId, act, note) =>
          context.db.transaction(SYSTEM, async (queries) => {
            const { hold, isNew } = await releaseHold(queries, tenantId, holdId, act)
            if (isNew) await note(queries)
            return hold
          }),
      },
      rollouts: {
        list: (queries, tenantId, choice) => listRollouts(queries, tenantId, choice, getPresent(context)),
        change: async (queries, tenantId, rolloutId, state, act) => {
          const { rollout, isNew } = await changeRollout(queries, tenantId, rolloutId, state, act)
          return { ...(await describeRollout(queries, rollout, getPresent(context))), isNew }
        },
      },
      resolveAlarm,
      revokeKiosk: (tenantId, kioskId, actor, note) => revokeKiosk(context, tenantId, kioskId, actor, note),
    })
    const app = express()
    app.disable('x-powered-by')
    app.set('trust proxy', config.trustedProxies.length > 0 && [...config.trustedProxies])
    app.use((_req, res, next) => {
      if (state.leaving) res.setHeader('Connection', 'close')
      next()
    })
    app.get(
      '/healthcheck',
      healthcheck(context, () => state.leaving),
    )
    app.use(createKioskApi({ ctx: context, secrets, metrics: headOffice.metrics, countCalls, isDraining }))
    app.use(headOffice.router)
    app.use(...headOffice.last)
    const admin = context.db.kind === 'embedded' ? await openAdminSocket(context) : null
    const upkeep = startUpkeep(context)
    headOffice.start()
    serve = app
    const { port } = server.address() as AddressInfo
    const url = `${config.tls ? 'https' : 'http'}://${config.host}:${port}`
    const sandbox = opened.isSandboxed ? 'bubblewrap' : 'none'
    log.info(
      { port, database: context.db.kind, storage: config.storage.kind, sandbox },
      'the central service is ready',
    )
    const kept = await listTenantsWithoutRetention(context)
    if (kept.length > 0) {
      const details = { tenants: kept.slice(0, MAX_NAMED_TENANTS), count: kept.length }
      log.info(details, 'proofs of these tenants are kept without end, because no retention is set')
    }
    await warnOfUnknownTenants(context)
    let closing: Promise<void> | undefined
    const shutDown = async (): Promise<void> => {
      const { leaveSeconds } = config.http
      state.leaving = true
      log.info({ leaveSeconds }, 'the server is shutting down')
      // A proxy sends requests until its next check fails: a listener that is closed earlier would refuse them.
      await wait(leaveSeconds * 1000)
      state.draining = true
      headOffice.drain()
      await Promise.race([closeServer(server), wait(DRAIN_MS)])
      server.closeAllConnections()
      await Promise.all([admin?.close(), upkeep.stop(), headOffice.stop()])
      await opened.close()
      log.info({}, 'the server has stopped')
    }
    return { url, db: context.db, context, upkeep, close: () => (closing ??= shutDown()) }
  } catch (error) {
    server.closeAllConnections()
    await Promise.all([closeServer(server), opened.close()])
    throw error
  }
}

/** Waits for the database without end, with growing pauses. Throws every other fault. */
async function openWhenThere(
  config: CentralConfig,
  log: Log,
  clock: Clock | undefined,
): ReturnType<typeof openContext> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await openContext(config, log, clock)
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'centre_unavailable'
      if (!isAway) throw error
      log.warn(
        { ...describeError(error.cause), reason: error.details.reason ?? null, nextTryMs: pauseMs },
        'the central service waits for its database',
      )
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

/** `tenants create` makes tenants; a role for another one lets a person into nothing. */
async function warnOfUnknownTenants({ db, config, log }: CentralContext): Promise<void> {
  const roles = config.staff.oidc?.roles ?? []
  const named = [...new Set(roles.flatMap(({ tenants }) => (tenants === 'all' ? [] : tenants)))]
  const rows = await db.query<{ tenant_id: string }>(
    SYSTEM,
    'SELECT tenant_id FROM tenants WHERE tenant_id = ANY ($1::text[])',
    [named],
  )
  const known = new Set(rows.map(({ tenant_id: tenantId }) => tenantId))
  const unknown = named.filter((tenantId) => !known.has(tenantId))
  if (unknown.length === 0) return
  const details = {
    field: 'staff.oidc.roles',
    tenants: unknown.slice(0, MAX_NAMED_TENANTS),
    count: unknown.length,
  }
  log.warn(
    details,
    'roles of staff name tenants that do not exist; correct central.json, or create the tenants',
  )
}

const answerNotReady: RequestListener = (req, res) => {
  if (isPageCall(req)) return sendUnavailablePage(res)
  const body = { status: 'DOWN', version: PRODUCT_VERSION, components: { database: { status: 'DOWN' } } }
  res
    .writeHead(503, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Retry-After': '5',
      Connection: 'close',
    })
    .end(JSON.stringify(body))
}

function createListener(config: CentralConfig, app: RequestListener): Server {
  const { headersTimeoutMs, requestTimeoutMs, maxConnections } = config.http
  const limits = {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs / 4, 1_000),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const server = config.tls
    ? createTlsServer(
        { ...limits, ...readTlsFiles(config.dataDir, config.tls, 'tls'), minVersion: 'TLSv1.2' },
        app,
      )
    : createServer(limits, app)
  server.maxConnections = maxConnections
  server.timeout = requestTimeoutMs
  return server
}

function closeServer(server: Server): Promise<void> {
  // A connection whose request ends meanwhile becomes idle, and would otherwise be kept for the next one.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  return new Promise((resolved) => {
    server.close(() => {
      clearInterval(idle)
      resolved()
    })
    server.closeIdleConnections()
  })
}

function wait(ms: number): Promise<void> {
  return new Promise((resolved) => setTimeout(resolved, ms).unref())
}
