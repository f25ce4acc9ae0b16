import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../../main/server-process.ts'

/** Behaves as the server does towards the shell; what it saw goes into `seen`. Real processes throughout. */
const SERVER = `
import { appendFileSync, readFileSync } from 'node:fs'
const [seen, mode] = process.argv.slice(2)
let key = null
try { key = readFileSync(3, 'utf8').trim() } catch {}
appendFileSync(seen, JSON.stringify({ key, pid: process.pid, argv: process.argv, env: process.env }) + '\\n')
if (mode === 'dies') process.exit(7)
process.on('SIGTERM', () => setTimeout(() => { appendFileSync(seen, '"finished"\\n'); process.exit(0) }, 50))
console.log('a line that is none of the shell\\'s business')
console.log('listening on http://127.0.0.1:4' + String(process.pid).padStart(4, '0').slice(-4))
setInterval(() => {}, 1000)
`
const KEY = 'ab'.repeat(32)

let folder: string
let server: ServerProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'server-process-'))
  await writeFile(join(folder, 'server.mjs'), SERVER)
})
afterEach(async () => {
  await server?.stop()
  server = undefined
  await rm(folder, { recursive: true })
})

interface Seen {
  key: string | null
  pid: number
  argv: string[]
  env: Record<string, string>
}

async function seen(): Promise<(Seen | 'finished')[]> {
  const text = await readFile(join(folder, 'seen'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Seen)
}

function start(mode: 'lives' | 'dies', changes: Partial<ServerProcessOptions> = {}) {
  const ready: string[] = []
  const troubles: string[] = []
  const children: ChildProcess[] = []
  server = startServerProcess({
    node: process.execPath,
    script: join(folder, 'server.mjs'),
    args: [join(folder, 'seen'), mode],
    masterKey: null,
    spawn: (command, args, options) => {
      const child = spawn(command, args, options)
      children.push(child)
      return child
    },
    onReady: (url) => ready.push(url),
    onTrouble: (message) => troubles.push(message),
    ...changes,
  })
  return { server, ready, troubles, children }
}

const soon = { timeout: 60_000, interval: 20 }

describe('the server under the shell', () => {
  test('is ready when it says where it listens, and not before', async () => {
    const { ready } = start('lives')
    await vi.waitFor(() => expect(ready).toHaveLength(1), soon)
    expect(ready[0]).toMatch(/^http:\/\/127\.0\.0\.1:4\d{4}$/)
  })

  test('receives the master key on its descriptor, never by argument or environment', async () => {
    const { ready } = start('lives', { masterKey: () => KEY })
    await vi.waitFor(() => expect(ready).toHaveLength(1), soon)
    const [first] = (await seen()) as Seen[]
    expect(first.key).toBe(KEY)
    expect(JSON.stringify([first.argv, first.env])).not.toContain(KEY)
  })

  test('is started again, with the key, after it was killed', async () => {
    const { ready, troubles, children } = start('lives', { masterKey: () => KEY })
    await vi.waitFor(() => expect(ready).toHaveLength(1), soon)
    children[0].kill('SIGKILL')
    await vi.waitFor(() => expect(ready).toHaveLength(2), soon)
    expect(troubles).toEqual(['the server ended (SIGKILL); it is started again in 1 s'])
    expect(((await seen()) as Seen[]).map(({ key }) => key)).toEqual([KEY, KEY])
  })

  test('that keeps dying is started again ever more slowly, then given up by name, and still tried', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const givenUp: string[] = []
      const { troubles } = start('dies', { onGivenUp: (how) => givenUp.push(how) })
      const pauses = [1, 2, 4, 8, 16, 300, 300]
      for (const [count, pause] of pauses.entries()) {
        // Real time for the process, fake time for the pause after it.
        await vi.waitUntil(() => troubles.length === count + 1, soon)
        expect(troubles.at(-1)).toBe(`the server ended (code 7); it is started again in ${pause} s`)
        expect(givenUp).toHaveLength(Math.max(0, count - 4))
        await vi.advanceTimersByTimeAsync(pause * 1000)
      }
    } finally {
      vi.useRealTimers()
    }
  })

  test('that does not answer is killed and started again', async () => {
    let alive = true
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { ready, troubles } = start('lives', { isAlive: async () => alive })
      await vi.waitUntil(() => ready.length === 1, soon)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(troubles).toEqual([])
      alive = false
      await vi.advanceTimersByTimeAsync(30_000)
      alive = true
      await vi.advanceTimersByTimeAsync(15_000) // a late answer is an answer
      expect(troubles).toEqual([])
      alive = false
      await vi.advanceTimersByTimeAsync(45_000)
      // Its end may be told already: the process dies in real time.
      expect(troubles[0]).toBe('the server has not answered for a while; it is killed')
      await vi.waitUntil(() => ready.length === 2, soon)
    } finally {
      vi.useRealTimers()
    }
  })

  test('restarts on the request of staff, with time to finish its work', async () => {
    const { server: running, ready } = start('lives')
    await vi.waitFor(() => expect(ready).toHaveLength(1), soon)
    running.restart()
    await vi.waitFor(() => expect(ready).toHaveLength(2), soon)
    expect(await seen()).toContain('finished')
    expect(running.starts()).toBe(2)
  })

  test('may finish its work when it is stopped, and is not started again', async () => {
    const { server: running, ready, troubles, children } = start('lives')
    await vi.waitFor(() => expect(ready).toHaveLength(1), soon)
    await Promise.all([running.stop(), running.stop()])
    expect((await seen()).at(-1)).toBe('finished')
    expect(children[0].exitCode).toBe(0)
    expect(troubles).toEqual([])
    expect(children).toHaveLength(1)
  })

  test('that cannot be started at all is trouble, not a crash', async () => {
    const { troubles } = start('lives', { node: join(folder, 'no-node-here') })
    await vi.waitFor(
      () => expect(troubles).toEqual(['the server ended (ENOENT); it is started again in 1 s']),
      soon,
    )
  })

  test('is not started without its key', async () => {
    const masterKey = () => {
      throw new Error(`keyring locked, last key ${KEY}`)
    }
    const { troubles, children } = start('lives', { masterKey })
    expect(children).toEqual([])
    expect(troubles).toEqual([
      'the server ended (its master key could not be had); it is started again in 1 s',
    ])
  })
})
