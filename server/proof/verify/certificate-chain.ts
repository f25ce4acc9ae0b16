/**
 * Judges a chain of certificates, from the certificate of a key up to a CA certificate that the caller supplied. A CA
 * inside an archive is ignored. Stricter than RFC 5280, section 6: a chain is refused if it has any critical extension
 * that this module does not judge, such as name constraints. Revocation lists are not consulted.
 */
import type { KeyObject } from 'node:crypto'
import { isSame, KEY_USAGE, type Certificate } from './certificate.ts'

/** The reason for refusing a chain. */
export interface ChainFault {
  readonly kind: 'invalid' | 'untrusted'
  /** One sentence. */
  readonly message: string
}

export const MAX_CHAIN_LENGTH = 10
const SMALLEST_MODULUS_BITS = 2048

/** Extended key usages that allow a certificate to sign documents. */
const DOCUMENT_PURPOSES: readonly string[] = [
  '1.3.6.1.5.5.7.3.36', // document signing (RFC 9336)
  '1.3.6.1.5.5.7.3.4', // e-mail protection
  '1.2.840.113583.1.1.5', // Adobe, authentic documents
  '1.3.6.1.4.1.311.10.3.12', // Microsoft, document signing
  '2.5.29.37.0', // any
]

/** SHA-2 with RSA (PKCS #1 v1.5, PSS) and ECDSA; Ed25519 and Ed448. No SHA-1, no MD5. */
const STRONG: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.10',
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
])

/**
 * Null if every certificate was valid `at` that moment, each was issued by the next, and the last is one of `anchors` or
 * was issued by one of them. The purpose of the first certificate is not judged here.
 * @param name names the first certificate in a sentence: `the certificate of …`
 */
export function findChainFault(
  chain: readonly Certificate[],
  anchors: readonly Certificate[],
  at: Date,
  name: string,
): ChainFault | null {
  const [first] = chain
  if (first === undefined) return fault('invalid', `There is no certificate that could be ${name}.`)
  if (chain.length > MAX_CHAIN_LENGTH) return fault('invalid', `The chain has ${chain.length} certificates.`)
  for (const [index, certificate] of chain.entries()) {
    const called = index === 0 ? name : `CA certificate ${index} above ${name}`
    const own =
      ownFault(certificate, at, called) ?? (index > 0 ? authorityFault(certificate, index, called) : null)
    if (own) return own
    const issuer = chain[index + 1]
    if (issuer && !isIssuedBy(certificate, issuer)) {
      return fault('invalid', `The chain is broken: ${called} was not issued by the next certificate.`)
    }
  }
  const last = chain.at(-1) ?? first
  const candidates = anchors.filter((anchor) => isSame(anchor, last) || isIssuedBy(last, anchor))
  if (candidates.length === 0) {
    return fault('untrusted', `The chain above ${name} ends at no CA certificate that was given.`)
  }
  const faults = candidates.map((anchor) => {
    const called = `the CA certificate given for ${name}`
    const depth = isSame(anchor, last) ? chain.length - 1 : chain.length
    return periodFault(anchor, at, called) ?? authorityFault(anchor, depth, called)
  })
  return faults.includes(null) ? null : (faults[0] ?? null)
}

function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  try {
    return certificate.x509.checkIssued(issuer.x509) && certificate.x509.verify(issuer.x509.publicKey)
  } catch {
    return false // this kind of key makes no signatures
  }
}

function ownFault(certificate: Certificate, at: Date, called: string): ChainFault | null {
  if (!STRONG.has(certificate.signedWith)) {
    return fault('invalid', `${capital(called)} is signed with an algorithm that is too weak or unknown.`)
  }
  if (isShort(certificate.x509.publicKey)) return fault('invalid', `${capital(called)} has too short a key.`)
  const [oid] = certificate.unknownCritical
  if (oid !== undefined) {
    return fault('invalid', `${capital(called)} has a critical extension that is not understood (${oid}).`)
  }
  return periodFault(certificate, at, called)
}

function periodFault({ validFrom, validTo }: Certificate, at: Date, called: string): ChainFault | null {
  if (at >= validFrom && at <= validTo) return null
  const [then, from, to] = [at, validFrom, validTo].map((date) => date.toISOString())
  return fault('invalid', `${capital(called)} was not valid at ${then}, but from ${from} to ${to}.`)
}

/** @param depth number of certificates below this one */
function authorityFault(
  { isAuthority, keyUsage, pathLength }: Certificate,
  depth: number,
  called: string,
): ChainFault | null {
  if (!isAuthority || (keyUsage !== null && (keyUsage & KEY_USAGE.certificateSigning) === 0)) {
    return fault('invalid', `${capital(called)} must not issue certificates.`)
  }
  if (pathLength !== null && depth - 1 > pathLength) {
    return fault('invalid', `${capital(called)} allows no chain of this length.`)
  }
  return null
}

/** Tells whether the key may make signatures other than certificates. */
export function maySign({ isAuthority, keyUsage }: Certificate): boolean {
  if (isAuthority) return false
  return keyUsage === null || (keyUsage & (KEY_USAGE.digitalSignature | KEY_USAGE.nonRepudiation)) !== 0
}

/** Tells whether the certificate is for an RSA key that may sign documents. */
export function maySignProofs(certificate: Certificate): boolean {
  const { purposes, x509 } = certificate
  const isForDocuments = purposes === null || purposes.oids.some((oid) => DOCUMENT_PURPOSES.includes(oid))
  return maySign(certificate) && isForDocuments && x509.publicKey.asymmetricKeyType === 'rsa'
}

function isShort(key: KeyObject): boolean {
  const bits = key.asymmetricKeyDetails?.modulusLength
  return bits !== undefined && bits < SMALLEST_MODULUS_BITS
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function fault(kind: ChainFault['kind'], message: string): ChainFault {
  return { kind, message }
}
