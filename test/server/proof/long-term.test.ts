/** longTermValidation.json: what stands beside the signature so that it can be verified in many years. */
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { splitCertificates, type ProofTimestamper } from '../../../server/proof/long-term.ts'
import { canonicalJson, type JsonValue } from '../../../server/proof/verify/canonical-json.ts'
import { aProofInput, aSealedProof, unpack } from './fixture.ts'

const NAME = 'longTermValidation.json'

/** Answers with what it was asked to stamp, so that the test sees it. */
const echo: ProofTimestamper = { stamp: async (bytes) => bytes, required: false }

function down(required: boolean): ProofTimestamper {
  return { stamp: async () => Promise.reject(new AppError('timestamp_unavailable')), required }
}

async function beside(bytes: Uint8Array): Promise<string | undefined> {
  const file = (await unpack(bytes)).find(({ path }) => path.endsWith(`/${NAME}`))
  return file?.bytes.toString('utf8')
}

describe('the long-term material of a proof', () => {
  test('is not there when there is neither a certificate nor a time-stamping authority', async () => {
    const sealed = await aSealedProof()
    expect(sealed.timestamp).toBe('none')
    expect(await beside(sealed.bytes)).toBeUndefined()
  })

  test('holds the certificate chain as it was given, in canonical JSON', async () => {
    const certificateChain = ['TWluZQ==', 'Um9vdA==']
    const { bytes } = await aSealedProof({}, { certificateChain, timestamper: null })
    expect(await beside(bytes)).toBe('{"certificateChain":["TWluZQ==","Um9vdA=="]}')
  })

  test('holds the token over the ASCII of the signature, beside the chain', async () => {
    const { bytes, proof, timestamp } = await aSealedProof(
      {},
      { certificateChain: ['QQ=='], timestamper: echo },
    )
    const text = await beside(bytes)
    const material = JSON.parse(text ?? '') as { timestampToken: string }
    expect(timestamp).toBe('stamped')
    expect(Buffer.from(material.timestampToken, 'base64').toString('ascii')).toBe(proof.signature)
    expect(text).toBe(canonicalJson(material as unknown as JsonValue))
  })

  test('lies outside what is signed: neither proof.json nor its hashes change by it', async () => {
    const plain = await aSealedProof()
    const lasting = await aSealedProof({}, { certificateChain: ['QQ=='], timestamper: echo })
    expect(lasting.proof).toEqual(plain.proof)
    const names = async (bytes: Uint8Array) => (await unpack(bytes)).map(({ path }) => path.split('/')[1])
    expect((await names(lasting.bytes)).filter((name) => name !== NAME)).toEqual(await names(plain.bytes))
  })

  test('may lack the token when the authority is down and not required, and says so', async () => {
    const sealed = await aSealedProof({}, { certificateChain: ['QQ=='], timestamper: down(false) })
    expect(sealed.timestamp).toBe('unavailable')
    expect(await beside(sealed.bytes)).toBe('{"certificateChain":["QQ=="]}')
    const bare = await aSealedProof({}, { certificateChain: [], timestamper: down(false) })
    expect(await beside(bare.bytes)).toBeUndefined()
  })

  test('stops the sealing when the authority is down and required', async () => {
    const sealing = aSealedProof({}, { certificateChain: [], timestamper: down(true) })
    await expect(sealing).rejects.toMatchObject({ code: 'timestamp_unavailable' })
  })

  test('a defect of the timestamper is no authority that is down', async () => {
    const stamp = async () => Promise.reject(new TypeError('a mistake'))
    const sealing = aSealedProof({}, { certificateChain: [], timestamper: { stamp, required: false } })
    await expect(sealing).rejects.toThrow(TypeError)
  })
})

describe('members of ours in proof.json', () => {
  const time = {
    source: 'CENTRE',
    uncertaintyMs: 40,
    earliest: '2026-11-20T10:03:12.305',
    latest: '2026-11-20T10:03:12.385',
  } as const
  const audit = { applianceId: '01990000-0000-7000-8000-0000000000ff', seq: 12, hash: 'a'.repeat(64) }

  test('time, audit head and correlation id are under the signature', async () => {
    const { proof } = await aSealedProof({ time, audit, correlationId: 'case 7' })
    const signed = JSON.parse(
      Buffer.from(proof.signature.split('.')[1] ?? '', 'base64url').toString(),
    ) as object
    expect(signed).toMatchObject({ counterproof: { time, audit, correlationId: 'case 7' } })
  })

  test('are absent when nothing is known', async () => {
    const { proof } = await aSealedProof(aProofInput())
    for (const name of ['counterproof', 'previousProofId']) expect(proof).not.toHaveProperty(name)
  })
})

test('the certificates of a PEM text come in their order, as one line of base64 each', () => {
  const pem = [
    'subject=leaf',
    '-----BEGIN CERTIFICATE-----\r\nTWlu\r\nZQ==\r\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\nUm9vdA==\n-----END CERTIFICATE-----\n',
  ]
  expect(splitCertificates(pem.join('\n'))).toEqual(['TWluZQ==', 'Um9vdA=='])
  expect(splitCertificates('-----BEGIN PUBLIC KEY-----\nQQ==\n-----END PUBLIC KEY-----')).toEqual([])
})
