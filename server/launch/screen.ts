/**
 * Shows the first screen for `npm start`: Electron if its binary exists, else Chromium, else a sentence that
 * says what to do. Each window gets its own secret, by which the kiosk recognises it. Never: the window's
 * process (keep-window.ts), or starting and stopping the server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { type Log, describeError } from '../log.ts'
import * as chromium from './chromium.ts'
import * as electron from './electron.ts'
import { keepWindow, NO_WINDOW, type Launch } from './keep-window.ts'
import { requestSecret, withSecret } from './window-socket.ts'

interface FirstScreenOptions {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Socket that issues the secrets of the window (window-socket.ts). Null: opens no window. */
  readonly socket: string | null
  readonly log: Log
}

export interface FirstScreen {
  readonly how: 'electron' | 'chromium' | 'url'
  /** For a window: resolves when it does not stay open. */
  readonly gone?: Promise<void>
  /** Closes the window and deletes its data. May be called twice. */
  close(): Promise<void>
}

/** The tools of the system; tests replace them. */
export interface LaunchTools {
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  findElectron(): string | null
  findChromium(): string | null
  readScreenSize(): chromium.ScreenSize
  requestSecret(socket: string): Promise<string | null>
  prepareShell(): Promise<string>
  spawn(command: string, args: readonly string[]): ChildProcess
  /** Prints a line on the terminal. */
  tell(line: string): void
}

const FIRST_PAGE = '/kiosk/'
const COUNTER_PAGE = '/counter/'

/** Never throws: if no window opens, the server still runs. */
export async function showFirstScreen(
  { url, socket, log }: FirstScreenOptions,
  tools: LaunchTools = systemTools(),
): Promise<FirstScreen> {
  const address = new URL(FIRST_PAGE, url).href
  // Uses the host name, because browsers offer passkeys only for names.
  const named = url.replace('127.0.0.1', 'localhost')
  const [kiosk, counter] = [FIRST_PAGE, COUNTER_PAGE].map((path) => new URL(path, named).href)
  tools.tell(`Kiosk:   ${kiosk}\nCounter: ${counter} (first staff account: npm run staff -- --help)`)
  if (socket === null) return { how: 'url', close: async () => undefined }
  try {
    const launch = await prepareLaunch(address, socket, tools)
    return open(launch, { address, socket, log }, tools)
  } catch (error) {
    log.warn(describeError(error), 'no window could be prepared')
    tools.tell(NO_WINDOW)
  }
  return { how: 'url', close: async () => undefined }
}

/** Says in one sentence why no window can be opened here and what to do. Null: a window can be opened. */
export function findObstacle(
  tools: Pick<LaunchTools, 'env' | 'findElectron' | 'findChromium'> = systemTools(),
): string | null {
  const { env } = tools
  if (!tools.findElectron() && !tools.findChromium()) {
    return (
      'No window: there is no browser here. Open the address of the kiosk in a browser on this machine. ' +
      'For a kiosk window of its own, install Chromium (sudo apt install chromium) and start again.'
    )
  }
  if (env.DISPLAY ?? env.WAYLAND_DISPLAY) return null
  return (
    'No window: there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set). ' +
    'Open the address of the kiosk in a browser on this machine.'
  )
}

/** Throws if there is neither browser nor display, and if the appliance issues no secret. */
async function prepareLaunch(address: string, socket: string, tools: LaunchTools): Promise<Launch> {
  const { isRoot } = tools
  const electronBinary = tools.findElectron()
  if (electronBinary) {
    const entry = await tools.prepareShell()
    const profile = await electron.createElectronProfile()
    const args = electron.electronArguments(entry, address, socket, profile, isRoot)
    return { how: 'electron', command: electronBinary, args, profile }
  }
  const chromiumBinary = tools.findChromium()
  if (!chromiumBinary) throw new TypeError('there is no browser')
  const firstPage = withSecret(address, await tools.requestSecret(socket))
  const profile = await chromium.createProfile(address, firstPage)
  const args = chromium.chromiumArguments(address, profile, tools.readScreenSize(), isRoot)
  return { how: 'chromium', command: chromiumBinary, args, profile }
}

function open(
  first: Launch,
  { address, socket, log }: { readonly address: string; readonly socket: string; readonly log: Log },
  tools: LaunchTools,
): FirstScreen {
  const { how } = first
  if (tools.isRoot)
    log.warn({ how }, 'the window runs as root and therefore without a sandbox; use a user of its own')
  const kept = keepWindow(first, {
    prepare: () => prepareLaunch(address, socket, tools),
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
    requestSecret,
    prepareShell: () => electron.prepareShell(),
    // Ignore the browser's terminal output, which concerns only itself; our own log reports its end. A
    // separate process group lets Ctrl+C reach the server first, which then closes the window.
    spawn: (command, args) => spawn(command, args, { stdio: 'ignore', detached: true }),
    tell,
  }
}
