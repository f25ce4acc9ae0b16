/**
 * Reads one time-stamp token (RFC 3161): the bytes it covers, its time, and whether the certificate inside signed it for
 * this purpose. `findUntrusted` decides separately whether to trust the authority, because nothing inside a token is a
 * reason to trust it.
 */
import { createHash, verify as verifyWith, constants, type VerifyKeyObjectInput } from 'node:crypto'
import { fromBER, OctetString, ObjectIdentifier, Sequence } from 'asn1js'
import {
  Certificate as ParsedCertificate,
  ContentInfo,
  IssuerAndSerialNumber,
  SignedData,
  TSTInfo,
} from 'pkijs'
import type { Attribute, SignerInfo } from 'pkijs'
import { isSame, readCertificate, formatSubject, type Certificate } from './certificate.ts'
import { findChainFault, MAX_CHAIN_LENGTH, maySign, type ChainFault } from './certificate-chain.ts'

export interface TimeStamp {
  readonly time: Date
  /** Subject of the signing certificate, not yet trusted. */
  readonly authority: string
  readonly nonce: bigint | null
  /** The authority's own certificate, and the other certificates in the token. */
  readonly signer: Certificate
  readonly others: readonly Certificate[]
}

/** The fault of a token, as one sentence. */
export class TimeStampError extends Error {
  override readonly name = 'TimeStampError'
}

export const LARGEST_TOKEN = 64 * 1024 // tokens with a whole chain have about eight kilobytes

const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12' // RFC 2634: SHA-1 of the certificate
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47' // RFC 5816
const RSA_PSS = '1.2.840.113549.1.1.10'
const HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.1', // RSA, with the hash named separately
  RSA_PSS,
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2', // ECDSA
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
])

/**
 * @param digest SHA-256 of the bytes that the token must cover
 * @throws TimeStampError unless the bytes are a complete token over this digest
 */
export function readTimeStamp(der: Uint8Array, digest: Uint8Array): TimeStamp {
  if (der.length > LARGEST_TOKEN) throw new TimeStampError(`The time stamp has ${der.length} bytes.`)
  const { signed, content } = parse(() => readSignedData(der))
  const info = parse(() => TSTInfo.fromBER(Uint8Array.from(content)))
  const { hashAlgorithm, hashedMessage } = info.messageImprint
  if (
    HASHES[hashAlgorithm.algorithmId] !== 'sha256' ||
    Buffer.compare(hashedMessage.valueBlock.valueHexView, digest) !== 0
  ) {
    throw new TimeStampError('The time stamp was made for something else than this signature.')
  }
  if (Number.isNaN(info.genTime.getTime())) throw new TimeStampError('The time stamp tells no time.')
  const certificates = parse(() => readCertificates(signed))
  const signer = parse(() => checkSigner(signed, content, certificates))
  checkPurpose(signer)
  return {
    time: info.genTime,
    authority: formatSubject(signer),
    nonce: info.nonce ? info.nonce.toBigInt() : null,
    signer,
    others: certificates.filter((certificate) => certificate !== signer),
  }
}

/** Null if the authority's certificate was valid under one of the anchors at the token's own time. */
export function findUntrusted(stamp: TimeStamp, anchors: readonly Certificate[]): ChainFault | null {
  const chain = [stamp.signer]
  let left = [...stamp.others]
  const name = 'the certificate of the time-stamping authority'
  while (chain.length < MAX_CHAIN_LENGTH) {
    const last = chain.at(-1) ?? stamp.signer
    if (anchors.some((anchor) => isSame(anchor, last) || last.x509.checkIssued(anchor.x509))) break
    const next = left.find((other) => last.x509.checkIssued(other.x509))
    if (!next) break
    chain.push(next)
    left = left.filter((other) => other !== next)
  }
  return findChainFault(chain, anchors, stamp.time, name)
}

function readSignedData(der: Uint8Array): { signed: SignedData; content: Uint8Array } {
  const { offset, result } = fromBER(Uint8Array.from(der))
  if (offset !== der.length) throw new TypeError('bytes after the end')
  const outer = new ContentInfo({ schema: result })
  if (outer.contentType !== SIGNED_DATA) throw new TypeError('not signed')
  const signed = new SignedData({ schema: outer.content as Sequence })
  const { eContent, eContentType } = signed.encapContentInfo
  if (eContentType !== TST_INFO || !eContent) throw new TypeError('not a time stamp')
  return { signed, content: new Uint8Array(eContent.getValue()) }
}

function readCertificates(signed: SignedData): Certificate[] {
  return (signed.certificates ?? []).flatMap((item) => {
    if (!(item instanceof ParsedCertificate)) return []
    return readCertificate(new Uint8Array(item.toSchema().toBER())) ?? []
  })
}

/** Tells whether the signature names this certificate by issuer and serial number. A key identifier is not checked. */
function isMeant({ sid }: SignerInfo, { x509 }: Certificate): boolean {
  const asked: unknown = sid
  if (!(asked instanceof IssuerAndSerialNumber)) return true
  const parsed = ParsedCertificate.fromBER(Uint8Array.from(x509.raw))
  return asked.serialNumber.isEqual(parsed.serialNumber) && asked.issuer.isEqual(parsed.issuer)
}

/** Returns the certificate whose key made the only signature. */
function checkSigner(
  signed: SignedData,
  content: Uint8Array,
  certificates: readonly Certificate[],
): Certificate {
  const [signerInfo, ...more] = signed.signerInfos
  if (!signerInfo || more.length > 0)
    throw new TimeStampError('The time stamp must have exactly one signature.')
  const hash = HASHES[signerInfo.digestAlgorithm.algorithmId]
  const algorithm = signerInfo.signatureAlgorithm.algorithmId
  if (hash === undefined || !SIGNATURES.has(algorithm)) {
    throw new TimeStampError('The time stamp is signed with an algorithm that is too weak or unknown.')
  }
  const attributes = signerInfo.signedAttrs
  if (!attributes) throw new TimeStampError('The time stamp has no signed attributes.')
  const type = only(attributes.attributes, CONTENT_TYPE)
  const messageDigest = only(attributes.attributes, MESSAGE_DIGEST)
  const hashed = createHash(hash).update(content).digest()
  if (
    !(type instanceof ObjectIdentifier && type.getValue() === TST_INFO) ||
    !(messageDigest instanceof OctetString && hashed.equals(messageDigest.valueBlock.valueHexView))
  ) {
    throw new TimeStampError('The time stamp was altered: its content is not what was signed.')
  }
  const signer = certificates.find(
    (certificate) => isNamedBy(attributes.attributes, certificate) && isMeant(signerInfo, certificate),
  )
  if (!signer) throw new TimeStampError('The time stamp does not bring the certificate it was signed with.')
  const key: VerifyKeyObjectInput = { key: signer.x509.publicKey }
  if (algorithm === RSA_PSS) {
    key.padding = constants.RSA_PKCS1_PSS_PADDING
    key.saltLength = constants.RSA_PSS_SALTLEN_AUTO
  }
  const signature = signerInfo.signature.valueBlock.valueHexView
  if (!verifyWith(hash, new Uint8Array(attributes.encodedValue), key, signature)) {
    throw new TimeStampError('The signature of the time stamp is not valid.')
  }
  return signer
}

/** Checks the signed attribute that binds the token to one certificate (ESSCertID, ESSCertIDv2). */
function isNamedBy(attributes: readonly Attribute[], { x509 }: Certificate): boolean {
  for (const [type, usual] of [
    [SIGNING_CERTIFICATE_V2, 'sha256'],
    [SIGNING_CERTIFICATE, 'sha1'],
  ] as const) {
    const [list] = members(only(attributes, type))
    const [first] = members(list)
    const [algorithm, ...rest] = members(first)
    const [oid] = members(algorithm)
    const named = oid instanceof ObjectIdentifier ? HASHES[oid.getValue()] : usual
    const value = oid instanceof ObjectIdentifier ? rest[0] : algorithm
    if (named === undefined || !(value instanceof OctetString)) continue
    return createHash(named).update(x509.raw).digest().equals(value.valueBlock.valueHexView)
  }
  return false
}

/** RFC 3161, 2.3: the certificate must restrict its key to time stamping, in a critical extension. */
function checkPurpose(signer: Certificate): void {
  const { purposes } = signer
  const [oid, ...more] = purposes?.oids ?? []
  if (purposes?.critical !== true || oid !== TIME_STAMPING || more.length > 0 || !maySign(signer)) {
    throw new TimeStampError('The certificate that signed the time stamp is not one for time stamps.')
  }
}

/** The only value of the only attribute of this type; undefined if there are none or several. */
function only(attributes: readonly Attribute[], type: string): unknown {
  const [found, ...more] = attributes.filter((attribute) => attribute.type === type)
  const values = (found?.values ?? []) as readonly unknown[]
  return more.length === 0 && values.length === 1 ? values[0] : undefined
}

function members(value: unknown): readonly unknown[] {
  return value instanceof Sequence ? value.valueBlock.value : []
}

/** Any exception of the library, including one from deep nesting, means that the bytes are not a token. */
function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof TimeStampError) throw cause
    throw new TimeStampError('The time stamp is no time-stamp token that can be read.', { cause })
  }
}
