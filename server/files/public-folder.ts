/** Writes folders that every user may read: built screens, models, the package of the verifier. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { describeEntry } from './folder.ts'

/** Ignores the umask, and does not change folders that exist. */
export function makePublicFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true })
  if (first === undefined) return
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    chmodSync(folder, 0o755)
    if (folder === resolve(first)) return
  }
}

/**
 * Lets `build` fill a new folder, then replaces the old one by it. If `build` throws, the old folder stays. Throws
 * `file_refused` if the path is a link or a file.
 */
export async function replacePublicFolder(
  path: string,
  build: (fresh: string) => Promise<void> | void,
): Promise<void> {
  const present = lstatSync(path, { throwIfNoEntry: false })
  if (present && !present.isDirectory()) {
    throw new AppError('file_refused', {
      folder: path,
      reason: `it is ${describeEntry(present)}. Name another one.`,
    })
  }
  makePublicFolder(dirname(resolve(path)))
  const fresh = mkdtempSync(`${resolve(path)}.`)
  const old = `${fresh}.old`
  try {
    await build(fresh)
    openTree(fresh)
    if (existsSync(path)) renameSync(path, old)
    renameSync(fresh, path)
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
  }
}

function openTree(path: string): void {
  chmodSync(path, 0o755)
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644)
  }
}
