/** A small disk of its own for the kiosk (ext4 in a file), which really fills up and really becomes read-only. Root only. */
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
  /** Until nothing more continues it. */
  fill(): void
  free(): void
  /** As the kernel does after an error of the medium: files that are open for writing are no exception. */
  makeReadOnly(): void
  /** Checked and mounted again; nobody may have a file open on it. */
  repair(): void
  remove(): void
}

const SIZE_BYTES = 600 * 1024 * 1024
const FILLER = '.filler'
const PIECE = Buffer.alloc(256 * 1024)

/** Null where disks cannot be mounted. */
export function mountDisk(place: string): Disk | null {
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
    truncateSync(image, SIZE_BYTES)
    run('mkfs.ext4', '-q', image)
    mount()
  } catch {
    return null
  }
  const filler = join(folder, FILLER)
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        while (statfsSync(folder).bavail > 0) writeSync(file, PIECE)
      } catch {
        // Full.
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
        // Exit status 1: it found something and mended it.
      }
      mount()
    },
    remove: () => {
      if (!existsSync(folder)) return
      try {
        run('umount', '-l', folder)
      } catch {
        // Not mounted any more.
      }
    },
  }
}
