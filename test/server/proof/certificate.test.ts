/** One certificate as it is read: each field that is judged later, and what makes it none that can be used. */
import { BitString, Integer, Utf8String } from 'asn1js'
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate as ParsedCertificate,
  Extension,
  ExtKeyUsage,
  Time,
  TimeType,
} from 'pkijs'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  isSame,
  formatIssuer,
  readCertificate,
  formatSubject,
} from '../../../server/proof/verify/certificate.ts'

const OID = {
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  policies: '2.5.29.32',
  nameConstraints: '2.5.29.30',
  ours: '1.2.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ecdsaSha256: '1.2.840.10045.4.3.2',
} as const

let keys: CryptoKeyPair
beforeAll(async () => {
  keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
})

const extension = (extnID: string, critical: boolean, extnValue: ArrayBuffer) =>
  new Extension({ extnID, critical, extnValue })
const bytes = (...values: number[]) => Uint8Array.from(values).buffer
const basic = (value: { cA: boolean; pathLenConstraint?: number | Integer }) =>
  extension(OID.basicConstraints, true, new BasicConstraints(value).toSchema().toBER())
const usage = (...octets: number[]) =>
  extension(OID.keyUsage, true, new BitString({ valueHex: bytes(...octets) }).toBER())
const purposes = (critical: boolean, ...keyPurposes: string[]) =>
  extension(OID.extendedKeyUsage, critical, new ExtKeyUsage({ keyPurposes }).toSchema().toBER())

async function made(
  extensions: readonly Extension[] = [],
  subject: readonly string[] = ['A key'],
): Promise<Buffer> {
  const certificate = new ParsedCertificate()
  certificate.version = 2
  certificate.serialNumber = new Integer({ value: 1 })
  for (const value of subject) {
    const name = new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value }) })
    certificate.subject.typesAndValues.push(name)
  }
  const issuer = new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: 'A CA' }) })
  certificate.issuer.typesAndValues.push(issuer)
  certificate.notBefore = new Time({ type: TimeType.UTCTime, value: new Date('2026-01-02T03:04:05Z') })
  certificate.notAfter = new Time({ type: TimeType.UTCTime, value: new Date('2027-01-02T03:04:05Z') })
  if (extensions.length > 0) certificate.extensions = [...extensions]
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey)
  await certificate.sign(keys.privateKey, 'SHA-256')
  return Buffer.from(certificate.toSchema(true).toBER())
}
const read = async (...extensions: readonly Extension[]) => readCertificate(await made(extensions))

describe('a certificate', () => {
  test('without extensions restricts nothing and is of no authority', async () => {
    expect(await read()).toMatchObject({
      validFrom: new Date('2026-01-02T03:04:05Z'),
      validTo: new Date('2027-01-02T03:04:05Z'),
      isAuthority: false,
      pathLength: null,
      keyUsage: null,
      purposes: null,
      unknownCritical: [],
      signedWith: OID.ecdsaSha256,
    })
  })

  test('says whether it is of an authority, and how many may stand below', async () => {
    expect(await read(basic({ cA: false }))).toMatchObject({ isAuthority: false, pathLength: null })
    expect(await read(basic({ cA: true }))).toMatchObject({ isAuthority: true, pathLength: null })
    expect(await read(basic({ cA: true, pathLenConstraint: 0 }))).toMatchObject({
      isAuthority: true,
      pathLength: 0,
    })
    const endless = new Integer({ valueHex: bytes(1, 0, 0, 0, 0, 0) })
    expect(await read(basic({ cA: true, pathLenConstraint: endless }))).toMatchObject({ pathLength: null })
  })

  test('says what its key may do, by the first octet', async () => {
    expect(await read(usage(0xc0))).toMatchObject({ keyUsage: 0xc0 })
    expect(await read(usage(0x04, 0x80))).toMatchObject({ keyUsage: 0x04 })
    expect(await read(usage())).toMatchObject({ keyUsage: 0 })
  })

  test('says what it is for, and whether it insists', async () => {
    expect(await read(purposes(true, OID.timeStamping))).toMatchObject({
      purposes: { oids: [OID.timeStamping], critical: true },
    })
    expect(await read(purposes(false, OID.timeStamping, OID.ours))).toMatchObject({
      purposes: { oids: [OID.timeStamping, OID.ours], critical: false },
    })
  })

  test('names the critical extensions that are not checked, and no others', async () => {
    const policy = extension(OID.policies, true, bytes(0x30, 6, 0x30, 4, 6, 2, 0x2a, 3))
    const others = [
      extension(OID.ours, true, bytes(5, 0)),
      extension('1.2.3.5', false, bytes(5, 0)),
      extension('1.2.3.6', true, bytes(5, 0)),
    ]
    const all = [basic({ cA: true }), usage(0x04), purposes(true, OID.timeStamping), policy, ...others]
    expect(await read(...all)).toMatchObject({ unknownCritical: [OID.ours, '1.2.3.6'] })
  })

  test('is none with an extension twice', async () => {
    expect(await read(usage(0x80), usage(0x80))).toBeNull()
    expect(await read(usage(0x80))).not.toBeNull()
  })

  // Whatever cannot be read must not pass for what is not there, which restricts nothing.
  test.each([
    ['basic constraints', OID.basicConstraints],
    ['key usage', OID.keyUsage],
    ['extended key usage', OID.extendedKeyUsage],
  ])('is none whose %s cannot be read: of another type, cut short, empty, no ASN.1', async (_, oid) => {
    const NULL = [5, 0]
    for (const value of [NULL, [0x30, 3, 1, 1], [0x30, 3, 6, 1], [], [0xff]]) {
      for (const critical of [true, false]) {
        expect(await read(extension(oid, critical, bytes(...value)))).toBeNull()
      }
    }
  })

  test('is none with bytes behind it, cut short, or of anything else', async () => {
    const der = await made()
    expect(readCertificate(Buffer.concat([der, Buffer.from([0])]))).toBeNull()
    expect(readCertificate(der.subarray(0, -1))).toBeNull()
    expect(readCertificate(Buffer.from('no certificate'))).toBeNull()
  })

  test('is none of more than 16 KiB', async () => {
    const withBytes = (count: number) => made([extension(OID.ours, false, new Uint8Array(count).buffer)])
    const around = (await withBytes(16_000)).length - 16_000
    const largest = 16 * 1024 - around
    const der = await withBytes(largest)
    // A signature of ECDSA has seventy to seventy-two bytes, so the size is near the limit and not on it.
    expect(readCertificate(der) === null).toBe(der.length > 16 * 1024)
    expect(readCertificate(await withBytes(largest - 10))).not.toBeNull()
    expect(readCertificate(await withBytes(largest + 10))).toBeNull()
  })

  test('is named by its subject, and by nothing where it has no name', async () => {
    const named = readCertificate(await made([], ['A key']))
    const nameless = readCertificate(await made([], []))
    if (!named || !nameless) throw new Error('no certificate')
    expect([formatSubject(named), formatIssuer(named)]).toEqual(['CN=A key', 'CN=A CA'])
    expect(formatSubject(nameless)).toBe('')
  })

  test('is the same as itself, byte for byte, and as no other', async () => {
    const der = await made()
    const [one, again] = [readCertificate(der), readCertificate(Buffer.from(der))]
    const other = readCertificate(await made([], ['Another']))
    if (!one || !again || !other) throw new Error('no certificate')
    expect([isSame(one, again), isSame(one, other)]).toEqual([true, false])
  })
})
