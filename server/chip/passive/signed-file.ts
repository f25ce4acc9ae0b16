/** Verifies the signature of a signed file (RFC 5652, 5.4) with one certificate. Says nothing of trust in that certificate. */
import { createHash } from 'node:crypto'
import { ASN1, encodeOid } from '../der.ts'
import type { SignedData, SignerIdentifier, SignerInfo } from '../files/cms.ts'
import { ChipFault } from '../outcome.ts'
import type { Tlv } from '../tlv.ts'
import { parseTime, type ChipCertificate } from './certificate.ts'
import { isSameName } from './names.ts'
import { getHashName, isSignatureValid } from './signature.ts'

const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const SIGNING_TIME = '1.2.840.113549.1.9.5'

/** Tells whether the identifier is that of the certificate. */
export function isIdentified(identifier: SignerIdentifier, certificate: ChipCertificate): boolean {
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

/**
 * True if the signed attributes name the content and its digest, and the signature covers the attributes.
 * @throws ChipFault malformed_data, or algorithm_unknown
 */
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

/**
 * The signing time that the signature covers (RFC 5652, 11.3), or null if there is none.
 * @throws ChipFault malformed_data
 */
export function findSigningTime(signer: SignerInfo): Date | null {
  const isStated = signer.signedAttributes.some(({ type }) => type === SIGNING_TIME)
  return isStated ? parseTime(getOnlyValue(signer, SIGNING_TIME)) : null
}

function getAttribute(signer: SignerInfo, type: string, tag: number): Uint8Array {
  const value = getOnlyValue(signer, type)
  if (value.tag !== tag) throw new ChipFault('malformed_data')
  return value.value
}

/** The only value of the only attribute of this type. */
function getOnlyValue({ signedAttributes }: SignerInfo, type: string): Tlv {
  const [attribute, ...more] = signedAttributes.filter((each) => each.type === type)
  const [value, ...others] = attribute?.values ?? []
  if (value === undefined || more.length > 0 || others.length > 0) throw new ChipFault('malformed_data')
  return value
}
