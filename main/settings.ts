/** The settings of the shell: arguments, and a few paths. Pure except for reading files. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CHORD_WORDS } from './keys.ts'

export interface ShellSettings {
  /** Address of a running server that the shell must not stop (`npm start`); null: the shell runs its own. */
  readonly attach: string | null
  /**
   * The socket where that server issues window secrets; null: the shell starts its own server with a new
   * socket.
   */
  readonly windowSocket: string | null
  readonly dataDir: string
  readonly devTools: boolean
  /** File with the hash of the officers' passphrase. */
  readonly adminFile: string
  readonly help: boolean
}

const ADMIN_FILE = '/etc/counterproof/admin.json'

export const HELP = `The kiosk's window, with its server.

  electron out/main/index.js [--data DIR] [--attach URL --window-socket FILE] [--admin-file FILE] [--devtools] [--help]

  --data DIR         where everything is kept (default: ~/.local/share/counterproof)
  --attach URL       shows a server that runs already, http://127.0.0.1:PORT/…, instead of starting one
  --window-socket FILE  where that server hands out the secret of the window (npm start -- --window-socket FILE)
  --admin-file FILE  hash of staff's passphrase (default: ${ADMIN_FILE}); npm run kiosk -- set-admin makes it
  --devtools         developer tools and their keys; never in a kiosk that visitors use
  --help             this text

Displays are chosen by shell.kioskDisplay and shell.counterDisplay in config.json.
Staff open their prompt by ${CHORD_WORDS}.
Exit status: 0 left by staff or stopped, 1 it cannot start, 2 wrong use.
`

/** Throws TypeError for an address of another machine. Unknown switches belong to Chromium. */
export function readSettings(argv: readonly string[], env: NodeJS.ProcessEnv): ShellSettings {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    options: {
      attach: { type: 'string' },
      'window-socket': { type: 'string' },
      data: { type: 'string' },
      'admin-file': { type: 'string' },
      devtools: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  const adminFile = values['admin-file']
  return {
    attach: typeof values.attach === 'string' ? requireLoopback(values.attach) : null,
    windowSocket: typeof values['window-socket'] === 'string' ? resolve(values['window-socket']) : null,
    dataDir: resolve(typeof values.data === 'string' ? values.data : defaultDataDir(env)),
    devTools: values.devtools === true,
    adminFile: typeof adminFile === 'string' ? resolve(adminFile) : ADMIN_FILE,
    help: values.help === true,
  }
}

/** The server's default data folder (server/config/config.ts). */
function defaultDataDir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share'), 'counterproof')
}

/**
 * The shell's part of config.json. The server checks the whole file, and refuses to start if it is invalid.
 */
export interface ShellConfig {
  readonly pinsCustody: boolean
  readonly kioskDisplay: number
  readonly counterDisplay: number | null
}

export function readShellConfig(dataDir: string): ShellConfig {
  const { kek, shell } = readConfigFile(join(dataDir, 'config.json'))
  return {
    pinsCustody: object(kek).source === 'shell',
    kioskDisplay: wholeNumber(object(shell).kioskDisplay) ?? 0,
    counterDisplay: wholeNumber(object(shell).counterDisplay),
  }
}

function readConfigFile(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  try {
    return object(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return {} // the server reports the problems of the file
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function wholeNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

/** The pinned Node: NODE_BINARY first, then the npm package for this processor. Null if there is none. */
export function findPinnedNode(root: string, env: NodeJS.ProcessEnv, arch: string): string | null {
  const packaged = join(root, 'node_modules', `node-linux-${arch}`, 'bin', 'node')
  return [env.NODE_BINARY, packaged].find((path) => path !== undefined && existsSync(path)) ?? null
}

function requireLoopback(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol !== 'http:' || url.hostname !== '127.0.0.1')
    throw new TypeError('--attach takes http://127.0.0.1:PORT')
  return url.href
}
