/**
 * Golden archives: sealed once, by whatever code there was then, and true for ever. Every later verifier says of them
 * what was said then, and refuses every way of tampering with them.
 */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createKeySigner } from '../../../server/proof/sign.ts'
import { type KeySource, verifyProof } from '../../../server/proof/verify.ts'
import {
  canonicalBytes,
  type JsonObject,
  type JsonValue,
} from '../../../server/proof/verify/canonical-json.ts'
import { writeContainer } from '../../../server/proof/verify/container.ts'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from '../../support/certificate-authority.ts'
import { type Golden, readGoldens } from '../../support/golden.ts'
import { flip, repack, unpack } from './fixture.ts'

const goldens = readGoldens()
const LONG_TERM = 'longTermValidation.json'
const lasting = goldens.filter(({ trust }) => trust.caPem !== undefined)
const withImages = goldens.filter(({ report }) => report.valid && report.files > 3)

async function problemsOf(archive: Uint8Array, trust: KeySource): Promise<string[]> {
  const report = await verifyProof(archive, trust)
  expect(report.valid).toBe(report.problems.length === 0)
  return report.problems.map(({ code, file }) => (file === undefined ? code : `${code} ${inside(file)}`))
}

const inside = (path: string) => path.replace(/^(images|additionalFiles)\/.*/, '$1')

/** The files of a golden archive by their path inside its root folder, changed, and packed as the appliance packs. */
async function changed(golden: Golden, change: (files: Map<string, Buffer>) => unknown): Promise<Uint8Array> {
  const unpacked = await unpack(golden.archive)
  const root = unpacked[0].path.split('/')[0]
  const files = new Map(unpacked.map(({ path, bytes }) => [path.slice(root.length + 1), bytes]))
  await change(files)
  return writeContainer([...files].map(([path, bytes]) => ({ path: `${root}/${path}`, bytes })))
}

const read = (files: ReadonlyMap<string, Buffer>, path: string) =>
  JSON.parse(files.get(path)!.toString('utf8')) as JsonObject
const write = (files: Map<string, Buffer>, path: string, value: JsonValue) =>
  files.set(path, Buffer.from(canonicalBytes(value)))
const firstImage = (files: ReadonlyMap<string, Buffer>) =>
  [...files.keys()].find((path) => path.startsWith('images/'))!

/** Another golden archive: what it holds is genuine, but not of this one. */
function other(golden: Golden): Golden {
  return goldens.find((candidate) => candidate.name !== golden.name)!
}
async function filesOf(golden: Golden): Promise<Map<string, Buffer>> {
  let found = new Map<string, Buffer>()
  await changed(golden, (files) => (found = new Map(files)))
  return found
}

describe('every golden archive', () => {
  test('is there: of the first form, and of the form with time, audit head and long-term file', () => {
    expect(goldens.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['2026-11-first-form/everything', '2026-11-lasting/everything']),
    )
    expect(goldens.some(({ report }) => report.valid && report.test)).toBe(true)
    expect(lasting.length).toBeGreaterThan(0)
  })

  test.each(goldens)(
    'verifies, and says what it said when it was made: $name',
    async ({ archive, trust, report }) => {
      // Further notes of later verifiers may differ.
      const { notes, ...facts } = report as typeof report & { notes: readonly string[] }
      const today = await verifyProof(archive, trust)
      expect(today).toMatchObject(facts)
      expect('notes' in today && today.notes.length).toBeGreaterThanOrEqual(Math.min(notes.length, 1))
    },
  )

  test.each(lasting)(
    'that has a chain verifies by its CA alone: $name',
    async ({ archive, trust, report }) => {
      const { caPem, tsaCaPem } = trust
      expect(await verifyProof(archive, { caPem, tsaCaPem })).toMatchObject({
        valid: true,
        signedBy: report.valid && report.signedBy,
      })
    },
  )

  test.each(lasting)(
    'that has a chain and a time stamp is believed by openssl, too: $name',
    async (golden) => {
      const files = await filesOf(golden)
      const { signature } = read(files, 'proof.json') as { signature: string }
      const { certificateChain, timestampToken } = read(files, LONG_TERM) as {
        certificateChain: string[]
        timestampToken: string
      }
      const folder = mkdtempSync(join(tmpdir(), 'golden-'))
      const put = (name: string, content: Uint8Array | string) => {
        writeFileSync(join(folder, name), content)
        return join(folder, name)
      }
      const [leaf, ...issuers] = certificateChain.map(
        (der) =>
          `-----BEGIN CERTIFICATE-----\n${der.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
      )
      const at = String(
        Math.ceil(Date.parse(golden.report.valid ? golden.report.timestamp!.time : '') / 1000),
      )
      const openssl = (...args: string[]) =>
        execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }).toString()
      const chain = [
        '-CAfile',
        join(golden.folder, 'ca.pem'),
        '-untrusted',
        put('issuers.pem', issuers.join('')),
      ]
      expect(openssl('verify', '-attime', at, ...chain, put('leaf.pem', leaf))).toMatch(/: OK$/m)
      put('key.pem', openssl('x509', '-in', 'leaf.pem', '-noout', '-pubkey'))
      const [header, payload, mark] = signature.split('.')
      put('signed', `${header}.${payload}`)
      put('mark', Buffer.from(mark, 'base64url'))
      expect(openssl('dgst', '-sha256', '-verify', 'key.pem', '-signature', 'mark', 'signed')).toBe(
        'Verified OK\n',
      )
      const token = ['-token_in', '-in', put('token', Buffer.from(timestampToken, 'base64'))]
      const authority = ['-attime', at, '-CAfile', join(golden.folder, 'tsa-ca.pem')]
      expect(openssl('ts', '-verify', '-data', put('jws', signature), ...token, ...authority)).toMatch(
        /^Verification: OK$/m,
      )
      rmSync(folder, { recursive: true })
    },
  )

  test.each(goldens)('is refused without its own key: $name', async (golden) => {
    const { jwks } = other(golden).trust
    expect(await problemsOf(golden.archive, { jwks })).toEqual(['signature_invalid proof.json'])
  })
})

describe('a golden archive with one byte changed', () => {
  test.each(goldens)('is refused in every class of bytes: $name', async ({ archive, trust }) => {
    const files = await unpack(archive)
    const bytes = Buffer.from(archive)
    const end = bytes.length - 22
    const directory = bytes.readUInt32LE(end + 16)
    for (const { path, bytes: content } of files) {
      const start = bytes.indexOf(content, bytes.indexOf(path))
      const header = start - path.length - 30
      const name = path.slice(path.indexOf('/') + 1)
      for (const offset of [start, start + Math.floor(content.length / 2), start + content.length - 1]) {
        const report = await verifyProof(flip(bytes, offset), trust)
        expect([name, report.valid, report.problems.some(({ file }) => file === name)]).toEqual([
          name,
          false,
          true,
        ])
      }
      for (const offset of [header, header + 6, header + 10, header + 14, header + 26, header + 30]) {
        expect((await verifyProof(flip(bytes, offset), trust)).valid).toBe(false)
      }
    }
    for (const offset of [
      directory,
      directory + 16,
      directory + 38,
      directory + 46,
      end,
      end + 10,
      end + 16,
      end + 20,
    ]) {
      expect((await verifyProof(flip(bytes, offset), trust)).valid).toBe(false)
    }
    expect(await problemsOf(Buffer.concat([bytes, Buffer.from([0])]), trust)).not.toEqual([])
    expect(await problemsOf(bytes.subarray(0, -1), trust)).not.toEqual([])
    expect((await problemsOf(await repack(files), trust))[0]).toMatch(/^container_altered/)
  })
})

describe('a golden archive whose files were tampered with is refused', () => {
  test.each(withImages)('two images swapped: $name', async (golden) => {
    const archive = await changed(golden, (files) => {
      const [one, two] = [...files.keys()].filter((path) => path.startsWith('images/'))
      const first = files.get(one)!
      files.set(one, files.get(two)!).set(two, first)
    })
    expect(await problemsOf(archive, golden.trust)).toEqual(['hash_mismatch images', 'hash_mismatch images'])
  })

  test.each(withImages)('an image removed, one added: $name', async (golden) => {
    const removed = await changed(golden, (files) => files.delete(firstImage(files)))
    expect(await problemsOf(removed, golden.trust)).toEqual(['file_missing images'])
    const added = await changed(golden, (files) => files.set('images/x.jpg', Buffer.from('x')))
    expect(await problemsOf(added, golden.trust)).toEqual(['file_unlisted images'])
  })

  test.each(goldens)('the level raised: $name', async (golden) => {
    const raised = await changed(golden, (files) => {
      const identity = read(files, 'identityDetails.json')
      const globalStatus = { ...(identity.globalStatus as JsonObject), levelOfAssurance: 'LOA4' }
      write(files, 'identityDetails.json', { ...identity, globalStatus })
    })
    expect(await problemsOf(raised, golden.trust)).toEqual(['hash_mismatch identityDetails.json'])
  })

  test.each(goldens)('a member of proof.json changed, removed or added: $name', async (golden) => {
    for (const change of [
      { tenantId: 'another' },
      { audit: undefined, componentVersion: '9' },
      { more: 1 },
    ]) {
      const archive = await changed(golden, (files) =>
        write(files, 'proof.json', { ...read(files, 'proof.json'), ...change }),
      )
      expect(await problemsOf(archive, golden.trust)).toEqual(['signature_payload_differs proof.json'])
    }
  })

  test.each(goldens)('the signature of another proof: $name', async (golden) => {
    const { signature } = read(await filesOf(other(golden)), 'proof.json')
    const archive = await changed(golden, (files) =>
      write(files, 'proof.json', { ...read(files, 'proof.json'), signature }),
    )
    // Also with the other's key, which signed something else.
    for (const trust of [golden.trust, { ...golden.trust, ...other(golden).trust }]) {
      expect(await problemsOf(archive, trust)).toContain('signature_payload_differs proof.json')
    }
  })

  test.each(goldens)('everything of another proof but the folder: $name', async (golden) => {
    const archive = await changed(golden, async (files) => {
      files.clear()
      for (const [path, bytes] of await filesOf(other(golden))) files.set(path, bytes)
    })
    expect(await problemsOf(archive, other(golden).trust)).toEqual(['identity_mismatch'])
  })

  test.each(goldens)(
    'signed by an attacker with a key, a chain and a CA of their own: $name',
    async (golden) => {
      const period = ['20260101000000Z', '20400101000000Z'] as const
      const evil = makeCertificateAuthority('Golden proof CA', period)
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      const leaf = evil.issue({
        name: 'Golden kiosk',
        extensions: SIGNER_EXTENSIONS,
        privateKey: pkcs8,
        period,
      })
      const archive = await changed(golden, async (files) => {
        const unsigned = { ...read(files, 'proof.json'), signature: undefined }
        const signature = await createKeySigner(privateKey).sign(canonicalBytes(unsigned))
        write(files, 'proof.json', { ...unsigned, signature })
        write(files, LONG_TERM, {
          certificateChain: [leaf, evil.root].map(({ der }) => der.toString('base64')),
        })
      })
      evil.remove()
      const { caPem, jwks } = golden.trust
      expect(await problemsOf(archive, { jwks })).toEqual(['signature_invalid proof.json'])
      if (caPem === undefined) return
      expect(await problemsOf(archive, { caPem })).toEqual([`certificate_untrusted ${LONG_TERM}`])
      expect(await problemsOf(archive, golden.trust)).toEqual([
        `certificate_untrusted ${LONG_TERM}`,
        'signature_invalid proof.json',
      ])
    },
  )

  test.each(goldens)('the long-term file of another proof: $name', async (golden) => {
    const donor = lasting.find(({ name }) => name !== golden.name)
    if (!donor) return
    const material = read(await filesOf(donor), LONG_TERM)
    const withToken = await changed(golden, (files) =>
      write(files, LONG_TERM, { timestampToken: material.timestampToken }),
    )
    expect(await problemsOf(withToken, golden.trust)).toEqual([`timestamp_invalid ${LONG_TERM}`])
    const withChain = await changed(golden, (files) =>
      write(files, LONG_TERM, { certificateChain: material.certificateChain }),
    )
    expect(await problemsOf(withChain, { jwks: golden.trust.jwks })).toEqual([
      `certificate_foreign ${LONG_TERM}`,
    ])
  })
})

describe('a golden archive that has lost what lies beside its signature', () => {
  test.each(lasting)('is a proof without a time stamp, and says so: $name', async (golden) => {
    const without = await changed(golden, (files) => files.delete(LONG_TERM))
    expect(await verifyProof(without, golden.trust)).toMatchObject({
      valid: true,
      timestamp: null,
      certificate: null,
      notes: expect.arrayContaining([expect.stringContaining('no time stamp')]) as unknown,
    })
    const { caPem } = golden.trust
    expect(await problemsOf(without, { caPem })).toEqual(['certificate_missing'])
    const chainOnly = await changed(golden, (files) => {
      write(files, LONG_TERM, { certificateChain: read(files, LONG_TERM).certificateChain })
    })
    expect(await verifyProof(chainOnly, { caPem })).toMatchObject({ valid: true, timestamp: null })
  })

  test.each(lasting)('counts for nothing once its key was revoked: $name', async (golden) => {
    if (!golden.report.valid) return
    const revoked = { [golden.report.signedBy]: new Date(Date.parse(golden.report.timestamp!.time) + 1000) }
    expect(await problemsOf(golden.archive, { ...golden.trust, revoked })).toEqual([])
    const without = await changed(golden, (files) => files.delete(LONG_TERM))
    expect(await problemsOf(without, { ...golden.trust, revoked })).toEqual(['key_revoked'])
  })
})
