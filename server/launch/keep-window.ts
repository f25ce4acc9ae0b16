/**
 * Keeps the browser's window open: a window that was closed, killed or has crashed opens again on the first
 * screen, in a new profile. Owns: the window's process, its profile and the limit of restarts. Never: the
 * server.
 */
import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { type Log, describeError } from '../log.ts'

/** The command to start, with a folder of its own that is deleted with the window. */
export interface Launch {
  readonly how: 'electron' | 'chromium'
  readonly command: string
  readonly args: readonly string[]
  readonly profile: string
}

interface KeepWindowOptions {
  /** Called for every start: two windows never share a profile. */
  readonly prepare: () => Promise<Launch>
  readonly spawn: (command: string, args: readonly string[]) => ChildProcess
  /** Prints a line on the terminal. */
  readonly tell: (line: string) => void
  readonly log: Log
}

export interface KeptWindow {
  /** Resolves when the window does not stay open and the keeper gives up. */
  readonly gone: Promise<void>
  /** Closes the window and deletes its data. May be called twice. */
  close(): Promise<void>
}

/** The kiosk refuses every other browser until the appliance is started with --no-window. */
export const NO_WINDOW =
  'No window could be opened; the log says why. The server still runs, and its kiosk answers no other browser. To use a browser of your own on this machine, start with --no-window.'

const CLOSE_MS = 5000 // a browser that still lives this long after SIGTERM is killed
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000
/** After this time a new end counts as the first. */
const HEALTHY_MS = 60_000
/** Consecutive ends soon after the start: there is no display, or the window was closed on purpose. */
const ENDS_UNTIL_GIVEN_UP = 5

export function keepWindow(first: Launch, options: KeepWindowOptions): KeptWindow {
  const { prepare, spawn, tell, log } = options
  let closed = false
  let child: ChildProcess | null = null
  let gone: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | undefined
  let pause = FIRST_PAUSE_MS
  let ends = 0
  const givenUp = Promise.withResolvers<void>()

  const open = ({ how, command, args, profile }: Launch): void => {
    const startedAt = performance.now()
    const present = spawn(command, args)
    child = present
    gone = new Promise<void>((resolve) => {
      present.once('error', (error) => {
        log.warn({ how, ...describeError(error) }, 'the window did not open')
        tell(NO_WINDOW)
        resolve()
      })
      present.once('exit', (code, signal) => {
        resolve()
        if (!closed) ended(how, signal ?? `code ${code}`, performance.now() - startedAt)
      })
    }).then(() => rm(profile, { recursive: true, force: true, maxRetries: 3 }))
    log.info({ how, opened: ends + 1 }, 'the first screen was opened')
  }
  const ended = (how: string, by: string, livedMs: number): void => {
    if (livedMs >= HEALTHY_MS) [pause, ends] = [FIRST_PAUSE_MS, 0]
    ends++
    log.warn({ how, by, ends }, 'the window has ended')
    if (ends >= ENDS_UNTIL_GIVEN_UP) {
      tell(`The window does not stay open. ${NO_WINDOW}`)
      givenUp.resolve()
      return
    }
    tell(`The window was closed; it opens again in ${pause / 1000} s. Ctrl+C here ends everything.`)
    again = setTimeout(() => void reopen(), pause)
    pause = Math.min(pause * 2, MAX_PAUSE_MS)
  }
  const reopen = async (): Promise<void> => {
    try {
      const launch = await prepare()
      if (closed) await rm(launch.profile, { recursive: true, force: true })
      else open(launch)
    } catch (error) {
      // The server may be restarting and issues no secret then.
      log.warn(describeError(error), 'no window could be prepared; the next try follows')
      if (!closed) again = setTimeout(() => void reopen(), MAX_PAUSE_MS)
    }
  }
  open(first)
  return {
    gone: givenUp.promise,
    async close() {
      closed = true
      clearTimeout(again)
      child?.kill('SIGTERM')
      const timer = setTimeout(() => child?.kill('SIGKILL'), CLOSE_MS)
      await gone
      clearTimeout(timer)
    },
  }
}
