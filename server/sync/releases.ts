/**
 * Releases that the central service offers: downloads the package, verifies it, and asks the root updater of this machine to
 * install it (`updates/request.json` in the data folder). It installs nothing itself; the root updater verifies everything again.
 */
import { createHash, type KeyObject } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { openPartialFile } from '../files/partial-file.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'
import { describeError } from '../log.ts'
import { UpdateResultSchema, type KioskUpdates, type Statement, type UpdateResult } from '../protocol/wire.ts'
import { compareDebianVersions } from '../updates/debian-version.ts'
import { verifyRelease, type ReleaseManifest } from '../updates/manifest.ts'
import { getUpdatePaths } from '../updates/paths.ts'
import { readFreeBytes } from '../workflows/health/freeze.ts'
import type { Connection } from './connection.ts'
import { fetchPieces } from './file-pieces.ts'
import { CentralTroubleError } from './transport.ts'
import type { InstalledPackage, UpdateMachine } from './update-machine.ts'

type ReleaseContext = Pick<Context, 'config' | 'store' | 'clock' | 'log'>
type Offer = Pick<Statement<'update'>, 'rolloutId' | 'release'>

export interface ReleaseUpdates {
  /** For the next status. */
  report(): Promise<KioskUpdates>
  /** Notes what the answer to a status offers; null: nothing is to be installed now. */
  note(offer: Offer | null): void
  /** Continues with the offered release. True: there is news for the central service. Throws CentralTroubleError. */
  run(connection: Connection, signal?: AbortSignal): Promise<boolean>
}

/** Why nothing is requested yet. */
type Problem = 'CONNECTION' | 'KEYS_UNSAFE' | 'NO_SPACE' | 'FILE_DAMAGED' | 'OUTSIDE_HOURS' | 'REQUESTED'
/** Why this release is never installed here; refusals of its file have codes of their own (updates/manifest.ts). */
type Obstacle = 'OTHER_ARCHITECTURE' | 'NOT_NEWER' | 'FROM_TOO_OLD' | 'NO_PACKAGE'

/** The last rollout that was requested. The root updater removes the request itself when it begins. */
const REQUESTED = 'update-requested'
const MAX_RESULT_BYTES = 10_000
/** An offer of an older answer may be withdrawn meanwhile. */
const MAX_OFFER_AGE_MS = 15 * 60_000
/** Time until a package that arrived damaged is downloaded again. */
const PAUSE_MS = 60 * 60_000
const MEGABYTE = 1_000_000

/** @param nowMs a monotonic clock */
export function createReleaseUpdates(
  { config, store, clock, log }: ReleaseContext,
  machine: UpdateMachine,
  nowMs = () => performance.now(),
): ReleaseUpdates {
  const { downloads: folder, request: requestFile, result: resultFile } = getUpdatePaths(config.dataDir)
  const { enabled, hours } = config.updates
  let offer: (Offer & { readonly at: number }) | null = null
  let problem: Problem | null = null
  let refusal: UpdateResult | null = null
  let pausedUntil = 0

  const readResult = (): UpdateResult | null => {
    try {
      if (statSync(resultFile).size > MAX_RESULT_BYTES) return null
      return UpdateResultSchema.parse(JSON.parse(readFileSync(resultFile, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log.warn(describeError(error), 'the result of an update could not be read')
      return null
    }
  }

  const readKeys = (): readonly KeyObject[] | null => {
    try {
      return machine.readReleaseKeys()
    } catch (error) {
      problem = 'KEYS_UNSAFE'
      log.error(describeError(error), 'the release keys of this machine are not used')
      return null
    }
  }

  const take = async (
    offered: Offer,
    connection: Connection,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const { rolloutId, release } = offered
    if (store.meta.getJson(REQUESTED) === rolloutId) {
      problem = readResult()?.id === rolloutId ? null : 'REQUESTED'
      return
    }
    const installed = await machine.findPackage()
    const keys = readKeys()
    if (keys === null) return
    const verified = verifyRelease(Buffer.from(release), keys)
    const reason = 'refused' in verified ? verified.refused : findObstacle(verified.manifest, installed)
    if ('refused' in verified || reason !== null) {
      refuse(rolloutId, reason ?? 'REFUSED', installed)
      return
    }
    const { manifest } = verified
    makePrivateFolder(folder)
    keepOnly(folder, manifest.sha256)
    if (!existsSync(join(folder, `${manifest.sha256}.deb`))) {
      if (nowMs() < pausedUntil) return
      problem = await download(manifest, connection, signal)
      if (problem !== null) return
    }
    // A pause of the rollout may have come during the download.
    if (offer?.rolloutId !== rolloutId || nowMs() - offer.at > MAX_OFFER_AGE_MS) return
    if (!isWithinHours(clock.now().getHours(), hours)) {
      problem = 'OUTSIDE_HOURS'
      return
    }
    writeFileWhole(join(folder, `${manifest.sha256}.release.json`), release, IN_OUR_FOLDER)
    const request = { id: rolloutId, sha256: manifest.sha256, action: 'install' }
    writeFileWhole(requestFile, JSON.stringify(request), IN_OUR_FOLDER)
    store.meta.setJson(REQUESTED, rolloutId)
    problem = 'REQUESTED'
    log.info({ rolloutId, version: manifest.version }, 'the installation of a release was requested')
  }

  /** Null: the verified package is in the folder. */
  const download = async (
    { sha256, bytes }: ReleaseManifest,
    { client }: Connection,
    signal: AbortSignal | undefined,
  ): Promise<Problem | null> => {
    const file = await openPartialFile(join(folder, `${sha256}.part`))
    try {
      const spare = config.sync.freeze.freeMegabytes * MEGABYTE
      if ((readFreeBytes(config.dataDir) ?? 0) < bytes - file.bytes + spare) return 'NO_SPACE'
      if (file.bytes > bytes) await file.empty()
      const request = (offset: number) => client.releasePiece(sha256, offset, signal)
      for await (const piece of fetchPieces(request, file.bytes, bytes)) {
        await file.append(piece)
        if (offer === null) return null
      }
      const hash = createHash('sha256')
      for await (const piece of file.read()) hash.update(piece)
      if (file.bytes !== bytes || hash.digest('hex') !== sha256) {
        await file.empty()
        pausedUntil = nowMs() + PAUSE_MS
        log.warn({ sha256 }, 'the package of a release arrived damaged')
        return 'FILE_DAMAGED'
      }
      await file.complete(join(folder, `${sha256}.deb`))
      return null
    } finally {
      await file.close()
    }
  }

  const refuse = (id: string, reason: string, installed: InstalledPackage | null): void => {
    if (refusal?.id === id && refusal.reason === reason) return
    const at = clock.now().toISOString()
    refusal = { id, state: 'REFUSED', reason, from: installed?.version ?? null, to: null, at }
    log.error({ rolloutId: id, reason }, 'a release of the central service is refused')
  }

  return {
    report: async () => {
      const installed = enabled ? await machine.findPackage() : null
      const { version = null, architecture = null } = installed ?? {}
      const result = readResult()
      // The root updater has ended, and has copies of its own.
      if (result !== null && result.id === store.meta.getJson(REQUESTED)) keepOnly(folder, null)
      return {
        enabled,
        version,
        architecture,
        result: result?.id === refusal?.id ? result : (refusal ?? result),
        problem,
      }
    },
    note: (noted) => {
      offer = noted && { ...noted, at: nowMs() }
      if (offer?.rolloutId !== refusal?.id) refusal = null
      if (offer === null) problem = null
    },
    run: async (connection, signal) => {
      if (!enabled || offer === null) return false
      const before = refusal
      try {
        await take(offer, connection, signal)
        return refusal !== before
      } catch (error) {
        if (error instanceof CentralTroubleError) problem = 'CONNECTION'
        throw error
      }
    },
  }
}

function findObstacle(
  { version, minimumFrom, architecture }: ReleaseManifest,
  installed: InstalledPackage | null,
): Obstacle | null {
  if (installed === null) return 'NO_PACKAGE'
  if (installed.architecture !== architecture) return 'OTHER_ARCHITECTURE'
  if (compareDebianVersions(version, installed.version) <= 0) return 'NOT_NEWER'
  return compareDebianVersions(installed.version, minimumFrom) < 0 ? 'FROM_TOO_OLD' : null
}

/** @param hour of the local time, 0 to 23. From `from` o'clock until `to` o'clock, also over midnight */
export function isWithinHours(
  hour: number,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  return from < to ? from <= hour && hour < to : hour >= from || hour < to
}

/** Removes packages of other releases, and parts of them. @param sha256 null: of every release */
function keepOnly(folder: string, sha256: string | null): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (/^[0-9a-f]{64}\./.test(name) && (sha256 === null || !name.startsWith(sha256)))
      rmSync(join(folder, name), { force: true })
}
