/** How a command that fails says so. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type ListenOptions } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { describeAddressInUse, describeFailure, type ListenError } from '../../../server/commands/failure.ts'
import { openStore } from '../../../server/store/open.ts'

/** Serves the address twice, and returns what the second one fails with. */
async function collide(options: ListenOptions): Promise<{ readonly error: unknown; readonly port: number }> {
  const [first, second] = [createServer(), createServer()]
  await new Promise<void>((resolve) => first.listen(options, resolve))
  const taken = first.address() as AddressInfo
  const again = options.path === undefined ? { host: taken.address, port: taken.port } : options
  const error = await new Promise((resolve) => second.once('error', resolve).listen(again))
  await new Promise((resolve) => first.close(resolve))
  return { error, port: taken.port }
}

test('a port in use is named with its address, how to find its process, and how to take another', async () => {
  const { error, port } = await collide({ host: '127.0.0.1', port: 0 })
  expect(describeFailure(error)).toBe(
    `Another process uses port ${port} of 127.0.0.1. Stop that process (ss -ltnp "sport = :${port}" names it), or choose ` +
      'another port: with --port N (0 takes a free one), or with the option port of config.json.\n',
  )
})

test('a port in use is named with the options of the program that asked for it', async () => {
  const { error } = await collide({ host: '127.0.0.1', port: 0 })
  expect(describeAddressInUse(error as Partial<ListenError>, 'the option port of central.json')).toContain(
    'or with the option port of central.json.',
  )
})

test.each([
  ['is missing', '/nowhere/at-all', 'There is no such file or folder. Check the path'],
  ['is a folder', tmpdir(), 'The path is a folder. Name a file.'],
])('a file that %s is named with what to do', (_, path, words) => {
  expect(describeFailure(catchError(() => readFileSync(path)))).toContain(words)
})

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('a socket in use is named with its path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-socket-'))
  const path = join(folder, 'a.sock')
  const { error } = await collide({ path })
  expect(describeFailure(error)).toContain(`Another process serves the socket ${path}.`)
  rmSync(folder, { recursive: true })
})

test.each([
  ['SQLITE_FULL', 'The disk is full.'],
  ['SQLITE_READONLY', 'The disk takes no writes.'],
  ['SQLITE_NOTADB', 'The file is damaged. Restore a backup; docs/RUNBOOK.md'],
  ['SQLITE_IOERR_WRITE', 'The disk is full or has a fault.'],
])('a storage fault %s is one sentence with what to do', (code, words) => {
  const told = describeFailure(new Database.SqliteError('no', code))
  expect(told).toContain(words)
  expect(told.trim().split('\n')).toHaveLength(1)
})

test.runIf(process.getuid?.() === 0)(
  'a full disk fails a command with one sentence and stops the appliance in order',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', folder])
    try {
      const store = openStore(folder, Buffer.alloc(32, 7))
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, 'fill'), Buffer.alloc(bavail * bsize))
      const change = () => store.meta.setJson('large', 'x'.repeat(1_000_000))
      expect(describeFailure(catchError(() => store.transaction(change)))).toMatch(/^The disk is full/)
      expect(() => store.close()).not.toThrow()
    } finally {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    }
  },
)
