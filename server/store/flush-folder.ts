import { closeSync, fsyncSync, openSync } from 'node:fs'

/** A name that was just made or changed in this folder survives a power cut, as the bytes behind it do. */
export function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
