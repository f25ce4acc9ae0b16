/** Mounts each part of the server under its path, with its guards. */
import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import express, { Router } from 'express'
import { plainAddress } from './http/client-address.ts'
import { allowOrigins } from './api/cors.ts'
import { createApi, securityHeaders } from './api/create-api.ts'
import { DEFAULT_API_CONFIG, type KeyHolder } from './api/deps.ts'
import { errorHandler } from './api/error-response.ts'
import { refuseOversizedHead, refuseWhileDraining } from './api/guard.ts'
import type { UploadLimits } from './http/form.ts'
import { answerMetrics, sendMetrics, type MetricsText } from './http/metrics-answer.ts'
import { hostGuard } from './http/host-guard.ts'
import { openRequest } from './api/request-context.ts'
import { ROUTES } from './api/routes.ts'
import { serviceHandlers } from './api/service.ts'
import type { UploadBudget } from './http/upload-budget.ts'
import { brandRouter } from './brand/router.ts'
import { createCallbacks } from './capture/callbacks.ts'
import { createCapture } from './capture/router.ts'
import { loadCameraLimits } from './config/cameras.ts'
import type { Config } from './config/config.ts'
import { createCounter, type Counter } from './counter/router.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import { readStaffProvider } from './open-connectors.ts'
import { isOffline, kioskSettings, kioskTexts } from './open-kiosk.ts'
import type { Face } from './open-settings.ts'
import { listFaceReasons } from './kiosk/try-ends.ts'
import { createKiosk, type Kiosk } from './kiosk/router.ts'
import { KioskWindow } from './kiosk/window.ts'
import { BUILT_IN } from './proofing/applications.ts'
import { screenAssets, screenHeaders } from './screens/guard.ts'
import type { SettingsDocuments } from './settings/documents.ts'
import { refuseWhenFrozen } from './workflows/health/freeze.ts'
import { tryToJoin } from './sync/join.ts'
import { livenessJudge } from './workflows/capture/liveness-judge.ts'
import type { Workflows } from './workflows/index.ts'

/** Key in the store for the hash of the window's cookie. */
const KEPT_WINDOW = 'kiosk-window'

/**
 * Creates the application of one listener. Opens each request before any part handles it, and answers every error that a part
 * passes on: Express's own error handler would print a stack trace.
 * @param onlyProxies refuses every peer that `trustedProxies` does not name
 */
export function createFront(
  ctx: Context,
  mountParts: (app: express.Express) => void,
  { onlyProxies = false }: { readonly onlyProxies?: boolean } = {},
): express.Express {
  const app = express()
  app.disable('x-powered-by')
  // Only these peers may state the client and the protocol for which they forward.
  app.set('trust proxy', [...ctx.config.trustedProxies])
  app.use(openRequest(ctx))
  if (onlyProxies) app.use(requireProxy(ctx.config.trustedProxies))
  mountParts(app)
  app.use((_req, _res, next) => next(new AppError('not_found')))
  app.use(errorHandler(ctx.log))
  return app
}

/** Creates /v1, its documentation, health and public keys. Call it once: the limits count the calls of all listeners. */
export function makeApi(
  ctx: Context,
  workflows: Workflows,
  isDraining: () => boolean,
  uploads: UploadBudget,
): express.Express {
  const { config, log } = ctx
  return createApi({
    workflows,
    idempotency: ctx.store.idempotency,
    authenticate: (key) => authenticate(ctx, key),
    clock: ctx.clock,
    newId: () => ctx.newId(),
    log,
    config: {
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
      rateLimits: {
        ...DEFAULT_API_CONFIG.rateLimits,
        perRole: {
          RELYING_SERVICE: config.rateLimits.relyingServicePerMinute,
          USER_AGENT: config.rateLimits.userAgentPerMinute,
        },
        otp: config.rateLimits.otpPerMinute,
      },
      uploadLimits: readUploadLimits(config),
      userAgentKeys: config.tenant.userAgentKeys,
    },
    uploads,
    isDraining,
  })
}

/** Creates the health report for a listener without the API. It needs no key and contains no data of a tenant. */
export function makeHealth({ config }: Context, workflows: Workflows): Router {
  const { healthcheck } = serviceHandlers({ workflows })
  return Router().get(ROUTES.healthcheck.path, securityHeaders(), hostGuard(config), healthcheck)
}

/** Creates /metrics for callers that have the token. Null: there are no metrics, or no token opens them here. */
export function makeMetrics(
  { config }: Context,
  token: string | null,
  read: (() => Promise<MetricsText>) | null,
): Router {
  const router = Router()
  if (token === null || read === null) return router
  return router.get('/metrics', securityHeaders(), hostGuard(config), (req, res) =>
    answerMetrics(req, res, token, read),
  )
}

/** Creates /metrics for a socket in the file system: the system decides who may connect. */
export function makeSocketFront(ctx: Context, read: () => Promise<MetricsText>): express.Express {
  return createFront(ctx, (parts) => {
    parts.get('/metrics', async (_req, res) => sendMetrics(res, await read()))
  })
}

/** Accepts a key of an application or a token of one identity. A key that may have expired counts as expired. */
function authenticate({ store, time }: Context, key: string): KeyHolder | null {
  const at = time.statement().latest
  const holder = store.apiKeys.authenticate(key, at)
  if (holder) return { ...holder, identityId: null }
  const token = store.userAgentTokens.authenticate(key, at)
  if (!token) return null
  const { tokenId, tenantId, applicationId, identityId } = token
  return { keyId: tokenId, tenantId, applicationId, role: 'USER_AGENT', identityId }
}

/** Creates the kiosk of this appliance. Call it once. */
export function makeKiosk(
  ctx: Context,
  workflows: Workflows,
  window: KioskWindow,
  screensDir: string,
  uploads: UploadBudget,
  face: Face,
  isStaffed: () => boolean,
): Kiosk {
  const { tenant } = ctx.config
  const applicationId = ctx.store.apiKeys.ensureApplication(tenant.id, BUILT_IN.KIOSK, ctx.clock.now())
  return createKiosk({
    workflows,
    kioskCaller: () => ({
      tenantId: tenant.id,
      applicationId,
      role: 'RELYING_SERVICE',
      reach: { kind: 'APPLICATION' },
    }),
    uploads,
    screensDir: join(screensDir, 'kiosk'),
    get journey() {
      return face.journey
    },
    guidance: face.guidance,
    settings: kioskSettings(ctx, face),
    visits: ctx.store.visits,
    sessions: ctx.store.kioskSessions,
    requireOpen: () => refuseWhenFrozen(ctx),
    isOffline: () => isOffline(ctx.store),
    isStaffed,
    livenessJudge: () => livenessJudge(ctx),
    clock: ctx.clock,
    newId: () => ctx.newId(),
    log: ctx.log,
    window,
  })
}

/** Creates the guard that decides which browser may call the kiosk. */
export function makeKioskWindow({ config, store, clock, log }: Context): KioskWindow {
  const { meta, kioskSessions } = store
  return new KioskWindow({
    kind: config.kiosk.window,
    hashSecret: (text) => kioskSessions.hashToken(text),
    kept: {
      find: () => meta.get(KEPT_WINDOW)?.toString('utf8') ?? null,
      keep: (hash) => meta.set(KEPT_WINDOW, Buffer.from(hash, 'utf8')),
    },
    clock,
    log,
  })
}

/** Creates the console of this appliance. Call it once. */
export function makeCounter(
  ctx: Context,
  workflows: Workflows,
  screensDir: string,
  localPort: () => number,
  uploads: UploadBudget,
  face: Face,
  settings: SettingsDocuments,
): Counter {
  const { config, store, clock, log } = ctx
  const tenantId = config.tenant.id
  const applicationId = store.apiKeys.ensureApplication(tenantId, BUILT_IN.COUNTER, clock.now())
  return createCounter({
    ctx,
    store,
    workflows,
    clock,
    newId: () => ctx.newId(),
    log,
    config,
    screensDir: join(screensDir, 'counter'),
    localPort,
    allowedHosts: ['127.0.0.1', 'localhost', '[::1]', ...config.allowedHosts],
    caller: { tenantId, applicationId, role: 'RELYING_SERVICE', reach: { kind: 'TENANT' } },
    uploads,
    staffProvider: readStaffProvider(config),
    joinCentralService: (input, author) => tryToJoin(ctx, input, author),
    get brand() {
      return face.brand?.view
    },
    settings,
    kioskTexts,
    cameraLimits: loadCameraLimits(),
    get journey() {
      return face.journey
    },
    listFaceReasons: ({ id, status, evaluation }) =>
      listFaceReasons({ evidenceId: id, evidenceStatus: { status, ...evaluation } }, face.guidance),
  })
}

/** Mounts the shared files of the built screens. @param first the page to which `/` redirects. */
export function mountScreens(
  app: express.Express,
  screensDir: string,
  first: '/kiosk/' | '/counter/',
  face: Face,
): void {
  app.get('/', (_req, res) => {
    res.redirect(first)
  })
  app.use(
    '/brand',
    screenHeaders(),
    brandRouter(() => face.brand),
  )
  app.use('/assets', screenHeaders(), screenAssets(join(screensDir, 'assets')))
}

/** Creates the callbacks of external services. The credential is a signature. */
export function makeCallbacks(
  ctx: Context,
  workflows: Workflows,
  isDraining: () => boolean,
  uploads: UploadBudget,
): Router {
  const { biometrics, adjudication, voice } = ctx.config.connectors
  const publicUrls = [biometrics, adjudication, voice].flatMap((service) => service?.publicUrl ?? [])
  if (publicUrls.length === 0) return Router()
  return Router().use(
    '/capture/callbacks',
    securityHeaders(),
    refuseOversizedHead(),
    hostGuard({ allowedHosts: publicUrls.map((url) => new URL(url).host), allowedOrigins: [] }),
    refuseWhileDraining({ isDraining }),
    createCallbacks({ workflows, uploads }),
  )
}

/** Creates the routes of capture components. The credential is the id of a capture session. Call it once. */
export function makeCapture(
  ctx: Context,
  workflows: Workflows,
  isDraining: () => boolean,
  uploads: UploadBudget,
  componentDir: string | undefined,
  face: Face,
): Router {
  return Router().use(
    '/capture',
    securityHeaders(),
    refuseOversizedHead(),
    hostGuard(ctx.config),
    allowOrigins(ctx.config),
    refuseWhileDraining({ isDraining }),
    createCapture({
      workflows,
      uploadLimits: readUploadLimits(ctx.config),
      uploads,
      ...(componentDir === undefined
        ? {}
        : { component: { folder: componentDir, colours: () => face.brand?.colours ?? null } }),
    }),
  )
}

/** Refuses peers other than the proxies, if a reverse proxy does TLS: they would use plain HTTP. */
function requireProxy(proxies: readonly string[]): express.RequestHandler {
  const named = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) named.addAddress(address, family)
    else named.addSubnet(address, Number(bits), family)
  }
  return (req, _res, next) => {
    const peer = plainAddress(req.socket.remoteAddress ?? '')
    const isNamed = peer !== '' && named.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')
    next(isNamed ? undefined : new AppError('proxy_required'))
  }
}

function readUploadLimits(config: Config): UploadLimits {
  return { ...DEFAULT_API_CONFIG.uploadLimits, fileBytes: config.uploads.maxFileBytes }
}
