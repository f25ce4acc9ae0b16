/** A command that measures a temporary appliance and is interrupted leaves no folder and no process behind. Real processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RUN } from '../../../server/tools/demo/server-process.ts'

test('Ctrl+C at a bench stops its appliance, deletes the folder and ends with the status of the signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-interrupted-'))
  const bench = spawn(process.execPath, [RUN, 'bench-api'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said: string[] = []
  bench.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString('utf8')))
  const ended = once(bench, 'exit')
  const findFolders = () => readdirSync(folder).filter((name) => name.startsWith('counterproof-bench-'))
  try {
    await expect.poll(findFolders, { timeout: 60_000, interval: 50 }).toHaveLength(1)
    bench.kill('SIGINT')
    const [status] = (await ended) as [number | null]
    expect([status, said.join('')]).toEqual([
      128 + constants.signals.SIGINT,
      'stopped by SIGINT; the temporary appliance is deleted\n',
    ])
    expect(findFolders()).toEqual([])
  } finally {
    bench.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}, 90_000)
