/**
 * start(config) → { url, close }. The only file that knows every part of the server. Runs under plain Node; knows no
 * window and no command line.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express from 'express'
import { v7 as uuidv7 } from 'uuid'
import { scheduleBackups } from './backup/schedule.ts'
import { createHttpServer } from './api/http-server.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import { createIdentityProviders } from './connectors/oidc/identity-providers.ts'
import { loadKek } from './config/kek.ts'
import { loadDocumentTemplates } from './config/document-templates.ts'
import { loadPipelines, RESOURCES_DIR } from './config/resources.ts'
import { loadSupportedEvidence } from './config/supported-evidence.ts'
import { loadSmsTexts } from './connectors/sms/texts.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import { startJobs, type JobRunner } from './jobs/runner.ts'
import { openToken } from './keys/token.ts'
import { createLiveSessions } from './live/live-sessions.ts'
import { createLog, type Log } from './log.ts'
import {
  loadEmptyScene,
  openAdjudication,
  openBiometrics,
  openCamera,
  openRegister,
  openSms,
  openTimestamps,
  registeredProviders,
} from './open-connectors.ts'
import type { Policy } from './proofing/assurance/policy.ts'
import { lockDataDir } from './store/lock.ts'
import { openStore, type Store } from './store/open.ts'
import { bundleAtStart, bundleProven, startOrRollBack } from './sync/bundle-at-start.ts'
import { startSync, type Sync, type SyncOptions } from './sync/run.ts'
import { openTrustedTime } from './time/trusted-time.ts'
import { createVerification } from './verification/pipeline.ts'
import { STEPS } from './verification/registry.ts'
import { loadAuthenticityLimits } from './verification/authenticity-limits.ts'
import { loadLivenessLimits } from './verification/liveness-limits.ts'
import { loadThresholds } from './verification/thresholds.ts'
import { startVision } from './vision/client.ts'
import { defaultModelsDir } from './vision/packs.ts'
import type { Vision } from './vision/protocol.ts'
import { mountApi, mountCallbacks, mountCapture, mountCounter, mountKiosk } from './mount.ts'
import { openWebhookSender } from './webhooks/open.ts'
import { startWebhooks, type WebhookOptions, type WebhookRunner } from './webhooks/runner.ts'
import { watchOver } from './workflows/audit-log.ts'
import { failInterruptedSessions } from './workflows/capture-sessions.ts'
import { settleFaceIndex } from './workflows/face-templates.ts'
import { openWatchlists } from './watchlists/watchlists.ts'
import { createWorkflows } from './workflows/index.ts'
import { openSigner } from './workflows/open-signer.ts'
import { healthReporter } from './workflows/report-health.ts'
import { recoverErasures } from './workflows/recover-erasures.ts'
import { retentionDue } from './workflows/retention.ts'

export interface StartOptions {
  readonly config: Config
  /** Folder of the built screens (`kiosk/`, `counter/`, `assets/`); without it no screens are served. */
  readonly screensDir?: string
  /** Of the built capture component, where it is not beside the screens. */
  readonly captureDir?: string
  readonly log?: Log
  readonly clock?: Clock
  /** The real worker unless given. */
  readonly vision?: Vision
  /** The master key, where it was loaded already: a source that gives it once is not asked again. */
  readonly kek?: Buffer
  /** When webhooks are tried, if not by the standard. */
  readonly webhooks?: Partial<WebhookOptions>
}

export interface Appliance {
  readonly url: string
  readonly store: Store
  /** Resolves when settings of the centre wait for a restart and nobody is being proofed. */
  readonly restartWanted: Promise<void>
  /** Refuses new work, lets running work end, then closes. Safe to call twice. */
  close(): Promise<void>
}

/** How long running requests and jobs may take to end after close() was asked for. */
const DRAIN_MS = 15_000

/** With settings of the centre that make a start fail, the ones before are used (`sync/bundle-at-start`). */
export async function start(options: StartOptions): Promise<Appliance> {
  const log = options.log ?? createLog(undefined, options.config.logLevel)
  const kek = options.kek ?? loadKek(options.config)
  return startOrRollBack({ ...options, log, kek }, startOnce)
}

async function startOnce(
  options: StartOptions & { readonly log: Log; readonly kek: Buffer },
): Promise<Appliance> {
  const { config: own, log, kek } = options
  const wall = options.clock ?? systemClock
  const opened: (() => Promise<void> | void | undefined)[] = []
  const undo = async (): Promise<void> => {
    for (const close of opened.reverse()) await close()
  }
  try {
    const lock = lockDataDir(own.dataDir)
    opened.push(() => lock.release())
    const pipelines = loadPipelines([...STEPS.keys()])
    const thresholds = loadThresholds()
    // Its step reads it when it needs it: a broken file refuses the start, not the first document.
    loadAuthenticityLimits()
    const livenessLimits = loadLivenessLimits()
    const knowledge = loadDocumentTemplates()
    const supportedEvidence = loadSupportedEvidence()
    const smsTexts = loadSmsTexts(join(RESOURCES_DIR, 'texts'))
    const store = openStore(own.dataDir, kek)
    opened.push(() => store.close())
    const audit: { stop?: () => void } = {}
    opened.push(() => audit.stop?.())
    const clock = openTrustedTime(wall, store, log)
    const inForce = bundleAtStart(store, own, clock, log)
    const { config } = inForce
    let policies: ReadonlyMap<string, Policy> = inForce.policies
    const sms = openSms(config, clock)
    const biometrics = openBiometrics(config, clock)
    const documentRegister = openRegister(config, clock)
    const identityProviders = createIdentityProviders(registeredProviders(config), clock)
    const { tenant } = config
    if (!policies.has(tenant.policy)) throw new AppError('configuration_invalid', { field: 'tenant.policy' })
    store.tenants.ensure(
      { id: tenant.id, name: tenant.name, mode: tenant.mode, policyId: tenant.policy },
      clock.now(),
    )
    const signer = await openSigner(store, clock, {
      source: config.signing.source,
      openToken: () => openToken(config),
    })
    opened.push(() => signer.close())
    const vision =
      options.vision ??
      (await startVision({
        log: (event, details) => {
          log.info(details, event)
        },
        modelsDir: defaultModelsDir(),
        packs: config.vision.packs === 'core' ? ['core'] : ['core', 'extended'],
        callTimeoutMs: config.vision.callTimeoutMs,
        warmUp: true,
        liveWorker: true,
      }))
    const live = createLiveSessions()
    opened.push(() => {
      live.clear()
    })
    // The context wakes the runner, and the runner works on the context: one of them is filled in later.
    const running: { jobs?: JobRunner; sync?: Sync; webhooks?: WebhookRunner } = {}
    const webhookSender = openWebhookSender(config)
    // Undone from the last to the first: a worker that is gone ends the jobs that still wait for it.
    opened.push(() => running.jobs?.drain())
    opened.push(() => vision.close())
    const documentCamera = openCamera(config, vision, clock)
    opened.push(() => documentCamera.close())
    opened.push(() => sms.close())
    opened.push(() => biometrics?.close())
    opened.push(() => documentRegister?.close())
    const ctx: Context = {
      config,
      store,
      vision,
      verification: createVerification({
        vision,
        pipelines,
        thresholds,
        liveness: livenessLimits,
        knowledge,
        clock,
      }),
      signer,
      identityProviders,
      biometrics,
      adjudication: openAdjudication(config, store, clock),
      documentRegister,
      documentCamera,
      sms,
      smsTexts,
      supportedEvidence,
      live,
      livenessLimits,
      watchlists: openWatchlists(store),
      emptyScene: await loadEmptyScene(config, vision),
      clock,
      time: clock,
      timestamper: openTimestamps(config),
      log,
      policy: (tenantId) => {
        const { policyId } = store.tenants.get(tenantId)
        const policy = policies.get(policyId)
        if (!policy) throw new AppError('configuration_invalid', { policy: policyId })
        return policy
      },
      usePolicies: (others) => {
        policies = others
      },
      newId: () => uuidv7(),
      wakeJobs: () => running.jobs?.wake(),
      wakeSync: () => running.sync?.wake(),
      wakeWebhooks: () => running.webhooks?.wake(),
    }
    await recoverErasures(ctx)
    audit.stop = watchOver(ctx)
    failInterruptedSessions(ctx)
    // Nobody waits for it: the health report says how it went.
    if (documentCamera.isConfigured) void documentCamera.selfTest()
    settleFaceIndex(ctx)
    const jobs = startJobs(ctx)
    running.jobs = jobs
    if (config.backup) {
      const backups = scheduleBackups(config.backup, { store, dataDir: config.dataDir, kek }, clock, log)
      opened.push(() => backups.stop())
      void backups.tick()
    }
    const sync = startSync({
      ctx,
      own,
      health: stateOfParts(healthReporter(ctx)),
      acknowledged: (identityId) => retentionDue(ctx, identityId),
    })
    running.sync = sync
    opened.push(() => sync.close())
    const webhooks = startWebhooks(ctx, webhookSender, options.webhooks)
    running.webhooks = webhooks
    store.onCommit(() => ctx.wakeWebhooks())
    opened.push(() => webhooks.stop())
    const listening = await listen(ctx, options, () => jobs.drain(), undo)
    bundleProven(store)
    return { ...listening, restartWanted: sync.restartWanted }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Of the health report, what the centre hears: states without words. */
function stateOfParts(report: ReturnType<typeof healthReporter>): SyncOptions['health'] {
  return async () => {
    const { components } = await report()
    return Object.fromEntries(Object.entries(components).map(([name, { status }]) => [name, status]))
  }
}

async function listen(
  ctx: Context,
  options: StartOptions,
  drainJobs: () => Promise<void>,
  undo: () => Promise<void>,
): Promise<Omit<Appliance, 'restartWanted'>> {
  const { config, log } = ctx
  let draining = false
  const workflows = createWorkflows(ctx)
  const app = express()
  app.disable('x-powered-by')
  const kiosk = options.screensDir ? mountKiosk(app, ctx, workflows, options.screensDir) : null
  const counter =
    options.screensDir && config.counter.enabled
      ? mountCounter(app, ctx, workflows, options.screensDir)
      : null
  mountCallbacks(app, ctx, workflows, () => draining)
  mountCapture(app, ctx, workflows, () => draining, captureDirOf(options))
  mountApi(app, ctx, workflows, () => draining)
  const forgotten = ctx.store.idempotency.recover()
  if (forgotten > 0) log.warn({ requests: forgotten }, 'requests that a crash cut off may be sent again')
  await kiosk?.recover()
  const server = createHttpServer(app, config.http, log)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://${config.host}:${port}`
  log.info({ port, mode: config.tenant.mode, tenant: config.tenant.id }, 'appliance ready')

  let closing: Promise<void> | undefined
  const shutDown = async (): Promise<void> => {
    draining = true
    log.info({ openJobs: ctx.store.jobs.open() }, 'shutting down')
    await kiosk?.close()
    counter?.close()
    await Promise.race([Promise.all([closeServer(server), drainJobs()]), wait(DRAIN_MS)])
    server.closeAllConnections()
    await undo()
    log.info({}, 'stopped')
  }
  return { url, store: ctx.store, close: () => (closing ??= shutDown()) }
}

function captureDirOf({ captureDir, screensDir }: StartOptions): string | undefined {
  return captureDir ?? (screensDir === undefined ? undefined : join(screensDir, 'capture'))
}

function closeServer(server: Server): Promise<void> {
  server.closeIdleConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
