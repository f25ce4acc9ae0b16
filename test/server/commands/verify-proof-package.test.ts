/** The verifier as a package of its own: made, installed by links, and used where none of our sources are. */
import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { run } from '../../../server/commands/verifier.ts'
import { PRODUCT_VERSION } from '../../../server/version.ts'
import { type Golden, readGoldens } from '../../support/golden.ts'
import { collectOutput } from '../../support/output.ts'
import { flip } from '../proof/fixture.ts'

const MODULES = join(import.meta.dirname, '..', '..', '..', 'node_modules')
const NAME = 'counterproof-verify'
const golden = readGoldens().find(({ trust }) => trust.caPem !== undefined) as Golden

let folder: string
let installed: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relying-party-'))
  const made = join(folder, 'made')
  collectOutput()
  expect(await run(['pack', '--out', made])).toBe(0)
  vi.restoreAllMocks()
  installed = join(folder, 'app', 'node_modules', NAME)
  mkdirSync(join(installed, '..'), { recursive: true })
  symlinkSync(made, installed)
  // Nothing but what the package asks for: a dependency that it forgot to name is not found.
  mkdirSync(join(made, 'node_modules'))
  for (const dependency of Object.keys(manifest().dependencies)) {
    symlinkSync(join(MODULES, dependency), join(made, 'node_modules', dependency))
  }
  writeFileSync(join(folder, 'app', 'flipped.zip'), flip(golden.archive, golden.archive.length >> 1))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

function manifest(): { dependencies: Record<string, string>; bin: Record<string, string> } {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as never
}

/** Plain Node in the folder of the relying party: no option, no loader. */
async function node(...args: string[]): Promise<{ stdout: string; code: number }> {
  const options = { cwd: join(folder, 'app'), env: { PATH: '' } }
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, code }),
  )
}

describe('the package of the verifier', () => {
  test('verifies a golden archive from plain JavaScript, by its CA alone', async () => {
    writeFileSync(
      join(folder, 'app', 'verify.mjs'),
      `import { readFileSync } from 'node:fs'
       import { extractArchive, verifyProof } from '${NAME}'
       const [archive, caPem, tsaCaPem] = process.argv.slice(2).map((path) => readFileSync(path))
       const trust = { caPem: caPem.toString(), tsaCaPem: tsaCaPem.toString() }
       console.log(JSON.stringify(await verifyProof(extractArchive(archive), trust)))`,
    )
    const files = ['proof.zip', 'ca.pem', 'tsa-ca.pem'].map((file) => join(golden.folder, file))
    const { stdout } = await node('verify.mjs', ...files)
    const report: unknown = JSON.parse(stdout)
    expect(report).toMatchObject({ valid: true, timestamp: golden.report.valid && golden.report.timestamp })
  })

  test('has a command that behaves as npm run verify-proof', async () => {
    const bin = join(installed, manifest().bin[NAME])
    const key = ['--key', join(golden.folder, 'jwks.json')]
    const valid = await node(bin, join(golden.folder, 'proof.zip'), ...key)
    expect(valid).toMatchObject({ code: 0, stdout: expect.stringMatching(/^proof verified: /) as unknown })
    const refused = await node(bin, 'flipped.zip', ...key)
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^proof NOT valid:\n {2}/) as unknown,
    })
    expect(await node(bin, 'nowhere.zip', ...key)).toMatchObject({ code: 2 })
    expect((await node(bin, '--help')).stdout).toMatch(/^Usage: counterproof-verify FILE/)
  })

  test('holds JavaScript and types only, none of which reaches out of the package', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => /\.[a-z]+$/.test(file))
    expect(sources.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([])
    const imported = sources.flatMap((file) => {
      const text = readFileSync(join(installed, 'dist', file), 'utf8')
      return [...text.matchAll(/(?:from|import)[ (]*'([^']+)'/g)].map(([, path = '']) => path)
    })
    const packages = imported.filter((path) => !path.startsWith('.') && !path.startsWith('node:'))
    expect([...new Set(packages)].sort()).toEqual(Object.keys(manifest().dependencies).sort())
    expect(imported.filter((path) => path.startsWith('.') && !path.endsWith('.js'))).toEqual([])
  })

  test('is type-checked in a project of its user', async () => {
    const source = `import { verifyProof, type VerificationReport } from '${NAME}'
      const report: VerificationReport = await verifyProof(new Uint8Array(), { caPem: '' })
      export const time: string | undefined = report.valid ? report.timestamp?.time : undefined
      // @ts-expect-error a refused archive tells nothing
      export const at: string = report.sealedAt`
    writeFileSync(join(folder, 'app', 'user.mts'), source)
    const tsc = join(MODULES, 'typescript', 'bin', 'tsc')
    const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--noEmit', '--types', 'node']
    const roots = ['--typeRoots', join(MODULES, '@types')]
    expect(await node(tsc, ...options, ...roots, 'user.mts')).toEqual({ stdout: '', code: 0 })
  })
})

describe('npm run verifier', () => {
  test('replaces a package made earlier, and leaves anything else alone', async () => {
    const output = collectOutput()
    const out = join(folder, 'again')
    mkdirSync(out)
    writeFileSync(join(out, 'package.json'), JSON.stringify({ name: NAME }))
    writeFileSync(join(out, 'of-an-earlier-version.js'), '')
    expect(await run(['pack', '--out', out])).toBe(0)
    expect(readdirSync(out).sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      `${NAME}-${PRODUCT_VERSION}.tgz`,
      'dist',
      'package.json',
      'schema',
    ])
    expect(readdirSync(join(out, 'schema')).sort()).toEqual([
      'identityDetails.schema.json',
      'longTermValidation.schema.json',
      'proof.schema.json',
      'verificationAndEvaluationDetails.schema.json',
    ])
    expect(await run(['pack', '--out', join(folder, 'app')])).toBe(1)
    expect(output.text).toMatch(/holds something else than the package; it was left alone\.\n$/)
    expect(readdirSync(join(folder, 'app'))).toContain('node_modules')
  })

  test('explains itself', async () => {
    const output = collectOutput()
    expect(await run(['--help'])).toBe(0)
    expect(await run([])).toBe(2)
    expect(await run(['publish'])).toBe(2)
    expect(output.text).toMatch(/^Usage: npm run verifier -- pack/)
  })
})
