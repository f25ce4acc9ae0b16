/** The kiosk's own key, and the request with which the central service certifies it. */
import { expect, test } from 'vitest'
import { readRequest } from '../../../server/central/certificates.ts'
import { createKioskCertificateRequest, makeKioskKey } from '../../../server/sync/kiosk-key.ts'

const KIOSK_ID = '01890a5d-ac96-774b-bcce-b302099a8058'

test('a key is a new one of P-256, and only its private half holds the secret', async () => {
  const [first, second] = [await makeKioskKey(), await makeKioskKey()]
  expect(Object.keys(first.publicJwk).sort()).toEqual(['crv', 'kty', 'x', 'y'])
  expect(Object.keys(first.privateJwk).sort()).toEqual(['crv', 'd', 'kty', 'x', 'y'])
  expect(first.publicJwk).toMatchObject({ kty: 'EC', crv: 'P-256' })
  const { d, ...publicHalf } = first.privateJwk
  expect(publicHalf).toEqual(first.publicJwk)
  expect(d).not.toBe(second.privateJwk.d)
})

test('a request proves to hold the key, names the kiosk and is PEM of short lines', async () => {
  const key = await makeKioskKey()
  const pem = await createKioskCertificateRequest(KIOSK_ID, key)
  const { jwk } = await readRequest(pem)
  expect(jwk).toEqual(key.publicJwk)
  const lines = pem.split('\n')
  expect(lines[0]).toBe('-----BEGIN CERTIFICATE REQUEST-----')
  expect(lines.slice(-2)).toEqual(['-----END CERTIFICATE REQUEST-----', ''])
  expect(lines.slice(1, -3).every((line) => line.length === 64)).toBe(true)
  const der = Buffer.from(lines.slice(1, -2).join(''), 'base64')
  // Common name (2.5.4.3) as UTF8String (0x0c) of 36 letters.
  const name = Buffer.concat([Buffer.from('06035504030c24', 'hex'), Buffer.from(KIOSK_ID)])
  expect(der.includes(name)).toBe(true)
  // ECDSA with SHA-256 (1.2.840.10045.4.3.2).
  expect(der.includes(Buffer.from('06082a8648ce3d040302', 'hex'))).toBe(true)
})
