/**
 * How `npm start` shows the first screen: Electron if its binary is there, else Chromium, else a sentence that says
 * what to do. It owns the window's process; it never starts or stops the server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { type Log, describeError } from '../log.ts'
import * as chromium from './chromium.ts'
import * as electron from './electron.ts'

export interface FirstScreenOptions {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly noWindow: boolean
  readonly log: Log
}

export interface FirstScreen {
  readonly how: 'electron' | 'chromium' | 'url'
  /** Closes the window and forgets everything it kept. Safe to call twice. */
  close(): Promise<void>
}

/** What the outside offers; tests bring their own. */
export interface LaunchTools {
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  findElectron(): string | null
  findChromium(): string | null
  readScreenSize(): chromium.ScreenSize
  prepareShell(): Promise<string>
  spawn(command: string, args: readonly string[]): ChildProcess
  /** A line for the person at the terminal. */
  tell(line: string): void
}

interface Launch {
  readonly how: 'electron' | 'chromium'
  readonly command: string
  readonly args: readonly string[]
  readonly profile: string
}

const CLOSE_MS = 5000 // a browser that still lives this long after SIGTERM is killed
const FIRST_PAGE = '/kiosk/'

/** Never throws: a window that does not open leaves a server that can be reached by its address. */
export async function showFirstScreen(
  { url, noWindow, log }: FirstScreenOptions,
  tools: LaunchTools = systemTools(),
): Promise<FirstScreen> {
  const address = new URL(FIRST_PAGE, url).href
  if (noWindow) return { how: 'url', close: async () => undefined }
  try {
    const launch = await prepareLaunch(address, tools)
    if (typeof launch !== 'string') return await open(launch, address, log, tools)
    tools.tell(launch)
  } catch (error) {
    log.warn(describeError(error), 'no window could be prepared')
    tools.tell(`No window could be opened. Open ${address} in a browser on this machine.`)
  }
  return { how: 'url', close: async () => undefined }
}

/** What to start; or the sentence for the person when there is nothing to start. */
async function prepareLaunch(address: string, tools: LaunchTools): Promise<Launch | string> {
  const { env, isRoot } = tools
  const hasDisplay = Boolean(env.DISPLAY ?? env.WAYLAND_DISPLAY)
  const electronBinary = tools.findElectron()
  const chromiumBinary = tools.findChromium()
  if (!electronBinary && !chromiumBinary) {
    return (
      `Open ${address} in a browser on this machine. ` +
      'For a kiosk window of its own, install Chromium (sudo apt install chromium) and start again.'
    )
  }
  if (!hasDisplay) {
    return (
      `Open ${address} in a browser on this machine: there is no display here to open a window on ` +
      '(neither DISPLAY nor WAYLAND_DISPLAY is set).'
    )
  }
  if (electronBinary) {
    const entry = await tools.prepareShell()
    const profile = await electron.createElectronProfile()
    const args = electron.electronArguments(entry, address, profile, isRoot)
    return { how: 'electron', command: electronBinary, args, profile }
  }
  const profile = await chromium.createProfile(address)
  const args = chromium.chromiumArguments(address, profile, tools.readScreenSize(), isRoot)
  return { how: 'chromium', command: chromiumBinary as string, args, profile }
}

async function open(launch: Launch, address: string, log: Log, tools: LaunchTools): Promise<FirstScreen> {
  const { how, command, args, profile } = launch
  if (tools.isRoot)
    log.warn({ how }, 'the window runs as root and therefore without a sandbox; use a user of its own')
  const child = tools.spawn(command, args)
  let closing = false
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      log.warn({ how, ...describeError(error) }, 'the window did not open')
      tools.tell(`The window did not open. Open ${address} in a browser on this machine.`)
      resolve()
    })
    child.once('exit', (code) => {
      if (!closing) {
        log.warn({ how, code }, 'the window was closed')
        tools.tell(`The window was closed; the server still runs. Its first screen is ${address}`)
      }
      resolve()
    })
  }).then(() => rm(profile, { recursive: true, force: true, maxRetries: 3 }))
  log.info({ how }, 'first screen opened')
  return {
    how,
    close: async () => {
      closing = true
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS)
      await gone
      clearTimeout(timer)
    },
  }
}

function systemTools(): LaunchTools {
  const { env } = process
  const tell = (line: string): void => void process.stderr.write(`${line}\n`)
  return {
    env,
    isRoot: process.getuid?.() === 0,
    findElectron: () => electron.findElectron(env),
    findChromium: () => chromium.findChromium(env),
    readScreenSize: () => chromium.readScreenSize(env),
    prepareShell: () => electron.prepareShell(),
    // What a browser prints to its terminal is about itself; our own log says what happened to it. In a process group of
    // its own, so that Ctrl+C reaches the server, which then closes the window.
    spawn: (command, args) => spawn(command, args, { stdio: 'ignore', detached: true }),
    tell,
  }
}
