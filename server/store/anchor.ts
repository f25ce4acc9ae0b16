/**
 * The head of the log once more, in a file beside the database: an older database that is put in its place is behind it.
 * Whoever puts back this file, too, is found out by any proof or checkpoint that was taken elsewhere.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IN_OUR_FOLDER, writeFileWhole, writeNewFile } from '../files/write-file.ts'
import type { SealedHead } from './event-chain.ts'

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

/** All of it or nothing. */
export function writeAnchor(dataDir: string, head: SealedHead): void {
  writeFileWhole(join(dataDir, ANCHOR_FILE), contentOf(head), IN_OUR_FOLDER)
}

/**
 * The head of a log that was restored, where no file is there yet. One that is there tells how far the appliance itself
 * had reached, and stays: it finds out a log that is behind it.
 */
export function writeFirstAnchor(dataDir: string, head: SealedHead): void {
  writeNewFile(join(dataDir, ANCHOR_FILE), contentOf(head), IN_OUR_FOLDER)
}

function contentOf(head: SealedHead): string {
  return `${JSON.stringify(head)}\n`
}
