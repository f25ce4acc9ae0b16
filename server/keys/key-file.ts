/** Writes key files atomically, readable only by their owner, never overwriting another one. */
import { dirname } from 'node:path'
import { flushFolder } from '../files/folder.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeNewFile } from '../files/write-file.ts'

/**
 * Concurrent first runs either find the complete key or create their own, and the first one stays. Returns false if there
 * was one.
 */
export function placeKeyFile(path: string, text: string): boolean {
  makePrivateFolder(dirname(path))
  if (!writeNewFile(path, text, IN_OUR_FOLDER)) return false
  // Flushes the folder, so that no data is encrypted with a key that a power failure could still remove.
  flushFolder(dirname(dirname(path)))
  return true
}
