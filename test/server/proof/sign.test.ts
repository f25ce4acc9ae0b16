import { createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint, compactVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { publicKeyPem, toJwks } from '../../support/jwks.ts'
import { createKeySigner, generateSigningKeyPem } from '../../../server/proof/sign.ts'
import { privateKey, signer } from './fixture.ts'

describe('the signer of proofs', () => {
  test('makes a compact JWS that another library verifies, with a header that holds the algorithm alone', async () => {
    const jws = await signer.sign(Buffer.from('{"a":1}'))
    const { payload, protectedHeader } = await compactVerify(jws, createPublicKey(privateKey))
    expect(protectedHeader).toEqual({ alg: 'RS256' })
    expect(Buffer.from(payload).toString('utf8')).toBe('{"a":1}')
  })

  test('publishes the public half alone, under its RFC 7638 thumbprint', async () => {
    const { keys } = await toJwks([signer])
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(keys[0].kid).toBe(await calculateJwkThumbprint(keys[0]))
    expect(await publicKeyPem(signer)).toBe(
      createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    )
  })

  test('takes the key it generates, of 3072 bits', async () => {
    const pem = await generateSigningKeyPem()
    const jwk = await createKeySigner(pem).publicJwk()
    expect(Buffer.from(jwk.n!, 'base64url')).toHaveLength(3072 / 8)
  })

  test.each([
    ['an elliptic curve key', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    ['an RSA key for PSS only', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey],
    ['an RSA key of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey],
    ['a public key', createPublicKey(privateKey)],
    ['a shared secret', createSecretKey(Buffer.alloc(32))],
    ['no key at all', 'not a key'],
  ])('refuses %s with key_unavailable', (_, key) => {
    expect(() => createKeySigner(key)).toThrow(expect.objectContaining({ code: 'key_unavailable' }))
  })
})
