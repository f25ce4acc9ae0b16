/**
 * Judges certificates of country signing authorities (CSCA; ICAO Doc 9303-12, 7.1). A self-signed certificate must verify with its
 * own key, and a link certificate with the key before it. A link whose predecessor is absent is accepted on the word of the list,
 * because states stop publishing old certificates (BSI TR-03135-1 v2.5, 5.6.4.3).
 */
import { ChipFault, type FaultReason } from '../chip/outcome.ts'
import { hashBytes, parseChipCertificate, type ChipCertificate } from '../chip/passive/certificate.ts'
import { findCountry, isSameName, normaliseName } from '../chip/passive/names.ts'
import { isIssuer, mayIssue } from '../chip/passive/path.ts'
import { parseScheme } from '../chip/passive/signature.ts'

/** `read`: well-formed, but its signature cannot be verified with the certificates at hand. */
export type CertificateVerdict = 'verified' | 'read' | 'refused'

export type CertificateReason =
  | 'self_signed'
  | 'link_certificate'
  | 'issuer_missing'
  | 'certificate_too_long'
  | 'country_missing'
  | 'no_authority'
  | FaultReason

export interface JudgedCertificate {
  readonly sha256: string
  /** ISO 3166-1, two letters; three for issuers that are no state. Null for a refused certificate without one. */
  readonly country: string | null
  readonly verdict: CertificateVerdict
  readonly reason: CertificateReason
  /** Null if the bytes could not be parsed. */
  readonly certificate: ChipCertificate | null
}

export interface Authority extends JudgedCertificate {
  readonly country: string
  readonly certificate: ChipCertificate
}

/** The longest certificate in the lists of Germany and the Netherlands has three kilobytes. */
const MAX_CERTIFICATE_BYTES = 16 * 1024
/** Several certificates share a name or a key; states have at most a dozen. The bound keeps a hostile list linear. */
const MAX_ISSUERS_TRIED = 16

interface Parsed {
  readonly sha256: string
  readonly country: string | null
  readonly certificate: ChipCertificate | null
  /** Null if the certificate is well-formed and may issue others. */
  readonly fault: CertificateReason | null
}

/**
 * Judges each certificate once; a second copy is left out.
 * @param known authorities that are trusted already, as issuers of link certificates
 */
export function judgeCertificates(
  ders: readonly Uint8Array[],
  known: readonly ChipCertificate[] = [],
): readonly JudgedCertificate[] {
  const parsed = new Map<string, Parsed>()
  for (const der of ders) {
    const sha256 = hashBytes(der)
    if (!parsed.has(sha256)) parsed.set(sha256, parseOne(der, sha256))
  }
  const usable = [...parsed.values()].flatMap(({ certificate, fault }) =>
    certificate !== null && fault === null ? [certificate] : [],
  )
  const issuers = indexBySubject([...usable, ...known])
  return [...parsed.values()].map((each) => judgeOne(each, issuers))
}

export function isAccepted(judged: JudgedCertificate): judged is Authority {
  return judged.verdict !== 'refused' && judged.country !== null && judged.certificate !== null
}

/** A sentence for the operator. */
export function explainRefusal(reason: CertificateReason): string {
  return `The certificate is not accepted (${reason}). The certificate of a country signing authority (CSCA) has basic constraints with CA=TRUE, the key usage keyCertSign, a country and no unknown critical extension, and it is signed by itself or by an authority that is trusted already.`
}

function parseOne(der: Uint8Array, sha256: string): Parsed {
  const nothing = { sha256, country: null, certificate: null }
  if (der.length > MAX_CERTIFICATE_BYTES) return { ...nothing, fault: 'certificate_too_long' }
  try {
    const certificate = parseChipCertificate(der)
    const country = findCountry(certificate.subject)
    const fault = country === null ? 'country_missing' : mayIssue(certificate) ? null : 'no_authority'
    return { sha256, country, certificate, fault }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    return { ...nothing, fault: error.reason }
  }
}

function indexBySubject(authorities: readonly ChipCertificate[]): ReadonlyMap<string, ChipCertificate[]> {
  const index = new Map<string, ChipCertificate[]>()
  for (const authority of authorities) {
    const name = normaliseName(authority.subject)
    const named = index.get(name)
    if (named) named.push(authority)
    else index.set(name, [authority])
  }
  return index
}

function judgeOne(
  { fault, certificate, ...facts }: Parsed,
  issuers: ReadonlyMap<string, ChipCertificate[]>,
): JudgedCertificate {
  if (certificate === null || fault !== null)
    return { ...facts, certificate, verdict: 'refused', reason: fault ?? 'malformed_data' }
  try {
    return { ...facts, certificate, ...verifyOne(certificate, issuers) }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    return { ...facts, certificate, verdict: 'refused', reason: error.reason }
  }
}

/** @throws ChipFault if the algorithm of the signature is unknown or too weak */
function verifyOne(
  certificate: ChipCertificate,
  issuers: ReadonlyMap<string, ChipCertificate[]>,
): Pick<JudgedCertificate, 'verdict' | 'reason'> {
  const { algorithm, tbs, signature } = certificate
  parseScheme({ algorithm, data: tbs, signature })
  // States give their link certificates the name of the authority, so that equal names do not tell a self-signed one.
  if (isIssuer(certificate, certificate)) return { verdict: 'verified', reason: 'self_signed' }
  if (isOwnKeyNamed(certificate)) return { verdict: 'refused', reason: 'signature_wrong' }
  const named = issuers.get(normaliseName(certificate.issuer)) ?? []
  const others = named.filter((each) => each !== certificate)
  // Those with the named key come first, so that many others with the same name cannot hide the issuer.
  const withKey = others.filter((each) =>
    isSameBytes(each.subjectKeyIdentifier, certificate.authorityKeyIdentifier),
  )
  const candidates = [...withKey, ...others.filter((each) => !withKey.includes(each))]
  const isLink = candidates.slice(0, MAX_ISSUERS_TRIED).some((each) => isIssuer(each, certificate))
  if (isLink) return { verdict: 'verified', reason: 'link_certificate' }
  return withKey.length > 0
    ? { verdict: 'refused', reason: 'signature_wrong' }
    : { verdict: 'read', reason: 'issuer_missing' }
}

/**
 * The certificate says that its own key signed it: only such a certificate may leave out the key of its authority (RFC 5280, 4.2.1.1;
 * no other in the German and Dutch lists of 2025 and 2026 does so under one name).
 */
function isOwnKeyNamed(certificate: ChipCertificate): boolean {
  const { subjectKeyIdentifier, authorityKeyIdentifier, subject, issuer } = certificate
  if (authorityKeyIdentifier === null) return isSameName(subject, issuer)
  return isSameBytes(subjectKeyIdentifier, authorityKeyIdentifier)
}

function isSameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one !== null && other !== null && Buffer.compare(one, other) === 0
}
