/**
 * Makes a backup beside a running appliance: a consistent copy of the database, all files it refers to, and separately
 * the identity keys. Only the newest copy of the keys is kept, so that a key destroyed since cannot return with an older
 * one.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { AppError } from '../errors.ts'
import { replaceControlCharacters, requirePlainFolder } from '../files/folder.ts'
import { removeOldDrafts, writeFileStream } from '../files/write-file.ts'
import type { Store } from '../store/open.ts'
import { KEYS_FILE } from '../store/vault.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { sealBackup } from './backup-file.ts'
import { DATABASE } from '../files/database-files.ts'
import { CHECKSUMS, CONFIG, isReferred, referredFiles, settingsFiles } from './contents.ts'

interface BackupSource {
  readonly store: Pick<Store, 'backup' | 'vault' | 'applianceId'>
  readonly dataDir: string
  readonly kek: Uint8Array
}

export interface MadeBackup {
  readonly path: string
  readonly bytes: number
  readonly createdAt: Date
  readonly files: number
  /** Number of files skipped because their identities were erased during the backup. */
  readonly erasedMeanwhile: number
}

export interface MadeKeysBackup extends MadeBackup {
  /** The copy contains all changes of the keys up to this generation (`store/vault`). */
  readonly generation: number
}

/** `counterproof-<appliance>-<yyyyMMddTHHmmssSSS>.cpbackup` */
export function backupName(applianceId: string, at: Date): string {
  return `counterproof-${applianceId}-${at.toISOString().replace(/[-:.Z]/g, '')}.cpbackup`
}

/** A single name, so that the newer copy replaces the older one. */
export function keysBackupName(applianceId: string): string {
  return `counterproof-${applianceId}.cpkeys`
}

/**
 * Throws `backup_refused` if a file of an existing row is missing, which means that the appliance itself is damaged.
 * Throws `file_refused` for a folder that is missing, or that has prepared links or the like.
 */
export async function backUpData(source: BackupSource, folder: string, at: Date): Promise<MadeBackup> {
  const { store, dataDir, kek } = source
  await prepareFolder(folder, dataDir)
  const work = await mkdtemp(join(dataDir, 'backup-'))
  try {
    const database = join(work, DATABASE)
    await store.backup(database)
    const files = referredFiles(database)
    const live = join(dataDir, DATABASE)
    const gone = files.filter((file) => !existsSync(join(dataDir, file)))
    const lost = gone.filter((file) => isReferred(live, file))
    if (lost.length > 0) throw new AppError('backup_refused', { reason: 'files are missing', files: lost })
    const entries = [
      { name: DATABASE, path: database },
      ...(existsSync(join(dataDir, CONFIG)) ? [{ name: CONFIG, path: join(dataDir, CONFIG) }] : []),
      ...settingsFiles(dataDir).map((name) => ({ name, path: join(dataDir, name) })),
      ...files.filter((file) => !gone.includes(file)).map((name) => ({ name, path: join(dataDir, name) })),
    ]
    const path = join(folder, backupName(store.applianceId, at))
    const facts = buildBackupFacts(source, 'data', at)
    const tar = streamTar(entries, live)
    const bytes = await writeFileStream(path, () => sealBackup(facts, kek, tar.pieces()))
    const erasedMeanwhile = gone.length + tar.skipped()
    return { path, bytes, createdAt: at, files: entries.length - tar.skipped(), erasedMeanwhile }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export async function backUpKeys(source: BackupSource, folder: string, at: Date): Promise<MadeKeysBackup> {
  const { store, dataDir, kek } = source
  await prepareFolder(folder, dataDir)
  const work = await mkdtemp(join(dataDir, 'backup-'))
  try {
    const copy = join(work, 'keys.sqlite')
    const generation = store.vault.generation()
    await store.vault.backup(copy)
    const path = join(folder, keysBackupName(store.applianceId))
    const tar = streamTar([{ name: KEYS_FILE, path: copy }], null)
    const bytes = await writeFileStream(path, () =>
      sealBackup(buildBackupFacts(source, 'keys', at), kek, tar.pieces()),
    )
    return { path, bytes, createdAt: at, files: 1, erasedMeanwhile: 0, generation }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A backup interrupted by a power failure leaves a draft that may be large. */
async function prepareFolder(folder: string, dataDir: string): Promise<void> {
  refuseInside(folder, dataDir)
  requireFolder(folder)
  await requirePlainFolder(folder)
  removeOldDrafts(folder)
}

/** Never creates the folder: if a USB stick or share is missing, a new folder would be on the system disk. */
function requireFolder(folder: string): void {
  if (existsSync(folder)) return
  const reason = 'it does not exist. Check that the disk or share is mounted; create a new folder by hand'
  throw new AppError('file_refused', { folder: replaceControlCharacters(folder), reason })
}

/** A copy inside the copied folder would be lost with it. Throws `backup_refused`. */
function refuseInside(folder: string, dataDir: string): void {
  const absolute = resolve(folder)
  let present = absolute
  while (!existsSync(present)) present = dirname(present)
  const way = relative(realpathSync(dataDir), join(realpathSync(present), relative(present, absolute)))
  if (way === '..' || way.startsWith(`..${sep}`)) return
  const reason =
    'it is inside the data folder, so it would be lost together with the data. Name a folder on another disk'
  throw new AppError('backup_refused', { folder: replaceControlCharacters(absolute), reason })
}

function buildBackupFacts({ store }: BackupSource, kind: 'data' | 'keys', at: Date) {
  return {
    kind,
    applianceId: store.applianceId,
    createdAt: at.getTime(),
    productVersion: PRODUCT_VERSION,
  }
}

interface Entry {
  readonly name: string
  readonly path: string
}

/**
 * Opens nothing before the first chunk is requested, and closes everything if reading stops, because the writer may fail
 * or be aborted. Checksums come last: each is computed while its file is packed.
 * @param live database in which a missing file is looked up; null: no file may be missing
 */
function streamTar(entries: readonly Entry[], live: string | null) {
  let skipped = 0
  const fill = async (tar: Pack): Promise<void> => {
    const checksums: Record<string, string> = {}
    for (const { name, path } of entries) {
      const size = statSync(path, { throwIfNoEntry: false })?.size
      if (size === undefined && live !== null && !isReferred(live, name)) skipped++
      else checksums[name] = await addFile(tar, name, path, size ?? 0)
    }
    tar.entry({ name: CHECKSUMS }, JSON.stringify(checksums))
    tar.finalize()
  }
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    const tar = pack()
    const filling = fill(tar).catch((error: unknown) => {
      tar.destroy(error instanceof Error ? error : new Error('a backup could not be packed'))
    })
    try {
      yield* tar as AsyncIterable<Uint8Array>
    } finally {
      tar.destroy()
      await filling
    }
  }
  return { pieces, skipped: () => skipped }
}

async function addFile(tar: Pack, name: string, path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  const hashed = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const piece of source) {
      hash.update(piece)
      yield piece
    }
  }
  const entry = tar.entry({ name, size, mode: 0o600 })
  // Opened before reading, so that a file unlinked meanwhile is still read completely.
  await pipeline(createReadStream(path, { end: Math.max(0, size - 1) }), hashed, entry)
  return hash.digest('hex')
}
