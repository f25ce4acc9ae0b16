/**
 * Makes a backup beside a running appliance: a consistent copy of the database, every file it refers to, and in a file of
 * its own the keys of the identities. Of the keys the newest copy alone is kept: a key that was destroyed since must not
 * come back with an older one.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { mkdtemp, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pack, type Pack } from 'tar-stream'
import type { Bytes } from '../crypto/chunked.ts'
import { AppError } from '../errors.ts'
import { flushFolder } from '../store/flush-folder.ts'
import type { Store } from '../store/open.ts'
import { KEYS_FILE } from '../store/vault.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { sealBackup } from './backup-file.ts'
import { CHECKSUMS, CONFIG, DATABASE, isReferred, referredFiles } from './contents.ts'

export interface BackupSource {
  readonly store: Pick<Store, 'backup' | 'vault' | 'applianceId'>
  readonly dataDir: string
  readonly kek: Uint8Array
}

export interface MadeBackup {
  readonly path: string
  readonly bytes: number
  readonly createdAt: Date
  readonly files: number
  /** Their identities were erased while the backup was made. */
  readonly erasedMeanwhile: number
}

/** `counterproof-<appliance>-<yyyyMMddTHHmmssSSS>.cpbackup` */
export function backupName(applianceId: string, at: Date): string {
  return `counterproof-${applianceId}-${at.toISOString().replace(/[-:.Z]/g, '')}.cpbackup`
}

/** One name for all: the newer replaces the older. */
export function keysBackupName(applianceId: string): string {
  return `counterproof-${applianceId}.cpkeys`
}

/** Throws `backup_refused` when a file that a living row refers to is missing: then the appliance itself is damaged. */
export async function backUpData(source: BackupSource, folder: string, at: Date): Promise<MadeBackup> {
  const { store, dataDir, kek } = source
  mkdirSync(folder, { recursive: true, mode: 0o700 })
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
      ...files.filter((file) => !gone.includes(file)).map((name) => ({ name, path: join(dataDir, name) })),
    ]
    const path = join(folder, backupName(store.applianceId, at))
    const facts = factsOf(source, 'data', at)
    const tar = tarOf(entries, live)
    const bytes = await writeWhole(path, sealBackup(facts, kek, tar.pieces))
    const erasedMeanwhile = gone.length + tar.skipped()
    return { path, bytes, createdAt: at, files: entries.length - tar.skipped(), erasedMeanwhile }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export async function backUpKeys(source: BackupSource, folder: string, at: Date): Promise<MadeBackup> {
  const { store, dataDir, kek } = source
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const work = await mkdtemp(join(dataDir, 'backup-'))
  try {
    const copy = join(work, 'keys.sqlite')
    await store.vault.backup(copy)
    const path = join(folder, keysBackupName(store.applianceId))
    const tar = tarOf([{ name: KEYS_FILE, path: copy }], null)
    const bytes = await writeWhole(path, sealBackup(factsOf(source, 'keys', at), kek, tar.pieces))
    return { path, bytes, createdAt: at, files: 1, erasedMeanwhile: 0 }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function factsOf({ store }: BackupSource, kind: 'data' | 'keys', at: Date) {
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
 * Checksums come last: each is computed while the file is packed.
 * @param live database in which a file that vanished meanwhile is looked up; null: none may vanish
 */
function tarOf(entries: readonly Entry[], live: string | null) {
  const tar = pack()
  let skipped = 0
  const fill = async (): Promise<void> => {
    const checksums: Record<string, string> = {}
    for (const { name, path } of entries) {
      const size = statSync(path, { throwIfNoEntry: false })?.size
      if (size === undefined && live !== null && !isReferred(live, name)) skipped++
      else checksums[name] = await addFile(tar, name, path, size ?? 0)
    }
    tar.entry({ name: CHECKSUMS }, JSON.stringify(checksums))
    tar.finalize()
  }
  fill().catch((error: unknown) => {
    tar.destroy(error instanceof Error ? error : new Error('a backup could not be packed'))
  })
  return { pieces: tar as AsyncIterable<Uint8Array>, skipped: () => skipped }
}

async function addFile(tar: Pack, name: string, path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  const entry = tar.entry({ name, size, mode: 0o600 })
  // Opened before it is read: a file that is unlinked meanwhile is read to its end.
  for await (const piece of createReadStream(path, { end: Math.max(0, size - 1) })) {
    hash.update(piece as Buffer)
    if (!entry.write(piece)) await new Promise<void>((resolve) => entry.once('drain', () => resolve()))
  }
  await new Promise<void>((resolve, reject) => {
    entry.once('error', reject)
    entry.end(() => resolve())
  })
  return hash.digest('hex')
}

/** Beside its place first, flushed and then renamed: an older backup of that name stays until the new one is whole. */
async function writeWhole(path: string, pieces: Bytes): Promise<number> {
  const draft = `${path}.part`
  const file = await open(draft, 'w', 0o600)
  let bytes = 0
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece)
      bytes += piece.length
    }
    await file.sync()
  } catch (error) {
    await file.close()
    rmSync(draft, { force: true })
    throw error
  }
  await file.close()
  await rename(draft, path)
  flushFolder(dirname(path))
  return bytes
}
