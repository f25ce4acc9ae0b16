/**
 * The built screens: built by vite on the first start and after every change of their sources. It owns
 * out/renderer; it never serves a file.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { AppError } from '../errors.ts'
import { replacePublicFolder } from '../files/public-folder.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'

interface RendererOptions {
  /** Repository or installation root. */
  readonly root?: string
  /** Takes one line when a build starts and one when it ends. */
  readonly progress?: (line: string) => void
  /** Builds into this folder; vite, except in tests. */
  readonly build?: (outDir: string) => Promise<void>
}

const INSTALLATION = join(import.meta.dirname, '../..')
const OUT = join('out', 'renderer')
/** The file whose presence shows a complete build. */
const PAGE = join('kiosk', 'index.html')
const STAMP = 'sources.sha256'

/**
 * Returns the folder with each page's folder (`kiosk/`, `counter/`) and their `assets/`. An installation
 * without sources (a package) counts as built. Throws `internal` if the build fails.
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
    // Readable for every user of this machine, although other files of this process are private: the screens
    // hold no secret.
    await replacePublicFolder(out, async (fresh) => {
      await build(fresh)
      writeFileWhole(join(fresh, STAMP), stamp, IN_OUR_FOLDER)
    })
  } catch (cause) {
    if (readStamp(out) === stamp) return out // another start has built the same
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
    logLevel: 'silent', // a failed build throws; other messages would clutter the output of npm start
    build: { ...renderer.build, outDir },
  })
}

/** SHA-256 over names and contents of all sources of the screens. */
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
