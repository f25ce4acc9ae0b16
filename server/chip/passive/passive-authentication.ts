/**
 * Passive authentication (ICAO Doc 9303-11, 5.1): the data groups are those that the issuing state signed. Verifies signature,
 * certificate path and hashes. Revocation, defect lists and the country of the document are not judged here.
 */
import { createHash } from 'node:crypto'
import { ASN1, encodeOid } from '../der.ts'
import type { SignedData, SignerInfo } from '../files/cms.ts'
import { parseSod, type Sod } from '../files/sod.ts'
import { ChipFault, type FaultReason, type Verdict } from '../outcome.ts'
import { parseChipCertificate, type ChipCertificate } from './certificate.ts'
import { isSameName } from './names.ts'
import { getHashName, isSignatureValid } from './signature.ts'

export interface PassiveInput {
  /** EF.SOD as it was read. */
  readonly sod: Uint8Array
  /** Number → file, of every group that is used. */
  readonly dataGroups: ReadonlyMap<number, Uint8Array>
  /** Certificates of country signing authorities that the caller trusts. */
  readonly authorities: readonly ChipCertificate[]
  /** The time at which signer and authority must be valid; null if the caller judges that. */
  readonly at: Date | null
}

export type PassiveCheckName = 'signature' | 'signer' | 'authority' | 'validity' | 'hashes'

export interface PassiveCheck {
  readonly name: PassiveCheckName
  readonly verdict: Extract<Verdict, 'successful' | 'failed' | 'undetermined'>
}

export interface PassiveReport {
  /** Failed if one check failed, else undetermined if one is, else successful. */
  readonly verdict: PassiveCheck['verdict']
  readonly checks: readonly PassiveCheck[]
  /** The fault of a file or an algorithm that ended the checks; null if there was none. */
  readonly reason: FaultReason | null
}

const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
/** Content type → version of the signed data. The second is that of Chinese passports (RFC 5652, 5.1). */
const CONTENT_TYPES: Readonly<Record<string, number>> = {
  '2.23.136.1.1.1': 3,
  '1.2.840.113549.1.7.1': 1,
}

/** Never throws for what the chip gave: a file that is none fails. */
export function authenticatePassively(input: PassiveInput): PassiveReport {
  const checks: PassiveCheck[] = []
  try {
    const sod = parseSod(input.sod)
    const certificate = verifySigner(sod.signedData, checks)
    if (certificate !== null) verifyPath(certificate, input, checks)
    checks.push({ name: 'hashes', verdict: compareHashes(sod, input.dataGroups) })
    return { verdict: combine(checks), checks, reason: null }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    // An algorithm that is unknown or too weak fails, too (BSI TR-03105-5.1, LDS_H_30 and LDS_H_36).
    return { verdict: 'failed', checks, reason: error.reason }
  }
}

function combine(checks: readonly PassiveCheck[]): PassiveCheck['verdict'] {
  for (const verdict of ['failed', 'undetermined'] as const)
    if (checks.some((check) => check.verdict === verdict)) return verdict
  return 'successful'
}

function toVerdict(passed: boolean): 'successful' | 'failed' {
  return passed ? 'successful' : 'failed'
}

/** Returns the certificate of the signer, or null if the file has none. */
function verifySigner(signedData: SignedData, checks: PassiveCheck[]): ChipCertificate | null {
  const [signer, ...more] = signedData.signers
  if (signer === undefined || more.length > 0) throw new ChipFault('malformed_data')
  signedData.digestAlgorithms.forEach(getHashName)
  if (!isSignatureForm(signedData, signer)) throw new ChipFault('malformed_data')
  const certificates = signedData.certificates.map(parseChipCertificate)
  if (certificates.length === 0) {
    checks.push({ name: 'signer', verdict: 'undetermined' })
    return null
  }
  const certificate = certificates.find((each) => isNamed(signer, each))
  checks.push({
    name: 'signer',
    verdict: toVerdict(certificate !== undefined && maySignDocuments(certificate)),
  })
  if (certificate === undefined) return null
  checks.push({ name: 'signature', verdict: toVerdict(isSigned(signedData, signer, certificate)) })
  return certificate
}

function isSignatureForm(
  { version, contentType, digestAlgorithms }: SignedData,
  signer: SignerInfo,
): boolean {
  const signerVersion = signer.identifier.kind === 'issuer_and_serial' ? 1 : 3
  return (
    CONTENT_TYPES[contentType] === version &&
    signer.version === signerVersion &&
    digestAlgorithms.includes(signer.digestAlgorithm)
  )
}

export function isNamed({ identifier }: SignerInfo, certificate: ChipCertificate): boolean {
  if (identifier.kind === 'key_identifier')
    return (
      certificate.subjectKeyIdentifier !== null &&
      Buffer.compare(identifier.keyIdentifier, certificate.subjectKeyIdentifier) === 0
    )
  return (
    Buffer.compare(identifier.serial, certificate.serial) === 0 &&
    isSameName(identifier.issuer, certificate.issuer)
  )
}

/** Doc 9303-12, table 3: a critical key usage with digitalSignature, and the key of the authority. */
function maySignDocuments({ keyUsage, authorityKeyIdentifier }: ChipCertificate): boolean {
  return keyUsage?.isCritical === true && keyUsage.digitalSignature && authorityKeyIdentifier !== null
}

export function isSigned(
  { contentType, content }: SignedData,
  signer: SignerInfo,
  { key }: ChipCertificate,
): boolean {
  const { signedBytes, digestAlgorithm, signatureAlgorithm, signature } = signer
  if (signedBytes === null) return false
  const type = getAttribute(signer, CONTENT_TYPE, ASN1.oid)
  const digest = getAttribute(signer, MESSAGE_DIGEST, ASN1.octetString)
  const hash = createHash(getHashName(digestAlgorithm)).update(content).digest()
  const isCovered = Buffer.compare(digest, hash) === 0 && encodeOid(contentType).equals(type)
  const signed = { algorithm: signatureAlgorithm, digestAlgorithm, data: signedBytes, signature }
  return isCovered && isSignatureValid(signed, key)
}

/** The only value of the only attribute of this type. */
export function getAttribute({ signedAttributes }: SignerInfo, type: string, tag: number): Uint8Array {
  const [attribute, ...more] = signedAttributes.filter((each) => each.type === type)
  const [value, ...others] = attribute?.values ?? []
  if (value?.tag !== tag || more.length > 0 || others.length > 0) throw new ChipFault('malformed_data')
  return value.value
}

/** One authority with the name or the key must have signed the certificate; several share a name or a key. */
function verifyPath(
  certificate: ChipCertificate,
  { authorities, at }: PassiveInput,
  checks: PassiveCheck[],
): void {
  const candidates = authorities.filter(
    (authority) =>
      isSameName(authority.subject, certificate.issuer) || hasAuthorityKey(certificate, authority),
  )
  if (candidates.length === 0) {
    checks.push({ name: 'authority', verdict: 'undetermined' })
    return
  }
  const issuers = candidates.filter((authority) => isIssuer(authority, certificate))
  checks.push({ name: 'authority', verdict: toVerdict(issuers.length > 0) })
  if (at === null || issuers.length === 0) return
  const isValid = (each: ChipCertificate): boolean => each.validFrom <= at && at <= each.validTo
  checks.push({ name: 'validity', verdict: toVerdict(isValid(certificate) && issuers.some(isValid)) })
}

function hasAuthorityKey(certificate: ChipCertificate, authority: ChipCertificate): boolean {
  const { authorityKeyIdentifier } = certificate
  const { subjectKeyIdentifier } = authority
  if (authorityKeyIdentifier === null || subjectKeyIdentifier === null) return false
  return Buffer.compare(authorityKeyIdentifier, subjectKeyIdentifier) === 0
}

/**
 * The caller trusts the authority itself, so its basic constraints are not asked for (RFC 5280, 6.1.1 d): eight authorities of the
 * German master list of April 2026 do not state that they are one.
 */
export function isIssuer(
  authority: ChipCertificate,
  { issuer, algorithm, tbs, signature }: ChipCertificate,
): boolean {
  const mayIssue = authority.keyUsage === null || authority.keyUsage.certificateSigning
  if (!mayIssue || !isSameName(authority.subject, issuer)) return false
  return isSignatureValid({ algorithm, data: tbs, signature }, authority.key)
}

/** Every group that is used must be listed with its hash. */
function compareHashes(
  { hashAlgorithm, hashes }: Sod,
  dataGroups: ReadonlyMap<number, Uint8Array>,
): PassiveCheck['verdict'] {
  const name = getHashName(hashAlgorithm)
  if (dataGroups.size === 0) return 'undetermined'
  const areListed = [...dataGroups].every(([number, file]) => {
    const listed = hashes.get(number)
    return listed !== undefined && createHash(name).update(file).digest().equals(listed)
  })
  return toVerdict(areListed)
}
