/** What the shell is told when it starts: arguments, and the few places it has to know. Pure but for reading files. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface ShellSettings {
  /** The server that runs already and is not ours to stop (`npm start`); null: the shell runs its own. */
  readonly attach: string | null
  readonly dataDir: string
  readonly devTools: boolean
}

/** Throws TypeError for an address that is not this machine's. Unknown switches belong to Chromium. */
export function readSettings(argv: readonly string[], env: NodeJS.ProcessEnv): ShellSettings {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    options: { attach: { type: 'string' }, data: { type: 'string' }, devtools: { type: 'boolean' } },
  })
  return {
    attach: typeof values.attach === 'string' ? requireLoopback(values.attach) : null,
    dataDir: resolve(typeof values.data === 'string' ? values.data : defaultDataDir(env)),
    devTools: values.devtools === true,
  }
}

/** Where the server keeps its data unless told otherwise (server/config/config.ts). */
function defaultDataDir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share'), 'counterproof')
}

/** True when the configuration pins the shell as the source of the master key. The server checks the whole file. */
export function pinsShellCustody(dataDir: string): boolean {
  const path = join(dataDir, 'config.json')
  if (!existsSync(path)) return false
  try {
    const config = JSON.parse(readFileSync(path, 'utf8')) as { kek?: { source?: unknown } } | null
    return config?.kek?.source === 'shell'
  } catch {
    return false // the server says what is wrong with the file, and does not start
  }
}

/** The pinned Node: NODE_BINARY first, then the npm package for this processor. Null when there is none. */
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
