/**
 * How `npm start` shows the first screen: Electron if its binary is there, else Chromium, else a sentence that says
 * what to do. Never: the window's process (keep-window.ts), or starting and stopping the server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { type Log, describeError } from '../log.ts'
import * as chromium from './chromium.ts'
import * as electron from './electron.ts'
import { keepWindow, type Launch } from './keep-window.ts'

export interface FirstScreenOptions {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly noWindow: boolean
  readonly log: Log
}

export interface FirstScreen {
  readonly how: 'electron' | 'chromium' | 'url'
  /** Of a window: resolves when it does not stay open. */
  readonly gone?: Promise<void>
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

const FIRST_PAGE = '/kiosk/'
const COUNTER_PAGE = '/counter/'

/** Never throws: a window that does not open leaves a server that can be reached by its address. */
export async function showFirstScreen(
  { url, noWindow, log }: FirstScreenOptions,
  tools: LaunchTools = systemTools(),
): Promise<FirstScreen> {
  const address = new URL(FIRST_PAGE, url).href
  // By name, not by number: browsers offer passkeys to names alone.
  const counter = new URL(COUNTER_PAGE, url.replace('127.0.0.1', 'localhost')).href
  tools.tell(`Kiosk:   ${address}\nCounter: ${counter} (first staff account: npm run staff -- --help)`)
  if (noWindow) return { how: 'url', close: async () => undefined }
  try {
    const launch = await prepareLaunch(address, tools)
    if (typeof launch !== 'string') return open(launch, address, log, tools)
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

function open(first: Launch, address: string, log: Log, tools: LaunchTools): FirstScreen {
  const { how } = first
  if (tools.isRoot)
    log.warn({ how }, 'the window runs as root and therefore without a sandbox; use a user of its own')
  const prepare = async (): Promise<Launch> => {
    const launch = await prepareLaunch(address, tools)
    if (typeof launch === 'string') throw new TypeError('the browser or the display is gone')
    return launch
  }
  const kept = keepWindow(first, {
    address,
    prepare,
    spawn: (command, args) => tools.spawn(command, args),
    tell: (line) => tools.tell(line),
    log,
  })
  return { how, gone: kept.gone, close: () => kept.close() }
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
