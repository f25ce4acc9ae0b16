/**
 * Starts the server: start(config) → { url, close }. The only file that knows every part of the server. Runs under plain
 * Node and knows no window or command line.
 */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { Express } from 'express'
import { v7 as uuidv7 } from 'uuid'
import { scheduleBackups, type Scheduler } from './backup/schedule.ts'
import { closeServer, createHttpServer, listen as openListener } from './http/http-server.ts'
import { UploadBudget } from './http/upload-budget.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import { LISTENERS, readListenersTls, type ListenerName, type ListenersTls } from './config/listeners.ts'
import { createIdentityProviders } from './connectors/oidc/identity-providers.ts'
import { loadKek } from './config/kek.ts'
import { readMetricsToken } from './config/metrics.ts'
import { loadAddressFormats } from './config/address-formats.ts'
import { listUnaskedServices } from './config/unasked-services.ts'
import { loadDocumentTemplates } from './config/document-templates.ts'
import { requirePolicy } from './config/policies.ts'
import { readServiceSettings } from './config/service-options.ts'
import { loadPipelines, pipelineChecks, RESOURCES_DIR } from './config/resources.ts'
import { loadDocumentFaults } from './config/document-faults.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import { listenOnSocket } from './files/socket-file.ts'
import type { TlsMaterial } from './files/tls-files.ts'
import { JOB_HANDLERS } from './jobs/handlers.ts'
import { startJobs, type JobRunner } from './jobs/runner.ts'
import { openToken } from './keys/token.ts'
import type { ChipReaders } from './chip-reader/readers.ts'
import { createLiveSessions } from './live/live-sessions.ts'
import { createLog, type Log } from './log.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { openOtlp } from './telemetry/otlp.ts'
import { traceJobs, traceVerification, traceVision, traceWorkflows } from './telemetry/traced-parts.ts'
import { createTracer, type Tracer } from './telemetry/tracer.ts'
import {
  loadEmptyScene,
  openAdjudication,
  openCamera,
  openChipReaders,
  openServices,
  openSessionRecorder,
  registeredProviders,
} from './open-connectors.ts'
import type { Draw } from './proofing/liveness/types.ts'
import type { Policy } from './proofing/assurance/policy.ts'
import { requireCurrentKeys } from './store/identity-keys.ts'
import { notePort } from './store/last-port.ts'
import { lockDataDir } from './store/lock.ts'
import { openStore, type Store } from './store/open.ts'
import { APPLIANCE } from './store/scope.ts'
import { bundleAtStart, markBundleProven, startOrRollBack } from './sync/bundle-at-start.ts'
import { startSync, type Sync, type SyncOptions } from './sync/run.ts'
import { openTrustedTime } from './time/trusted-time.ts'
import { readChipTrust } from './trust/chip-trust.ts'
import { createVerification } from './verification/pipeline.ts'
import { STEPS } from './verification/registry.ts'
import { loadVerifiedGrounds } from './verification/verified-grounds.ts'
import { loadAuthenticityLimits } from './verification/authenticity-limits.ts'
import { loadLivenessLimits } from './verification/liveness-limits.ts'
import { loadThresholds } from './verification/thresholds.ts'
import { warmUpWhenIdle } from './verification/warm-up.ts'
import { openConfiguredEngines } from './open-engines.ts'
import { openConfiguredVision } from './open-vision.ts'
import type { OpenedVision } from './vision/client.ts'
import type { Vision } from './vision/protocol.ts'
import {
  createFront,
  makeApi,
  makeCallbacks,
  makeCapture,
  makeCounter,
  makeHealth,
  makeKiosk,
  makeKioskWindow,
  makeMetrics,
  makeSocketFront,
  mountScreens,
} from './mount.ts'
import { loadLists, loadScreens, openSettings, type Lists } from './open-settings.ts'
import { startListUpdates } from './open-watchlists.ts'
import { addSettingProblems, type SettingsInForce } from './setting-problems.ts'
import { openWebhookSender } from './webhooks/open.ts'
import { startWebhooks, type WebhookOptions, type WebhookRunner } from './webhooks/runner.ts'
import { noteDeliveryReport } from './workflows/claims/verify-contact.ts'
import { acceptLoss } from './workflows/retention/accept-loss.ts'
import { warnOfApplications } from './workflows/health/applications-health.ts'
import { watchOver } from './workflows/health/audit-log.ts'
import { failInterruptedSessions } from './workflows/capture/capture-sessions.ts'
import { settleFaceIndex } from './workflows/evidence/face-templates.ts'
import type { ListUpdates } from './watchlists/update-lists.ts'
import { openWatchlists } from './watchlists/watchlists.ts'
import { createWorkflows } from './workflows/index.ts'
import { openSigner } from './workflows/proof/open-signer.ts'
import { healthReporter } from './workflows/health/report-health.ts'
import { recoverErasures } from './workflows/retention/recover-erasures.ts'
import { getAudience } from './workflows/webhooks/manage-webhooks.ts'
import { retentionDue } from './workflows/retention/apply-retention.ts'

/** Photograph of a drawn passport, for the warm-up. */
const WARMING_PAGE = 'specimens/alba/passport-photo.jpg'

interface StartOptions {
  readonly config: Config
  /** Folder of the built screens (`kiosk/`, `counter/`, `assets/`); without it no screens are served. */
  readonly screensDir?: string
  /** Folder of the built capture component if it is not in `screensDir`. */
  readonly captureDir?: string
  readonly log?: Log
  readonly clock?: Clock
  /** Random numbers for the challenge sequences; default: the operating system's. */
  readonly draw?: Draw
  /** Default: the real worker. */
  readonly vision?: Vision
  /** Gives the workers that were started beside the loading of this file; null: they are taken already. */
  readonly takeVision?: () => OpenedVision | null
  /** Default: the readers of pcscd, if the configuration enables them. */
  readonly chipReaders?: ChipReaders
  /** Reads a drawn document after the start, so that the first applicant does not wait for the models to load. */
  readonly warmUp?: boolean
  /** The master key if it is already loaded; some sources give it only once. */
  readonly kek?: Buffer
  /** The operator accepts that identities whose keys are missing are lost. */
  readonly acceptLoss?: boolean
  /** Replaces the standard schedule of webhook tries. */
  readonly webhooks?: Partial<WebhookOptions>
}

export interface Appliance {
  /** Address of the main listener, which only this machine can reach. */
  readonly url: string
  /** Addresses of the additional listeners of the configuration. */
  readonly listeners: Readonly<Partial<Record<ListenerName, string>>>
  readonly store: Store
  /** Returns a secret for the next kiosk window, valid once and for two minutes. Null: any browser of this machine may call. */
  newWindowSecret(): string | null
  /** Resolves when settings of the central service need a restart and no proofing is in progress. */
  readonly restartWanted: Promise<void>
  /** Refuses new work, waits for running work, then closes. May be called twice. */
  close(): Promise<void>
}

/** Time for running requests and jobs to end after close() is called. */
const DRAIN_MS = 15_000

/** If settings of the central service make the start fail, the previous ones are used (`sync/bundle-at-start`). */
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
  const opened: Closing[] = []
  const undo = async (): Promise<void> => {
    for (const close of opened.reverse()) await close()
  }
  const anyKeys = options.acceptLoss ?? false
  let found: SettingsInForce = { config: own, policies: null }
  try {
    const tls = readListenersTls(own)
    const metricsToken = readMetricsToken(own)
    // Checked before the lock is taken, so that a refused start leaves no file.
    if (!anyKeys) requireCurrentKeys(own.dataDir)
    const lock = lockDataDir(own.dataDir)
    opened.push(() => lock.release())
    const rules = loadRules()
    const lists = loadLists(own)
    const documentFaults = loadDocumentFaults()
    const store = openStore(own.dataDir, kek, { anyKeys })
    opened.push(() => store.close())
    const audit: { stop?: () => void } = {}
    opened.push(() => audit.stop?.())
    const clock = openTrustedTime(wall, store, log)
    const inForce = bundleAtStart(store, own, clock, log)
    found = inForce
    const { config } = inForce
    let policies: ReadonlyMap<string, Policy> = inForce.policies
    const services = openServices(config, clock)
    const { sms, smtp, voice, operator, biometrics, documentRegister, fraudRegister, issuers, bureaus } =
      services
    const { addressRegisters, cardOwnership, timestamper } = services
    for (const unasked of listUnaskedServices(config))
      log.warn({ ...unasked }, 'a configured service is never asked, because the feature that asks it is off')
    const identityProviders = createIdentityProviders(registeredProviders(config), clock)
    ensureTenant(store, config.tenant, policies, clock)
    const signer = await openSigner(store, clock, {
      source: config.signing.source,
      openToken: () => openToken(config),
    })
    opened.push(() => signer.close())
    const engines = openConfiguredEngines(config)
    opened.push(() => engines.close())
    const { vision: started, ready: visionReady } = options.vision
      ? { vision: options.vision, ready: Promise.resolve() }
      : (options.takeVision?.() ?? (await openConfiguredVision(config, engines, log)))
    // Loaded only where it is on: few appliances are scraped, and its library is a twentieth of a start.
    const metrics = config.metrics ? (await import('./telemetry/metrics.ts')).createMetrics() : null
    const tracer = openTracer(config, clock, log)
    opened.push(() => tracer?.close())
    const measured = metrics?.watchVision(started) ?? started
    const watched = tracer ? traceVision(measured, tracer) : measured
    const vision = options.warmUp
      ? warmUpWhenIdle(watched, () => readFileSync(join(RESOURCES_DIR, WARMING_PAGE)))
      : watched
    const live = createLiveSessions()
    opened.push(() => {
      live.clear()
    })
    // Context and runners need each other, so the runners are assigned later.
    const running: Running = {}
    const webhookSender = openWebhookSender(config)
    // Closed in reverse order, because closing the worker ends the jobs that still wait for it.
    opened.push(() => running.jobs?.drain())
    opened.push(() => vision.close())
    const documentCamera = openCamera(config, vision, clock)
    opened.push(() => documentCamera.close())
    const chipReaders = config.readers.enabled
      ? (options.chipReaders ?? (await openChipReaders(config, log)))
      : null
    opened.push(() => chipReaders?.close())
    const carriers = { mobile: sms, email: smtp, landline: voice }
    for (const carrier of Object.values(carriers)) opened.push(() => carrier.close())
    opened.push(() => operator?.close())
    opened.push(() => biometrics?.close())
    opened.push(() => documentRegister?.close())
    opened.push(() => fraudRegister?.close())
    opened.push(() => issuers.close())
    opened.push(() => bureaus.close())
    opened.push(() => addressRegisters.close())
    opened.push(() => cardOwnership?.close())
    const ctx: Context = {
      config,
      store,
      vision,
      verification: traceSteps(tracer, {
        ...rules,
        vision,
        clock,
        issuers,
        bureaus,
        addressRegisters,
        getChipTrust: (countries) => readChipTrust(store, countries, clock.statement().latest),
      }),
      signer,
      identityProviders,
      biometrics,
      adjudication: openAdjudication(config, store, clock, lists),
      documentRegister,
      fraudRegister,
      issuers,
      bureaus,
      addressRegisters,
      cardOwnership,
      documentCamera,
      chipReaders,
      carriers,
      operator,
      get passcodeTexts() {
        return lists.passcodeTexts
      },
      get supportedEvidence() {
        return lists.supportedEvidence
      },
      documentFaults,
      live,
      livenessLimits: rules.liveness,
      sessionRecorder: openSessionRecorder(config, log),
      draw: options.draw ?? ((below) => randomInt(below)),
      watchlists: openWatchlists(store),
      emptyScene: await loadEmptyScene(config, vision),
      clock,
      time: clock,
      timestamper,
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
      backups: () => running.backups ?? null,
      listUpdates: () => running.listUpdates ?? null,
      wakeSync: () => running.sync?.wake(),
      wakeWebhooks: () => running.webhooks?.wake(),
    }
    sms.onReport?.((report) => noteDeliveryReport(ctx, 'mobile', report))
    if (anyKeys) acceptLoss(ctx)
    await recoverErasures(ctx)
    audit.stop = watchOver(ctx)
    warnOfApplications(ctx)
    failInterruptedSessions(ctx)
    // Not awaited: the health report shows the result.
    if (documentCamera.isConfigured) void documentCamera.selfTest()
    settleFaceIndex(ctx)
    // Jobs and messages to the central service begin only now, because workers that cannot measure refuse the start.
    await visionReady
    const { jobs, sync } = startRunning(ctx, running, opened, { ...options, own, webhookSender, tracer })
    const listening = await listen(
      ctx,
      { ...options, tls, lists, metrics, metricsToken, tracer },
      () => jobs.drain(),
      undo,
    )
    markBundleProven(store)
    return { ...listening, restartWanted: sync.restartWanted }
  } catch (error) {
    await undo()
    throw addSettingProblems(error, found)
  }
}

type Closing = () => Promise<void> | void | undefined

/** Background work of the appliance, beside its listeners. */
interface Running {
  jobs?: JobRunner
  backups?: Scheduler
  listUpdates?: ListUpdates
  sync?: Sync
  webhooks?: WebhookRunner
}

function startRunning(
  ctx: Context,
  running: Running,
  opened: Closing[],
  {
    own,
    log,
    kek,
    webhookSender,
    webhooks,
    tracer,
  }: Pick<StartOptions, 'webhooks'> & {
    readonly tracer: Tracer | null
    readonly own: Config
    readonly log: Log
    readonly kek: Buffer
    readonly webhookSender: ReturnType<typeof openWebhookSender>
  },
) {
  const { config, store, clock } = ctx
  const jobs = startJobs(ctx, tracer ? traceJobs(JOB_HANDLERS, tracer) : JOB_HANDLERS)
  running.jobs = jobs
  if (config.backup) {
    const backups = scheduleBackups(config.backup, { store, dataDir: config.dataDir, kek }, clock, log)
    running.backups = backups
    opened.push(() => backups.stop())
    void backups.tick()
  }
  const listUpdates = startListUpdates(config, store, clock, log)
  running.listUpdates = listUpdates
  opened.push(() => listUpdates.stop())
  const sync = startSync({
    ctx,
    own,
    health: stateOfParts(healthReporter(ctx)),
    acknowledged: (identityId) => retentionDue(ctx, identityId),
  })
  running.sync = sync
  opened.push(() => sync.close())
  const webhookRunner = startWebhooks(
    { ...ctx, findAudience: (endpoint) => getAudience(ctx, endpoint) },
    webhookSender,
    webhooks,
  )
  running.webhooks = webhookRunner
  store.onCommit(() => ctx.wakeWebhooks())
  opened.push(() => webhookRunner.stop())
  return { jobs, sync }
}

function loadRules() {
  const pipelines = loadPipelines([...STEPS.keys()])
  const thresholds = loadThresholds()
  // The steps read these files again. Reading them here makes a broken file refuse the start, not the first document.
  loadAuthenticityLimits()
  loadVerifiedGrounds(pipelineChecks())
  return {
    pipelines,
    thresholds,
    liveness: loadLivenessLimits(),
    knowledge: loadDocumentTemplates(),
    addressFormats: loadAddressFormats(),
  }
}

/** Null: the configuration names no collector. */
function openTracer({ traces, dataDir }: Config, clock: Clock, log: Log): Tracer | null {
  if (!traces) return null
  const otlp = openOtlp(readServiceSettings(traces, dataDir, 'traces'))
  const tracer = createTracer((spans) => otlp.send(spans), clock, log)
  return {
    ...tracer,
    close: async () => {
      await tracer.close()
      await otlp.close()
    },
  }
}

function traceSteps(
  tracer: Tracer | null,
  parts: Parameters<typeof createVerification>[0],
): ReturnType<typeof createVerification> {
  const verification = createVerification(parts)
  return tracer ? traceVerification(verification, tracer) : verification
}

function traceOperations(ctx: Context, tracer: Tracer): ReturnType<typeof createWorkflows> {
  return traceWorkflows(createWorkflows(ctx), tracer, {
    findStart: (identityId) => {
      const identity = ctx.store.identities.find(APPLIANCE, identityId)
      return identity && identity.status !== 'CLOSED' ? identity.createdAt : null
    },
    now: () => ctx.clock.now(),
  })
}

/** Throws `configuration_invalid` if the tenant's policy does not exist, or the mode cannot change. */
function ensureTenant(
  store: Store,
  tenant: Config['tenant'],
  policies: ReadonlyMap<string, Policy>,
  clock: Clock,
): void {
  requirePolicy(policies, tenant.policy)
  const { id, name, mode, policy: policyId } = tenant
  store.tenants.ensure({ id, name, mode, policyId }, clock.now())
}

/**
 * Returns the part of the health report that the central service receives: states without texts. A part that is not set up or was
 * not checked is left out, because UP would read as "works".
 */
function stateOfParts(report: ReturnType<typeof healthReporter>): SyncOptions['health'] {
  return async () => {
    const { components } = await report()
    const known = Object.entries(components).filter(([, { standing }]) => standing === undefined)
    return Object.fromEntries(known.map(([name, { status }]) => [name, status]))
  }
}

interface ListenOptions extends StartOptions {
  readonly tls: ListenersTls
  readonly lists: Lists
  readonly metrics: Metrics | null
  readonly metricsToken: string | null
  readonly tracer: Tracer | null
}

async function listen(
  ctx: Context,
  options: ListenOptions,
  drainJobs: () => Promise<void>,
  undo: () => Promise<void>,
): Promise<Omit<Appliance, 'restartWanted'>> {
  const { config, log } = ctx
  let draining = false
  let { port } = config
  const { kioskWindow, kiosk, counter, main, networks, metricsFront } = mountParts(ctx, options, {
    isDraining: () => draining,
    port: () => port,
  })
  const forgotten = ctx.store.idempotency.recover()
  if (forgotten > 0) log.warn({ requests: forgotten }, 'requests that a crash interrupted may be repeated')
  await kiosk?.recover()

  const servers: Server[] = []
  const urls: Partial<Record<ListenerName, string>> = {}
  const openServer = (app: Express, host: string, at: number, tls: TlsMaterial | null): Promise<string> => {
    const server = createHttpServer(app, config.http, log, tls)
    servers.push(server)
    return openListener(server, host, at)
  }
  const closeServers = async (): Promise<void> => {
    await Promise.race([Promise.all([...servers.map(closeServer), drainJobs()]), wait(DRAIN_MS)])
    for (const server of servers) server.closeAllConnections()
  }
  let url: string
  try {
    url = await openServer(main, config.host, config.port, null)
    port = Number(new URL(url).port)
    notePort(config.dataDir, port)
    if (metricsFront && config.metrics?.socket !== undefined) {
      const server = createHttpServer(metricsFront, config.http, log)
      servers.push(server)
      await listenOnSocket(server, config.metrics.socket, 'metrics.socket')
    }
    for (const name of LISTENERS) {
      const listener = config.listeners[name]
      if (!listener) continue
      const front = createFront(ctx, networks[name], { onlyProxies: listener.proxyTerminatesTls })
      urls[name] = await openServer(front, listener.host, listener.port, options.tls[name] ?? null)
      log.info({ listener: name, url: urls[name] }, 'a listener is open')
    }
  } catch (error) {
    await closeServers()
    throw error
  }
  log.info({ port, mode: config.tenant.mode, tenant: config.tenant.id }, 'the appliance is ready')

  let closing: Promise<void> | undefined
  const shutDown = async (): Promise<void> => {
    draining = true
    log.info({ openJobs: ctx.store.jobs.open() }, 'the server is shutting down')
    await kiosk?.close()
    counter?.close()
    await closeServers()
    await undo()
    log.info({}, 'the server has stopped')
  }
  return {
    url,
    listeners: urls,
    store: ctx.store,
    newWindowSecret: () => kioskWindow.newSecret(),
    close: () => (closing ??= shutDown()),
  }
}

/** Makes the parts of the server, and what each listener serves. `port`: of the main listener, known once it is open. */
function mountParts(
  ctx: Context,
  options: ListenOptions,
  { isDraining, port }: { readonly isDraining: () => boolean; readonly port: () => number },
) {
  const { config } = ctx
  const { screensDir } = options
  const { tracer } = options
  const workflows = tracer ? traceOperations(ctx, tracer) : createWorkflows(ctx)
  const { applicationBudgetBytes, serverBudgetBytes, idleSeconds } = config.uploads
  const uploads = new UploadBudget({
    applicationBytes: applicationBudgetBytes,
    serverBytes: serverBudgetBytes,
    idleMs: idleSeconds * 1000,
  })
  const kioskWindow = makeKioskWindow(ctx)
  const face = loadScreens(ctx)
  const counter =
    screensDir && config.counter.enabled
      ? makeCounter(ctx, workflows, screensDir, port, uploads, face, openSettings(ctx, options.lists, face))
      : null
  const isStaffed = () => counter?.isWatched() ?? false
  const kiosk = screensDir
    ? makeKiosk(ctx, workflows, kioskWindow, screensDir, uploads, face, isStaffed)
    : null
  const { metrics, metricsToken } = options
  const readMetrics = metrics && (() => metrics.read({ ...ctx, health: () => workflows.health() }))
  const metered = makeMetrics(ctx, metricsToken, readMetrics)
  const api = makeApi(ctx, workflows, isDraining, uploads)
  const capture = makeCapture(ctx, workflows, isDraining, uploads, resolveCaptureDir(options), face)
  const callbacks = makeCallbacks(ctx, workflows, isDraining, uploads)
  const main = createFront(ctx, (parts) => {
    if (screensDir) mountScreens(parts, screensDir, '/kiosk/', face)
    if (kiosk) parts.use('/kiosk', kiosk.router)
    if (counter) parts.use('/counter', counter.router)
    parts.use(callbacks, capture, metered, api)
  })
  /** The parts that each network listener serves. The kiosk is in none; capture sessions are in both. */
  const networks: Readonly<Record<ListenerName, (parts: Express) => void>> = {
    api: (parts) => parts.use(callbacks, capture, metered, api),
    counter: (parts) => {
      if (!screensDir || !counter) return
      mountScreens(parts, screensDir, '/counter/', face)
      parts.use('/counter', counter.router)
      parts.use(capture, makeHealth(ctx, workflows))
    },
  }
  const metricsFront = readMetrics && makeSocketFront(ctx, readMetrics)
  return { kioskWindow, kiosk, counter, main, networks, metricsFront }
}

function resolveCaptureDir({ captureDir, screensDir }: StartOptions): string | undefined {
  return captureDir ?? (screensDir === undefined ? undefined : join(screensDir, 'capture'))
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
