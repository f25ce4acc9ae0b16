import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeys } from '../../server/tools/demo/server-process.ts'
import { runCommand } from '../support/command.ts'

test('commands that are all the first on a new folder agree on one master key and one database', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-first-'))
  try {
    const made = await Promise.all(
      ['bank', 'hotel', 'shop'].map(async (name) => {
        const create = ['keys', 'create', '--application', name, '--new', '--json', '--data', dataDir]
        return JSON.parse((await runCommand(create)).out) as { relyingServiceKey: string }
      }),
    )
    expect(new Set(made.map((keys) => keys.relyingServiceKey)).size).toBe(3)
    // A later process finds the key that all of them used.
    expect((await createKeys(dataDir, 'bank')).userAgentKey).toMatch(/^cp_/)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
