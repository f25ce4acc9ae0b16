/** What answers where: each part of the server under its path, with the guards that belong to it. */
import { join } from 'node:path'
import type express from 'express'
import { allowOrigins } from './api/cors.ts'
import { createApi, securityHeaders } from './api/create-api.ts'
import { DEFAULT_API_CONFIG, type UploadLimits } from './api/deps.ts'
import { errorHandler } from './api/error-response.ts'
import { refuseOversizedHead, refuseWhileDraining } from './api/guard.ts'
import { hostGuard } from './api/host-guard.ts'
import { openRequest } from './api/request-context.ts'
import { createCallbacks } from './capture/callbacks.ts'
import { createCapture } from './capture/router.ts'
import type { Config } from './config/config.ts'
import { createCounter, type Counter } from './counter/router.ts'
import type { Context } from './context.ts'
import { isOffline, kioskSettings, loadKiosk } from './open-kiosk.ts'
import { guidanceFor } from './kiosk/guidance.ts'
import { createKiosk, type Kiosk } from './kiosk/router.ts'
import { screenAssets, screenHeaders } from './screens/guard.ts'
import { refuseWhenFrozen } from './workflows/freeze.ts'
import type { Workflows } from './workflows/index.ts'

const KIOSK_APPLICATION = 'kiosk'
const COUNTER_APPLICATION = 'counter'

export function mountApi(
  app: express.Express,
  ctx: Context,
  workflows: Workflows,
  isDraining: () => boolean,
): void {
  const { config, log } = ctx
  app.use(
    createApi({
      workflows,
      idempotency: ctx.store.idempotency,
      // In doubt, a key that may have expired has.
      authenticate: (key) => ctx.store.apiKeys.authenticate(key, ctx.time.statement().latest),
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
        uploadLimits: uploadLimitsOf(config),
      },
      isDraining,
    }),
  )
}

export function mountKiosk(
  app: express.Express,
  ctx: Context,
  workflows: Workflows,
  screensDir: string,
): Kiosk {
  const { tenant } = ctx.config
  const applicationId = ctx.store.apiKeys.ensureApplication(tenant.id, KIOSK_APPLICATION, ctx.clock.now())
  const kiosk = createKiosk({
    workflows,
    kioskCaller: () => ({ tenantId: tenant.id, applicationId, role: 'RELYING_SERVICE' }),
    screensDir: join(screensDir, 'kiosk'),
    ...loadKiosk(ctx.config, ctx.policy(tenant.id)),
    settings: kioskSettings(ctx.config, ctx.store),
    visits: ctx.store.visits,
    sessions: ctx.store.kioskSessions,
    requireOpen: () => refuseWhenFrozen(ctx),
    isOffline: () => isOffline(ctx.store),
    clock: ctx.clock,
    newId: () => ctx.newId(),
    log: ctx.log,
    allowedHosts: ['127.0.0.1', 'localhost', '[::1]', ...ctx.config.allowedHosts],
  })
  app.get('/', (_req, res) => {
    res.redirect('/kiosk/')
  })
  app.use('/assets', screenHeaders(), screenAssets(join(screensDir, 'assets')))
  app.use('/kiosk', openRequest(ctx), kiosk.router, errorHandler(ctx.log))
  return kiosk
}

export function mountCounter(
  app: express.Express,
  ctx: Context,
  workflows: Workflows,
  screensDir: string,
): Counter {
  const { config, store, clock, log } = ctx
  const tenantId = config.tenant.id
  const applicationId = store.apiKeys.ensureApplication(tenantId, COUNTER_APPLICATION, clock.now())
  const { journey, guidance } = loadKiosk(config, ctx.policy(tenantId))
  const counter = createCounter({
    ctx,
    store,
    workflows,
    clock,
    newId: () => ctx.newId(),
    log,
    config,
    screensDir: join(screensDir, 'counter'),
    allowedHosts: ['127.0.0.1', 'localhost', '[::1]', ...config.allowedHosts],
    caller: { tenantId, applicationId, role: 'RELYING_SERVICE' },
    journey,
    guidance: (step, { id, status, evaluation }) =>
      guidanceFor(step, { evidenceId: id, evidenceStatus: { status, ...evaluation } }, guidance),
  })
  app.use('/counter', openRequest(ctx), counter.router, errorHandler(log))
  return counter
}

/** No key, and no browser: a signature is the credential. Only the address that the service was given leads here. */
export function mountCallbacks(
  app: express.Express,
  ctx: Context,
  workflows: Workflows,
  isDraining: () => boolean,
): void {
  const { biometrics, adjudication } = ctx.config.connectors
  const services = [biometrics, adjudication].filter((service) => service !== undefined)
  if (services.length === 0) return
  app.use(
    '/capture/callbacks',
    openRequest(ctx),
    securityHeaders(),
    refuseOversizedHead(),
    hostGuard({ allowedHosts: services.map(({ publicUrl }) => new URL(publicUrl).host), allowedOrigins: [] }),
    refuseWhileDraining({ isDraining }),
    createCallbacks({ workflows }),
    errorHandler(ctx.log),
  )
}

/** No key: the id of a capture session is the credential. */
export function mountCapture(
  app: express.Express,
  ctx: Context,
  workflows: Workflows,
  isDraining: () => boolean,
  componentDir: string | undefined,
): void {
  app.use(
    '/capture',
    openRequest(ctx),
    securityHeaders(),
    refuseOversizedHead(),
    hostGuard(ctx.config),
    allowOrigins(ctx.config),
    refuseWhileDraining({ isDraining }),
    createCapture({
      workflows,
      uploadLimits: uploadLimitsOf(ctx.config),
      ...(componentDir === undefined ? {} : { componentDir }),
    }),
    errorHandler(ctx.log),
  )
}

function uploadLimitsOf(config: Config): UploadLimits {
  return { ...DEFAULT_API_CONFIG.uploadLimits, fileBytes: config.uploads.maxFileBytes }
}
