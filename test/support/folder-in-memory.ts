/**
 * Places the tests' temporary folders in memory if there is room. SQLite waits for the disk at each commit,
 * and an appliance commits forty times before it answers; tests that kill processes prove the same in memory.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'counterproof-tests-'
/** The whole suite uses a fraction of it at a time. */
const ROOM_BYTES = 6 * 2 ** 30

/** For vitest's `globalSetup`. An existing TMPDIR stays. */
export default function useFolderInMemory(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined
  removeLeftBehind()
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder)
  // The tests' PostgreSQL runs as another user, who must reach its folder below.
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

/** Containers often mount it noexec; then the tests' own small programs could not start. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}

/** Removes folders of killed runs. */
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
