/** Whom a kiosk believes: an authority by its fingerprint, what that authority signed, and nothing else. */
import { CompactSign, type JWK } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { certifyKiosk, makeAuthority, toPem, type Authority } from '../../../server/central/certificates.ts'
import { caFingerprint } from '../../../server/protocol/enrolment-code.ts'
import { signStatement } from '../../../server/protocol/statements.ts'
import type { CentralTrust, EnrolmentAnswer } from '../../../server/protocol/wire.ts'
import { makeKioskKey, type KioskKey } from '../../../server/sync/kiosk-key.ts'
import {
  checkCertificate,
  checkFirstTrust,
  checkNewTrust,
  checkReceipt,
  type Awaited,
} from '../../../server/sync/trust.ts'

const AT = new Date('2026-11-21T12:00:00Z')
const CENTRAL_ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const KIOSK_ID = '01890a5d-ac96-774b-bcce-b302099a8058'
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' }

interface Key {
  readonly jwk: JWK & { kty: string }
  readonly privateKey: CryptoKey
}
async function aKey(kid: string): Promise<Key> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { jwk: { kty: kty ?? '', crv: crv ?? '', x: x ?? '', y: y ?? '', kid }, privateKey }
}
type Stated = Pick<CentralTrust, 'centreId' | 'statementKeys' | 'packetKeys'>
/** `certificate`: of the authority, where another one is shown than it has. */
async function trustOf(
  stated: Stated,
  { privateKey, certificate }: Authority,
  signed: object = stated,
): Promise<CentralTrust> {
  const signature = await new CompactSign(Buffer.from(JSON.stringify(signed)))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey)
  return { ...stated, caCertificate: toPem(certificate), signature }
}

let authority: Authority
let other: Authority
let statement: Key
let packet: Key
let stated: Stated
let trust: CentralTrust
beforeAll(async () => {
  ;[authority, other] = [await makeAuthority(CENTRAL_ID, AT), await makeAuthority(CENTRAL_ID, AT)]
  ;[statement, packet] = [await aKey('statement'), await aKey('packet')]
  stated = {
    centreId: CENTRAL_ID,
    statementKeys: { keys: [statement.jwk] },
    packetKeys: { keys: [packet.jwk] },
  }
  trust = await trustOf(stated, authority)
})
const refused = (reason: RegExp) => ({
  code: 'enrolment_refused',
  details: { reason: expect.stringMatching(reason) as unknown },
})

describe('the central service that a code is from', () => {
  const first = (offered: CentralTrust, of: Uint8Array = authority.certificate) =>
    checkFirstTrust(offered, caFingerprint(of))

  test('is believed by the fingerprint of its authority and the signature over its keys', async () => {
    await expect(first(trust)).resolves.toBeUndefined()
  })

  test('is another one where the fingerprint is another', async () => {
    await expect(first(trust, other.certificate)).rejects.toMatchObject(refused(/not the central service/))
  })

  test('is none whose certificate cannot be read', async () => {
    await expect(first({ ...trust, caCertificate: 'no PEM' })).rejects.toMatchObject(
      refused(/cannot be read/),
    )
  })

  test('is none whose certificate its own key has not signed, though the code names it', async () => {
    // The last byte lies in the signature: everything that is signed is as it was.
    const altered = Uint8Array.from(authority.certificate)
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 0x01
    const offered = { ...trust, caCertificate: toPem(altered) }
    await expect(first(offered, altered)).rejects.toMatchObject(refused(/no authority/))
  })

  test('is none whose certificate is for no authority, though its own key has signed it', async () => {
    const kiosk = await aKey('kiosk')
    const publicKey = await crypto.subtle.importKey('jwk', kiosk.jwk, ECDSA, true, ['verify'])
    const self = { certificate: authority.certificate, privateKey: kiosk.privateKey }
    const pem = await certifyKiosk(self, { kioskId: KIOSK_ID, publicKey }, AT)
    const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    const offered = await trustOf(stated, { certificate: der, privateKey: kiosk.privateKey })
    await expect(first(offered, der)).rejects.toMatchObject(refused(/no authority/))
  })

  test.each<[string, () => Promise<CentralTrust>]>([
    [
      'that another authority has signed',
      async () => ({ ...(await trustOf(stated, other)), caCertificate: trust.caCertificate }),
    ],
    ['whose signature is none', async () => ({ ...trust, signature: 'a.b.c' })],
    ['of another central service', async () => ({ ...trust, centreId: KIOSK_ID })],
    [
      'for statements that were put in the place of those signed',
      async () => ({ ...trust, statementKeys: { keys: [packet.jwk] } }),
    ],
    [
      'for packets that were put in the place of those signed',
      async () => ({ ...trust, packetKeys: { keys: [statement.jwk] } }),
    ],
    ['without one for statements', () => trustOf({ ...stated, statementKeys: { keys: [] } }, authority)],
    ['without one for packets', () => trustOf({ ...stated, packetKeys: { keys: [] } }, authority)],
    ['with more signed than is shown', () => trustOf(stated, authority, { ...stated, more: 1 })],
  ])('is not believed with keys %s', async (_, offered) => {
    await expect(first(await offered())).rejects.toMatchObject(refused(/keys of the central service/))
  })

  test('is not believed by a signature of another kind', async () => {
    const secret = Buffer.from(trust.caCertificate)
    const signature = await new CompactSign(Buffer.from(JSON.stringify(stated)))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret)
    await expect(first({ ...trust, signature })).rejects.toMatchObject(refused(/not signed by its authority/))
  })
})

describe('keys that the central service has changed', () => {
  test('are believed where the same authority has signed them', async () => {
    const next = { ...stated, packetKeys: { keys: [(await aKey('next')).jwk, packet.jwk] } }
    expect(await checkNewTrust(trust, await trustOf(next, authority))).toBe(true)
  })

  test('that are the same are no change', async () => {
    expect(await checkNewTrust(trust, { ...trust })).toBe(false)
    // The central service signs them at each reading, and no two signatures are equal.
    const again = await trustOf(stated, authority)
    expect(again.signature).not.toBe(trust.signature)
    expect(await checkNewTrust(trust, again)).toBe(false)
  })

  test.each<[string, () => Promise<CentralTrust>]>([
    ['of another central service', () => trustOf({ ...stated, centreId: KIOSK_ID }, authority)],
    ['of another authority, of the same name', () => trustOf(stated, other)],
    [
      'of another authority, though the one of the enrolment has signed them',
      async () => ({ ...(await trustOf(stated, authority)), caCertificate: toPem(other.certificate) }),
    ],
    [
      'signed by another authority',
      async () => ({ ...(await trustOf(stated, other)), caCertificate: trust.caCertificate }),
    ],
    [
      'that were exchanged under the old signature',
      async () => ({ ...trust, packetKeys: { keys: [statement.jwk] } }),
    ],
    ['of which there is none', () => trustOf({ ...stated, statementKeys: { keys: [] } }, authority)],
  ])('are refused when they are %s', async (_, offered) => {
    await expect(checkNewTrust(trust, await offered())).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'trust' },
    })
  })
})

describe('the certificate of the kiosk', () => {
  let key: KioskKey
  const answerBy = async (by: Authority, jwk: JWK = key.publicJwk) => {
    const publicKey = await crypto.subtle.importKey('jwk', jwk as JsonWebKey, ECDSA, true, ['verify'])
    const certificate = await certifyKiosk(by, { kioskId: KIOSK_ID, publicKey }, AT)
    return { trust, certificate } as EnrolmentAnswer
  }
  beforeAll(async () => {
    key = await makeKioskKey()
  })

  test('is that of its key, by the authority of the central service', async () => {
    expect(() => checkCertificate({ trust, certificate: '' } as EnrolmentAnswer, key.publicJwk)).toThrow()
    const answer = await answerBy(authority)
    expect(() => checkCertificate(answer, key.publicJwk)).not.toThrow()
  })

  test('is refused of another key, of another authority of the same name, and altered', async () => {
    const strange = await answerBy(authority, (await makeKioskKey()).publicJwk)
    const foreign = await answerBy(other)
    const { certificate } = await answerBy(authority)
    const der = Buffer.from(certificate.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    der[der.length - 1] ^= 0x01
    const altered = { trust, certificate: toPem(der) } as EnrolmentAnswer
    for (const answer of [strange, foreign, altered]) {
      expect(() => checkCertificate(answer, key.publicJwk)).toThrow('enrolment_refused')
    }
  })

  test('is refused by an authority of another name', async () => {
    const elsewhere = await makeAuthority(KIOSK_ID, AT)
    const renamed = { ...elsewhere, privateKey: authority.privateKey }
    expect(() => checkCertificate({ trust, certificate: '' } as EnrolmentAnswer, key.publicJwk)).toThrow()
    const answer = await answerBy(renamed)
    expect(() => checkCertificate(answer, key.publicJwk)).toThrow('enrolment_refused')
  })

  test('that cannot be read is refused with a sentence', () => {
    const answer = { trust, certificate: 'no PEM' } as EnrolmentAnswer
    expect(() => checkCertificate(answer, key.publicJwk)).toThrow(
      expect.objectContaining(refused(/certificate of this kiosk cannot be read/)),
    )
  })
})

describe('a receipt', () => {
  const awaited: Awaited = {
    kioskId: KIOSK_ID,
    proofId: '01890a5d-ac96-774b-bcce-b302099a8059',
    sequence: 7,
    sha256: 'a'.repeat(64),
  }
  const signed = (over: object = {}, key = statement) =>
    signStatement(
      'receipt',
      { ...awaited, state: 'STORED', storedAt: AT.getTime(), ...over },
      { kid: 'statement', privateKey: key.privateKey },
    )

  test('is believed that the central service signed for exactly this proof', async () => {
    expect(await checkReceipt(await signed(), awaited, trust)).toMatchObject({ ...awaited, state: 'STORED' })
  })

  test.each([
    ['another kiosk', { kioskId: CENTRAL_ID }],
    ['another proof', { proofId: CENTRAL_ID }],
    ['another number', { sequence: 8 }],
    ['another archive', { sha256: 'b'.repeat(64) }],
  ])('is refused for %s', async (_, over) => {
    await expect(checkReceipt(await signed(over), awaited, trust)).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'receipt' },
    })
  })

  test('is refused that another key signed, and a statement of another kind', async () => {
    const time = await signStatement(
      'server-time',
      { kioskId: KIOSK_ID, nonce: 'n'.repeat(16), at: AT.getTime() },
      { kid: 'statement', privateKey: statement.privateKey },
    )
    for (const jws of [await signed({}, packet), time, 'a.b.c']) {
      await expect(checkReceipt(jws, awaited, trust)).rejects.toMatchObject({ code: 'statement_refused' })
    }
  })
})
