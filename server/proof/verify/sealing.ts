/**
 * Judges who sealed a proof and when: the signature, under the supplied keys or under a certified key whose chain ends at
 * a supplied CA; the time stamp, under the supplied authorities. Nothing is trusted because it is in the archive.
 */
import { createHash } from 'node:crypto'
import { type Certificate, formatIssuer, readCertificate, formatSubject } from './certificate.ts'
import { findChainFault, maySignProofs } from './certificate-chain.ts'
import { LONG_TERM_FILE, type ProofDocument } from './document.ts'
import { keyThumbprint, type Trust, type VerificationKey } from './keys.ts'
import { printable, problem, type Problem } from './problems.ts'
import { checkSignature } from './signature.ts'
import { findUntrusted, readTimeStamp, TimeStampError, type TimeStamp } from './time-stamp.ts'

/** Content of longTermValidation.json; both are null without that file. */
export interface LongTerm {
  /** DER, beginning with the signing key's own certificate. */
  readonly chain: readonly Uint8Array[] | null
  readonly token: Uint8Array | null
}

export interface SealingCertificate {
  readonly subject: string
  readonly issuer: string
  /** ISO 8601, UTC. */
  readonly validFrom: string
  readonly validTo: string
}

export interface Sealing {
  /** RFC 7638 thumbprint of the signing key. */
  readonly signedBy: string
  /** Null if the caller supplied the key itself; then no chain was judged. */
  readonly certificate: SealingCertificate | null
  /** Null if there is no time stamp or it could not be judged; `notes` says which. */
  readonly timestamp: { readonly time: string; readonly authority: string } | null
  /** Sentences. */
  readonly notes: readonly string[]
}

const NO_TIMESTAMP = 'There is no time stamp: only the appliance states when the proof was sealed.'
const UNJUDGED_TIMESTAMP =
  'There is a time stamp over this signature, but it cannot be judged: no CA of a time-stamping authority was given.'
const UNJUDGED_CERTIFICATE = 'There is a certificate of the key, but it was not judged: no CA was given.'
const KEY_NAME = 'the certificate of the signing key'

/**
 * Null if there was a problem; all problems are added to `problems`.
 * @param signed the canonical JSON of proof.json without its signature
 */
export function judgeSealing(
  proof: ProofDocument,
  signed: string,
  { chain, token }: LongTerm,
  trust: Trust,
  problems: Problem[],
): Sealing | null {
  const before = problems.length
  const { timestamp, note } = judgeTimeStamp(proof.signature, token, trust, problems)
  const at = timestamp?.time ?? new Date(`${proof.endDateTime}Z`)
  const certificates = chain && readChain(chain, problems)
  const leaf = certificates?.[0] ?? null
  const certified = certificates && judgeChain(certificates, trust, at, problems)
  if (chain === null && trust.keys.length === 0 && trust.authorities.length > 0) {
    const message =
      'The archive brings no certificate of its key, and only a CA was given; give the public key.'
    problems.push(problem('certificate_missing', message))
  }
  const keys = [...trust.keys, ...(certified ? [certified] : [])]
  if (keys.length === 0) return null
  const check = checkSignature(proof.signature, signed, keys)
  if (check.problem) {
    problems.push(check.problem)
    return null
  }
  if (leaf && !certifiesKey(leaf, check.signedBy)) {
    const message = `${LONG_TERM_FILE} brings the certificate of another key than the one that signed.`
    problems.push(problem('certificate_foreign', message, LONG_TERM_FILE))
  }
  checkRevocation(check.signedBy, timestamp, trust, problems)
  if (problems.length > before) return null
  return {
    signedBy: check.signedBy,
    certificate: certified && leaf && toSealingCertificate(leaf),
    timestamp: timestamp && { time: timestamp.time.toISOString(), authority: printable(timestamp.authority) },
    notes: [...(note ? [note] : []), ...(leaf && !certified ? [UNJUDGED_CERTIFICATE] : [])],
  }
}

/** Returns the time stamp if it is trusted, and otherwise a note about it. */
function judgeTimeStamp(
  signature: string,
  token: Uint8Array | null,
  { timeAuthorities }: Trust,
  problems: Problem[],
): { timestamp: TimeStamp | null; note: string | null } {
  if (token === null) return { timestamp: null, note: NO_TIMESTAMP }
  let stamp: TimeStamp
  try {
    stamp = readTimeStamp(token, createHash('sha256').update(signature, 'utf8').digest())
  } catch (error) {
    if (!(error instanceof TimeStampError)) throw error
    problems.push(problem('timestamp_invalid', error.message, LONG_TERM_FILE))
    return { timestamp: null, note: null }
  }
  if (timeAuthorities.length === 0) return { timestamp: null, note: UNJUDGED_TIMESTAMP }
  const fault = findUntrusted(stamp, timeAuthorities)
  if (fault === null) return { timestamp: stamp, note: null }
  problems.push(problem(`timestamp_${fault.kind}`, fault.message, LONG_TERM_FILE))
  return { timestamp: null, note: null }
}

function readChain(chain: readonly Uint8Array[], problems: Problem[]): readonly Certificate[] | null {
  const read = chain.map(readCertificate)
  const certificates = read.filter((certificate) => certificate !== null)
  if (certificates.length === read.length) return certificates
  const message = `Certificate ${read.indexOf(null) + 1} of ${LONG_TERM_FILE} cannot be read.`
  problems.push(problem('certificate_invalid', message, LONG_TERM_FILE))
  return null
}

/** The key of the first certificate, if a supplied CA certifies it. */
function judgeChain(
  chain: readonly Certificate[],
  { authorities }: Trust,
  at: Date,
  problems: Problem[],
): VerificationKey | null {
  const [leaf] = chain
  if (authorities.length === 0 || leaf === undefined) return null
  const fault = findChainFault(chain, authorities, at, KEY_NAME)
  if (fault) {
    problems.push(problem(`certificate_${fault.kind}`, fault.message, LONG_TERM_FILE))
    return null
  }
  if (!maySignProofs(leaf)) {
    const message =
      'The certificate of the signing key is not one for the signing of documents with an RSA key.'
    problems.push(problem('certificate_invalid', message, LONG_TERM_FILE))
    return null
  }
  return { id: keyThumbprint(leaf.x509.publicKey), key: leaf.x509.publicKey }
}

function certifiesKey({ x509: { publicKey } }: Certificate, keyId: string): boolean {
  return publicKey.asymmetricKeyType === 'rsa' && keyThumbprint(publicKey) === keyId
}

/** A revoked key needs a trusted time stamp, because a thief of the key could write any date into a proof. */
function checkRevocation(
  signedBy: string,
  timestamp: TimeStamp | null,
  { revoked }: Trust,
  problems: Problem[],
): void {
  const since = revoked.get(signedBy)
  if (since === undefined || (timestamp && timestamp.time < since)) return
  const why = timestamp
    ? `and the time stamp is of ${timestamp.time.toISOString()}`
    : 'and no trusted time stamp proves that the proof is older'
  const message = `The key that signed (${signedBy}) was revoked at ${since.toISOString()}, ${why}.`
  problems.push(problem('key_revoked', message))
}

function toSealingCertificate(certificate: Certificate): SealingCertificate {
  return {
    subject: printable(formatSubject(certificate)),
    issuer: printable(formatIssuer(certificate)),
    validFrom: certificate.validFrom.toISOString(),
    validTo: certificate.validTo.toISOString(),
  }
}
