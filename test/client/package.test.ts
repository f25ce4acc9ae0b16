/** The client as a package of its own: packed, installed from its tarball where none of our sources are, and used. */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { run } from '../../server/commands/client.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { PRODUCT_VERSION } from '../../server/version.ts'
import { collectOutput } from '../support/output.ts'
import { aPassport, picture } from '../server/app/scripted-vision.ts'
import { startClockedApp, type ClockedApp } from '../server/app/clocked-app.ts'

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules')
const NAME = 'counterproof-client'
const PORTRAIT = picture({ shows: 'person', face: 'A' })

let folder: string
/** Folder of the relying service. */
let project: string
let appliance: ClockedApp
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relying-service-'))
  project = join(folder, 'project')
  mkdirSync(project)
  collectOutput()
  expect(await run(['pack', '--out', join(folder, 'made')])).toBe(0)
  vi.restoreAllMocks()
  appliance = await startClockedApp({
    config: { webhooks: { allowHttp: true, allowPrivateAddresses: true } },
  })
  const tarball = join(folder, 'made', `${NAME}-${PRODUCT_VERSION}.tgz`)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  // An empty cache and a registry that nothing listens on: whatever npm would have to fetch fails.
  const npm = ['install', '--no-audit', '--no-fund', '--registry=http://127.0.0.1:9/', '--fetch-retries=0']
  await execute('npm', [...npm, `--cache=${join(folder, 'cache')}`, tarball])
  writeFileSync(join(project, 'passport.jpg'), aPassport())
  writeFileSync(join(project, 'portrait.jpg'), PORTRAIT)
  // The first example of the page, as its reader copies it.
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'client', 'README.md'), 'utf8')
  writeFileSync(join(project, 'readme.mts'), /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? 'no example')
  copyFileSync(join(import.meta.dirname, 'sample.mts'), join(project, 'sample.mts'))
})
afterAll(async () => {
  await appliance.close()
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => vi.restoreAllMocks())

async function execute(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd: project })
  return stdout
}

describe('the package of the client', () => {
  test('is type-checked in the project of its user, and proofs a person against a real appliance', async () => {
    const tsc = join(MODULES, 'typescript', 'bin', 'tsc')
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--types', 'node']
    await execute(process.execPath, [
      tsc,
      ...options,
      '--typeRoots',
      join(MODULES, '@types'),
      'sample.mts',
      'readme.mts',
    ])
    const { url, relyingServiceKey } = appliance.app
    const said = await execute(process.execPath, ['sample.mjs', url, relyingServiceKey])
    const result = JSON.parse(said) as { id: string; event: { data: { proofId: string } } }
    expect(result).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      title: 'Consent missing',
      document: 'VERIFIED',
      portrait: 'VERIFIED',
      levelOfAssurance: expect.stringMatching(/^LOA[12]$/) as unknown,
      pictureBytes: PORTRAIT.length,
      code: 'validation_failed',
      field: 'value',
      isStranger: true,
      event: {
        type: 'proof.sealed',
        timestamp: expect.any(String) as unknown,
        data: expect.objectContaining({ identityId: result.id }) as unknown,
      },
      sealed: result.event.data.proofId,
      refused: [true],
    })
    const jwks: unknown = await (await fetch(`${url}/.well-known/jwks.json`)).json()
    const report = await verifyProof(readFileSync(join(project, 'proof.zip')), { jwks: jwks })
    expect(report).toMatchObject({ valid: true })
  })

  test('brings along what it depends on, and JavaScript with types of our own alone', () => {
    const installed = join(project, 'node_modules', NAME)
    expect(readdirSync(installed).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'node_modules',
      'package.json',
    ])
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /\.[a-z]+$/.test(file) && !/\.(js|d\.ts)$/.test(file))).toEqual([])
    const licences = ['openapi-fetch', 'standardwebhooks'].map(
      (name) =>
        JSON.parse(readFileSync(join(installed, 'node_modules', name, 'package.json'), 'utf8')) as unknown,
    )
    expect(licences).toMatchObject([{ license: 'MIT' }, { license: 'MIT' }])
  })
})

describe('npm run client', () => {
  test('leaves a folder alone that holds something else, and explains itself', async () => {
    const output = collectOutput()
    expect(await run(['pack', '--out', project])).toBe(1)
    expect(output.text).toMatch(/holds something else than the package; it was left alone\.\n$/)
    expect(await run(['--help'])).toBe(0)
    expect(await run([])).toBe(2)
    expect(await run(['publish'])).toBe(2)
    expect(output.text).toContain('Usage: npm run client -- pack')
  })
})
