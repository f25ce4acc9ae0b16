/** A real PKCS#11 token: SoftHSM2 in a temporary folder, and the plug-in as an operator installs it. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCE = join(ROOT, 'plugins', 'pkcs11')
const CACHE = join(ROOT, 'out', 'plugins')
const BINARY = join('node_modules', 'pkcs11js', 'build', 'Release', 'pkcs11.node')
const LIBRARIES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
]

export const PIN = '4711'

export interface TestTokens {
  readonly pluginDir: string
  readonly library: string
}

/** Returns a sentence with the reason if this machine can have no token. */
export function findTokens(): TestTokens | string {
  const library = LIBRARIES.find((path) => existsSync(path))
  if (!library || spawnSync('softhsm2-util', ['--version']).status !== 0) return 'SoftHSM2 is not installed'
  const pluginDir = installPlugin()
  return pluginDir === null ? 'the packages of plugins/pkcs11 cannot be installed' : { pluginDir, library }
}

/** The plug-in installed by `npm ci`, else a copy that is installed once and kept between runs. */
function installPlugin(): string | null {
  if (existsSync(join(SOURCE, BINARY))) return SOURCE
  const files = ['index.mjs', 'package.json', 'package-lock.json']
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(SOURCE, file)))
  const kept = join(CACHE, `pkcs11-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(join(kept, BINARY))) return kept
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  for (const file of files) cpSync(join(SOURCE, file), join(draft, file))
  spawnSync('npm', ['ci', '--ignore-scripts=false', '--no-audit', '--no-fund'], {
    cwd: draft,
    timeout: 240_000,
    env: { ...process.env, ...headers() },
  })
  try {
    // Atomic, because another test file may do the same.
    if (existsSync(join(draft, BINARY))) renameSync(draft, kept)
  } catch {
    // The other one was first.
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return existsSync(join(kept, BINARY)) ? kept : null
}

/** The pinned Node contains its headers, so that compiling downloads nothing. */
function headers(): Record<string, string> {
  const folder = join(ROOT, 'node_modules', `node-linux-${process.arch}`)
  return existsSync(join(folder, 'include')) ? { npm_config_nodedir: folder } : {}
}

export interface SoftToken {
  readonly dataDir: string
  readonly label: string
  /** The member `pkcs11` of the configuration; the PIN file is beside it. */
  readonly settings: {
    library: string
    tokenLabel: string
    pinFile: string
    kekLabel: string
    plugin: string
  }
  /** SOFTHSM2_CONF, for separate processes. */
  readonly env: Readonly<Record<string, string>>
  writeConfig(config: object): void
  remove(): void
}

/** Creates a token with its own folder and a data folder beside it; this process sees it until `remove`. */
export function makeSoftToken({ library, pluginDir }: TestTokens, label = 'counterproof'): SoftToken {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-token-'))
  const dataDir = join(folder, 'data')
  const conf = join(folder, 'softhsm2.conf')
  mkdirSync(join(folder, 'tokens'))
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(
    conf,
    `directories.tokendir = ${join(folder, 'tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`,
  )
  process.env.SOFTHSM2_CONF = conf
  const made = spawnSync('softhsm2-util', [
    ...['--init-token', '--free', '--label', label, '--pin', PIN, '--so-pin', '12345678'],
  ])
  if (made.status !== 0) throw new Error(`softhsm2-util: ${made.stderr.toString('utf8')}`)
  writeFileSync(join(dataDir, 'pin'), `${PIN}\n`, { mode: 0o600 })
  const settings = {
    library,
    tokenLabel: label,
    pinFile: 'pin',
    kekLabel: 'counterproof-kek',
    plugin: pluginDir,
  }
  return {
    dataDir,
    label,
    settings,
    env: { SOFTHSM2_CONF: conf },
    writeConfig: (config) => {
      writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
