/** How a file with a key comes to its place: whole or not at all, for its owner alone, and never over another one. */
import { chmodSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFolder } from '../store/flush-folder.ts'

/**
 * Written in full beside its place and then linked there: another process of the same first run either finds the whole
 * key or makes its own, and the one that came first stays. False when there was one already.
 */
export function placeKeyFile(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, path)
    // Nothing is sealed with a key whose name a power cut could still take away.
    for (const folder of [dirname(path), dirname(dirname(path))]) flushFolder(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}
