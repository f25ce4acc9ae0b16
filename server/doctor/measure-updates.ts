/** Measures what the updates of this machine rest on: the root updater, the release keys, the last result, a request that waits. */
import { createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readLastResult } from '../updates/last-result.ts'
import { getUpdatePaths, RELEASE_KEYS_FOLDER } from '../updates/paths.ts'
import { isWrittenByRootAlone } from '../updates/rules.ts'
import type { ReleaseKeyPlace, Updates } from './facts.ts'

const UPDATER = '/usr/sbin/counterproof-update'

/** @param isOffered the configuration lets the central service update this machine */
export async function measureUpdates(
  dataDir: string,
  isOffered: boolean,
  now: Date,
  { releaseKeys = RELEASE_KEYS_FOLDER, updater = UPDATER } = {},
): Promise<Updates> {
  const paths = getUpdatePaths(dataDir)
  const readAge = async (path: string): Promise<number | null> => {
    const facts = await lstat(path).catch(() => null)
    return facts && now.getTime() - facts.mtimeMs
  }
  return {
    isInstalled: existsSync(updater),
    isOffered,
    keys: existsSync(releaseKeys) ? await measureKeyPlaces(releaseKeys) : [],
    last: readLastResult(paths.result),
    requestAgeMs: await readAge(paths.request),
    underWayAgeMs: await readAge(paths.underWay),
  }
}

/** The updater refuses all keys if others may write one of these places. */
async function measureKeyPlaces(folder: string): Promise<readonly ReleaseKeyPlace[]> {
  const names = await readdir(folder)
  const files = names.filter((name) => name.endsWith('.pem')).map((name) => join(folder, name))
  const folders = [dirname(folder), folder].map((path) => measurePlace(path, null))
  return Promise.all([...folders, ...files.map((path) => measurePlace(path, isKey))])
}

async function measurePlace(
  path: string,
  isKeyFile: ((path: string) => Promise<boolean>) | null,
): Promise<ReleaseKeyPlace> {
  const facts = await lstat(path)
  const isSafe = !facts.isSymbolicLink() && isWrittenByRootAlone(facts)
  if (isKeyFile === null) return { path, kind: 'FOLDER', isSafe }
  try {
    return { path, kind: (await isKeyFile(path)) ? 'KEY' : 'NO_KEY', isSafe }
  } catch {
    return { path, kind: 'UNREADABLE', isSafe }
  }
}

/** @throws an error of the system if this user may not read the file */
async function isKey(path: string): Promise<boolean> {
  const text = await readFile(path)
  try {
    return createPublicKey(text).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
