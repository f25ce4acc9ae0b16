/**
 * Ensures one server per data folder. The lock is an open SQLite file, so the system releases it however the process
 * ends.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { makePrivateFile, makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, removeOldDrafts } from '../files/write-file.ts'

interface Lock {
  release(): void
}

/** Throws `configuration_invalid` if another server uses this folder. */
export function lockDataDir(dataDir: string): Lock {
  makePrivateFolder(dataDir)
  const path = lockPath(dataDir)
  makePrivateFile(path)
  const lock = lockFile(path)
  if ('holder' in lock) {
    const reason = 'another server runs on this data folder'
    const pid = lock.holder
    const [which, how] = pid === null ? ['', ''] : [` (process ${pid})`, `: kill -TERM ${pid}`]
    const sentence = `Refused: ${reason}${which}, ${dataDir}. Stop it first${how}; or name another folder with --data.`
    throw new AppError('configuration_invalid', { reason }, { cause: lock.cause, sentence })
  }
  for (const folder of [dataDir, join(dataDir, 'keys')])
    if (existsSync(folder)) removeOldDrafts(folder, IN_OUR_FOLDER)
  return lock
}

interface Held {
  /** The process that holds the lock; null: the system does not tell. */
  readonly holder: number | null
  readonly cause: unknown
}

/** Locks this file, which holds nothing else, until `release` or the end of the process. */
export function lockFile(path: string): Lock | Held {
  const db = new Database(path, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    return { holder: findHolder(path), cause }
  }
  return { release: () => db.close() }
}

/** The process of the server that runs on this data folder; null: none, or the system does not tell (another user, a container). */
export function findServer(dataDir: string): number | null {
  return findHolder(lockPath(dataDir))
}

const lockPath = (dataDir: string): string => join(dataDir, 'server.lock')

/** The process that holds this lock file, if the system tells: not from within a container. */
function findHolder(path: string): number | null {
  try {
    const { ino } = statSync(path)
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(/ (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /g)
    const pids = [...locks].filter(([, , inode]) => Number(inode) === ino).map(([, pid]) => Number(pid))
    // A file on another disk may have the same inode.
    return pids.find((pid) => hasOpen(pid, realpathSync(path))) ?? null
  } catch {
    return null
  }
}

function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === path
    } catch {
      // The file was closed in the meantime.
      return false
    }
  })
}
