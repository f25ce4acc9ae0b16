/**
 * Finds and starts Electron. It is searched by path, because importing the package would try to download it.
 * `npm start` starts the server first and points Electron at it (`--attach=URL`), so that there is one way to
 * start, one log and one Ctrl+C. An installed kiosk starts Electron itself, which then owns the server
 * (main/index.ts).
 */
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { builtinModules, createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { profileParent } from './profile-folder.ts'

const INSTALLATION = join(import.meta.dirname, '../..')

/** Path of Electron's binary; null if the package has none (its install script never ran). */
export function findElectron(env: NodeJS.ProcessEnv, packageFolder = electronPackage()): string | null {
  const folders = [env.ELECTRON_OVERRIDE_DIST_PATH, packageFolder && join(packageFolder, 'dist')]
  const binaries = folders.flatMap((folder) => (folder ? [join(folder, 'electron')] : []))
  return binaries.find(existsSync) ?? null
}

/**
 * Returns the path of the shell's entry, and builds it from main/ if the sources are present (a fifth of a
 * second, so it is always up to date). The screens are not built: the server serves them.
 */
export async function prepareShell(root = INSTALLATION): Promise<string> {
  if (existsSync(join(root, 'main', 'index.ts'))) await buildShell()
  return join(root, 'out', 'main', 'index.js')
}

async function buildShell(): Promise<void> {
  const [{ build }, { default: config, adminPreload }] = await Promise.all([
    import('vite'),
    import('../../electron.vite.config.ts'),
  ])
  const external = ['electron', ...builtinModules, /^node:/]
  for (const part of [config.main, config.preload, adminPreload]) {
    const rollupOptions = { ...part.build.rollupOptions, external }
    const options = { ...part.build, rollupOptions, target: 'node24', minify: false, emptyOutDir: true }
    await build({ configFile: false, logLevel: 'silent', publicDir: false, build: options })
  }
}

/** Creates an empty folder for Electron's data, deleted with the window. */
export function createElectronProfile(): Promise<string> {
  return mkdtemp(join(profileParent(), 'counterproof-screen-'))
}

/** @param socket where the shell gets the secrets of its window */
export function electronArguments(
  entry: string,
  url: string,
  socket: string,
  profile: string,
  isRoot: boolean,
): string[] {
  const own = [`--attach=${url}`, `--window-socket=${socket}`, `--user-data-dir=${profile}`]
  return [entry, ...own, ...(isRoot ? ['--no-sandbox'] : [])]
}

function electronPackage(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch {
    return null
  }
}
