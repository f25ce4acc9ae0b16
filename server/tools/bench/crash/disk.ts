/** A small separate disk for the kiosk (ext4 in a file) that can really fill up and become read-only. Requires root. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export interface Disk {
  readonly folder: string
  /** Fills the disk completely. */
  fill(): void
  free(): void
  /** Makes the disk read-only, as the kernel does after a medium error, even with files open for writing. */
  makeReadOnly(): void
  /** Checks and remounts the disk; no process may have a file open on it. */
  repair(): void
  remove(): void
}

const SIZE_BYTES = 600 * 1024 * 1024
const FILLER = '.filler'
const PIECE = Buffer.alloc(256 * 1024)

/** Null if disks cannot be mounted. */
export function mountDisk(place: string, bytes = SIZE_BYTES): Disk | null {
  const image = join(place, 'disk.img')
  const folder = join(place, 'disk')
  const run = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { stdio: 'ignore' })
  }
  const mount = (): void => {
    run('mount', '-o', 'loop', image, folder)
  }
  try {
    mkdirSync(folder)
    closeSync(openSync(image, 'w'))
    truncateSync(image, bytes)
    // The usual reserve for root would never be full for a server that runs as root.
    run('mkfs.ext4', '-q', '-m', '0', image)
    mount()
  } catch {
    return null
  }
  const filler = join(folder, FILLER)
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder)
      try {
        // Takes the blocks without writing them; the loop takes the rest.
        run('fallocate', '--length', String(Math.max(1, Math.floor(0.99 * bavail) * bsize)), filler)
      } catch {
        // The loop takes all of them.
      }
      const file = openSync(filler, 'a')
      try {
        while (statfsSync(folder).bavail > 0) writeSync(file, PIECE)
      } catch {
        // The disk is full.
      } finally {
        closeSync(file)
      }
    },
    free: () => {
      rmSync(filler, { force: true })
    },
    makeReadOnly: () => {
      run('mount', '-o', 'remount,abort', folder)
    },
    repair: () => {
      run('umount', folder)
      try {
        run('e2fsck', '-p', image)
      } catch {
        // Exit status 1 means that errors were found and corrected.
      }
      mount()
    },
    remove: () => {
      if (!existsSync(folder)) return
      try {
        run('umount', '-l', folder)
      } catch {
        // Already unmounted.
      }
    },
  }
}
