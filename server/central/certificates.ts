/** The central service's certificate authority: its own certificate, and those of kiosks. P-256, ECDSA with SHA-256. */
import { randomBytes } from 'node:crypto'
import { BitString, Integer, Utf8String } from 'asn1js'
import { exportJWK, type JWK } from 'jose'
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  CertificationRequest,
  CryptoEngine,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
  Time,
  TimeType,
} from 'pkijs'
import { fieldProblem } from '../errors.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const HASH = 'SHA-256'
const ENGINE = new CryptoEngine({ name: 'node', crypto: globalThis.crypto })
const CA_YEARS = 30
/** The life of an appliance; a revocation is a row of the database, not a date. */
const KIOSK_YEARS = 10
/** A kiosk whose clock is slow still finds its certificate valid. */
const BACKDATED_MS = 24 * 60 * 60 * 1000

/** Object identifiers of RFC 5280. */
const OID = {
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  clientAuthentication: '1.3.6.1.5.5.7.3.2',
} as const
/** Bits of keyUsage, the first one on the left: digitalSignature, and keyCertSign in addition. */
const DIGITAL_SIGNATURE = { byte: 0x80, unused: 7 }
const CERTIFICATE_SIGNING = { byte: 0x84, unused: 2 }
/** GeneralName: uniformResourceIdentifier. */
const URI = 6

export interface Authority {
  /** DER */
  readonly certificate: Uint8Array
  readonly privateKey: CryptoKey
}

export async function makeAuthority(centreId: string, at: Date): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = blank(at, CA_YEARS)
  for (const name of [certificate.issuer, certificate.subject]) {
    name.typesAndValues.push(commonName(`Counterproof centre ${centreId}`))
  }
  certificate.extensions = [
    extension(
      OID.basicConstraints,
      true,
      new BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema(),
    ),
    keyUsage(CERTIFICATE_SIGNING),
  ]
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey, ENGINE)
  await certificate.sign(keys.privateKey, HASH, ENGINE)
  return { certificate: encodeDer(certificate), privateKey: keys.privateKey }
}

export function importAuthorityKey(jwk: JWK): Promise<CryptoKey> {
  return crypto.subtle.importKey('jwk', jwk as JsonWebKey, ALGORITHM, false, ['sign'])
}

export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/**
 * Returns the P-256 key of a PKCS#10 request that proves possession of the private key. Throws
 * `validation_failed`. Nothing else of the request is used, neither its name nor its extensions.
 */
export async function readRequest(
  pem: string,
): Promise<{ readonly publicKey: CryptoKey; readonly jwk: JWK }> {
  try {
    const base64 = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]+)-----END/.exec(pem)?.[1] ?? ''
    const request = CertificationRequest.fromBER(Uint8Array.from(Buffer.from(base64, 'base64')).buffer)
    const publicKey = await request.getPublicKey(undefined, ENGINE)
    const { kty, crv, x, y } = await exportJWK(publicKey)
    if (kty === 'EC' && crv === 'P-256' && (await request.verify())) {
      return { publicKey, jwk: { kty, crv, x, y } }
    }
  } catch {
    // The same answer for every defect.
  }
  const message = 'a signed PKCS#10 request of a P-256 key is expected'
  throw fieldProblem('request_refused', 'certificateRequest', message)
}

/** PEM. */
export async function certifyKiosk(
  authority: Authority,
  kiosk: { readonly kioskId: string; readonly publicKey: CryptoKey },
  at: Date,
): Promise<string> {
  const certificate = blank(at, KIOSK_YEARS)
  certificate.issuer = Certificate.fromBER(Uint8Array.from(authority.certificate).buffer).subject
  certificate.subject.typesAndValues.push(commonName(kiosk.kioskId))
  const uri = new GeneralNames({
    names: [new GeneralName({ type: URI, value: `urn:uuid:${kiosk.kioskId}` })],
  })
  certificate.extensions = [
    extension(OID.basicConstraints, true, new BasicConstraints({ cA: false }).toSchema()),
    keyUsage(DIGITAL_SIGNATURE),
    extension(
      OID.extendedKeyUsage,
      false,
      new ExtKeyUsage({ keyPurposes: [OID.clientAuthentication] }).toSchema(),
    ),
    extension(OID.subjectAlternativeName, false, uri.toSchema()),
  ]
  await certificate.subjectPublicKeyInfo.importKey(kiosk.publicKey, ENGINE)
  await certificate.sign(authority.privateKey, HASH, ENGINE)
  return toPem(encodeDer(certificate))
}

function blank(at: Date, years: number): Certificate {
  const certificate = new Certificate({ version: 2, serialNumber: serial() })
  certificate.notBefore.value = new Date(at.getTime() - BACKDATED_MS)
  certificate.notAfter = encodeTime(inYears(at, years))
  return certificate
}

function encodeDer(certificate: Certificate): Uint8Array {
  return new Uint8Array(certificate.toSchema(true).toBER(false))
}

function commonName(value: string): AttributeTypeAndValue {
  return new AttributeTypeAndValue({ type: OID.commonName, value: new Utf8String({ value }) })
}

function keyUsage({ byte, unused }: { readonly byte: number; readonly unused: number }): Extension {
  const bits = new BitString({ valueHex: Uint8Array.of(byte).buffer, unusedBits: unused })
  return extension(OID.keyUsage, true, bits)
}

function extension(
  extnID: string,
  critical: boolean,
  value: { toBER(sizeOnly?: boolean): ArrayBuffer },
): Extension {
  return new Extension({
    extnID,
    critical,
    extnValue: value.toBER(false),
  })
}

/** 126 random bits, positive (RFC 5280, 4.1.2.2). */
function serial(): Integer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return new Integer({ valueHex: Uint8Array.from(bytes).buffer })
}

/** RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime after. */
function encodeTime(value: Date): Time {
  return new Time({
    type: value.getUTCFullYear() < 2050 ? TimeType.UTCTime : TimeType.GeneralizedTime,
    value,
  })
}

function inYears(at: Date, years: number): Date {
  const then = new Date(at)
  then.setUTCFullYear(then.getUTCFullYear() + years)
  then.setUTCMilliseconds(0) // GeneralizedTime has no fractions
  return then
}
