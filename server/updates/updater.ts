/**
 * Installs a release as root, and returns to the version before if the new one does not become healthy. Takes from the data folder
 * only what it has copied into its own folder and verified there.
 */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { z } from 'zod'
import { openGivenFile, readGivenFile } from '../files/read-file.ts'
import { writeFileStream, writeFileWhole } from '../files/write-file.ts'
import {
  controlService,
  copyDatabases,
  countVisits,
  discardCopy,
  discardRequest,
  findInstalledVersion,
  installPackage,
  isServiceWanted,
  measureDatabases,
  measureFreeBytes,
  packInstalled,
  putDatabasesBack,
  readArchitecture,
  readPackage,
} from './machine.ts'
import { MAX_RELEASE_FILE_BYTES, verifyRelease, type ReleaseManifest } from './manifest.ts'
import { DATA_FOLDER, getUpdatePaths, RELEASE_KEYS_FOLDER } from './paths.ts'
import {
  isHealthy,
  isWrittenByRootAlone,
  judgeRelease,
  type PackageFacts,
  type Reason,
  RequestSchema,
  type UnderWay,
  UnderWaySchema,
  type UpdateResult,
} from './rules.ts'

const PATHS = getUpdatePaths(DATA_FOLDER)
const NEW_PACKAGE = join(PATHS.folder, 'new.deb')
/** The package of the installed version. */
const INSTALLED_PACKAGE = join(PATHS.folder, 'installed.deb')
const PREVIOUS_PACKAGE = join(PATHS.folder, 'previous.deb')
const READABLE = { mode: 0o644 }
const MAX_REQUEST_BYTES = 1024
const MAX_KEYS = 20
const MAX_KEY_BYTES = 4096
const POLL_VISITS_MS = 2000
const POLL_HEALTH_MS = 500

export interface Times {
  /** A visit lasts about ten minutes. */
  readonly drainMs: number
  /** A first start converts models. */
  readonly healthMs: number
  readonly healthUrl: string
}

interface Source {
  readonly id: string
  readonly packagePath: string
  readonly releasePath: string
}

/** Ends an update that was interrupted, then carries out the request of the server, if there is one. */
export async function runRequests(times: Times): Promise<UpdateResult | null> {
  makeFolder()
  const interrupted = readOwn(PATHS.underWay, UnderWaySchema)
  const recovered = interrupted ? await recover(interrupted, times) : null
  if (!interrupted && existsSync(PATHS.underWay)) rmSync(PATHS.underWay)
  if (!lstatSync(PATHS.request, { throwIfNoEntry: false })) return recovered
  const request = await readRequest()
  // A request that stayed would start the updater again.
  discardRequest()
  if (!request) return writeResult({ id: 'unknown', state: 'REFUSED', reason: 'REQUEST_MALFORMED', to: null })
  const { id, sha256 } = request
  const downloaded = join(PATHS.downloads, sha256)
  return installRelease(
    { id, packagePath: `${downloaded}.deb`, releasePath: `${downloaded}.release.json` },
    times,
  )
}

export async function installRelease(source: Source, times: Times): Promise<UpdateResult> {
  makeFolder()
  const { id } = source
  const taken = await takeRelease(source)
  if (typeof taken === 'string') return writeResult({ id, state: 'REFUSED', reason: taken, to: null })
  const to = taken.version
  const found = findPackage(NEW_PACKAGE)
  if (!found) return writeResult({ id, state: 'REFUSED', reason: 'PACKAGE_FOREIGN', to })
  const refusal = judgeRelease(taken, found, {
    installedVersion: requireInstalledVersion(),
    architecture: readArchitecture(),
    freeBytes: measureFreeBytes(),
    databaseBytes: measureDatabases(),
  })
  if (refusal) return writeResult({ id, state: 'REFUSED', reason: refusal, to })
  return change({ id, to }, times)
}

/**
 * Returns to the version before. Its start fails if the database was changed since, and then the present version and its database
 * return, as after any failed update.
 */
export async function returnToPrevious(times: Times): Promise<UpdateResult> {
  makeFolder()
  if (!existsSync(PREVIOUS_PACKAGE))
    return writeResult({ id: 'by-hand', state: 'REFUSED', reason: 'NOTHING_KEPT', to: null })
  copyFileSync(PREVIOUS_PACKAGE, NEW_PACKAGE)
  return change({ id: 'by-hand', to: readPackage(NEW_PACKAGE).version }, times)
}

export function readKeptVersions(): { readonly installed: string | null; readonly previous: string | null } {
  return { installed: findInstalledVersion(), previous: findPackage(PREVIOUS_PACKAGE)?.version ?? null }
}

/** Copies the release into our folder and verifies the copy. */
async function takeRelease({ packagePath, releasePath }: Source): Promise<ReleaseManifest | Reason> {
  const keys = readReleaseKeys()
  if (keys === null) return 'KEYS_UNSAFE'
  const file = await readGivenFile(releasePath, { mostBytes: MAX_RELEASE_FILE_BYTES }).catch(() => null)
  if (!file) return 'MANIFEST_MALFORMED'
  const release = verifyRelease(file, keys)
  if ('refused' in release) return release.refused
  const { manifest } = release
  return (await copyPackage(packagePath, manifest)) ? manifest : 'PACKAGE_DIFFERS'
}

async function copyPackage(path: string, { bytes, sha256 }: ReleaseManifest): Promise<boolean> {
  const opened = await openGivenFile(path, { mostBytes: bytes }).catch(() => null)
  if (!opened) return false
  const hash = createHash('sha256')
  async function* readPieces(): AsyncGenerator<Uint8Array> {
    // Not beyond the size of the manifest, even if the file grows.
    for await (const piece of opened?.handle.createReadStream({ end: bytes - 1 }) ?? []) {
      hash.update(piece as Buffer)
      yield piece as Buffer
    }
  }
  const written = await writeFileStream(NEW_PACKAGE, readPieces)
  if (written === bytes && hash.digest('hex') === sha256) return true
  rmSync(NEW_PACKAGE)
  return false
}

/** Null: others than root may write them. */
function readReleaseKeys(): readonly KeyObject[] | null {
  if (!existsSync(RELEASE_KEYS_FOLDER)) return []
  const names = readdirSync(RELEASE_KEYS_FOLDER)
    .filter((name) => name.endsWith('.pem'))
    .slice(0, MAX_KEYS)
  const files = names.map((name) => join(RELEASE_KEYS_FOLDER, name))
  const places = [dirname(RELEASE_KEYS_FOLDER), RELEASE_KEYS_FOLDER, ...files]
  if (!places.every((path) => isWrittenByRootAlone(lstatSync(path)) && !lstatSync(path).isSymbolicLink()))
    return null
  return files.flatMap((path) => {
    try {
      const key = createPublicKey(readFileSync(path).subarray(0, MAX_KEY_BYTES))
      return key.asymmetricKeyType === 'ed25519' ? [key] : []
    } catch {
      return []
    }
  })
}

/** Drains, copies the databases, installs `NEW_PACKAGE`, and decides. */
async function change(
  { id, to }: { readonly id: string; readonly to: string },
  times: Times,
): Promise<UpdateResult> {
  const from = requireInstalledVersion()
  const begin = (phase: UnderWay['phase']): UnderWay => {
    const underWay = { id, from, to, phase }
    writeFileWhole(PATHS.underWay, `${JSON.stringify(underWay)}\n`, READABLE)
    return underWay
  }
  if (findPackage(INSTALLED_PACKAGE)?.version !== from) {
    say(`packing the installed version ${from}`)
    packInstalled(INSTALLED_PACKAGE)
  }
  begin('DRAINING')
  say('waiting until no visit is under way')
  if (!(await waitUntil(() => countVisits() === 0, times.drainMs, POLL_VISITS_MS))) {
    rmSync(PATHS.underWay)
    return writeResult({ id, state: 'FAILED', reason: 'VISIT_UNDER_WAY', to })
  }
  const isWanted = isServiceWanted()
  const stopping = begin('COPYING')
  try {
    controlService('stop', 'counterproof')
    copyDatabases()
  } catch (error) {
    say(describe(error))
    return recover(stopping, times)
  }
  const underWay = begin('CHANGING')
  try {
    say(`installing ${to}`)
    await installPackage(NEW_PACKAGE)
  } catch (error) {
    return rollBack(underWay, 'INSTALL_FAILED', times, error)
  }
  if (isWanted) {
    try {
      await startServer(to, times)
    } catch (error) {
      return rollBack(underWay, 'START_FAILED', times, error)
    }
  }
  // This removal decides: an interruption before it is rolled back, one after it is not.
  rmSync(PATHS.underWay)
  renameSync(INSTALLED_PACKAGE, PREVIOUS_PACKAGE)
  renameSync(NEW_PACKAGE, INSTALLED_PACKAGE)
  discardCopy()
  const result = writeResult({ id, state: 'INSTALLED', reason: null, from, to })
  // The window shows the screens of the version before.
  if (isWanted) controlService('try-restart', 'counterproof-kiosk')
  return result
}

async function recover(underWay: UnderWay, times: Times): Promise<UpdateResult> {
  say('an update was interrupted')
  if (underWay.phase === 'CHANGING') return rollBack(underWay, 'INTERRUPTED', times)
  if (underWay.phase === 'COPYING') controlService('start', 'counterproof')
  discardCopy()
  rmSync(PATHS.underWay)
  return writeResult({ ...underWay, state: 'FAILED', reason: 'INTERRUPTED' })
}

/** Can be repeated from its beginning, because the copy stays until the server runs. */
async function rollBack(
  { id, from, to }: UnderWay,
  reason: Reason,
  times: Times,
  cause?: unknown,
): Promise<UpdateResult> {
  if (cause) say(describe(cause))
  say(`returning to ${from}`)
  let hasReturned = true
  try {
    controlService('stop', 'counterproof')
    await installPackage(INSTALLED_PACKAGE)
    putDatabasesBack()
    await startServer(from, times)
    discardCopy()
  } catch (error) {
    say(describe(error))
    hasReturned = false
  }
  rmSync(PATHS.underWay)
  rmSync(NEW_PACKAGE, { force: true })
  if (!hasReturned) return writeResult({ id, state: 'FAILED', reason: 'ROLLBACK_FAILED', from, to })
  return writeResult({ id, state: 'ROLLED_BACK', reason, from, to })
}

async function startServer(version: string, { healthMs, healthUrl }: Times): Promise<void> {
  controlService('start', 'counterproof')
  const asks = async (): Promise<boolean> => {
    try {
      const answer = await fetch(healthUrl, { redirect: 'error', signal: AbortSignal.timeout(5000) })
      return isHealthy(await answer.json(), version)
    } catch {
      return false
    }
  }
  if (!(await waitUntil(asks, healthMs, POLL_HEALTH_MS)))
    throw new Error(`version ${version} did not become healthy`)
  say(`version ${version} is healthy`)
}

async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  limitMs: number,
  pollMs: number,
): Promise<boolean> {
  const endsAt = performance.now() + limitMs
  for (;;) {
    if (await holds()) return true
    if (performance.now() > endsAt) return false
    await wait(pollMs)
  }
}

function findPackage(path: string): PackageFacts | null {
  try {
    return readPackage(path)
  } catch {
    return null
  }
}

function makeFolder(): void {
  mkdirSync(PATHS.folder, { recursive: true, mode: 0o755 })
}

async function readRequest(): Promise<z.infer<typeof RequestSchema> | null> {
  try {
    const text = await readGivenFile(PATHS.request, { mostBytes: MAX_REQUEST_BYTES })
    return RequestSchema.parse(JSON.parse(text.toString('utf8')))
  } catch {
    return null
  }
}

function requireInstalledVersion(): string {
  const version = findInstalledVersion()
  if (version === null)
    throw new Error('the package counterproof is not installed completely: run dpkg --configure -a')
  return version
}

/** A file that only root writes. */
function readOwn<T extends z.ZodType>(path: string, schema: T): z.infer<T> | null {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

function writeResult(result: Omit<UpdateResult, 'at' | 'from'> & { readonly from?: string }): UpdateResult {
  const { id, state, reason, to, from = findInstalledVersion() ?? 'unknown' } = result
  const whole = { id, state, reason, from, to, at: new Date().toISOString() }
  writeFileWhole(PATHS.result, `${JSON.stringify(whole)}\n`, READABLE)
  return whole
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function say(line: string): void {
  process.stderr.write(`counterproof-update: ${line}\n`)
}
