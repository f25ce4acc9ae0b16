/**
 * Where the tests' temporary folders lie: in memory, where the machine has room for them. SQLite waits for the disk at each
 * commit, and an appliance commits forty times before it answers; what is proved of a process that is killed is the same.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'counterproof-tests-'
/** The whole suite needs a fraction of it at a time. */
const ROOM_BYTES = 6 * 2 ** 30

/** For vitest's `globalSetup`. A TMPDIR that somebody chose stays. */
export default function useFolderInMemory(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined
  removeLeftBehind()
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder)
  // The tests' PostgreSQL is another user, who finds its own folder below.
  chmodSync(folder, 0o711)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (!runsPrograms(folder)) {
    remove()
    return undefined
  }
  process.env.TMPDIR = folder
  return () => {
    delete process.env.TMPDIR
    remove()
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES
  } catch {
    return false
  }
}

/** Containers often mount it without: then the tests' own small programs could not start. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}

/** Of runs that were killed. */
function removeLeftBehind(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue
    rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
