/**
 * Builds the health report (GET healthcheck). Answers within a second even if a part hangs. Contains no personal value, path,
 * address or key.
 */
import { statfs } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { LOW_DISK_BYTES } from '../../proofing/freeze.ts'
import { HOUR_MS, formatSpecDateTime } from '../../proofing/time.ts'
import { lastBackup } from '../../store/last-backup.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import type { CapabilityHealth, WorkerIsolation, WorkerRestarts } from '../../vision/protocol.ts'
import { applicationsHealth } from './applications-health.ts'
import { wasSetBack } from './audit-log.ts'
import { CAMERA_TRIES } from '../capture/count-try.ts'
import { inspectionHealth } from '../fraud/device-ledger.ts'
import { readersHealth } from './readers-health.ts'
import { syncHealth } from './sync-health.ts'
import { trustHealth } from './trust-health.ts'
import { watchlistsHealth } from './watchlists-health.ts'
import { webhookHealth } from '../webhooks/manage-webhooks.ts'

type HealthStatus = 'UP' | 'DEGRADED' | 'DOWN'
interface Component {
  readonly status: HealthStatus
  readonly since?: string
  readonly detail?: string
  /** Prevents that staff read UP as "works": the part was never set up, or no check of it has run. */
  readonly standing?: SetUpState
}
export type SetUpState = 'NOT_SET_UP' | 'NOT_KNOWN'
type Look = () => Component | Promise<Component>

/**
 * A component without an answer by then is reported as DOWN, because the whole report must be ready within a
 * second.
 */
const PATIENCE_MS = 900
/** The vision worker may be busy: then the report only needs to know for how long. */
const VISION_PATIENCE_MS = 500
/** The worker answers between two measurements; each takes a few seconds on the smallest machine. */
const MAX_BUSY_MS = 15_000

/** Number of events on a day of a busy counter. They are checked within 50 ms. */
const AUDITED_AT_START = 1_000

/** Remembers since when each component is in its state: create one per server. */
export function healthReporter(ctx: Context) {
  const vision = watchVision(ctx)
  const looks: Readonly<Record<string, Look>> = {
    database: () => databaseHealth(ctx),
    disk: () => diskHealth(ctx.config.dataDir),
    vision: vision.look,
    sandbox: () => sandboxHealth(ctx.vision.isolation()),
    jobs: () => jobsHealth(ctx),
    clock: () => clockHealth(ctx),
    audit: watchAudit(ctx),
    backup: () => backupHealth(ctx),
    cameras: async () => camerasHealth(await ctx.documentCamera.health(), findLastCameraUse(ctx)),
    readers: () => readersHealth(ctx.chipReaders),
    sms: () => ({ ...ctx.carriers.mobile.health(), ...notSetUp(ctx.config.connectors.sms === undefined) }),
    smtp: () => ({ ...ctx.carriers.email.health(), ...notSetUp(ctx.config.connectors.smtp === undefined) }),
    voice: () => ({
      ...ctx.carriers.landline.health(),
      ...notSetUp(ctx.config.connectors.voice === undefined),
    }),
    operator: () => ctx.operator?.health() ?? { status: 'UP', detail: 'not configured', ...notSetUp(true) },
    biometrics: () =>
      ctx.biometrics?.health() ?? { status: 'UP', detail: 'not configured', ...notSetUp(true) },
    documentStatus: () => ctx.documentRegister?.health() ?? registerHealth(ctx),
    fraudRegister: () =>
      ctx.fraudRegister?.health() ?? { status: 'UP', detail: 'not configured', ...notSetUp(true) },
    bureaus: () => ({ ...ctx.bureaus.health(), ...notSetUp(ctx.bureaus.count === 0) }),
    addressRegisters: () => ({
      ...ctx.addressRegisters.health(),
      ...notSetUp(ctx.addressRegisters.count === 0),
    }),
    cardOwnership: () =>
      ctx.cardOwnership?.health() ?? { status: 'UP', detail: 'not configured', ...notSetUp(true) },
    issuers: () => ({
      ...ctx.issuers.health(),
      ...(ctx.issuers.count > 0 && !ctx.config.tenant.features.issuerVerification
        ? { detail: 'never asked: tenant.features.issuerVerification is off' }
        : {}),
      ...notSetUp(ctx.issuers.count === 0),
    }),
    inspection: () => ({
      ...inspectionHealth(ctx),
      ...notSetUp(ctx.config.environment.inspection === undefined),
    }),
    oidc: () => ({
      status: 'UP',
      detail: describeProviders(ctx),
      ...notSetUp(ctx.identityProviders.size === 0),
    }),
    sync: () => ({ ...syncHealth(ctx), ...notSetUp(!ctx.store.enrolments.find()?.membership) }),
    watchlists: () => ({ ...watchlistsHealth(ctx), ...notSetUp(hasNoWatchlists(ctx)) }),
    trust: () => trustHealth(ctx),
    webhooks: () => ({ ...webhookHealth(ctx), ...notSetUp(hasNoWebhooks(ctx)) }),
    applications: () => applicationsHealth(ctx),
  }
  const states = new Map<string, { readonly status: HealthStatus; readonly since: string }>()

  const reportComponent = async (name: string, look: Look): Promise<readonly [string, Component]> => {
    const component = await awaitAnswer(look)
    const known = states.get(name)
    const state =
      known?.status === component.status
        ? known
        : { status: component.status, since: formatSpecDateTime(ctx.clock.now()) }
    states.set(name, state)
    return [name, { ...state, ...component }]
  }

  return async () => {
    const parts = await Promise.all(Object.entries(looks).map(([name, look]) => reportComponent(name, look)))
    const abilities = await Promise.all(
      vision
        .abilities()
        .map((ability) => reportComponent(`vision-${ability.name}`, () => abilityHealth(ability))),
    )
    const components = Object.fromEntries([...parts, ...abilities])
    return { status: findWorst(Object.values(components)), version: PRODUCT_VERSION, components }
  }
}

const notSetUp = (isSo: boolean): Pick<Component, 'standing'> => (isSo ? { standing: 'NOT_SET_UP' } : {})
const notKnown = (isSo: boolean): Pick<Component, 'standing'> => (isSo ? { standing: 'NOT_KNOWN' } : {})

function findWorst(components: readonly Component[]): HealthStatus {
  const worst = (['DOWN', 'DEGRADED'] as const).find((status) =>
    components.some((component) => component.status === status),
  )
  return worst ?? 'UP'
}

async function awaitAnswer(look: Look): Promise<Component> {
  try {
    return await withinMs(PATIENCE_MS, Promise.resolve(look()), { status: 'DOWN', detail: 'no answer' })
  } catch {
    return { status: 'DOWN', detail: 'cannot be looked at' }
  }
}

async function withinMs<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
  const timer = new AbortController()
  try {
    return await Promise.race([answer, wait(ms, otherwise, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}

function databaseHealth(ctx: Context): Component {
  ctx.store.ping()
  return { status: 'UP' }
}

/** Only the appliance's own backups are known here, not those of a system timer. */
function backupHealth(ctx: Context): Component {
  const plan = ctx.config.backup
  if (!plan) return { status: 'UP', detail: 'not made by the appliance itself', ...notSetUp(true) }
  const last = lastBackup(ctx.store.meta)
  if (last === null) return { status: 'UP', detail: 'the first one is still to come', ...notKnown(true) }
  const ageHours = (ctx.clock.now().getTime() - last.at) / HOUR_MS
  const isLate = ageHours > plan.everyHours * 2
  return {
    status: last.outcome === 'failed' || isLate ? 'DEGRADED' : 'UP',
    detail:
      last.outcome === 'failed'
        ? ['the last one failed', ...(last.reason === undefined ? [] : [last.reason])].join(': ')
        : `the last one ${Math.floor(ageHours)} h ago`,
  }
}

function hasNoWatchlists({ config, watchlists }: Context): boolean {
  return watchlists.lists().length + config.antifraud.watchlist.sources.length === 0
}

function hasNoWebhooks({ store: { webhookEndpoints: endpoints }, clock }: Context): boolean {
  return endpoints.inUse(clock.now()).length + endpoints.disabled() + endpoints.unassigned() === 0
}

/** Number of the newest visits; older ones say little about the present. */
const VISITS_LOOKED_AT = 20

/** A kiosk whose camera is missing, busy or refused has a problem, whatever the machine itself knows of cameras. */
function camerasHealth(known: Component, lastUse: 'PICTURE' | 'FAILED' | null): Component {
  if (lastUse === 'FAILED' && known.status === 'UP')
    return { status: 'DEGRADED', detail: 'the newest visit that needed a camera got no picture from it' }
  return { ...known, ...notKnown(lastUse === null) }
}

/** Uses the newest evidence of the last day: a submitted camera picture, or a camera that failed. */
function findLastCameraUse({ store, clock }: Context): 'PICTURE' | 'FAILED' | null {
  const until = clock.now()
  const visits = store.visits.list({ since: new Date(until.getTime() - 24 * HOUR_MS), until })
  for (const { id } of visits.slice(0, VISITS_LOOKED_AT)) {
    const last = store.visits
      .listNotes(id)
      .findLast(({ kind, code }) =>
        kind === 'FAULT' ? code.startsWith('CAMERA_') : kind === 'TRY' && CAMERA_TRIES.includes(code),
      )
    if (last) return last.kind === 'TRY' ? 'PICTURE' : 'FAILED'
  }
  return null
}

async function diskHealth(folder: string): Promise<Component> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const detail = `${Math.floor(free / 1_000_000)} MB free`
  return { status: free < LOW_DISK_BYTES ? 'DEGRADED' : 'UP', detail }
}

interface VisionWatch {
  readonly look: Look
  /** As last reported by the worker; empty if it did not answer. */
  abilities(): readonly CapabilityHealth[]
}

/** Asks again only after an answer, so that a hanging worker does not find a queue. */
function watchVision(ctx: Context): VisionWatch {
  // The worker was ready when the server started.
  let last: Component = { status: 'UP' }
  let abilities: readonly CapabilityHealth[] = []
  let asked: { readonly at: number; readonly answered: Promise<boolean> } | null = null

  const ask = async (): Promise<boolean> => {
    last = await ctx.vision.health({}).then(
      ({ packs, models, capabilities }): Component => {
        abilities = capabilities
        return {
          status: 'UP',
          detail: `packs ${packs.join(' and ')}, ${models.length} models; ${describeRestarts(ctx.vision.restarts())}`,
        }
      },
      (): Component => {
        abilities = []
        return {
          status: 'DOWN',
          detail: `the vision worker does not answer; it is being restarted; ${describeRestarts(ctx.vision.restarts())}`,
        }
      },
    )
    asked = null
    return true
  }
  const look: Look = async () => {
    const question = (asked ??= { at: ctx.clock.now().getTime(), answered: ask() })
    if (await withinMs(VISION_PATIENCE_MS, question.answered, false)) return last
    return ctx.clock.now().getTime() - question.at < MAX_BUSY_MS
      ? { status: last.status, detail: 'has not answered yet: it may be busy with a measurement' }
      : { status: 'DEGRADED', detail: 'has not answered for longer than a measurement takes' }
  }
  return { look, abilities: () => abilities }
}

const ENGINE_TROUBLE: Readonly<Record<NonNullable<CapabilityHealth['trouble']>, string>> = {
  refused:
    'was refused: its file is missing, is not the one that was pinned, or is no network that runs here',
  unreachable: 'cannot be reached',
  timeout: 'does not answer in time',
  'unexpected-answer': 'answers against the protocol',
  'other-engine': 'is not the one that answers: its id, version or hash differs from engine.json',
}

function abilityHealth({ state, models, refused, trouble }: CapabilityHealth): Component {
  if (state === 'NOT_INSTALLED') return { status: 'UP', detail: 'not installed', ...notSetUp(true) }
  if (state === 'UP') return { status: 'UP', detail: `models ${models.join(', ')}` }
  if (trouble !== undefined)
    return { status: 'DOWN', detail: `the engine ${refused.join(', ')} ${ENGINE_TROUBLE[trouble]}` }
  return {
    status: 'DOWN',
    detail: `refused, because the file is not the one that was pinned: ${refused.join(', ')}`,
  }
}

const SANDBOX_GAPS: Readonly<Record<NonNullable<WorkerIsolation['gap']>, Component>> = {
  OFF: {
    status: 'UP',
    detail: 'switched off by vision.sandbox: a decoder can reach all that the server can',
    standing: 'NOT_SET_UP',
  },
  NOT_SUPPORTED: { status: 'DEGRADED', detail: 'not available on this system' },
  NOT_INSTALLED: { status: 'DEGRADED', detail: 'not available: install bubblewrap' },
  REFUSED: {
    status: 'DEGRADED',
    detail: 'not available: bubblewrap is installed, and the system lets it make no namespaces; see the log',
  },
}

function sandboxHealth({ gap }: WorkerIsolation): Component {
  if (gap !== null) return SANDBOX_GAPS[gap]
  return { status: 'UP', detail: 'bubblewrap: no network, no data folder, system-call filter' }
}

/** Number of restarts since the server started. */
function describeRestarts({ crashed, hung, grown }: WorkerRestarts): string {
  const times = crashed + hung + grown
  return times === 0
    ? 'worker never restarted'
    : `worker restarted ${times}x (${crashed} crashed, ${hung} hung, ${grown} too large)`
}

const TIME_SOURCES = {
  CENTRE: 'confirmed by the central service',
  SYSTEM: 'the clock of the machine alone, not compared with a trusted source',
  UNSURE: 'in doubt: the clock of the machine was set, or is behind what it has shown before',
} as const

function clockHealth(ctx: Context): Component {
  const { source, earliest, latest, uncertaintyMs } = ctx.time.statement()
  const span =
    source === 'UNSURE' ? `, from ${formatSpecDateTime(earliest)} to ${formatSpecDateTime(latest)}` : ''
  const known = uncertaintyMs === null ? '' : ` to within ${uncertaintyMs} ms`
  const detail = `${formatSpecDateTime(ctx.clock.now())} UTC, ${TIME_SOURCES[source]}${known}${span}`
  return { status: source === 'UNSURE' ? 'DEGRADED' : 'UP', detail, ...notKnown(source === 'SYSTEM') }
}

/** The newest rows are checked once, at start; `npm run audit -- verify` checks the whole log. */
function watchAudit(ctx: Context): Look {
  const { store } = ctx
  const findings = store.auditEvents(AUDITED_AT_START)
  const first = findings.at(0)
  const wasBehind = wasSetBack(store)
  return () => {
    const { seq } = store.events.head()
    const latest = store.checkpoints.latest()
    const checkpoint = latest ? `last checkpoint ${formatSpecDateTime(latest.at)} UTC` : 'no checkpoint yet'
    const detail = `ends at event ${seq}, ${checkpoint}`
    if (first)
      return { status: 'DOWN', detail: `${detail}; at start event ${first.seq} was ${first.problem}` }
    if (wasBehind) return { status: 'DEGRADED', detail: `${detail}; at start it was older than it had been` }
    return { status: 'UP', detail }
  }
}

function jobsHealth(ctx: Context): Component {
  const failed = ctx.store.jobs.failed()
  const detail = `${ctx.store.jobs.open()} open, ${failed} parked`
  return { status: failed > 0 ? 'DEGRADED' : 'UP', detail }
}

function registerHealth({ store }: Context): Component {
  const list = store.documentRegisters.current()
  return list
    ? { status: 'UP', detail: `a list in the appliance, as of ${list.date}` }
    : { status: 'UP', detail: 'not configured', ...notSetUp(true) }
}

function describeProviders(ctx: Context): string {
  const { size } = ctx.identityProviders
  return size === 0 ? 'not configured' : `${size} configured; called only when an applicant signs in`
}
