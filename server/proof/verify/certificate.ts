/**
 * Reads one X.509 certificate, limited to the fields that verifying a proof needs. certificate-chain.ts decides whether
 * to trust it.
 */
import { X509Certificate } from 'node:crypto'
import { BasicConstraints, Certificate as ParsedCertificate, ExtKeyUsage } from 'pkijs'
import { BitString } from 'asn1js'

export interface Certificate {
  readonly x509: X509Certificate
  readonly validFrom: Date
  readonly validTo: Date
  /** Basic constraints: the certificate may issue others. */
  readonly isAuthority: boolean
  /** Maximum number of authorities between this certificate and the last one; null if unlimited. */
  readonly pathLength: number | null
  /** First octet of the key usage bits (RFC 5280, 4.2.1.3); null if not restricted. */
  readonly keyUsage: number | null
  /** Extended key usage; null if not restricted. */
  readonly purposes: { readonly oids: readonly string[]; readonly critical: boolean } | null
  /** OIDs of critical extensions that are not judged here; RFC 5280 requires that such a certificate is refused. */
  readonly unknownCritical: readonly string[]
  /** OID of the signature algorithm. */
  readonly signedWith: string
}

export const KEY_USAGE = { digitalSignature: 0x80, nonRepudiation: 0x40, certificateSigning: 0x04 } as const

const LARGEST = 16 * 1024 // ours have one or two kilobytes
const BASIC_CONSTRAINTS = '2.5.29.19'
const CERTIFICATE_POLICIES = '2.5.29.32' // any policy is accepted, so it needs no check
const KEY_USAGE_EXTENSION = '2.5.29.15'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const JUDGED: readonly string[] = [
  BASIC_CONSTRAINTS,
  CERTIFICATE_POLICIES,
  KEY_USAGE_EXTENSION,
  EXTENDED_KEY_USAGE,
]

/** Null if the bytes are not a certificate, continue after its end, or hold an unusable key or date. Never throws. */
export function readCertificate(der: Uint8Array): Certificate | null {
  if (der.length > LARGEST) return null
  try {
    const x509 = new X509Certificate(der)
    if (Buffer.compare(x509.raw, der) !== 0) return null
    const fields = readFields(der)
    const isUsable =
      x509.publicKey.asymmetricKeyType !== undefined && isDate(fields.validFrom) && isDate(fields.validTo)
    return isUsable ? { x509, ...fields } : null
  } catch {
    return null
  }
}

function readFields(der: Uint8Array): Omit<Certificate, 'x509'> {
  const parsed = ParsedCertificate.fromBER(Uint8Array.from(der))
  const extensions = parsed.extensions ?? []
  const ids = extensions.map(({ extnID }) => extnID)
  if (new Set(ids).size < ids.length) throw new TypeError('an extension occurs twice')
  const find = (oid: string) => extensions.find(({ extnID }) => extnID === oid)
  const basic: unknown = find(BASIC_CONSTRAINTS)?.parsedValue
  const usage: unknown = find(KEY_USAGE_EXTENSION)?.parsedValue
  const purposes = find(EXTENDED_KEY_USAGE)
  const forPurposes: unknown = purposes?.parsedValue
  // The library returns an empty value for an extension that it cannot parse, which would mean "no restriction".
  if (extensions.some(({ parsedValue }) => parsedValue && 'parsingError' in parsedValue)) {
    throw new TypeError('an extension cannot be read')
  }
  // The library returns no value for bytes that are not ASN.1.
  if (find(BASIC_CONSTRAINTS) && !(basic instanceof BasicConstraints)) throw new TypeError('constraints')
  if (find(KEY_USAGE_EXTENSION) && !(usage instanceof BitString)) throw new TypeError('key usage')
  if (purposes && !(forPurposes instanceof ExtKeyUsage)) throw new TypeError('extended key usage')
  return {
    validFrom: parsed.notBefore.value,
    validTo: parsed.notAfter.value,
    isAuthority: basic instanceof BasicConstraints && basic.cA,
    pathLength: basic instanceof BasicConstraints ? toNumber(basic.pathLenConstraint) : null,
    keyUsage: usage instanceof BitString ? (usage.valueBlock.valueHexView[0] ?? 0) : null,
    purposes:
      purposes && forPurposes instanceof ExtKeyUsage
        ? { oids: forPurposes.keyPurposes, critical: purposes.critical }
        : null,
    unknownCritical: extensions.flatMap(({ critical, extnID }) =>
      critical && !JUDGED.includes(extnID) ? [extnID] : [],
    ),
    signedWith: parsed.signatureAlgorithm.algorithmId,
  }
}

/**
 * The library returns a small INTEGER as a number and a large one as an object. A path length that large limits nothing.
 */
function toNumber(length: unknown): number | null {
  return typeof length === 'number' ? length : null
}

function isDate(date: Date): boolean {
  return !Number.isNaN(date.getTime())
}

/** `O=…, CN=…` on one line. */
export function formatSubject({ x509 }: Certificate): string {
  return onOneLine(x509.subject)
}

export function formatIssuer({ x509 }: Certificate): string {
  return onOneLine(x509.issuer)
}

/** Node returns undefined for an empty name. */
function onOneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ')
}

export function isSame(one: Certificate, other: Certificate): boolean {
  return Buffer.compare(one.x509.raw, other.x509.raw) === 0
}
