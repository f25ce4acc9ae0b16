/**
 * The head of the log once more, in a file beside the database: an older database that is put in its place is behind it.
 * Whoever puts back this file, too, is found out by any proof or checkpoint that was taken elsewhere.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SealedHead } from '../store/event-chain.ts'

export const ANCHOR_FILE = 'audit-head.json'

/** Undefined: there is no such file. Null: it cannot be read. The keyed hash in it is not looked at here. */
export function readAnchor(dataDir: string): unknown {
  let text: string
  try {
    text = readFileSync(join(dataDir, ANCHOR_FILE), 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null
  }
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** All of it or nothing: written beside and renamed. */
export function writeAnchor(dataDir: string, head: SealedHead): void {
  const path = join(dataDir, ANCHOR_FILE)
  writeFileSync(`${path}.part`, `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.part`, path)
}
