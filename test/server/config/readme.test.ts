/** The page that operators configure by says what the server does. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../server/config/config.ts'

const README = join(import.meta.dirname, '../../../server/config/README.md')
const ROW = /^\| `([\w.]+)` \| `(.+?)` \|/gm

test('every option stands in the README of the configuration with its default, and no other', () => {
  const documented = [...readFileSync(README, 'utf8').matchAll(ROW)].map(([, option, value]) => [
    option,
    JSON.parse(value) as unknown,
  ])
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-config-'))
  const defaults = { ...loadConfig({ dataDir }), dataDir: undefined }
  rmSync(dataDir, { recursive: true })
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(leaves(defaults)))
})

function leaves(options: object, path: readonly string[] = []): readonly (readonly [string, unknown])[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const here = [...path, name]
    const isGroup = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    return isGroup ? leaves(value, here) : [[here.join('.'), value] as const]
  })
}
