/** Measures the files of the appliance: permissions, keys, models, disks. Changes nothing and reads no secret. */
import { existsSync } from 'node:fs'
import { lstat, opendir, stat, statfs } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { KEK_FILE, kekPlace } from '../config/kek.ts'
import { readManifest, type Pack } from '../vision/manifest.ts'
import { checkModel, defaultModelsDir, locateModel } from '../vision/packs.ts'
import { listCapabilities } from '../vision/capabilities.ts'
import type { Disk, KeyFile, Keys, Models, Permissions } from './facts.ts'

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const ROOT = 0
const KEYS_FOLDER = 'keys'
/** Looking at so many entries takes about a second; a kiosk has fewer. */
const MAX_ENTRIES = 20_000
const DATABASE = 'appliance.sqlite'

interface Entry {
  readonly path: string
  readonly mode: number
  readonly uid: number
}

/** Lists the entries below a folder without following links. Returns whether it listed all of them: it stops at MAX_ENTRIES. */
async function* walk(
  folder: string,
  isPassedOver: (path: string) => boolean,
): AsyncGenerator<Entry, boolean, undefined> {
  const waiting = [folder]
  for (let seen = 0; waiting.length > 0;) {
    const next = waiting.pop() as string
    for await (const entry of await opendir(next)) {
      const path = join(next, entry.name)
      if (isPassedOver(path)) continue
      if (++seen > MAX_ENTRIES) return false
      // The running appliance deletes files meanwhile.
      const facts = await lstat(path).catch(() => null)
      if (!facts || facts.isSymbolicLink()) continue
      yield { path, mode: facts.mode, uid: facts.uid }
      if (facts.isDirectory()) waiting.push(path)
    }
  }
  return true
}

/** Other users cannot read a file in a closed folder, whatever its mode is. Write rights are a mistake in any case. */
export async function measurePermissions(dataDir: string): Promise<Permissions> {
  const { mode, uid } = await stat(dataDir)
  const isClosed = (mode & OTHERS) === 0
  const [open, foreign]: [string[], string[]] = [[], []]
  let seen = 0
  const keys = join(dataDir, KEYS_FOLDER)
  const entries = walk(dataDir, (path) => path === keys)
  let next = await entries.next()
  for (; next.done !== true; next = await entries.next()) {
    const { path, mode: ownMode, uid: owner } = next.value
    seen += 1
    if ((ownMode & (isClosed ? OTHERS_WRITE : OTHERS)) !== 0) open.push(relative(dataDir, path))
    if (owner !== uid && owner !== ROOT) foreign.push(relative(dataDir, path))
  }
  return { folder: dataDir, mode, open, foreign, seen, isWhole: next.value }
}

/** @param config null: config.json is not valid, so only the usual files are measured */
export async function measureKeys(dataDir: string, config: Config | null): Promise<Keys> {
  const { uid } = await stat(dataDir)
  const files: KeyFile[] = []
  const add = ({ path, mode, uid: owner }: Entry) =>
    files.push({ path, mode, isForeign: owner !== uid && owner !== ROOT })
  const folder = join(dataDir, KEYS_FOLDER)
  if (existsSync(folder)) for await (const entry of walk(folder, () => false)) add(entry)
  for (const path of listKeyFiles(config, dataDir).filter((path) => dirname(path) !== folder)) {
    const facts = await stat(path).catch(() => null)
    // A missing file is a problem of the configuration. A group may read a credential that root provides.
    if (facts) add({ path, mode: facts.uid === ROOT ? facts.mode & ~0o070 : facts.mode, uid: facts.uid })
  }
  const place = config ? kekPlace(config) : KEK_FILE
  return {
    source: config?.kek.source ?? null,
    hasDatabase: existsSync(join(dataDir, DATABASE)),
    masterKey: place === null ? null : { place, isThere: existsSync(join(dataDir, place)) },
    files,
  }
}

/** Options that name a file with a private key or a PIN. */
const KEY_OPTIONS: readonly string[] = ['keyFile', 'signingKeyFile', 'pinFile']

function listKeyFiles(options: unknown, dataDir: string): string[] {
  if (typeof options !== 'object' || options === null) return []
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' && KEY_OPTIONS.includes(name)
      ? [resolve(dataDir, value)]
      : listKeyFiles(value, dataDir),
  )
}

export async function measureModels(config: Config | null): Promise<Models> {
  const manifest = readManifest()
  const folder = defaultModelsDir()
  const files: {
    id: string
    role: string
    pack: Pack
    path: string
    state: Awaited<ReturnType<typeof checkModel>>
  }[] = []
  // One after the other: the largest has 20 MB, and other work waits meanwhile.
  for (const entry of manifest.models) {
    const { id, role, pack } = entry
    files.push({ id, role, pack, path: locateModel(entry, folder), state: await checkModel(entry, folder) })
  }
  const inState = (wanted: string) => files.filter(({ state }) => state === wanted)
  return {
    files,
    abilities: listCapabilities(inState('ready'), inState('refused')),
    wantsExtended: config?.vision.packs !== 'core',
  }
}

export async function measureDisks(dataDir: string, config: Config | null): Promise<readonly Disk[]> {
  const { dev } = await stat(dataDir)
  const freezeBytes = (config?.sync.freeze.freeMegabytes ?? 0) * 1_000_000
  const measure = async (use: Disk['use'], path: string): Promise<Disk> => {
    const facts = await stat(path).catch(() => null)
    if (!facts) return { use, path, freeBytes: null, freeFiles: null, isOfData: false, freezeBytes }
    const { bavail, bsize, files, ffree } = await statfs(path)
    // Some file systems (btrfs) count no files.
    const freeFiles = files > 0 ? ffree : null
    return { use, path, freeBytes: bavail * bsize, freeFiles, isOfData: facts.dev === dev, freezeBytes }
  }
  const { backup } = config ?? {}
  return Promise.all([
    measure('data', dataDir),
    ...(backup
      ? [
          measure('backups', resolve(dataDir, backup.folder)),
          measure('keys of the backups', resolve(dataDir, backup.keysFolder)),
        ]
      : []),
  ])
}

/** The newest time that the database has shown, for a clock that was set back. */
export async function findNewestTime(dataDir: string): Promise<Date | null> {
  const files = [DATABASE, `${DATABASE}-wal`].map((name) => stat(join(dataDir, name)).catch(() => null))
  const times = (await Promise.all(files)).flatMap((facts) => (facts ? [facts.mtimeMs] : []))
  return times.length > 0 ? new Date(Math.max(...times)) : null
}
