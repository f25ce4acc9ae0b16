/** docs/connectors.md, followed to the letter: its files are written as they stand there, and the connector keeps the contract. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { ConnectorManifest } from '../../../server/connectors/manifest.ts'
import { isKnownCheck } from '../../../server/proofing/assurance/known-checks.ts'
import { pipelineChecks } from '../../../server/config/resources.ts'
import { VALUE_NAMES } from '../../../server/proofing/disclosure.ts'
import { CONSENT_TYPES } from '../../../server/proofing/types.ts'
import { testConnectorContract, type ConnectorContract } from '../../support/connector-contract.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FOLDER = mkdtempSync(join(tmpdir(), 'counterproof-toy-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

/** The files of the page, by their place in the repository. */
const FILES = new Map(
  [
    ...readFileSync(join(ROOT, 'docs/connectors.md'), 'utf8').matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g),
  ].map(([, path, source]) => [path, source] as const),
)

/** Imports of files of the page stay; all others lead to the repository. */
function writeFiles(): void {
  for (const [path, source] of FILES) {
    const linked = source.replaceAll(/from '(\.[^']+)'/g, (whole, target: string) => {
      const place = join(dirname(path), target)
      return FILES.has(place) ? whole : `from '${join(ROOT, place)}'`
    })
    mkdirSync(dirname(join(FOLDER, path)), { recursive: true })
    writeFileSync(
      join(FOLDER, path),
      linked.replaceAll(/from '(zod)'/g, `from '${import.meta.resolve('zod')}'`),
    )
  }
}
writeFiles()
const load = (path: string): Promise<unknown> => import(pathToFileURL(join(FOLDER, path)).href)

const { LIBRARY } = (await load('test/server/connectors/library-contract.ts')) as {
  LIBRARY: ConnectorContract
}
testConnectorContract(LIBRARY)

test('the page has a manifest in words of the product', async () => {
  const { library } = (await load('server/connectors/library/manifest.ts')) as { library: ConnectorManifest }
  expect(library.discloses.filter((name) => !VALUE_NAMES.includes(name))).toEqual([])
  expect(library.consents.filter((type) => !CONSENT_TYPES.includes(type))).toEqual([])
  const known = (check: string) => isKnownCheck(check, pipelineChecks())
  expect(library.checks.filter((check) => !known(check))).toEqual([])
})

test('the page has options that refuse plain http and an unknown member', async () => {
  const { LibraryConnector } = (await load('server/config/library.ts')) as {
    LibraryConnector: { safeParse(value: unknown): { success: boolean } }
  }
  const options = { url: 'https://library.example', branch: 'Main' }
  expect(LibraryConnector.safeParse(options).success).toBe(true)
  expect(LibraryConnector.safeParse({ ...options, url: 'http://library.example' }).success).toBe(false)
  expect(LibraryConnector.safeParse({ ...options, password: 'x' }).success).toBe(false)
})
