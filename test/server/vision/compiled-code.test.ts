/** The worker's compiled code is made by a process without pictures, once for each version of the sources. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compileWorkerCode } from '../../../server/vision/compiled-code.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-code-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const listCompiled = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith(process.version))

test('the code is compiled at the first start and not at the second', async () => {
  const env = { ...process.env, NODE_COMPILE_CACHE: folder }
  await compileWorkerCode([], env)
  const [compiled = ''] = listCompiled()
  // Hundreds of files: our own, and those of the packages.
  expect(readdirSync(join(folder, compiled)).length).toBeGreaterThan(100)
  rmSync(join(folder, compiled), { recursive: true })
  await compileWorkerCode([], env)
  expect(listCompiled()).toEqual([])
  // Other flags compile other code.
  await compileWorkerCode(['--max-semi-space-size=8'], env)
  expect(listCompiled()).toHaveLength(1)
})

test('a folder that does not exist is not made', async () => {
  const missing = join(folder, 'missing')
  await compileWorkerCode([], { ...process.env, NODE_COMPILE_CACHE: missing })
  expect(existsSync(missing)).toBe(false)
})
