/** One time-stamp token by itself, made here field by field, so that each field can be wrong alone. */
import { createHash, KeyObject, sign } from 'node:crypto'
import {
  BitString,
  Integer,
  ObjectIdentifier,
  OctetString,
  Sequence,
  Set as Asn1Set,
  Utf8String,
} from 'asn1js'
import {
  AlgorithmIdentifier,
  Attribute,
  AttributeTypeAndValue,
  Certificate as ParsedCertificate,
  ContentInfo,
  EncapsulatedContentInfo,
  Extension,
  ExtKeyUsage,
  IssuerAndSerialNumber,
  MessageImprint,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  TSTInfo,
  Time,
  TimeType,
} from 'pkijs'
import { beforeAll, describe, expect, test } from 'vitest'
import { readCertificate } from '../../../server/proof/verify/certificate.ts'
import { findUntrusted, LARGEST_TOKEN, readTimeStamp } from '../../../server/proof/verify/time-stamp.ts'

const AT = new Date('2026-06-15T12:00:00.000Z')
const DIGEST = createHash('sha256').update('a signature').digest()
const OID = {
  signedData: '1.2.840.113549.1.7.2',
  data: '1.2.840.113549.1.7.1',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
  ecdsaSha256: '1.2.840.10045.4.3.2',
  ecdsaSha1: '1.2.840.10045.4.1',
} as const

interface Maker {
  readonly der: Uint8Array
  readonly parsed: ParsedCertificate
  readonly privateKey: CryptoKey
}
interface Made {
  readonly name?: string
  readonly serial?: number
  readonly purposes?: readonly string[] | null
  readonly critical?: boolean
  readonly issuer?: Maker
  readonly authority?: boolean
  readonly keyUsage?: number
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const nameOf = (value: string) =>
  new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value }) })

async function makeCertificate({
  name = 'Time Stamps',
  serial = 7,
  purposes = [OID.timeStamping],
  critical = true,
  issuer,
  authority = false,
  keyUsage,
}: Made = {}): Promise<Maker> {
  const keys = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])
  const certificate = new ParsedCertificate()
  certificate.version = 2
  certificate.serialNumber = new Integer({ value: serial })
  certificate.subject.typesAndValues.push(nameOf(name))
  if (issuer) certificate.issuer = issuer.parsed.subject
  else certificate.issuer.typesAndValues.push(nameOf(name))
  certificate.notBefore = new Time({ type: TimeType.UTCTime, value: new Date('2026-01-01T00:00:00Z') })
  certificate.notAfter = new Time({ type: TimeType.UTCTime, value: new Date('2026-12-31T00:00:00Z') })
  certificate.extensions = []
  const extend = (extnID: string, isCritical: boolean, extnValue: ArrayBuffer) =>
    certificate.extensions?.push(new Extension({ extnID, critical: isCritical, extnValue }))
  if (purposes) {
    extend('2.5.29.37', critical, new ExtKeyUsage({ keyPurposes: [...purposes] }).toSchema().toBER())
  }
  // BasicConstraints with cA TRUE.
  if (authority) extend('2.5.29.19', true, Uint8Array.from([0x30, 3, 1, 1, 0xff]).buffer)
  if (keyUsage !== undefined) {
    const bits = new BitString({ valueHex: Uint8Array.of(keyUsage).buffer })
    extend('2.5.29.15', true, bits.toBER())
  }
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey)
  await certificate.sign(issuer?.privateKey ?? keys.privateKey, 'SHA-256')
  const der = new Uint8Array(certificate.toSchema(true).toBER())
  return { der, parsed: ParsedCertificate.fromBER(der), privateKey: keys.privateKey }
}

interface Token {
  /** The expected content of the token, and its hash algorithm. */
  readonly digest?: Uint8Array
  readonly imprintHash?: string
  readonly nonce?: bigint
  readonly outerType?: string
  readonly contentType?: string
  readonly certificates?: readonly Maker[]
  readonly digestAlgorithm?: string
  readonly hash?: string
  readonly signatureAlgorithm?: string
  /** The signed attributes; null: none. */
  readonly attributes?: ((usual: readonly Attribute[]) => readonly Attribute[]) | null
  readonly signerInfos?: (usual: SignerInfo) => SignerInfo[]
  readonly signedBy?: Maker
  /** Null: the key of the signer is named instead of issuer and number. */
  readonly sid?: Maker | null
  readonly after?: Uint8Array
}

let tsa: Maker
let root: Maker
beforeAll(async () => {
  root = await makeCertificate({ name: 'Time CA', serial: 1, purposes: null, authority: true })
  tsa = await makeCertificate({ issuer: root })
})

const octets = (bytes: Uint8Array) => new OctetString({ valueHex: Uint8Array.from(bytes).buffer })
const oid = (value: string) => new ObjectIdentifier({ value })
const sequence = (...value: (Sequence | ObjectIdentifier | OctetString)[]) => new Sequence({ value })
const attribute = (type: string, ...values: object[]) => new Attribute({ type, values })
const hashOf = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest()
/** ESSCertIDv2, its hash named or left to be the usual one. */
const names = (certificate: Uint8Array, hash = 'sha256', hashOid?: string) =>
  sequence(
    sequence(sequence(...(hashOid ? [sequence(oid(hashOid))] : []), octets(hashOf(hash, certificate)))),
  )

function tokenOf({
  digest = DIGEST,
  imprintHash = OID.sha256,
  nonce,
  outerType = OID.signedData,
  contentType = OID.tstInfo,
  certificates = [tsa],
  digestAlgorithm = OID.sha256,
  hash = 'sha256',
  signatureAlgorithm = OID.ecdsaSha256,
  attributes = (usual) => usual,
  signerInfos = (usual) => [usual],
  signedBy = tsa,
  sid = tsa,
  after = new Uint8Array(),
}: Token = {}): Uint8Array {
  const info = new TSTInfo({
    version: 1,
    policy: '1.2.3.4',
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: imprintHash }),
      hashedMessage: octets(digest),
    }),
    serialNumber: new Integer({ value: 1 }),
    genTime: AT,
    ...(nonce === undefined ? {} : { nonce: Integer.fromBigInt(nonce) }),
  })
  const content = new Uint8Array(info.toSchema().toBER())
  const usual = [
    attribute(OID.contentType, oid(OID.tstInfo)),
    attribute(OID.messageDigest, octets(hashOf(hash, content))),
    attribute(OID.signingCertificateV2, names(tsa.der)),
  ]
  const listed = attributes?.(usual)
  const signedAttrs = listed && new SignedAndUnsignedAttributes({ type: 0, attributes: [...listed] })
  // The signature covers the set of attributes, not its place in the structure.
  const toSign = new Asn1Set({ value: (listed ?? []).map((each) => each.toSchema()) }).toBER()
  const key = KeyObject.from(signedBy.privateKey)
  const signerInfo = new SignerInfo({
    version: 1,
    sid: sid
      ? new IssuerAndSerialNumber({ issuer: sid.parsed.issuer, serialNumber: sid.parsed.serialNumber })
      : octets(Buffer.from('key identifier')),
    digestAlgorithm: new AlgorithmIdentifier({ algorithmId: digestAlgorithm }),
    ...(signedAttrs ? { signedAttrs } : {}),
    signatureAlgorithm: new AlgorithmIdentifier({ algorithmId: signatureAlgorithm }),
    signature: octets(sign(hash, Buffer.from(toSign), key)),
  })
  const signed = new SignedData({
    version: 3,
    digestAlgorithms: [new AlgorithmIdentifier({ algorithmId: digestAlgorithm })],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: contentType, eContent: octets(content) }),
    certificates: certificates.map(({ parsed }) => parsed),
    signerInfos: signerInfos(signerInfo),
  })
  const outer = new ContentInfo({ contentType: outerType, content: signed.toSchema(true) })
  return Buffer.concat([new Uint8Array(outer.toSchema().toBER()), after])
}

const read = (token: Token = {}) => readTimeStamp(tokenOf(token), DIGEST)
const certificateOf = ({ der }: Maker) => {
  const certificate = readCertificate(der)
  if (!certificate) throw new Error('no certificate')
  return certificate
}

const OF_SOMETHING_ELSE = 'The time stamp was made for something else than this signature.'
const UNREADABLE = 'The time stamp is no time-stamp token that can be read.'
const ONE_SIGNATURE = 'The time stamp must have exactly one signature.'
const WEAK = 'The time stamp is signed with an algorithm that is too weak or unknown.'
const ALTERED = 'The time stamp was altered: its content is not what was signed.'
const NOT_BROUGHT = 'The time stamp does not bring the certificate it was signed with.'
const NOT_VALID = 'The signature of the time stamp is not valid.'
const OTHER_PURPOSE = 'The certificate that signed the time stamp is not one for time stamps.'

describe('a token', () => {
  test('tells its time, its authority and its nonce, and brings its certificates', () => {
    const stamp = read({ nonce: 12345678901234567890n, certificates: [root, tsa] })
    expect(stamp).toMatchObject({ time: AT, authority: 'CN=Time Stamps', nonce: 12345678901234567890n })
    expect(Buffer.compare(stamp.signer.x509.raw, tsa.der)).toBe(0)
    expect(stamp.others.map(({ x509 }) => x509.subject)).toEqual(['CN=Time CA'])
  })

  test('without a nonce has none', () => {
    expect(read().nonce).toBeNull()
  })

  test('of 64 KiB is read, and one byte more is refused unread', () => {
    const padded = (length: number) => Buffer.concat([tokenOf(), Buffer.alloc(length)]).subarray(0, length)
    // Bytes after the end are no token either: the sentence says which of the two it was.
    expect(() => readTimeStamp(padded(LARGEST_TOKEN), DIGEST)).toThrow(UNREADABLE)
    expect(() => readTimeStamp(padded(LARGEST_TOKEN + 1), DIGEST)).toThrow('The time stamp has 65537 bytes.')
  })

  test.each<[string, Token, string]>([
    ['of another digest', { digest: Buffer.alloc(32) }, OF_SOMETHING_ELSE],
    ['of the same bytes by another hash', { imprintHash: OID.sha512 }, OF_SOMETHING_ELSE],
    ['with a byte after its end', { after: Uint8Array.of(0) }, UNREADABLE],
    ['that is no signed message', { outerType: OID.data }, UNREADABLE],
    ['about something else than a time', { contentType: OID.data }, UNREADABLE],
    ['without a signature', { signerInfos: () => [] }, ONE_SIGNATURE],
    ['that two have signed', { signerInfos: (usual) => [usual, usual] }, ONE_SIGNATURE],
    ['hashed with SHA-1', { digestAlgorithm: OID.sha1 }, WEAK],
    ['signed with SHA-1', { signatureAlgorithm: OID.ecdsaSha1 }, WEAK],
    ['without signed attributes', { attributes: null }, 'The time stamp has no signed attributes.'],
  ])('%s is refused', (_, token, sentence) => {
    expect(() => read(token)).toThrow(sentence)
  })

  test.each([
    ['sha384', OID.sha384],
    ['sha512', OID.sha512],
  ])('signed with %s is taken', (hash, digestAlgorithm) => {
    expect(read({ hash, digestAlgorithm }).time).toEqual(AT)
  })
})

describe('the signed attributes of a token', () => {
  const without = (type: string) => (usual: readonly Attribute[]) =>
    usual.filter((each) => each.type !== type)
  const instead = (changed: Attribute) => (usual: readonly Attribute[]) => [
    ...without(changed.type)(usual),
    changed,
  ]
  const digestOf = (content: string) =>
    attribute(OID.messageDigest, octets(hashOf('sha256', Buffer.from(content))))

  test.each<[string, Token['attributes'], string]>([
    ['no type of content', without(OID.contentType), ALTERED],
    ['another type of content', instead(attribute(OID.contentType, oid(OID.data))), ALTERED],
    ['two types of content', (usual) => [...usual, attribute(OID.contentType, oid(OID.tstInfo))], ALTERED],
    [
      'two values of the type',
      instead(attribute(OID.contentType, oid(OID.tstInfo), oid(OID.tstInfo))),
      ALTERED,
    ],
    ['no digest', without(OID.messageDigest), ALTERED],
    ['the digest of something else', instead(digestOf('else')), ALTERED],
    ['a digest that is no octets', instead(attribute(OID.messageDigest, oid(OID.data))), ALTERED],
    ['no name of a certificate', without(OID.signingCertificateV2), NOT_BROUGHT],
    [
      'the name of another certificate',
      (usual) => instead(attribute(OID.signingCertificateV2, names(root.der)))(usual),
      NOT_BROUGHT,
    ],
    [
      'a name by a hash that is not known',
      (usual) => instead(attribute(OID.signingCertificateV2, names(tsa.der, 'sha1', OID.sha1)))(usual),
      NOT_BROUGHT,
    ],
    ['a name of nothing', instead(attribute(OID.signingCertificateV2, sequence(sequence()))), NOT_BROUGHT],
  ])('with %s are refused', (_, attributes, sentence) => {
    expect(() => read({ attributes })).toThrow(sentence)
  })

  test.each<[string, () => Attribute]>([
    ['SHA-512', () => attribute(OID.signingCertificateV2, names(tsa.der, 'sha512', OID.sha512))],
    ['SHA-256, said aloud', () => attribute(OID.signingCertificateV2, names(tsa.der, 'sha256', OID.sha256))],
    // RFC 2634: which of the certificates is meant, not that it is good.
    ['SHA-1, as it was once', () => attribute(OID.signingCertificate, names(tsa.der, 'sha1'))],
  ])('may name the certificate by %s', (_, name) => {
    const attributes = (usual: readonly Attribute[]) => [...without(OID.signingCertificateV2)(usual), name()]
    expect(read({ attributes }).authority).toBe('CN=Time Stamps')
  })

  test('are judged by the newer of two names of a certificate', () => {
    const older = (certificate: Maker) => attribute(OID.signingCertificate, names(certificate.der, 'sha1'))
    expect(read({ attributes: (usual) => [...usual, older(root)] }).authority).toBe('CN=Time Stamps')
    const attributes = (usual: readonly Attribute[]) => [
      ...instead(attribute(OID.signingCertificateV2, names(root.der)))(usual),
      older(tsa),
    ]
    expect(() => read({ attributes })).toThrow(NOT_BROUGHT)
  })
})

describe('the certificate of a token', () => {
  test('has to be in it, by issuer and number, and has to have made the signature', async () => {
    expect(() => read({ certificates: [] })).toThrow(NOT_BROUGHT)
    const sameName = await makeCertificate({ issuer: root, serial: 8 })
    expect(() => read({ sid: sameName })).toThrow(NOT_BROUGHT)
    const sameNumber = await makeCertificate({ name: 'Another CA', serial: 7, purposes: null })
    expect(() => read({ sid: sameNumber })).toThrow(NOT_BROUGHT)
    expect(() => read({ signedBy: root })).toThrow(NOT_VALID)
  })

  test.each<[string, Made]>([
    ['says nothing of what it is for', { purposes: null }],
    ['is for time stamps, but not critically', { critical: false }],
    ['is for mail', { purposes: [OID.emailProtection] }],
    ['is for time stamps and for mail', { purposes: [OID.timeStamping, OID.emailProtection] }],
    ['is of an authority', { authority: true }],
    ['has a key that signs certificates alone', { keyUsage: 0x04 }],
  ])('is refused when it %s', async (_, made) => {
    const odd = await makeCertificate({ issuer: root, ...made })
    const attributes = (usual: readonly Attribute[]) => [
      ...usual.slice(0, 2),
      attribute(OID.signingCertificateV2, names(odd.der)),
    ]
    expect(() => read({ attributes, certificates: [odd], signedBy: odd, sid: odd })).toThrow(OTHER_PURPOSE)
  })
})

describe('the trust in a token', () => {
  test('comes from an anchor that has issued its certificate, and from nothing else', () => {
    const stamp = read()
    expect(findUntrusted(stamp, [certificateOf(root)])).toBeNull()
    expect(findUntrusted(stamp, [])).toMatchObject({ kind: 'untrusted' })
  })

  test('goes up through certificates that the token brings, in any order, and needs no more than those', async () => {
    const middle = await makeCertificate({
      name: 'Middle CA',
      serial: 2,
      purposes: null,
      authority: true,
      issuer: root,
    })
    const low = await makeCertificate({
      name: 'Low CA',
      serial: 3,
      purposes: null,
      authority: true,
      issuer: middle,
    })
    const stranger = await makeCertificate({ name: 'Stranger', serial: 4, purposes: null, authority: true })
    const leaf = await makeCertificate({ issuer: low, serial: 5 })
    const attributes = (usual: readonly Attribute[]) => [
      ...usual.slice(0, 2),
      attribute(OID.signingCertificateV2, names(leaf.der)),
    ]
    const stamp = (...certificates: Maker[]) => read({ attributes, certificates, signedBy: leaf, sid: leaf })
    const whole = stamp(stranger, middle, leaf, low)
    expect(findUntrusted(whole, [certificateOf(root)])).toBeNull()
    // Trusted from the middle on: what the token brings above it is not needed.
    expect(findUntrusted(whole, [certificateOf(low)])).toBeNull()
    expect(findUntrusted(whole, [certificateOf(stranger)])).toMatchObject({ kind: 'untrusted' })
    expect(findUntrusted(stamp(leaf, middle), [certificateOf(root)])).toMatchObject({ kind: 'untrusted' })
  })
})
