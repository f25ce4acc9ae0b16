/** How a file with a key comes to its place: whole or not at all, for its owner alone, and never over another one. */
import { dirname } from 'node:path'
import { flushFolder } from '../files/folder.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeNewFile } from '../files/write-file.ts'

/**
 * Another process of the same first run either finds the whole key or makes its own, and the one that came first stays.
 * False when there was one already.
 */
export function placeKeyFile(path: string, text: string): boolean {
  makePrivateFolder(dirname(path))
  if (!writeNewFile(path, text, IN_OUR_FOLDER)) return false
  // Nothing is sealed with a key whose folder a power cut could still take away.
  flushFolder(dirname(dirname(path)))
  return true
}
