/**
 * A copy of the log's head in a file beside the database, which reveals an older database put in its place. If this file
 * is replaced too, any proof or checkpoint stored elsewhere reveals it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IN_OUR_FOLDER, writeFileWhole, writeNewFile } from '../files/write-file.ts'
import type { SealedHead } from './event-chain.ts'

export const ANCHOR_FILE = 'audit-head.json'

/** Undefined: no file. Null: unreadable. Does not verify the keyed hash. */
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

/** Writes atomically. */
export function writeAnchor(dataDir: string, head: SealedHead): void {
  writeFileWhole(join(dataDir, ANCHOR_FILE), formatHead(head), IN_OUR_FOLDER)
}

/**
 * Writes the head of a restored log if there is no file yet. An existing file shows how far the appliance itself had
 * reached and is kept, so that it reveals an older log.
 */
export function writeFirstAnchor(dataDir: string, head: SealedHead): void {
  writeNewFile(join(dataDir, ANCHOR_FILE), formatHead(head), IN_OUR_FOLDER)
}

function formatHead(head: SealedHead): string {
  return `${JSON.stringify(head)}\n`
}
