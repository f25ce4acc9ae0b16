/** Measures the files of the appliance: permissions, keys, models, disks. Changes nothing and reads no secret. */
import { existsSync } from 'node:fs'
import { access, constants, lstat, opendir, stat, statfs } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { KEK_FILE, kekPlace, loadPresentKek } from '../config/kek.ts'
import { readManifest, type Pack } from '../vision/manifest.ts'
import { checkModel, defaultModelsDir, locateModel } from '../vision/packs.ts'
import { listCapabilities } from '../vision/capabilities.ts'
import { AppError } from '../errors.ts'
import { compareKeysWithDatabase, describeProblem, isDatabaseLost } from '../store/identity-keys.ts'
import { kekFits } from '../store/kek-check.ts'
import { explainStorageFault, isDamage } from '../store/storage-faults.ts'
import type { DatabaseState, Disk, KeyFile, Keys, Models, Permissions } from './facts.ts'
import { DATABASE } from '../files/database-files.ts'

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const OWNER_FILE = 0o600
const OWNER_FOLDER = 0o700
const ROOT = 0
const KEYS_FOLDER = 'keys'
/** Looking at so many entries takes about a second; a kiosk has fewer. */
const MAX_ENTRIES = 20_000

interface Entry {
  readonly path: string
  readonly mode: number
  readonly uid: number
  readonly isFolder: boolean
}

/** Lists the entries below a folder without following links. Returns whether it listed all of them: it stops at MAX_ENTRIES. */
async function* walk(
  folder: string,
  isPassedOver: (path: string) => boolean,
): AsyncGenerator<Entry, boolean, undefined> {
  const waiting = [folder]
  for (let seen = 0; waiting.length > 0;) {
    const next = waiting.pop() as string
    for await (const entry of await openFolder(next)) {
      const path = join(next, entry.name)
      if (isPassedOver(path)) continue
      if (++seen > MAX_ENTRIES) return false
      // The running appliance deletes files meanwhile.
      const facts = await lstat(path).catch(() => null)
      if (!facts || facts.isSymbolicLink()) continue
      yield { path, mode: facts.mode, uid: facts.uid, isFolder: facts.isDirectory() }
      if (facts.isDirectory()) waiting.push(path)
    }
  }
  return true
}

/** A folder that this user may not open has no entries here; its mode and owner are a finding of its own. */
async function openFolder(path: string): Promise<Awaited<ReturnType<typeof opendir>> | []> {
  try {
    return await opendir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return []
    throw error
  }
}

/** Null: this user may do that. */
async function findRefusal(path: string, rights: number): Promise<string | null> {
  return access(path, rights).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? 'FAILED',
  )
}

/** Other users cannot read a file in a closed folder, whatever its mode is. Write rights are a mistake in any case. */
export async function measurePermissions(dataDir: string): Promise<Permissions> {
  const { mode, uid } = await stat(dataDir)
  const isClosed = (mode & OTHERS) === 0
  const [open, foreign]: [string[], string[]] = [[], []]
  const refusal = await findRefusal(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  const locked: { name: string; mode: number }[] = []
  const noteLocked = async (path: string, ownMode: number, isFolder: boolean): Promise<void> => {
    const needed = isFolder ? OWNER_FOLDER : OWNER_FILE
    const rights = constants.R_OK | constants.W_OK
    // The mode counts for root, too: the service runs as the owner.
    if ((ownMode & needed) !== needed || (await findRefusal(path, rights)) === 'EACCES')
      locked.push({ name: relative(dataDir, path) || '.', mode: ownMode })
  }
  await noteLocked(dataDir, mode, true)
  let seen = 0
  const keys = join(dataDir, KEYS_FOLDER)
  const entries = walk(dataDir, (path) => path === keys)
  let next = await entries.next()
  for (; next.done !== true; next = await entries.next()) {
    const { path, mode: ownMode, uid: owner, isFolder } = next.value
    if (isFolder || path.startsWith(join(dataDir, DATABASE))) await noteLocked(path, ownMode, isFolder)
    seen += 1
    if ((ownMode & (isClosed ? OTHERS_WRITE : OTHERS)) !== 0) open.push(relative(dataDir, path))
    if (owner !== uid && owner !== ROOT) foreign.push(relative(dataDir, path))
  }
  const isReadOnly = refusal === 'EROFS'
  return { folder: dataDir, mode, isReadOnly, locked, open, foreign, seen, isWhole: next.value }
}

/** @param config null: config.json is not valid, so only the usual files are measured */
export async function measureKeys(dataDir: string, config: Config | null): Promise<Keys> {
  const { uid } = await stat(dataDir)
  const files: KeyFile[] = []
  const closed: string[] = []
  const add = async ({ path, mode, uid: owner }: Omit<Entry, 'isFolder'>) => {
    files.push({ path, mode, isForeign: owner !== uid && owner !== ROOT })
    if ((await findRefusal(path, constants.R_OK)) === 'EACCES') closed.push(path)
  }
  const folder = join(dataDir, KEYS_FOLDER)
  if (existsSync(folder)) {
    if ((await findRefusal(folder, constants.R_OK | constants.X_OK)) === 'EACCES') closed.push(folder)
    for await (const entry of walk(folder, () => false)) await add(entry)
  }
  for (const path of listKeyFiles(config, dataDir).filter((path) => dirname(path) !== folder)) {
    const facts = await stat(path).catch(() => null)
    // A missing file is a problem of the configuration. A group may read a credential that root provides.
    if (facts)
      await add({ path, mode: facts.uid === ROOT ? facts.mode & ~0o070 : facts.mode, uid: facts.uid })
  }
  const place = config ? kekPlace(config) : KEK_FILE
  return {
    source: config?.kek.source ?? null,
    hasDatabase: existsSync(join(dataDir, DATABASE)),
    masterKey:
      place === null
        ? null
        : {
            place,
            isThere: existsSync(join(dataDir, place)),
            problem: files.some(({ mode, isForeign }) => (mode & OTHERS) !== 0 || isForeign)
              ? null
              : findKekProblem(dataDir, config),
          },
    files,
    closed,
  }
}

/** Judges the master key as a start does; the key leaves this function in no form. A token is not asked for its key. */
function findKekProblem(dataDir: string, config: Config | null): string | null {
  if (config?.kek.source !== 'key-file' || !existsSync(join(dataDir, KEK_FILE))) return null
  try {
    const fits = kekFits(dataDir, loadPresentKek(config))
    return fits === false ? 'it does not belong to this database' : null
  } catch (error) {
    const reason = error instanceof AppError ? error.details.reason : null
    return typeof reason === 'string' ? reason : null
  }
}

/** Judges the database with the functions of the start, and changes nothing. */
export function measureDatabase(dataDir: string): DatabaseState {
  const path = join(dataDir, DATABASE)
  const state = { path, code: null, keysProblem: null }
  try {
    const look = compareKeysWithDatabase(dataDir)
    if (isDatabaseLost(dataDir)) return { ...state, kind: 'LOST' }
    if (!look) return { ...state, kind: 'NONE' }
    return { ...state, kind: 'READY', keysProblem: look.problem === null ? null : describeProblem(look) }
  } catch (error) {
    if (explainStorageFault(error) === null) throw error
    const { code } = error as { readonly code: string }
    return { ...state, kind: isDamage(error) ? 'DAMAGED' : 'REFUSED', code }
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
