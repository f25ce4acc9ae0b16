/**
 * The server's side of the reader process: starts it, in the sandbox where the machine offers one, opens its connections to pcscd, and
 * restarts it when it ends. Never parses what a chip answered, and never logs it.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ChipTrust } from '../chip/passive/chip-trust.ts'
import { AppError, type SafeDetails } from '../errors.ts'
import type { Sandbox } from '../sandbox/bubblewrap.ts'
import { compileCacheSetting } from '../sandbox/compile-cache.ts'
import { isolate, type SandboxSetting } from '../sandbox/isolation.ts'
import { isChosen } from './inspect-card.ts'
import {
  FromProcess,
  toTrustMessage,
  type InspectionOutcome,
  type InspectionRequest,
  type ReaderFault,
  type ReaderInfo,
  type TestOutcome,
  type ToProcess,
} from './messages.ts'

export const PCSCD_SOCKET = '/run/pcscd/pcscd.comm'

export interface ReadersOptions {
  /** Receives only event names and numbers. */
  readonly log: (event: string, details: SafeDetails) => void
  /** Socket of pcscd. Default: where Debian's pcscd listens. */
  readonly socketPath?: string
  /** Uses only readers whose name begins with it. Default: every reader. */
  readonly name?: string | null
  /** An inspection that takes longer is `too_slow`. Default 60 s: a slow chip with large pictures takes 15 s. */
  readonly inspectionMs?: number
  readonly sandbox?: SandboxSetting
  /** Replaces the program of the process in tests. */
  readonly program?: string
}

export interface InspectInput extends Omit<InspectionRequest, 'trust' | 'progress'> {
  readonly trust: ChipTrust
  /** `progress` of the report of an inspection that lost the chip. */
  readonly progress?: InspectionRequest['progress']
  /** Begins the name of the reader; default: that of the configuration. */
  readonly reader?: string
  /** Called after each block with the identifier of the file and its bytes so far. */
  readonly onProgress?: (progress: ReadProgress) => void
  /** Ends the inspection with the fault `stopped`. */
  readonly signal?: AbortSignal
}

export interface ReadProgress {
  readonly fileId: number
  readonly bytes: number
  /** Null until the length is known. */
  readonly total: number | null
}

export type ReadersState =
  | { readonly kind: 'ready'; readonly readers: readonly ReaderInfo[] }
  | { readonly kind: 'unavailable'; readonly fault: ReaderFault }

export interface ChipReaders {
  /** The newest state; waits for the first one at most so long (default 2 s). */
  state(waitMs?: number): Promise<ReadersState>
  /** Calls the listener after each change. Returns a function that ends it. */
  watch(listener: (state: ReadersState) => void): () => void
  /** Never throws for a reader, a chip or the end of the process: each has a fault. */
  inspect(input: InspectInput): Promise<InspectionOutcome>
  /** Reads what every reader may read, without a key. */
  test(reader?: string): Promise<TestOutcome>
  /** Process id of the program; null while it does not run. */
  pid(): number | null
  close(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('./reader-process.ts', import.meta.url))
/** The files of the product that the process loads. */
const OWN_PARTS = ['package.json', 'server', 'node_modules'].map((name) =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url)),
)
/** Twelve files of two megabytes and what is derived from them; files are stored outside this heap. */
const HEAP_MB = 96
const MAX_RESIDENT_BYTES = 400_000_000
const DEFAULT_INSPECTION_MS = 60_000
const TEST_MS = 15_000
/** A process that does not stop by then is killed. */
const STOP_MS = 2_000
const FIRST_STATE_MS = 2_000
const CONNECT_MS = 5_000
const BOOT_MS = 30_000
const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 10_000
const FAREWELL_MS = 2_000
const STARTING: ReadersState = { kind: 'unavailable', fault: 'process_ended' }
/** Error codes of connect(2) with another cause. Every other code means that pcscd does not run. */
const CONNECT_FAULTS: Readonly<Record<string, ReaderFault>> = { EACCES: 'not_allowed', EPERM: 'not_allowed' }

/** Resolves at once; `state` tells when the process has found pcscd. Throws `configuration_invalid` if a required sandbox is missing. */
export async function openReaders(options: ReadersOptions): Promise<ChipReaders> {
  const { sandbox } = await isolate(options.sandbox ?? 'auto', 'vision.sandbox', (details) =>
    options.log('the reader process runs without a sandbox', details),
  )
  const client = new ReadersClient(options, sandbox)
  client.start()
  return client
}

type Task = {
  readonly settle: (outcome: InspectionOutcome | TestOutcome) => void
  readonly onProgress: (progress: ReadProgress) => void
}

class ReadersClient implements ChipReaders {
  readonly #options: ReadersOptions
  readonly #sandbox: Sandbox | null
  readonly #tasks = new Map<number, Task>()
  readonly #listeners = new Set<(state: ReadersState) => void>()
  readonly #sockets = new Set<Socket>()
  #process: ChildProcess | null = null
  #isReady = false
  #isClosed = false
  #state: ReadersState | null = null
  #lastId = 0
  #backoffMs = FIRST_BACKOFF_MS
  #backoffTimer: NodeJS.Timeout | undefined
  #waiting: ToProcess[] = []

  constructor(options: ReadersOptions, sandbox: Sandbox | null) {
    this.#options = options
    this.#sandbox = sandbox
  }

  start(): void {
    const sandbox = this.#sandbox
    const nodeArgv = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=4', '--single-threaded-gc']
    const program = this.#options.program ?? PROGRAM
    const child = fork(program, [], {
      serialization: 'advanced',
      ...(sandbox
        ? sandbox.command(process.execPath, nodeArgv, { readOnly: [...OWN_PARTS, program] })
        : { execArgv: nodeArgv }),
      env: compileCacheSetting(),
      // Nothing that the process writes is kept: it could quote a chip. The last descriptor carries the filter of the sandbox.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...(sandbox ? ['pipe' as const] : [])],
    })
    sandbox?.feed(child)
    this.#process = child
    const bootTimer = setTimeout(() => this.#kill(child), BOOT_MS)
    child.on('message', (message) => {
      const parsed = FromProcess.safeParse(message)
      if (!parsed.success) return this.#kill(child)
      if (parsed.data.kind === 'ready') clearTimeout(bootTimer)
      this.#receive(child, parsed.data)
    })
    child.on('error', () => this.#kill(child))
    child.on('exit', (code, signal) => {
      clearTimeout(bootTimer)
      if (this.#process !== child) return
      this.#options.log('the reader process ended', { code: code ?? -1, signal: signal ?? '' })
      this.#lost()
    })
  }

  async state(waitMs = FIRST_STATE_MS): Promise<ReadersState> {
    if (this.#state !== null) return this.#state
    return new Promise((resolve) => {
      const end = (state: ReadersState): void => {
        clearTimeout(timer)
        leave()
        resolve(state)
      }
      const timer = setTimeout(() => end(STARTING), waitMs)
      const leave = this.watch(end)
    })
  }

  watch(listener: (state: ReadersState) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async inspect(input: InspectInput): Promise<InspectionOutcome> {
    const { keys, at, printedMrz, trust, progress = null, reader, onProgress, signal } = input
    const request: InspectionRequest = { keys, at, printedMrz, progress, trust: toTrustMessage(trust) }
    const outcome = await this.#ask(
      (id) => ({ kind: 'inspect', id, reader: this.#choose(reader), request }),
      this.#options.inspectionMs ?? DEFAULT_INSPECTION_MS,
      onProgress,
      signal,
    )
    return outcome as InspectionOutcome
  }

  async test(reader?: string): Promise<TestOutcome> {
    const outcome = await this.#ask((id) => ({ kind: 'test', id, reader: this.#choose(reader) }), TEST_MS)
    return outcome as TestOutcome
  }

  pid(): number | null {
    const child = this.#process
    if (child === null) return null
    return this.#sandbox?.programPid(child) ?? child.pid ?? null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#backoffTimer)
    const child = this.#process
    this.#process = null
    this.#endTasks('stopped')
    this.#listeners.clear()
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#kill(child), FAREWELL_MS)
      child.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      if (child.connected) child.disconnect()
      else this.#kill(child)
    })
  }

  #choose(reader: string | undefined): string | null {
    return reader ?? this.#options.name ?? null
  }

  #ask(
    makeMessage: (id: number) => ToProcess,
    limitMs: number,
    onProgress: (progress: ReadProgress) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<InspectionOutcome | TestOutcome> {
    if (this.#isClosed) throw new AppError('shutting_down')
    if (signal?.aborted) return Promise.resolve({ kind: 'fault', fault: 'stopped' })
    const id = ++this.#lastId
    return new Promise((resolve) => {
      let killTimer: NodeJS.Timeout | undefined
      const stop = (fault: ReaderFault): void => {
        this.#send({ kind: 'stop', id, fault })
        killTimer ??= setTimeout(() => {
          this.#options.log('the reader process does not stop', { limitMs })
          settle({ kind: 'fault', fault })
          if (this.#process !== null) this.#kill(this.#process)
        }, STOP_MS)
      }
      const timer = setTimeout(() => stop('too_slow'), limitMs)
      const onAbort = (): void => stop('stopped')
      signal?.addEventListener('abort', onAbort, { once: true })
      const settle = (outcome: InspectionOutcome | TestOutcome): void => {
        clearTimeout(timer)
        clearTimeout(killTimer)
        signal?.removeEventListener('abort', onAbort)
        this.#tasks.delete(id)
        resolve(outcome)
      }
      this.#tasks.set(id, { settle, onProgress })
      this.#send(makeMessage(id))
    })
  }

  #send(message: ToProcess, socket?: Socket): void {
    const child = this.#process
    if (!this.#isReady || child === null) {
      this.#waiting.push(message)
      return
    }
    // If the channel breaks, the exit of the process settles its tasks.
    if (child.connected) child.send(message, socket, { keepOpen: false }, () => undefined)
    else socket?.destroy()
  }

  #receive(child: ChildProcess, message: FromProcess): void {
    if (this.#process !== child) return
    switch (message.kind) {
      case 'ready': {
        this.#isReady = true
        const waiting = this.#waiting
        this.#waiting = []
        for (const each of waiting) this.#send(each)
        return
      }
      case 'open':
        return this.#openSocket(child, message.id)
      case 'readers': {
        this.#backoffMs = FIRST_BACKOFF_MS
        const { name = null } = this.#options
        const readers = message.readers.map((each) => ({ ...each, isChosen: isChosen(each.name, name) }))
        return this.#setState({ kind: 'ready', readers })
      }
      case 'unavailable':
        return this.#setState(message)
      case 'progress': {
        const { fileId, bytes, total } = message
        return this.#tasks.get(message.id)?.onProgress({ fileId, bytes, total })
      }
      case 'test':
        return this.#tasks.get(message.id)?.settle(message.outcome)
      case 'inspection':
        this.#tasks.get(message.id)?.settle(message.outcome)
        if (message.residentBytes > MAX_RESIDENT_BYTES && this.#tasks.size === 0) {
          this.#options.log('the reader process used too much memory', {
            residentBytes: message.residentBytes,
          })
          this.#kill(child)
        }
    }
  }

  /** The process has no network, so the server connects and passes the descriptor. */
  #openSocket(child: ChildProcess, id: number): void {
    const socket = connect({ path: this.#options.socketPath ?? PCSCD_SOCKET })
    this.#sockets.add(socket)
    const end = (message: ToProcess): void => {
      clearTimeout(timer)
      socket.removeAllListeners()
      // A socket that reports a fault later has already been passed on, or is destroyed.
      socket.on('error', () => undefined)
      this.#sockets.delete(socket)
      if (this.#process !== child || message.kind !== 'opened') socket.destroy()
      if (this.#process === child) this.#send(message, message.kind === 'opened' ? socket : undefined)
    }
    const timer = setTimeout(() => end({ kind: 'refused', id, fault: 'no_daemon' }), CONNECT_MS)
    socket.once('connect', () => end({ kind: 'opened', id }))
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      end({ kind: 'refused', id, fault: CONNECT_FAULTS[code] ?? 'no_daemon' }),
    )
  }

  #setState(state: ReadersState): void {
    this.#state = state
    for (const listener of [...this.#listeners]) listener(state)
  }

  #lost(): void {
    this.#process = null
    this.#isReady = false
    this.#waiting = []
    this.#endTasks('process_ended')
    if (this.#isClosed) return
    this.#setState(STARTING)
    this.#backoffTimer = setTimeout(() => this.start(), this.#backoffMs)
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS)
  }

  #endTasks(fault: ReaderFault): void {
    for (const { settle } of [...this.#tasks.values()]) settle({ kind: 'fault', fault })
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  #kill(child: ChildProcess): void {
    if (this.#sandbox) this.#sandbox.kill(child)
    else child.kill('SIGKILL')
  }
}
