/** A stick with FAT has no hard links. The system that runs the tests has no such disk: its answer is put in. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeNewFile } from '../../../server/files/write-file.ts'

vi.mock('node:fs', async (original) => ({
  ...(await original<object>()),
  linkSync: () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' })
  },
}))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-fat-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a new file comes to its place whole there, too, and never over another one', () => {
  const path = join(folder, 'key-share.txt')
  expect(writeNewFile(path, 'first')).toBe(true)
  expect(writeNewFile(path, 'second')).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('first')
  expect(readdirSync(folder)).toEqual(['key-share.txt'])
})
