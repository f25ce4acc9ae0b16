/**
 * The built screens: built by vite on first start and whenever their sources have changed.
 * It owns out/renderer; it never serves a file.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { AppError } from '../errors.ts'
import { replacePublicFolder } from '../files/public-folder.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'

export interface RendererOptions {
  /** Repository or installation root. */
  readonly root?: string
  /** Takes one line when a build starts and one when it ends. */
  readonly progress?: (line: string) => void
  /** Builds into this folder; vite unless a test brings its own. */
  readonly build?: (outDir: string) => Promise<void>
}

const INSTALLATION = join(import.meta.dirname, '../..')
const OUT = join('out', 'renderer')
/** What proves that the screens are whole. */
const PAGE = join('kiosk', 'index.html')
const STAMP = 'sources.sha256'

/**
 * The folder that holds each page's folder (`kiosk/`, `counter/`) and the `assets/` that they load.
 * An installation without sources (a package) is taken as built. Throws `internal` when the build fails.
 */
export async function ensureRendererBuilt(options: RendererOptions = {}): Promise<string> {
  const { root = INSTALLATION, progress = () => undefined, build = buildWithVite } = options
  const out = join(root, OUT)
  const built = existsSync(join(out, PAGE))
  if (!existsSync(join(root, 'renderer', PAGE))) {
    if (built) return out
    throw new AppError('internal', { reason: 'the screens are neither built nor here to be built' })
  }
  const stamp = hashSources(root)
  if (built && readStamp(out) === stamp) return out

  progress('Building the screens (once, and again when they change) …')
  const startedAt = performance.now()
  try {
    // For every user of this machine, though the process writes for itself alone: they hold no secret.
    await replacePublicFolder(out, async (fresh) => {
      await build(fresh)
      writeFileWhole(join(fresh, STAMP), stamp, IN_OUR_FOLDER)
    })
  } catch (cause) {
    if (readStamp(out) === stamp) return out // another start was quicker and made the same
    throw new AppError('internal', { reason: 'the screens could not be built' }, { cause })
  }
  progress(`Screens built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`)
  return out
}

async function buildWithVite(outDir: string): Promise<void> {
  const [{ build }, { default: config }] = await Promise.all([
    import('vite'),
    import('../../electron.vite.config.ts'),
  ])
  const { renderer } = config
  await build({
    ...renderer,
    configFile: false,
    logLevel: 'silent', // a failed build throws; anything else would stand between the lines of npm start
    build: { ...renderer.build, outDir },
  })
}

/** SHA-256 over names and contents of everything the screens are made from. */
function hashSources(root: string): string {
  const folder = join(root, 'renderer')
  const sources = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const settings = ['electron.vite.config.ts', 'package.json']
    .map((name) => join(root, name))
    .filter(existsSync)
  const hash = createHash('sha256')
  for (const path of [...sources.sort(), ...settings]) {
    const content = readFileSync(path)
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function readStamp(out: string): string | null {
  try {
    return readFileSync(join(out, STAMP), 'utf8')
  } catch {
    return null
  }
}
