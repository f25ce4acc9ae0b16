/**
 * Restores a backup into a data folder, and verifies one by restoring it into a temporary folder: unpacks it, compares
 * all checksums, examines the database, and opens every file that the current keys can decrypt.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import { extract } from 'tar-stream'
import { z } from 'zod'
import { writeFirstAnchor } from '../store/anchor.ts'
import { AppError } from '../errors.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileStream } from '../files/write-file.ts'
import type { SealedHead } from '../store/event-chain.ts'
import { describeProblem, compareKeysWithDatabase } from '../store/identity-keys.ts'
import { openStore } from '../store/open.ts'
import { KEYS_FILE } from '../store/vault.ts'
import { openBackup, type BackupHeader } from './backup-file.ts'
import { DATABASE } from '../files/database-files.ts'
import { CHECKSUMS, CONFIG, isSettingsFolder, SETTINGS_FILE } from './contents.ts'

interface RestoreInput {
  readonly backup: string
  /** Newest copy of the identity keys; null: those in the data folder. */
  readonly keys: string | null
  /** The operator knows that the keys are older than the backup: the next start reports what is lost. */
  readonly olderKeys?: boolean
  readonly dataDir: string
  readonly kek: Uint8Array
}

export interface RestoreReport {
  readonly applianceId: string
  readonly madeAt: Date
  readonly files: number
  /** Identities with a key. */
  readonly identities: number
  /** Identities that were erased after the backup: they stay unreadable, and the next start completes their erasure. */
  readonly erasedSince: number
  /** Identities that have no key although they were not erased: the keys are older than the backup. */
  readonly lost: number
  /** Empty for a reliable backup. */
  readonly problems: readonly string[]
}

const ChecksumsSchema = z.record(z.string(), z.string())
/** Allows only known names, so that a hostile tar cannot write elsewhere. */
const ENTRY_NAME =
  /^(appliance\.sqlite|config\.json|checksums\.json|(images|proofs|videos)\/[A-Za-z0-9-]{1,64}\.sealed|keys\/identity-keys\.sqlite)$/

/**
 * Restores into a temporary folder in `near`, examines it, and deletes it.
 * @param input.ownKeysOf data folder whose keys are used if no copy is given
 */
export async function verifyBackup(
  input: Omit<RestoreInput, 'dataDir'> & { readonly near: string; readonly ownKeysOf?: string },
): Promise<RestoreReport> {
  mkdirSync(input.near, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(input.near, 'backup-check-'))
  try {
    const header = await unpackAll({ ...input, dataDir: input.ownKeysOf ?? folder }, folder)
    return await examine(folder, header, input)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Throws `backup_refused`, leaving the folder unchanged, if it already contains a database or the backup is incomplete.
 */
export async function restoreBackup(input: RestoreInput, at: Date): Promise<RestoreReport> {
  const { dataDir } = input
  if (existsSync(join(dataDir, DATABASE))) {
    throw new AppError('backup_refused', { reason: 'the data folder holds a database; give an empty one' })
  }
  if (input.keys !== null && existsSync(join(dataDir, KEYS_FILE))) {
    throw new AppError('backup_refused', {
      reason:
        'the data folder holds the keys of the identities already, and they are newer: leave --keys away',
    })
  }
  makePrivateFolder(dataDir)
  const folder = mkdtempSync(join(dataDir, 'restore-'))
  try {
    const header = await unpackAll(input, folder)
    const report = await examine(folder, header, input)
    if (report.problems.length > 0) throw new AppError('backup_refused', { problems: report.problems })
    const head = noteRestore(folder, input.kek, header, at)
    moveIn(folder, dataDir)
    // Written after the database: if interrupted here, the next start writes it.
    writeFirstAnchor(dataDir, head)
    return report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function unpackAll(input: RestoreInput, folder: string): Promise<BackupHeader> {
  const header = await unpack(input.backup, 'data', folder, input.kek)
  if (input.keys === null) {
    await copyOwnKeys(input.dataDir, folder)
    return header
  }
  const keys = await unpack(input.keys, 'keys', folder, input.kek)
  if (keys.applianceId !== header.applianceId) {
    throw new AppError('backup_refused', { reason: 'the keys are those of another appliance' })
  }
  return header
}

/** The current keys, which stay in place: newer than any copy. */
async function copyOwnKeys(dataDir: string, folder: string): Promise<void> {
  const own = join(dataDir, KEYS_FILE)
  if (!existsSync(own)) {
    throw new AppError('backup_refused', { reason: 'the keys of the identities are needed too: --keys FILE' })
  }
  mkdirSync(join(folder, dirname(KEYS_FILE)), { recursive: true, mode: 0o700 })
  const keys = new Database(own, { readonly: true })
  try {
    await keys.backup(join(folder, KEYS_FILE))
  } finally {
    keys.close()
  }
}

/** Unpacks into `folder` with the names of the data folder. */
export async function unpack(
  path: string,
  kind: BackupHeader['kind'],
  folder: string,
  kek: Uint8Array,
): Promise<BackupHeader> {
  const { header, content } = await openBackup(path, kek)
  if (header.kind !== kind) {
    throw new AppError('backup_refused', { reason: `that is a backup of ${header.kind}, not of ${kind}` })
  }
  const found = new Map<string, string>()
  let checksums: Record<string, string> | null = null
  const tar = extract()
  const reading = (async () => {
    for await (const entry of tar) {
      // A damaged backup also emits the error on the entry, possibly before a reader exists. The pipeline reports it.
      entry.on('error', () => undefined)
      const { name } = entry.header
      if (!ENTRY_NAME.test(name) && !SETTINGS_FILE.test(name))
        throw new AppError('backup_refused', { reason: 'it contains a file with an unexpected name' })
      if (name === CHECKSUMS) {
        checksums = ChecksumsSchema.parse(JSON.parse((await Readable.from(entry).toArray()).join('')))
        continue
      }
      const target = join(folder, name)
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      const hash = createHash('sha256')
      const hashed = async function* (source: AsyncIterable<Uint8Array>) {
        for await (const piece of source) {
          hash.update(piece)
          yield piece
        }
      }
      await writeFileStream(target, () => hashed(entry as AsyncIterable<Uint8Array>), IN_OUR_FOLDER)
      found.set(name, hash.digest('hex'))
    }
  })()
  await Promise.all([pipeline(Readable.from(content), tar), reading])
  const whole = JSON.stringify(Object.entries(checksums ?? {}).sort()) === JSON.stringify([...found].sort())
  if (!whole) throw new AppError('backup_refused', { reason: 'files are missing or altered' })
  return header
}

/** Opens the restored data like the appliance would, and reads everything. */
async function examine(
  folder: string,
  header: BackupHeader,
  { kek, olderKeys = false }: Pick<RestoreInput, 'kek' | 'olderKeys'>,
): Promise<RestoreReport> {
  const look = compareKeysWithDatabase(folder)
  const lost = look?.lost.length ?? 0
  const store = openStore(folder, kek, { anyKeys: true })
  try {
    const problems = [...store.checkIntegrity()]
    if (look && look.problem !== null && !olderKeys)
      problems.push(`${describeProblem(look)}; ${lost} identities would be lost`)
    for (const { seq, problem } of store.auditEvents()) problems.push(`audit log, row ${seq}: ${problem}`)
    const ids = store.identities.listIds()
    const readable = ids.filter((id) => store.vault.has(id))
    let files = 0
    for (const id of readable) {
      for (const image of store.images.listByIdentity(id)) {
        problems.push(...(await unreadable(`images/${image.id}`, () => [store.images.read(image)])))
        files++
      }
      for (const proof of store.proofs.listByIdentity(id)) {
        problems.push(
          ...(await unreadable(`proofs/${proof.id}`, () => store.proofs.read(proof), proof.sha256)),
        )
        files++
      }
      for (const video of store.videos.listByIdentity(id)) {
        problems.push(...(await unreadable(`videos/${video.id}`, () => store.videos.read(video))))
        files++
      }
    }
    return {
      applianceId: header.applianceId,
      madeAt: new Date(header.createdAt),
      files,
      identities: readable.length,
      erasedSince: ids.length - readable.length - lost,
      lost,
      problems,
    }
  } finally {
    store.close()
  }
}

async function unreadable(
  name: string,
  read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sha256?: string,
): Promise<string[]> {
  const hash = createHash('sha256')
  try {
    for await (const piece of read()) hash.update(piece)
  } catch {
    return [`${name} cannot be read`]
  }
  return sha256 !== undefined && hash.digest('hex') !== sha256 ? [`${name} is not what was sealed`] : []
}

/** Records the restore, so that the central service is informed and the log shows it. */
function noteRestore(folder: string, kek: Uint8Array, header: BackupHeader, at: Date): SealedHead {
  const store = openStore(folder, kek, { anyKeys: true })
  try {
    store.transaction(() => {
      store.meta.setJson(RESTORED, { at: at.getTime(), madeAt: header.createdAt })
      const body = { backupMadeAt: header.createdAt }
      store.events.append('appliance.restored', null, body, at, { actor: 'operator' })
    })
    return store.events.sealedHead()
  } finally {
    store.close()
  }
}

/** Name under `store.meta`. */
export const RESTORED = 'restored'

/** The database last, so that an appliance started too early finds none. */
function moveIn(folder: string, dataDir: string): void {
  const names = readdirSync(folder).filter((name) => name !== DATABASE && name !== 'keys' && name !== CONFIG)
  for (const name of names) {
    // Existing settings are the operator's newer choice, like the configuration.
    if (isSettingsFolder(name) && existsSync(join(dataDir, name))) continue
    rmSync(join(dataDir, name), { recursive: true, force: true })
    renameSync(join(folder, name), join(dataDir, name))
  }
  mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
  if (!existsSync(join(dataDir, KEYS_FILE))) renameSync(join(folder, KEYS_FILE), join(dataDir, KEYS_FILE))
  // An existing configuration is the operator's newer choice.
  if (existsSync(join(folder, CONFIG)) && !existsSync(join(dataDir, CONFIG))) {
    renameSync(join(folder, CONFIG), join(dataDir, CONFIG))
  }
  renameSync(join(folder, DATABASE), join(dataDir, DATABASE))
}
