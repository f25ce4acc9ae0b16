/** Checks the files of a trust bundle as a kiosk without any list would import them, before the central service signs them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { ActionInput } from '../central/admin/actions.ts'
import { systemClock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { replaceControlCharacters } from '../files/folder.ts'
import { createKey } from '../store/crypto.ts'
import { openStore, type Store } from '../store/open.ts'
import { importTrustFile, type Importers, type TrustImport } from '../trust/import-file.ts'
import { TrustRefused } from '../trust/refused.ts'
import { compareTrustFiles, MAX_FILE_BYTES, readTrustFile, type ReadTrustFile } from '../trust/trust-file.ts'
import { OPERATOR } from './appliance.ts'
import { readNamedFile } from './given-files.ts'
import { UsageError } from './usage.ts'

type OrderedFiles = ActionInput<'publishTrustBundle'>['files']

interface GivenFile {
  readonly path: string
  readonly read: ReadTrustFile
}

/**
 * The appliance of a temporary folder imports the files, so that the rules are those of a kiosk.
 * @throws AppError file_refused with the name of the file and the reason
 */
export async function checkTrustFiles(
  paths: readonly string[],
  publishers: Importers,
): Promise<OrderedFiles> {
  if (paths.length === 0) throw new UsageError('trust publish needs at least one FILE')
  const given: GivenFile[] = []
  for (const path of paths) {
    const bytes = await readNamedFile(path, MAX_FILE_BYTES)
    given.push({ path, read: explain(path, () => readTrustFile(bytes)) })
  }
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-trust-'))
  try {
    const store = openStore(folder, createKey())
    try {
      return importAll(store, given, publishers)
    } finally {
      store.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function importAll(store: Store, given: readonly GivenFile[], publishers: Importers): OrderedFiles {
  const now = systemClock.now()
  const imported = [...given]
    .sort((one, other) => compareTrustFiles(one.read, other.read))
    .map(({ path, read }) => ({
      path,
      imported: explain(path, () => importTrustFile(store, read, publishers, now, OPERATOR)),
    }))
  const inForce = new Set(
    store.trust.list().flatMap(({ id, replacedAt }) => (replacedAt === null ? [id] : [])),
  )
  return imported.map(({ path, imported: { file, isNew } }: { path: string; imported: TrustImport }) => {
    if (!isNew || !inForce.has(file.id))
      throw refused(path, 'Another file of the bundle is the same list or a newer one. Leave this one out.')
    const { sha256, kind, series, country, signedAt } = file
    return { path: resolve(path), sha256, kind, series, country, signedAt: signedAt?.toISOString() ?? null }
  })
}

function explain<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof TrustRefused) throw refused(path, error.message)
    throw error
  }
}

function refused(path: string, reason: string): AppError {
  return new AppError(
    'file_refused',
    {},
    { sentence: `${replaceControlCharacters(basename(path))}: ${reason}` },
  )
}
