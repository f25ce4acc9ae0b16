import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { CompactSign } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { canonicalBytes, type JsonObject, type ProofInput } from '../../../server/proof/archive.ts'
import { toJwks } from '../../support/jwks.ts'
import { createKeySigner, type Signer } from '../../../server/proof/sign.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import { writeContainer } from '../../../server/proof/verify/container.ts'
import * as support from './fixture.ts'

const { aProofInput, aSealedProof, detailsOf, flip, IDENTITY_ID, pem, privateKey, repack, signer, unpack } =
  support
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherPem = otherKey.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const ROOT = `${IDENTITY_ID}_20261120100312345`

let sealed: support.SealedProof
beforeAll(async () => {
  sealed = await aSealedProof()
})

/** Codes and files of what is wrong with these bytes. */
async function problemsOf(bytes: Uint8Array, keys: Parameters<typeof verifyProof>[1] = { pem }) {
  const report = await verifyProof(bytes, keys)
  expect(report.valid).toBe(report.problems.length === 0)
  return report.problems.map(({ code, file }) => (file === undefined ? code : `${code} ${file}`))
}

/** The sealed files, some replaced, packed as the appliance packs them. */
async function withFiles(change: (files: Map<string, Buffer>) => void): Promise<Uint8Array> {
  const files = new Map((await unpack(sealed.bytes)).map(({ path, bytes }) => [path, bytes]))
  change(files)
  return writeContainer([...files].map(([path, bytes]) => ({ path, bytes })))
}

/** The sealed proof with a signature of our choice. */
async function withSignature(make: (payload: Buffer) => string | Promise<string>): Promise<Uint8Array> {
  const unsigned: JsonObject = { ...sealed.proof, signature: undefined }
  const signature = await make(Buffer.from(canonicalBytes(unsigned)))
  return withFiles((files) =>
    files.set(`${ROOT}/proof.json`, Buffer.from(canonicalBytes({ ...unsigned, signature }))),
  )
}

describe('a whole proof', () => {
  test('is verified with the public key alone, and tells whose it is and how sure', async () => {
    expect(await verifyProof(sealed.bytes, { pem })).toEqual({
      valid: true,
      proofId: sealed.proof.proofId,
      identityId: IDENTITY_ID,
      levelOfAssurance: 'LOA2',
      figures: { durationMs: 192_345, failures: [], steps: {} },
      test: false,
      tenantId: 'default',
      tenantUsed: null,
      correlationId: null,
      policyId: null,
      previousProofId: null,
      sealedAt: '2026-11-20T10:03:12.345',
      time: null,
      audit: null,
      signedBy: signer.keyId,
      certificate: null,
      timestamp: null,
      notes: ['There is no time stamp: only the appliance states when the proof was sealed.'],
      componentVersion: 'Counterproof 0.1.0',
      files: 6,
      problems: [],
    })
  })

  test('is verified by any of several keys, from PEM or JWKS', async () => {
    expect(await problemsOf(sealed.bytes, { pem: `${otherPem}\n${pem}` })).toEqual([])
    expect(
      await problemsOf(sealed.bytes, { jwks: await toJwks([createKeySigner(otherKey.privateKey), signer]) }),
    ).toEqual([])
    expect(await problemsOf(sealed.bytes, { jwks: await signer.publicJwk() })).toEqual([])
  })

  test('of a test tenant says that it is one', async () => {
    const { bytes } = await aSealedProof({ test: true })
    expect(await verifyProof(bytes, { pem })).toMatchObject({ valid: true, test: true })
  })

  test.each([
    ['CENTRE', 1500, 'The clock of the appliance was confirmed by its central service to within 2 s.'],
    ['SYSTEM', null, 'No other source has confirmed the clock of the appliance.'],
    [
      'UNSURE',
      null,
      'The clock of the appliance had been set: the true time is between 2026-11-20T09:00:00.000 and 2026-11-20T10:03:12.345.',
    ],
  ] as const)('says how well its appliance knew the time: %s', async (source, uncertaintyMs, sentence) => {
    const time = {
      source,
      uncertaintyMs,
      earliest: '2026-11-20T09:00:00.000',
      latest: '2026-11-20T10:03:12.345',
    }
    const audit = { applianceId: 'kiosk-1', seq: 41, hash: 'a'.repeat(64) }
    const { bytes } = await aSealedProof({ time, audit, correlationId: 'case 7', tenantUsed: 'Branch 7' })
    expect(await verifyProof(bytes, { pem })).toMatchObject({
      time,
      audit,
      correlationId: 'case 7',
      tenantUsed: 'Branch 7',
      notes: [expect.anything(), sentence],
    })
  })

  test('without any image or file is a proof too', async () => {
    const { bytes } = await aSealedProof({ images: [], additionalFiles: [] })
    expect(await problemsOf(bytes)).toEqual([])
  })
})

describe('an altered proof', () => {
  test('fails for every single byte of the archive, and names the file whose content it was', async () => {
    const inContent = new Map<number, string>()
    for (const { path, bytes } of await unpack(sealed.bytes)) {
      const start = Buffer.from(sealed.bytes).indexOf(bytes)
      for (let at = 0; at < bytes.length; at += 1) inContent.set(start + at, path.slice(ROOT.length + 1))
    }
    const unnamed: number[] = []
    const accepted: number[] = []
    for (let offset = 0; offset < sealed.bytes.length; offset += 1) {
      const report = await verifyProof(flip(sealed.bytes, offset, 1 << (offset % 8)), { pem })
      if (report.valid) accepted.push(offset)
      const expected = inContent.get(offset)
      if (expected !== undefined && !report.problems.some(({ file }) => file === expected))
        unnamed.push(offset)
    }
    expect({ accepted, unnamed }).toEqual({ accepted: [], unnamed: [] })
    expect(inContent.size).toBeGreaterThan(sealed.bytes.length / 2)
  })

  test('fails when it is cut anywhere, extended at either end, or mixed up in several places', async () => {
    const bytes = Buffer.from(sealed.bytes)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (end) => {
        expect(await problemsOf(bytes.subarray(0, end))).not.toEqual([])
      }),
      { numRuns: 60 },
    )
    expect(await problemsOf(Buffer.concat([bytes, Buffer.from('more')]))).toEqual(['container_altered'])
    expect(await problemsOf(Buffer.concat([Buffer.from('MZ'), bytes]))).not.toEqual([])
    const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
    })
    await fc.assert(
      fc.asyncProperty(flips, async (edits) => {
        const changed = edits.reduce<Uint8Array>((all, [offset, mask]) => flip(all, offset, mask), bytes)
        fc.pre(Buffer.compare(changed, bytes) !== 0)
        expect(await problemsOf(changed)).not.toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  test('names an image that was replaced, one that was removed, one that was added', async () => {
    expect(
      await problemsOf(
        await withFiles((files) => files.set(`${ROOT}/images/portrait.jpg`, Buffer.from('another'))),
      ),
    ).toEqual(['hash_mismatch images/portrait.jpg'])
    expect(await problemsOf(await withFiles((files) => files.delete(`${ROOT}/images/passport.jpg`)))).toEqual(
      ['file_missing images/passport.jpg'],
    )
    expect(
      await problemsOf(await withFiles((files) => files.set(`${ROOT}/images/extra.jpg`, Buffer.from('x')))),
    ).toEqual(['file_unlisted images/extra.jpg'])
  })

  test('is distinguished from one that was only repacked, whose files are intact', async () => {
    const files = await unpack(sealed.bytes)
    expect((await problemsOf(await repack(files)))[0]).toMatch(/^container_altered/)
    const changed = files.map((file) =>
      file.path.endsWith('passport.jpg') ? { ...file, bytes: Buffer.from('other') } : file,
    )
    expect(await problemsOf(await repack(changed))).toEqual(['hash_mismatch images/passport.jpg'])
  })

  test('fails when proof.json says the same in other words', async () => {
    const pretty = await withFiles((files) =>
      files.set(`${ROOT}/proof.json`, Buffer.from(JSON.stringify(sealed.proof, null, 2))),
    )
    expect(await problemsOf(pretty)).toEqual(['proof_not_minimised proof.json'])
  })

  test('fails when the level in the signed hashes is raised together with the file', async () => {
    const raised = await aSealedProof({
      identityDetails: {
        ...(aProofInput().identityDetails as JsonObject),
        globalStatus: { id: IDENTITY_ID, levelOfAssurance: 'LOA4' },
      },
    })
    const forged = { ...sealed.proof, hashes: raised.proof.hashes }
    const files = await unpack(raised.bytes)
    const bytes = writeContainer(
      files.map((file) =>
        file.path.endsWith('/proof.json') ? { ...file, bytes: canonicalBytes(forged) } : file,
      ),
    )
    expect(await problemsOf(bytes)).toEqual(['signature_payload_differs proof.json'])
  })
})

describe('a signature', () => {
  test('of another key is refused', async () => {
    expect(await problemsOf(sealed.bytes, { pem: otherPem })).toEqual(['signature_invalid proof.json'])
    const { bytes } = await sealWith(createKeySigner(otherKey.privateKey))
    expect(await problemsOf(bytes)).toEqual(['signature_invalid proof.json'])
  })

  test('with alg none is refused', async () => {
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    const bytes = await withSignature((payload) => `${header}.${payload.toString('base64url')}.`)
    expect(await problemsOf(bytes)).toEqual(['signature_header_refused proof.json'])
  })

  test('made by HS256 with the public key as its secret is refused', async () => {
    const bytes = await withSignature((payload) => {
      const input = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${payload.toString('base64url')}`
      return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`
    })
    expect(await problemsOf(bytes)).toEqual(['signature_header_refused proof.json'])
  })

  test('that brings its own key in the header, or any other member, is refused', async () => {
    const jwk = createPublicKey(otherKey.publicKey.export({ format: 'pem', type: 'spki' })).export({
      format: 'jwk',
    })
    const own = await withSignature((payload) =>
      new CompactSign(payload).setProtectedHeader({ alg: 'RS256', jwk }).sign(otherKey.privateKey),
    )
    expect(await problemsOf(own)).toEqual(['signature_header_refused proof.json'])
    const typed = await withSignature((payload) =>
      new CompactSign(payload).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(privateKey),
    )
    expect(await problemsOf(typed)).toEqual(['signature_header_refused proof.json'])
  })

  test('spelled differently but decoding to the same bytes is refused', async () => {
    const { signature } = sealed.proof
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spare = alphabet[alphabet.indexOf(signature.at(-1)!) ^ 1] // 256 bytes leave four spare bits at the end
    const respelled = signature.slice(0, -1) + spare
    expect(Buffer.from(respelled.split('.')[2], 'base64url')).toEqual(
      Buffer.from(signature.split('.')[2], 'base64url'),
    )
    expect(await problemsOf(await withSignature(() => respelled))).toEqual(['signature_malformed proof.json'])
    expect(await problemsOf(await withSignature(() => `${signature}=`))).toEqual([
      'signature_malformed proof.json',
    ])
    expect(await problemsOf(await withSignature(() => `${signature}.x`))).toEqual([
      'signature_malformed proof.json',
    ])
  })

  test('cannot be checked without an RSA public key, and a private key is sent back', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      type: 'spki',
      format: 'pem',
    })
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
      type: 'spki',
      format: 'pem',
    })
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const sources = [
      {},
      { pem: '' },
      { pem: ec.toString() },
      { pem: short.toString() },
      { pem: secret },
      { jwks: { keys: [{ kty: 'oct', k: Buffer.from(pem).toString('base64url'), alg: 'HS256' }] } },
      { jwks: privateKey.export({ format: 'jwk' }) },
      { jwks: null },
    ]
    for (const source of sources) expect(await problemsOf(sealed.bytes, source)).toEqual(['key_unusable'])
  })
})

describe('what the parts of a proof say of each other', () => {
  test('an evidence or a consent without details is reported', async () => {
    const [consent, passport] = aProofInput().verificationAndEvaluationDetails
    const changes: Partial<ProofInput> = { verificationAndEvaluationDetails: [consent!, passport!] }
    expect(await problemsOf((await aSealedProof(changes)).bytes)).toEqual([
      'details_missing verificationAndEvaluationDetails.json',
    ])
  })

  test('details of evidence deleted since are no problem: the history stays in the proof', async () => {
    const kept = aProofInput().verificationAndEvaluationDetails
    const deleted = {
      ...detailsOf('gone', 'ID_DOCUMENT_CAPTURE'),
      identityOperation: { name: 'ID_DOCUMENT_CAPTURE', type: 'DELETE' },
    }
    expect(
      await problemsOf((await aSealedProof({ verificationAndEvaluationDetails: [...kept, deleted] })).bytes),
    ).toEqual([])
  })

  test('identity details of another identity are reported', async () => {
    const identityDetails = {
      ...(aProofInput().identityDetails as JsonObject),
      globalStatus: { id: 'another', levelOfAssurance: 'LOA2' },
    }
    expect(await problemsOf((await aSealedProof({ identityDetails })).bytes)).toEqual([
      'identity_mismatch identityDetails.json',
    ])
  })

  test('a root folder that bears another identity is reported', async () => {
    const files = (await unpack(sealed.bytes)).map((file) => ({
      ...file,
      path: file.path.replace(IDENTITY_ID, 'x'),
    }))
    expect(await problemsOf(writeContainer(files))).toEqual(['identity_mismatch'])
  })

  test('a root folder that bears another time is reported', async () => {
    const files = (await unpack(sealed.bytes)).map((file) => ({
      ...file,
      path: file.path.replace(/_\d{17}\//, '_20310101000000000/'),
    }))
    expect(await problemsOf(writeContainer(files))).toEqual(['identity_mismatch'])
  })

  test('a details entry without a field the spec requires is reported', async () => {
    const [first, ...rest] = aProofInput().verificationAndEvaluationDetails
    const incomplete = { ...(first as JsonObject), progress: undefined }
    const changes = { verificationAndEvaluationDetails: [incomplete, ...rest] }
    expect(await problemsOf((await aSealedProof(changes)).bytes)).toEqual([
      'field_invalid verificationAndEvaluationDetails.json',
    ])
  })

  test('a proof.json without a required field is reported by that field', async () => {
    const rest = { ...sealed.proof, tenantId: undefined }
    const bytes = await withFiles((files) =>
      files.set(`${ROOT}/proof.json`, Buffer.from(canonicalBytes(rest))),
    )
    const report = await verifyProof(bytes, { pem })
    expect(report.problems.map(({ code, message }) => [code, message])).toEqual([
      ['field_invalid', 'proof.json: tenantId is missing or not of the right form.'],
    ])
  })
})

async function sealWith(other: Signer) {
  return aSealedProof({}, undefined, other)
}
