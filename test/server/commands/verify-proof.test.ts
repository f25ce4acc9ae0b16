import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../../server/commands/verify-proof.ts'
import {
  type CertificateAuthority,
  makeCertificateAuthority,
  SIGNER_EXTENSIONS,
} from '../../support/certificate-authority.ts'
import { collectOutput } from '../../support/output.ts'
import { toJwks } from '../../support/jwks.ts'
import { aSealedProof, flip, pem, privateKey, signer } from '../proof/fixture.ts'

let folder: string
let ca: CertificateAuthority
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
  ca = makeCertificateAuthority('Proof CA')
  await writeFile(file('ca.pem'), ca.root.pem)
  const leaf = ca.issue({ name: 'Kiosk 1', extensions: SIGNER_EXTENSIONS, publicKey: pem })
  const moment = new Date(Date.now() + 60_000).toISOString().slice(0, 23)
  const certified = await aSealedProof(
    {
      endDateTime: moment,
      correlationId: 'case \u202e7',
      tenantUsed: 'Zürich',
      previousProofId: 'the-earlier-one',
      time: { source: 'SYSTEM', uncertaintyMs: null, earliest: moment, latest: moment },
      audit: { applianceId: 'kiosk-1', seq: 41, hash: 'a'.repeat(64) },
    },
    { certificateChain: [leaf.der.toString('base64')], timestamper: null },
  )
  await writeFile(file('certified.zip'), certified.bytes)
  await mkdir(file('many/below'), { recursive: true })
  await writeFile(file('many/a.zip'), bytes)
  await writeFile(file('many/b.zip'), flip(bytes, portrait))
  await writeFile(file('many/below/c.ZIP'), bytes)
  await writeFile(file('many/notes.txt'), 'not looked at')
  await mkdir(file('none'))
  await writeFile(file('private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
})
afterAll(async () => {
  ca.remove()
  await rm(folder, { recursive: true })
})

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
    expect(output.text.split('\n')).toEqual([
      'proof verified: 01990000-0000-7000-8000-00000000000a LOA2',
      '  Sealed at 2026-11-20T10:03:12.345 UTC for tenant default, component version Counterproof 0.1.0.',
      `  Signed by the key ${signer.keyId}.`,
      '  There is no time stamp: only the appliance states when the proof was sealed.',
      '',
    ])
  })

  test('says in its first line that a proof is a test, of one archive and of several', async () => {
    expect(await run([file('test.zip'), '--key', file('key.pem')])).toBe(0)
    const verdict =
      'proof verified (TEST: it proves nothing about a real person): 01990000-0000-7000-8000-00000000000a LOA2'
    expect(output.text.split('\n')[0]).toBe(verdict)
    vi.restoreAllMocks()
    output = collectOutput()
    expect(await run([file('test.zip'), file('proof.zip'), '--key', file('key.pem')])).toBe(0)
    expect(output.text.split('\n').slice(0, 2)).toEqual([
      `${file('test.zip')}: ${verdict}`,
      `${file('proof.zip')}: proof verified: 01990000-0000-7000-8000-00000000000a LOA2`,
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

  test('verifies with nothing but a CA, and tells what the proof says of its sealing', async () => {
    expect(await run([file('certified.zip'), '--ca', file('ca.pem')])).toBe(0)
    expect(output.text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/ for tenant default \(Zürich\), component version Counterproof 0\.1\.0\.$/),
      `  Signed by the key ${signer.keyId}.`,
      '  Its certificate is that of O=Counterproof tests, CN=Kiosk 1, issued by O=Counterproof tests, CN=Proof CA.',
      '  The relying service calls the case case ?7.',
      '  It continues the proof the-earlier-one of the same identity.',
      '  The audit log of the appliance kiosk-1 had 41 entries then.',
      '  There is no time stamp: only the appliance states when the proof was sealed.',
      '  No other source has confirmed the clock of the appliance.',
      '',
    ])
  })

  test('refuses a proof without a certificate when there is only a CA', async () => {
    expect(await run([file('proof.zip'), '--ca', file('ca.pem')])).toBe(1)
    expect(output.text).toMatch(/\[certificate_missing\]\n$/)
  })

  test('verifies every archive of a folder and below, a line for each, and counts them', async () => {
    expect(await run([file('many'), '--key', file('key.pem')])).toBe(1)
    const verified = 'proof verified: 01990000-0000-7000-8000-00000000000a LOA2'
    expect(output.text.split('\n')).toEqual([
      `${file('many/a.zip')}: ${verified}`,
      `${file('many/b.zip')}: proof NOT valid:`,
      '  images/portrait.jpg was altered: its hash is not the sealed one. [hash_mismatch]',
      `${file('many/below/c.ZIP')}: ${verified}`,
      '3 archives: 2 verified, 1 NOT valid',
      '',
    ])
  })

  test('verifies several archives, and a folder of one, as several', async () => {
    expect(await run([file('proof.zip'), file('body.txt'), '--key', file('key.pem')])).toBe(0)
    expect(output.text).toMatch(/\n2 archives: 2 verified, 0 NOT valid\n$/)
    expect(await run([file('many/below'), '--key', file('key.pem')])).toBe(0)
    expect(output.text).toMatch(/\n1 archive: 1 verified, 0 NOT valid\n$/)
  })

  test('prints one JSON object for several archives, too', async () => {
    expect(await run([file('many'), '--key', file('key.pem'), '--json'])).toBe(1)
    expect(JSON.parse(output.text)).toMatchObject({
      archives: [
        { file: file('many/a.zip'), valid: true },
        { file: file('many/b.zip'), valid: false, problems: [{ code: 'hash_mismatch' }] },
        { file: file('many/below/c.ZIP'), valid: true },
      ],
      verified: 2,
      refused: 1,
    })
  })

  test('refuses what a revoked key signed, since nothing proves that it is older', async () => {
    const revoked = ['--revoked', `${signer.keyId}=2030-01-01`]
    expect(await run([file('proof.zip'), '--key', file('key.pem'), ...revoked])).toBe(1)
    expect(output.text).toMatch(/\[key_revoked\]\n$/)
    const other = ['--revoked', `${'x'.repeat(43)}=2030-01-01T10:00:00Z`]
    expect(await run([file('proof.zip'), '--key', file('key.pem'), ...other])).toBe(0)
  })

  test('takes the id of a revoked key that begins with a hyphen, as an option does', async () => {
    const revoked = ['--revoked', `-${'x'.repeat(42)}=2030-01-01`]
    expect(await run([file('proof.zip'), '--key', file('key.pem'), ...revoked])).toBe(0)
  })

  test('says of an archive without its policy that its level cannot be derived again, and ends with 1', async () => {
    expect(await run([file('proof.zip'), '--key', file('key.pem'), '--re-evaluate'])).toBe(1)
    expect(output.text).toContain('could NOT be derived again')
  })

  test('derives no level from an archive that is not valid', async () => {
    expect(await run([file('flipped.zip'), '--key', file('key.pem'), '--re-evaluate'])).toBe(1)
    expect(output.text).not.toContain('derived')
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
    ['a CA file that is none', ['ARCHIVE', '--ca', 'KEY']],
    ['the CA of an authority that is none', ['ARCHIVE', '--key', 'KEY', '--tsa-ca', 'KEY']],
    ['a CA given as the key of nothing', ['ARCHIVE', '--tsa-ca', 'CA']],
    ['a folder without an archive', ['NONE', '--key', 'KEY']],
    ['a missing file among others', ['ARCHIVE', 'nowhere.zip', '--key', 'KEY']],
    ['a revocation without a date', ['ARCHIVE', '--key', 'KEY', '--revoked', 'x'.repeat(43)]],
    ['a revocation of no key', ['ARCHIVE', '--key', 'KEY', '--revoked', 'k1=2030-01-01']],
    ['a revocation on no day', ['ARCHIVE', '--key', 'KEY', '--revoked', `${'x'.repeat(43)}=2030-13-01`]],
    [
      'a revocation at a local time',
      ['ARCHIVE', '--key', 'KEY', '--revoked', `${'x'.repeat(43)}=2030-01-01T10:00`],
    ],
  ])('cannot run with %s and ends with 2', async (_, argv) => {
    const names: Record<string, string> = {
      ARCHIVE: file('proof.zip'),
      KEY: file('key.pem'),
      PRIVATE: file('private.pem'),
      CA: file('ca.pem'),
      NONE: file('none'),
    }
    expect(await run(argv.map((arg) => names[arg] ?? arg))).toBe(2)
    expect(output.text).toMatch(/^verify-proof: .*\.\n$/)
  })

  test('explains itself with --help', async () => {
    expect(await run(['--help'])).toBe(0)
    expect(output.text).toMatch(/^Usage: npm run verify-proof/)
  })
})
