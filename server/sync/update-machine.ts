/** The parts of this machine that the updates use: its package, and the release keys that it trusts. */
import { execFile } from 'node:child_process'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readOwnFile } from '../files/own-files.ts'
import { RELEASE_KEYS_FOLDER } from '../updates/paths.ts'

export interface InstalledPackage {
  readonly version: string
  readonly architecture: string
}

export interface UpdateMachine {
  /** Null: the appliance was not installed from a package. */
  findPackage(): Promise<InstalledPackage | null>
  /** Empty: none. Throws UnsafeFileError for one that other users may change. */
  readReleaseKeys(): readonly KeyObject[]
}

const PACKAGE = 'counterproof'
const TIMEOUT_MS = 10_000

export function openUpdateMachine(
  releaseKeys = RELEASE_KEYS_FOLDER,
  findPackage = askPackageManager,
): UpdateMachine {
  let installed: InstalledPackage | null = null
  return {
    // A new package restarts the server, so that it is asked once. No answer is no fact: it may be slow or locked now.
    findPackage: async () => (installed ??= await findPackage()),
    readReleaseKeys: () =>
      listPemFiles(releaseKeys).map((name) =>
        createPublicKey(readOwnFile(join(releaseKeys, name), 'public')),
      ),
  }
}

async function askPackageManager(): Promise<InstalledPackage | null> {
  try {
    const { stdout } = await promisify(execFile)(
      'dpkg-query',
      ['--show', '--showformat=${db:Status-Status} ${Version} ${Architecture}', PACKAGE],
      { timeout: TIMEOUT_MS },
    )
    const [, version, architecture] = /^installed (\S+) (\S+)$/.exec(stdout) ?? []
    return version !== undefined && architecture !== undefined ? { version, architecture } : null
  } catch {
    // No such package, or no Debian.
    return null
  }
}

function listPemFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pem'))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
