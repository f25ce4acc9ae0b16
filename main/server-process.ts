/**
 * The server as a child process on the pinned Node: started, monitored, restarted after a crash, stopped with
 * time to finish. Electron's own runtime never loads the database or the models.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

export interface ServerProcessOptions {
  /** The pinned Node. */
  readonly node: string
  /** server/run.mjs */
  readonly script: string
  readonly args: readonly string[]
  /** The master key as hex, fetched for every start; null: the server reads its own key file. */
  readonly masterKey: (() => string) | null
  readonly spawn: (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess
  /** The server listens at this address now. Called again after every restart. */
  readonly onReady: (url: string) => void
  /** A line for the log. */
  readonly onTrouble: (message: string) => void
  /**
   * It has crashed so often that an operator must look. Restarts continue every few minutes, because a full
   * disk may be emptied.
   */
  readonly onGivenUp?: (how: string) => void
  /** True if the server at this address answers; polled regularly, and a hanging server is killed. */
  readonly isAlive?: (url: string) => Promise<boolean>
}

export interface ServerProcess {
  /** Stops the server normally and starts it again, for an officer. */
  restart(): void
  /** Number of starts, including the first. */
  starts(): number
  /** Lets the server finish, then resolves. May be called twice. */
  stop(): Promise<void>
}

const LISTENING = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/
/** Descriptor on which the server reads its master key (server/config/kek.ts). */
const KEY_FD = 3
const READY_MS = 180_000 // a first start builds the screens and the models
const STOP_MS = 20_000 // the server gives running work 15 s
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000
const HEALTHY_MS = 60_000 // after this time a crash counts as the first
/** The pauses before it add up to about a minute: further quick restarts do not help. */
const DEATHS_UNTIL_GIVEN_UP = 6
const GIVEN_UP_PAUSE_MS = 300_000
const PULSE_MS = 15_000
/** Missed pulses in a row after which the server counts as hung. One answer may be late while it writes a proof. */
const MISSED_PULSES = 3

export function startServerProcess(options: ServerProcessOptions): ServerProcess {
  let child: ChildProcess | null = null
  let pause = FIRST_PAUSE_MS
  let deaths = 0
  let starts = 0
  let restart: NodeJS.Timeout | undefined
  let stopped: Promise<void> | undefined

  const restartLater = (how: string, livedMs: number): void => {
    child = null
    if (stopped) return
    if (livedMs >= HEALTHY_MS) [pause, deaths] = [FIRST_PAUSE_MS, 0]
    deaths++
    const isGivenUp = deaths >= DEATHS_UNTIL_GIVEN_UP
    if (isGivenUp) pause = GIVEN_UP_PAUSE_MS
    options.onTrouble(`the server ended (${how}); it is started again in ${pause / 1000} s`)
    if (isGivenUp) options.onGivenUp?.(how)
    restart = setTimeout(run, pause)
    pause = Math.min(pause * 2, MAX_PAUSE_MS)
  }
  const run = (): void => {
    const startedAt = performance.now()
    starts++
    try {
      child = launch(options)
    } catch {
      restartLater('its master key could not be had', 0) // without the error, which may reveal the key
      return
    }
    const present = child
    const late = setTimeout(() => {
      options.onTrouble('the server did not become ready in time')
      present.kill('SIGKILL')
    }, READY_MS)
    let pulse: NodeJS.Timeout | undefined
    watchOutput(present, (url) => {
      clearTimeout(late)
      options.onReady(url)
      clearInterval(pulse)
      pulse = options.isAlive && feelPulse(present, () => options.isAlive?.(url), options.onTrouble)
    })
    const end = (how: string): void => {
      present.removeAllListeners() // a child that cannot be spawned may report twice
      clearTimeout(late)
      clearInterval(pulse)
      restartLater(how, performance.now() - startedAt)
    }
    present.once('error', (error) => end((error as NodeJS.ErrnoException).code ?? 'not started'))
    present.once('exit', (code, signal) => end(signal ?? `code ${code}`))
  }
  run()
  return {
    restart() {
      if (stopped) return
      ;[pause, deaths] = [FIRST_PAUSE_MS, 0]
      if (child) void stopChild(child)
      else {
        clearTimeout(restart)
        run()
      }
    },
    starts: () => starts,
    stop() {
      clearTimeout(restart)
      return (stopped ??= child ? stopChild(child) : Promise.resolve())
    },
  }
}

function launch({ node, script, args, masterKey, spawn }: ServerProcessOptions): ChildProcess {
  const key = masterKey?.()
  const child = spawn(node, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', key === undefined ? 'ignore' : 'pipe'],
    env: serverEnvironment(process.env),
  })
  if (key !== undefined) {
    const pipe = child.stdio[KEY_FD] as Writable | null | undefined
    pipe?.on('error', () => undefined) // a server that died before reading reports its own end
    pipe?.end(`${key}\n`)
  }
  return child
}

function watchOutput({ stdout }: ChildProcess, onReady: (url: string) => void): void {
  const lines = createInterface({ input: stdout as Readable })
  lines.on('line', (line) => {
    const url = LISTENING.exec(line)?.[1]
    if (url) onReady(url)
  })
}

/** Kills a server that does not answer: its end then triggers a restart. */
function feelPulse(
  child: ChildProcess,
  isAlive: () => Promise<boolean> | undefined,
  onTrouble: (message: string) => void,
): NodeJS.Timeout {
  let missed = 0
  return setInterval(() => {
    void Promise.resolve(isAlive()).then(
      (answered) => {
        missed = answered === false ? missed + 1 : 0
        if (missed < MISSED_PULSES) return
        missed = 0
        onTrouble('the server has not answered for a while; it is killed')
        child.kill('SIGKILL')
      },
      () => undefined,
    )
  }, PULSE_MS)
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    child.once('exit', done)
    child.once('error', done)
    child.kill('SIGTERM')
  })
}

/** Our environment without the variables that would make the child behave like Electron. */
function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, ELECTRON_RUN_AS_NODE: undefined, NODE_OPTIONS: undefined }
}
