import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAdminGate, readCredential } from '../../../main/credential.ts'
import { run } from '../../../server/commands/kiosk.ts'

const ENTRY = join(import.meta.dirname, '../../../server/run.mjs')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kiosk-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function setAdmin(file: string, input: string) {
  const args = [ENTRY, 'kiosk', 'set-admin', '--file', file]
  return spawnSync(process.execPath, args, { input, encoding: 'utf8' })
}

describe("staff's passphrase", () => {
  const file = () => join(folder, 'etc', 'admin.json')

  test('is written as a hash that the shell opens its prompt for, and says nothing of it', async () => {
    const words = 'seven proofs of Utopia é'
    const { status, stdout, stderr } = setAdmin(file(), `${words}\n${words}\n`)
    expect(status).toBe(0)
    expect(stdout + stderr + readFileSync(file(), 'utf8')).not.toContain('Utopia')
    expect(statSync(file()).mode & 0o022).toBe(0)
    const gate = createAdminGate(() => readCredential(file()).credential)
    expect(await gate.check(words)).toBe('accepted')
    expect(await gate.check(words.normalize('NFD'))).toBe('accepted')
    expect(await gate.check('another one')).toBe('refused')
  })

  test.each([
    ['too short', 'short\nshort\n'],
    ['typed differently the second time', 'a long pass phrase\na long pass phrasee\n'],
    ['not typed at all', ''],
  ])('is refused when it is %s, and the old one stays', (_, input) => {
    const before = readFileSync(file(), 'utf8')
    expect(setAdmin(file(), input).status).toBe(1)
    expect(readFileSync(file(), 'utf8')).toBe(before)
  })
})

describe('the window beside a server', () => {
  test.each(['https://example.org', 'http://127.0.0.1.example.org/', 'nonsense'])(
    'is never of %s',
    async (url) => {
      await expect(run(['show', '--url', url])).rejects.toThrow('127.0.0.1')
    },
  )
})
