/** A process that is ended while bubblewrap still builds its walls leaves nothing behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
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
