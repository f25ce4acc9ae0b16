import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../../server/commands/verify-proof.ts'
import { collectOutput } from '../../support/output.ts'
import { toJwks } from '../../support/jwks.ts'
import { aSealedProof, flip, pem, privateKey, signer } from '../proof/fixture.ts'

let folder: string
let output: ReturnType<typeof collectOutput>
const file = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-proof-'))
  const { bytes } = await aSealedProof()
  const portrait = Buffer.from(bytes).indexOf('portrait bytes')
  await writeFile(file('proof.zip'), bytes)
  await writeFile(file('test.zip'), (await aSealedProof({ test: true })).bytes)
  await writeFile(file('flipped.zip'), flip(bytes, portrait))
  await writeFile(
    file('body.txt'),
    Buffer.concat([
      Buffer.from('--x\r\nContent-Type: application/zip\r\n\r\n'),
      bytes,
      Buffer.from('\r\n--x--\r\n'),
    ]),
  )
  await writeFile(file('problem.json'), '{"status":404}')
  await writeFile(file('key.pem'), pem)
  await writeFile(file('jwks.json'), JSON.stringify(await toJwks([signer])))
  await writeFile(file('private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
})
afterAll(() => rm(folder, { recursive: true }))

beforeEach(() => {
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('npm run verify-proof', () => {
  test.each([
    ['the zip and a PEM key', 'proof.zip', 'key.pem'],
    ['the body of the API and a key set', 'body.txt', 'jwks.json'],
  ])('verifies %s', async (_, archive, key) => {
    expect(await run([file(archive), '--key', file(key)])).toBe(0)
    expect(output.text).toBe('proof verified: 01990000-0000-7000-8000-00000000000a LOA2\n')
  })

  test('says before its verdict that a proof of a test tenant is one', async () => {
    expect(await run([file('test.zip'), '--key', file('key.pem')])).toBe(0)
    expect(output.text.split('\n')).toEqual([
      'Sealed for a test tenant: it proves nothing about a real person.',
      'proof verified: 01990000-0000-7000-8000-00000000000a LOA2',
      '',
    ])
  })

  test('names the file of a flipped byte and ends with 1', async () => {
    expect(await run([file('flipped.zip'), '--key', file('key.pem')])).toBe(1)
    expect(output.text).toBe(
      'proof NOT valid:\n  images/portrait.jpg was altered: its hash is not the sealed one. [hash_mismatch]\n',
    )
  })

  test('prints one JSON object with --json', async () => {
    expect(await run([file('flipped.zip'), '--key', file('key.pem'), '--json'])).toBe(1)
    expect(JSON.parse(output.text)).toMatchObject({
      valid: false,
      problems: [{ code: 'hash_mismatch', file: 'images/portrait.jpg' }],
    })
  })

  test('calls a file that is no archive not valid', async () => {
    expect(await run([file('problem.json'), '--key', file('key.pem')])).toBe(1)
  })

  test.each([
    ['no file', ['--key', 'KEY']],
    ['no key', ['ARCHIVE']],
    ['an unknown option', ['ARCHIVE', '--key', 'KEY', '--trust-me']],
    ['a missing file', ['nowhere.zip', '--key', 'KEY']],
    ['a private key', ['ARCHIVE', '--key', 'PRIVATE']],
    ['a key file that is no key', ['ARCHIVE', '--key', 'ARCHIVE']],
  ])('cannot run with %s and ends with 2', async (_, argv) => {
    const names: Record<string, string> = {
      ARCHIVE: file('proof.zip'),
      KEY: file('key.pem'),
      PRIVATE: file('private.pem'),
    }
    expect(await run(argv.map((arg) => names[arg] ?? arg))).toBe(2)
    expect(output.text).toMatch(/^verify-proof: /)
  })

  test('explains itself with --help', async () => {
    expect(await run(['--help'])).toBe(0)
    expect(output.text).toMatch(/^Usage: npm run verify-proof/)
  })
})
