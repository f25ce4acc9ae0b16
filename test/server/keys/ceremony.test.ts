import { createHash, createPublicKey } from 'node:crypto'
import { compactVerify, importJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  ceremonyRecord,
  computeFingerprint,
  sameFingerprint,
  type CeremonyFacts,
} from '../../../server/keys/ceremony.ts'
import { pem, signer } from '../proof/fixture.ts'

const FACTS: CeremonyFacts = {
  applianceId: '018f2b7a-0000-7000-8000-000000000001',
  source: 'key-file',
  at: new Date('2026-11-21T09:00:00.500Z'),
  activeFrom: new Date('2026-12-21T00:00:00Z'),
  previousKid: 'the key before',
  witnesses: ['Anna Eriksson', 'Bo Berg'],
  confirmed: true,
}

describe('the fingerprint that two people read to each other', () => {
  test('is the SHA-256 of the public key in sixteen groups of four', () => {
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' })
    const hex = createHash('sha256').update(der).digest('hex')
    const fingerprint = computeFingerprint(signer.publicKey)
    expect(fingerprint).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/)
    expect(fingerprint.replaceAll(' ', '')).toBe(hex)
  })

  test.each([
    ['0a1b 2c3d', true],
    ['0A1B2C3D', true],
    ['0a1b-2c3d', true],
    [' 0a:1b:2c:3d\n', true],
    ['0a1b 2c3e', false],
    ['0a1b 2c3', false],
    ['0a1b 2c3d 4e', false],
    ['', false],
  ])('typed back as %j is the same: %s', (typed, same) => {
    expect(sameFingerprint(typed, '0a1b 2c3d')).toBe(same)
  })
})

describe('the record of a ceremony', () => {
  test('says who saw which key made when, and is signed by that key', async () => {
    const record = JSON.parse(await ceremonyRecord(signer, FACTS)) as {
      statement: Record<string, unknown>
      signature: string
    }
    const { kty, n, e } = await signer.publicJwk()
    expect(record.statement).toEqual({
      type: 'counterproof-key-ceremony',
      version: 1,
      applianceId: '018f2b7a-0000-7000-8000-000000000001',
      kid: signer.keyId,
      algorithm: 'RS256',
      source: 'key-file',
      publicKey: { kty, n, e },
      fingerprint: computeFingerprint(signer.publicKey),
      fingerprintTypedBack: true,
      madeAt: '2026-11-21T09:00:00.500Z',
      activeFrom: '2026-12-21T00:00:00.000Z',
      previousKid: 'the key before',
      witnesses: ['Anna Eriksson', 'Bo Berg'],
    })
    const key = await importJWK({ kty, n, e }, 'RS256')
    const { payload } = await compactVerify(record.signature, key)
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual(record.statement)
  })

  test('is a text of lines that people can read, with an end', async () => {
    const text = await ceremonyRecord(signer, {
      ...FACTS,
      previousKid: null,
      witnesses: [],
      confirmed: false,
    })
    expect(text).toMatch(/^\{\n {2}"statement": \{\n {4}"type"/)
    expect(text.endsWith('}\n')).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      statement: { previousKid: null, witnesses: [], fingerprintTypedBack: false },
    })
  })
})
