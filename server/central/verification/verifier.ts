/**
 * Verifies archives in separate processes, sandboxed if the machine allows it (server/sandbox), so that no
 * archive can harm the service. A process has no access to database, secrets or environment; it gets the
 * archive and public keys, and answers with one line.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Sandbox } from '../../sandbox/bubblewrap.ts'
import { compileCacheSetting } from '../../sandbox/compile-cache.ts'
import { writeLengths, type VerificationAnswer, type VerificationTask } from './task.ts'

export type { VerificationAnswer, VerificationTask }

export interface Verifier {
  /**
   * Throws `verification_stopped` if the verification needs more than `timeoutMs` or more memory than a
   * process has, or if two processes ended during it. Callers wait for their turn before they call
   * (limiter.ts).
   */
  verify(task: VerificationTask, timeoutMs: number): Promise<VerificationAnswer>
  close(): Promise<void>
}

export interface VerifierOptions {
  /** V8 heap of one process, without the bytes of the archive. */
  readonly heapMb: number
  /** Archives per process: an archive that took over its process could falsify the answers for later ones. */
  readonly archivesEach: number
  readonly sandbox: Sandbox | null
  readonly log: Pick<Log, 'warn'>
}

/** The cause of a process's end before its answer. */
type Limit = 'time' | 'memory' | 'crash'

/**
 * Starting a process costs fifty times as much as a small archive, so an idle one waits this long for the
 * next archive.
 */
const IDLE_MS = 5 * 60_000
/** A lack of memory, or an operator, can end the process of a harmless archive. */
const ATTEMPTS = 2
/** A report lists 100 problems at most, which is less than a tenth of this. */
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_COMPLAINT_LENGTH = 8_000
const SCRIPT = fileURLToPath(new URL('./verify-process.ts', import.meta.url))
/** Folders and files of the product that the process reads. */
const OWN_PARTS = ['package.json', 'server', 'node_modules'].map((name) =>
  fileURLToPath(new URL(`../../../${name}`, import.meta.url)),
)
/**
 * A crashed process must not write a core dump, which would contain the proof, to disk. The sandbox prevents
 * it too.
 */
const WITHOUT_CORE = 'ulimit -c 0; exec "$0" "$@"'

export function createVerifier({ heapMb, archivesEach, sandbox, log }: VerifierOptions): Verifier {
  const idle: VerifyProcess[] = []
  const all = new Set<VerifyProcess>()
  let isClosed = false

  const start = (): VerifyProcess => {
    const started = new VerifyProcess(heapMb, sandbox)
    all.add(started)
    void started.ended.then(() => {
      all.delete(started)
      if (idle.includes(started)) idle.splice(idle.indexOf(started), 1)
    })
    return started
  }
  const putBack = (used: VerifyProcess): void => {
    if (isClosed || used.archives >= archivesEach) used.end()
    else {
      idle.push(used)
      used.endAfter(IDLE_MS)
    }
  }

  return {
    verify: async (task, timeoutMs) => {
      const deadline = performance.now() + timeoutMs
      for (let attempt = 1; ; attempt++) {
        if (isClosed) throw new AppError('shutting_down')
        const chosen = (attempt === 1 && idle.pop()) || start()
        const outcome = await chosen.verify(task, deadline)
        if ('answer' in outcome) {
          putBack(chosen)
          return outcome.answer
        }
        const { limit, code, signal } = outcome
        if (isClosed) throw new AppError('shutting_down')
        log.warn({ limit, code: code ?? -1, signal: signal ?? '', attempt }, 'a verification process ended')
        if (limit !== 'crash' || attempt === ATTEMPTS) {
          throw new AppError('verification_stopped', { limit, timeoutMs, heapMb })
        }
      }
    },
    close: async () => {
      isClosed = true
      for (const one of all) one.end()
      await Promise.all([...all].map(({ ended }) => ended))
    },
  }
}

type Outcome =
  | { readonly answer: VerificationAnswer }
  | { readonly limit: Limit; readonly code: number | null; readonly signal: NodeJS.Signals | null }

class VerifyProcess {
  /** Number of tasks so far. */
  archives = 0
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly #child: ChildProcess
  readonly #sandbox: Sandbox | null
  #idleTimer: NodeJS.Timeout | undefined
  /** The first bytes of its standard error; they may quote the archive, and are never logged. */
  #complaint = ''
  #line: Buffer[] = []
  #lineBytes = 0
  #take: (line: unknown) => void = () => undefined
  readonly #ready: Promise<unknown>

  constructor(heapMb: number, sandbox: Sandbox | null) {
    const nodeArgv = [`--max-old-space-size=${heapMb}`, SCRIPT]
    const { execPath, execArgv } = sandbox
      ? sandbox.command(process.execPath, nodeArgv, { readOnly: OWN_PARTS })
      : { execPath: '/bin/sh', execArgv: ['-c', WITHOUT_CORE, process.execPath, ...nodeArgv] }
    const child = spawn(execPath, execArgv, {
      env: compileCacheSetting(),
      // The last one: the sandbox reads its filter from it.
      stdio: ['pipe', 'pipe', 'pipe', ...(sandbox ? (['ignore', 'pipe'] as const) : [])],
    })
    this.#child = child
    this.#sandbox = sandbox
    this.ended = new Promise((resolve) => {
      child.on('error', () => child.kill('SIGKILL') || resolve({ code: null, signal: null }))
      child.on('close', (code, signal) => resolve({ code, signal }))
    })
    this.#ready = new Promise((resolve) => {
      this.#take = resolve
    })
    sandbox?.feed(child)
    // The end of the process reports a broken pipe.
    child.stdin?.on('error', () => undefined)
    child.stderr?.on('data', (piece: Buffer) => {
      if (this.#complaint.length < MAX_COMPLAINT_LENGTH) this.#complaint += piece.toString('latin1')
    })
    child.stdout?.on('data', (piece: Buffer) => this.#receive(piece))
  }

  /** Never throws because of the process. */
  async verify(task: VerificationTask, deadline: number): Promise<Outcome> {
    this.archives++
    this.#complaint = ''
    clearTimeout(this.#idleTimer)
    let isLate = false
    const timer = setTimeout(
      () => {
        isLate = true
        this.end()
      },
      Math.max(1, deadline - performance.now()),
    )
    try {
      return await Promise.race([
        this.#ask(task).then((answer) => ({ answer })),
        this.ended.then(({ code, signal }) => ({ limit: this.#limit(isLate), code, signal })),
      ])
    } finally {
      clearTimeout(timer)
      this.#take = () => undefined
    }
  }

  endAfter(ms: number): void {
    this.#idleTimer = setTimeout(() => this.end(), ms).unref()
  }

  end(): void {
    clearTimeout(this.#idleTimer)
    if (this.#sandbox) this.#sandbox.kill(this.#child)
    else this.#child.kill('SIGKILL')
    // A program that outlives its bubblewrap ends when its pipe closes.
    for (const pipe of this.#child.stdio) pipe?.destroy()
  }

  /** Never resolves if the process ends. */
  async #ask(task: VerificationTask): Promise<VerificationAnswer> {
    // A process that bubblewrap has not sandboxed completely would outlive it with the archive in its pipe.
    await this.#ready
    const answered = new Promise((resolve) => {
      this.#take = resolve
    })
    this.#send(task).catch(() => undefined) // a broken pipe, as above
    return (await answered) as VerificationAnswer
  }

  #limit(isLate: boolean): Limit {
    if (isLate) return 'time'
    // V8's last message; its signal and exit status look like any other crash.
    return /out of memory|allocation failed/i.test(this.#complaint) ? 'memory' : 'crash'
  }

  async #send({ file, ...rest }: VerificationTask): Promise<void> {
    const { stdin } = this.#child
    const head = Buffer.from(JSON.stringify(rest), 'utf8')
    const fileBytes = file.reduce((sum, { byteLength }) => sum + byteLength, 0)
    for (const piece of [writeLengths(head.length, fileBytes), head, ...file]) {
      if (!stdin?.writable) return
      if (!stdin.write(piece)) await Promise.race([once(stdin, 'drain'), this.ended])
    }
  }

  /** A line that is too long or invalid ends the process, which informs the caller. */
  #receive(piece: Buffer): void {
    this.#lineBytes += piece.length
    if (this.#lineBytes > MAX_ANSWER_BYTES) return this.end()
    this.#line.push(piece)
    if (piece.at(-1) !== 0x0a) return
    const line = Buffer.concat(this.#line).toString('utf8')
    this.#line = []
    this.#lineBytes = 0
    try {
      this.#take(JSON.parse(line))
    } catch {
      this.end()
    }
  }
}
