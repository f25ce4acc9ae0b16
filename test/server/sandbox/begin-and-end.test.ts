/** A sandboxed process begins at once, and one that is ended while bubblewrap still builds its walls leaves nothing behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findSandbox } from '../../../server/sandbox/bubblewrap.ts'

const found = await findSandbox(process.execPath)
const sandbox = found.kind === 'bubblewrap' ? found.sandbox : null

/** The processes whose command line has this word, dead ones aside. */
function processesWith(word: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
    } catch {
      return false
    }
  })
}

test.skipIf(!sandbox)('a process that is ended at any moment of its start leaves none behind', async () => {
  if (!sandbox) return
  const word = `end-sandboxed-${process.pid}`
  const argv = ['-e', `setInterval(() => undefined, 1000) // ${word}`]
  const { execPath, execArgv } = sandbox.command(process.execPath, argv, { readOnly: [] })
  for (let tenths = 0; tenths < 300; tenths += 3) {
    const child: ChildProcess = spawn(execPath, execArgv, {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
    })
    sandbox.feed(child)
    const ended = new Promise((resolve) => child.on('exit', resolve))
    // The moments between the fork of the shell and the first lines of the program.
    await wait(tenths / 10)
    sandbox.kill(child)
    await ended
  }
  await expect.poll(() => processesWith(word)).toEqual([])
})

/** As long as the server needs to load its files on a slow machine. */
const BUSY_MS = 20_000

test.skipIf(!sandbox)(
  'a process begins while the one that started it is busy with something else',
  async () => {
    if (!sandbox) return
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-begin-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const mark = join(folder, 'begun')
    const argv = ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`]
    const { execPath, execArgv } = sandbox.command(process.execPath, argv, {
      readOnly: [],
      writable: [folder],
    })
    const child = spawn(execPath, execArgv, {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
    })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    sandbox.feed(child)
    // Makes no turn of the event loop.
    const cell = new Int32Array(new SharedArrayBuffer(4))
    const end = performance.now() + BUSY_MS
    while (!existsSync(mark) && performance.now() < end) Atomics.wait(cell, 0, 0, 10)
    expect(existsSync(mark)).toBe(true)
    await ended
  },
)
