/**
 * The server's side of the vision worker. Sends one call at a time, restarts a worker that dies, hangs or grows too
 * large, and runs it in a sandbox where the machine offers one. Never interprets an image or a measurement.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { SafeDetails } from '../errors.ts'
import { AppError } from '../errors.ts'
import type { Sandbox } from '../sandbox/bubblewrap.ts'
import { compileCacheSetting } from '../sandbox/compile-cache.ts'
import { isolate, type SandboxSetting } from '../sandbox/isolation.ts'
import type { EngineMounts } from './engines/engine-manifest.ts'
import type { AskService, EngineReply } from './engines/http-protocol.ts'
import { compileWorkerCode } from './compiled-code.ts'
import { joinLanes, LIVE_CALLS } from './lanes.ts'
import { readManifest, type Pack } from './manifest.ts'
import { cutPieces, takeOutLarge } from './large-bytes.ts'
import type { Reply, Request, ToWorker, WorkerConfig } from './messages.ts'
import { buildCorePack } from './packs.ts'
import type { Vision, VisionCall, VisionCalls, WorkerIsolation, WorkerRestarts } from './protocol.ts'
import { ImageFaultError } from './protocol.ts'
import { workerCommand } from './isolation.ts'

export interface VisionOptions {
  /** Receives only event names, ids and numbers. */
  readonly log: (event: string, details: SafeDetails) => void
  readonly modelsDir: string
  /** Packs that the worker may load. Default: both. */
  readonly packs?: readonly Pack[]
  /**
   * A longer call is ended by killing the worker. Default 60 s, enough for the largest document on the smallest machine.
   */
  readonly callTimeoutMs?: number
  /** A worker above this resident size is replaced after its call. Default 1.5 GB, three times the normal need. */
  readonly maxResidentBytes?: number
  /**
   * Starts a second worker for live pictures, so that they never wait for a document. Uses about 300 MB more. Default
   * false.
   */
  readonly liveWorker?: boolean
  /** Another models/manifest.json, for tests. */
  readonly manifestPath?: string
  /** Engines in place of ours. */
  readonly engines?: EngineMounts
  /** Reaches the services of HTTP engines: the worker has no network. */
  readonly askService?: AskService
  /** `auto` (default): sandbox where the machine offers one. `required`: fail to start without one. */
  readonly sandbox?: SandboxSetting
}

const WORKER_PATH = fileURLToPath(new URL('./worker.ts', import.meta.url))
const DEFAULT_CALL_TIMEOUT_MS = 60_000
const DEFAULT_MAX_RESIDENT_BYTES = 1_500_000_000
/** Converting the models at the first start takes 1 to 2 s; the remainder covers a machine that is busy booting. */
const BOOT_TIMEOUT_MS = 120_000
const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 10_000
/** Time for a worker to exit after its channel closes. */
const FAREWELL_MS = 2_000
/** Callers queue their jobs elsewhere, so a longer queue indicates a fault. */
const QUEUE_LIMIT = 100
const ATTEMPTS = 2
const QUICK: readonly VisionCall[] = [
  'inspectImage',
  'health',
  'assessFrame',
  'trackFace',
  'measureLiveness',
  'cropPortrait',
  'cutLine',
]
/** The only environment variables that the worker receives, so that it cannot read a secret. */
const PASSED_ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH']
/** glibc keeps freed memory per thread; other C libraries ignore these names. Figures: docs/measure.md. */
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
}
/**
 * Pictures are stored outside V8's heap and freed together with the small objects that hold them, so a small young
 * generation frees them early. A smaller one would promote objects that live for one picture. Figures: docs/measure.md.
 */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=8'
const FIRST_HEAP = '--initial-old-space-size=96'
/** Helper threads of the garbage collector compete for the server's cores and save no time. */
const COLLECTOR_ALONE = '--single-threaded-gc'
const WORKER_FLAGS = [SMALL_YOUNG_GENERATION, FIRST_HEAP, COLLECTOR_ALONE]
const STDERR_TAIL = 2_000

const workerEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(PASSED_ENVIRONMENT.map((name) => [name, process.env[name]])),
  ...compileCacheSetting(),
  ...ALLOCATOR,
})

/** Measuring uses whole cores for seconds, so the server's requests get priority. */
const NICER_BY = 10

/** The variable is for tests: beside busy processes of the same session a nicer worker gets a twentieth of a core. */
function chooseNiceness({ COUNTERPROOF_WORKER_NICER_BY: given } = process.env): number {
  return given !== undefined && /^1?\d$/.test(given) ? Number(given) : NICER_BY
}

interface Ticket {
  readonly call: VisionCall
  readonly input: unknown
  attempts: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  /** Runs work in the context of the caller, so that it learns of the calls of a service for its measurement. */
  readonly inContext: <T>(work: () => T) => T
}
/** `starting` and `ready` have a process; `waiting` starts one after the back-off. */
type State = 'starting' | 'ready' | 'waiting' | 'closed'

interface WorkerOptions extends VisionOptions {
  /** Default: every call. */
  readonly calls?: readonly VisionCall[]
}

class VisionClient {
  readonly #options: WorkerOptions
  readonly #sandbox: Sandbox | null
  readonly #queue: Ticket[] = []
  #state: State = 'waiting'
  #worker: ChildProcess | null = null
  #inFlight: { id: number; ticket: Ticket; timer: NodeJS.Timeout } | null = null
  #lastId = 0
  #backoffMs = FIRST_BACKOFF_MS
  #backoffTimer: NodeJS.Timeout | null = null
  #isOverdue = false
  #restarts = { crashed: 0, hung: 0, grown: 0 }
  /** Error of the last failed start. Calls are rejected with it until a start succeeds. */
  #broken: AppError | null = null

  constructor(options: WorkerOptions, sandbox: Sandbox | null) {
    this.#options = options
    this.#sandbox = sandbox
  }

  restarts(): WorkerRestarts {
    return { ...this.#restarts }
  }

  call(call: VisionCall, input: unknown): Promise<unknown> {
    if (this.#state === 'closed') return Promise.reject(new AppError('shutting_down'))
    if (this.#broken) return Promise.reject(unavailable(call, 'not_started', this.#broken))
    if (this.#queue.length >= QUEUE_LIMIT) return Promise.reject(unavailable(call, 'queue_full'))
    return new Promise((resolve, reject) => {
      const inContext = AsyncLocalStorage.snapshot()
      const ticket: Ticket = { call, input, attempts: 0, resolve, reject, inContext }
      // Quick calls serve a waiting applicant, so they precede all slow ones, in order of arrival.
      const slow = this.#queue.findIndex((other) => !QUICK.includes(other.call))
      if (QUICK.includes(call) && slow >= 0) this.#queue.splice(slow, 0, ticket)
      else this.#queue.push(ticket)
      this.#sendNext()
    })
  }

  /** Starts a worker. Resolves when it is ready; rejects with the reason it could not start, or if the client is closed. */
  start(): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(new AppError('shutting_down'))
    const { modelsDir, packs = ['core', 'extended'], manifestPath, engines, calls, log } = this.#options
    const config: WorkerConfig = {
      modelsDir,
      packs,
      ...(calls && { calls }),
      ...(manifestPath && { manifestPath }),
      ...(engines && { engines }),
      nicerBy: chooseNiceness(),
    }
    this.#state = 'starting'
    const sandbox = this.#sandbox
    const worker = fork(WORKER_PATH, [JSON.stringify(config)], {
      serialization: 'advanced',
      ...workerCommand(sandbox, WORKER_FLAGS, this.#options),
      env: workerEnvironment(),
      // The last descriptor carries the sandbox's seccomp filter.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...(sandbox ? ['pipe' as const] : [])],
    })
    sandbox?.feed(worker)
    this.#worker = worker
    let complaint = ''
    worker.stderr?.on('data', (chunk: Buffer) => {
      if (this.#state === 'starting') complaint = (complaint + chunk.toString()).slice(-STDERR_TAIL)
    })
    return new Promise((resolve, reject) => {
      const bootTimer = setTimeout(() => this.#kill(worker), BOOT_TIMEOUT_MS)
      let failure: AppError | null = null
      worker.on('message', (reply: Reply) => {
        if (reply.kind === 'boot_failed') failure = new AppError(reply.code, reply.details)
        else if (reply.kind === 'ready') {
          clearTimeout(bootTimer)
          this.#state = 'ready'
          this.#broken = null
          log('the vision worker is ready', {
            workerPid: sandbox?.programPid(worker) ?? worker.pid ?? 0,
            models: reply.models,
            built: reply.built,
            packs: reply.packs,
            mounted: reply.mounted,
          })
          for (const model of reply.refused) log('the vision worker refused a model', { model })
          resolve()
          this.#sendNext()
        } else if (reply.kind === 'ask') void this.#askService(worker, reply)
        else this.#receive(reply)
      })
      worker.on('error', () => this.#kill(worker))
      worker.on('exit', (code, signal) => {
        clearTimeout(bootTimer)
        if (this.#worker !== worker) return
        const booting = this.#state === 'starting'
        if (booting)
          this.#broken =
            failure ?? new AppError('vision_unavailable', { reason: 'worker_did_not_start', complaint })
        log('the vision worker ended', {
          workerPid: worker.pid ?? 0,
          code: code ?? -1,
          signal: signal ?? '',
          booting,
        })
        this.#lost()
        if (booting && this.#broken) reject(this.#broken)
      })
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#state = 'closed'
    this.#worker = null
    if (this.#backoffTimer) clearTimeout(this.#backoffTimer)
    const open = [...this.#queue.splice(0), ...(this.#inFlight ? [this.#inFlight.ticket] : [])]
    if (this.#inFlight) clearTimeout(this.#inFlight.timer)
    this.#inFlight = null
    for (const ticket of open) ticket.reject(new AppError('shutting_down'))
    if (worker) await this.#dismiss(worker)
  }

  #sendNext(): void {
    if (this.#state !== 'ready' || this.#inFlight || !this.#worker) return
    const ticket = this.#queue.shift()
    if (!ticket) return
    ticket.attempts++
    const id = ++this.#lastId
    const worker = this.#worker
    const limit = this.#options.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS
    const timer = setTimeout(() => {
      this.#options.log('a vision call took too long', { call: ticket.call, limitMs: limit })
      ticket.attempts = ATTEMPTS // a call that timed out once will time out again
      this.#isOverdue = true
      this.#kill(worker)
    }, limit)
    this.#inFlight = { id, ticket, timer }
    void this.#send(worker, id, ticket)
  }

  /** Yields to other work between two chunks of a large picture. */
  async #send(worker: ChildProcess, id: number, { call, input }: Ticket): Promise<void> {
    // If the channel breaks, the exit event puts the ticket back.
    const send = (message: ToWorker): void => void (worker.connected && worker.send(message, () => {}))
    const { input: rest, large } = takeOutLarge(input)
    for (const piece of cutPieces(id, large)) {
      send(piece)
      await nextTurn()
      if (this.#inFlight?.id !== id) return
    }
    send({ id, call, input: rest } as Request)
  }

  async #askService(
    worker: ChildProcess,
    { ask, engine, call }: Extract<Reply, { kind: 'ask' }>,
  ): Promise<void> {
    const askService = () => this.#options.askService?.(engine, call)
    const { inContext = (work: typeof askService) => work() } = this.#inFlight?.ticket ?? {}
    const reply: EngineReply = (await inContext(askService)) ?? { kind: 'failed', trouble: 'unreachable' }
    // The channel of a worker that has ended meanwhile is closed.
    if (worker.connected) worker.send({ kind: 'answer', ask, reply } satisfies ToWorker, () => {})
  }

  #receive(reply: Exclude<Reply, { kind: 'ready' | 'boot_failed' | 'ask' }>): void {
    if (reply.id !== this.#inFlight?.id) return
    const { ticket, timer } = this.#inFlight
    clearTimeout(timer)
    this.#inFlight = null
    this.#backoffMs = FIRST_BACKOFF_MS
    if (reply.kind === 'value') ticket.resolve(reply.value)
    else if (reply.kind === 'fault') ticket.reject(new ImageFaultError(reply.fault))
    else if (reply.kind === 'refused') ticket.reject(refusal(ticket.call, reply.models))
    else {
      this.#options.log('a vision call failed', {
        call: ticket.call,
        errorName: reply.errorName,
        at: reply.at,
      })
      ticket.reject(unavailable(ticket.call, 'call_failed'))
    }
    if (reply.residentBytes > (this.#options.maxResidentBytes ?? DEFAULT_MAX_RESIDENT_BYTES))
      this.#replace(reply)
    this.#sendNext()
  }

  /** Replaces a worker that has grown too large, between two calls. */
  #replace({ residentBytes }: { residentBytes: number }): void {
    const worker = this.#worker
    this.#options.log('the vision worker used too much memory', { residentBytes })
    this.#worker = null
    this.#restarts.grown++
    if (worker) void this.#dismiss(worker)
    this.start().catch(() => {}) // #broken and the log record the failure
  }

  /** Handles a dead worker: retries its call once, then rejects it. The next worker starts after the back-off. */
  #lost(): void {
    this.#worker = null
    this.#restarts[this.#isOverdue ? 'hung' : 'crashed']++
    this.#isOverdue = false
    if (this.#inFlight) {
      const { ticket, timer } = this.#inFlight
      clearTimeout(timer)
      this.#inFlight = null
      if (ticket.attempts < ATTEMPTS) {
        this.#options.log('a vision call is repeated', { call: ticket.call })
        this.#queue.unshift(ticket)
      } else ticket.reject(unavailable(ticket.call, 'worker_died'))
    }
    if (this.#broken)
      for (const ticket of this.#queue.splice(0))
        ticket.reject(unavailable(ticket.call, 'not_started', this.#broken))
    if (this.#state === 'closed') return
    this.#state = 'waiting'
    this.#backoffTimer = setTimeout(() => void this.start().catch(() => {}), this.#backoffMs)
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS)
  }

  /** Closes the channel, which tells the worker to exit, and kills a worker that does not. */
  #dismiss(worker: ChildProcess): Promise<void> {
    if (worker.exitCode !== null || worker.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#kill(worker), FAREWELL_MS)
      worker.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      if (worker.connected) worker.disconnect()
      else this.#kill(worker)
    })
  }

  #kill(worker: ChildProcess): void {
    if (this.#sandbox) this.#sandbox.kill(worker)
    else worker.kill('SIGKILL')
  }
}

const unavailable = (call: VisionCall, reason: string, cause?: Error): AppError =>
  new AppError('vision_unavailable', { call, reason }, { cause })

const refusal = (call: VisionCall, models: readonly string[]): AppError =>
  new AppError('vision_unavailable', { call, reason: 'model_refused', models })

/**
 * Starts the worker and resolves when it can measure. Rejects with `configuration_invalid` (details name the missing
 * role) or `vision_unavailable`, and then leaves no process running.
 */
export async function startVision(options: VisionOptions): Promise<Vision> {
  const { vision, ready } = await openVision(options)
  try {
    await ready
  } catch (error) {
    await vision.close()
    throw error
  }
  return vision
}

export interface OpenedVision {
  /** Its calls wait until the workers are ready. */
  readonly vision: Vision
  /** Rejects as `startVision` does; close the vision then. */
  readonly ready: Promise<void>
}

/** Starts the workers without waiting for them. Rejects if a sandbox is required and unavailable. */
export async function openVision(options: VisionOptions): Promise<OpenedVision> {
  const { sandbox, gap } = await isolate(options.sandbox ?? 'auto', 'vision.sandbox', (details) =>
    options.log('the vision worker runs without a sandbox', details),
  )
  const isolation: WorkerIsolation = { by: sandbox ? 'bubblewrap' : null, gap }
  // A sandboxed worker may write no file, and here a folder that cannot be written is named. The worker refuses and reports a model that
  // cannot be made.
  await buildCorePack(readManifest(options.manifestPath), options.modelsDir, () => undefined)
  const main = new VisionClient(options, sandbox)
  const ready = main.start()
  // The caller awaits `ready` later. The first start does not wait for the compiled code, which only the next one uses.
  ready.then(
    () => sandbox && compileVisionWorker(),
    () => undefined,
  )
  if (!options.liveWorker) return { vision: asVision(main, isolation), ready }
  // Live pictures are measured by our own networks alone, so no engine sees them.
  const live = new VisionClient({ ...options, engines: {}, calls: LIVE_CALLS }, sandbox)
  // It starts second, because two workers that start together on two cores delay the listening server. It opens models that the first one
  // has opened; if it fails nevertheless, the log and the health report say so, and it is started again.
  void ready.then(() => live.start()).catch(() => undefined)
  return { vision: joinLanes(asVision(main, isolation), asVision(live, isolation)), ready }
}

/** Fills the folder NODE_COMPILE_CACHE with the worker's code, if this user may write there. Never rejects. */
export const compileVisionWorker = (): Promise<void> => compileWorkerCode(WORKER_FLAGS, workerEnvironment())

function asVision(client: VisionClient, isolation: WorkerIsolation): Vision {
  const method =
    <K extends VisionCall>(call: K) =>
    (input: VisionCalls[K]['input']): Promise<VisionCalls[K]['output']> =>
      client.call(call, input) as Promise<VisionCalls[K]['output']>
  return {
    inspectImage: method('inspectImage'),
    measureDocument: method('measureDocument'),
    assessFrame: method('assessFrame'),
    readBarcode: method('readBarcode'),
    readVisualZone: method('readVisualZone'),
    readLinesAgain: method('readLinesAgain'),
    readCell: method('readCell'),
    measureAuthenticity: method('measureAuthenticity'),
    readSide: method('readSide'),
    rasterisePdf: method('rasterisePdf'),
    rasteriseTiff: method('rasteriseTiff'),
    decodeHeif: method('decodeHeif'),
    decodeChipPortrait: method('decodeChipPortrait'),
    measurePortrait: method('measurePortrait'),
    compareFaces: method('compareFaces'),
    cropPortrait: method('cropPortrait'),
    cutLine: method('cutLine'),
    trackFace: method('trackFace'),
    measureLiveness: method('measureLiveness'),
    makeTemplate: method('makeTemplate'),
    compareTemplates: method('compareTemplates'),
    health: method('health'),
    restarts: () => client.restarts(),
    isolation: () => isolation,
    close: () => client.close(),
  }
}
