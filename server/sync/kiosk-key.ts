/** The kiosk's own key for the central service, P-256, and the request to certify it (PKCS#10). */
import { AttributeTypeAndValue, CertificationRequest } from 'pkijs'
import { Utf8String } from 'asn1js'
import type { JWK } from 'jose'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' }
const COMMON_NAME = '2.5.4.3'

export interface KioskKey {
  readonly publicJwk: JWK
  readonly privateJwk: JWK
}

export async function makeKioskKey(): Promise<KioskKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  return { publicJwk: await exported(publicKey), privateJwk: await exported(privateKey) }
}

/** PEM. Signed again each time with the same key. */
export async function createKioskCertificateRequest(kioskId: string, key: KioskKey): Promise<string> {
  const load = (jwk: JWK, usage: 'sign' | 'verify') =>
    crypto.subtle.importKey('jwk', jwk as JsonWebKey, ALGORITHM, true, [usage])
  const request = new CertificationRequest()
  const name = new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: kioskId }) })
  request.subject.typesAndValues.push(name)
  request.attributes = []
  await request.subjectPublicKeyInfo.importKey(await load(key.publicJwk, 'verify'))
  await request.sign(await load(key.privateJwk, 'sign'), 'SHA-256')
  const base64 = Buffer.from(request.toSchema().toBER()).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n')
}

/** Keeps only the members of the key; what the platform adds (`key_ops`, `ext`) is not needed. */
async function exported(key: CryptoKey): Promise<JWK> {
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', key)
  return { kty, crv, x, y, ...(d === undefined ? {} : { d }) }
}
