/**
 * Reads signed data (RFC 5652, 5) of EF.SOD and EF.CardSecurity, in DER or BER: some issuers write indefinite lengths. Verifies
 * nothing: a signature, a certificate and a content type are facts here.
 */
import { ASN1, toIntegerBytes, toOid, toSmallNumber } from '../der.ts'
import { ChipFault } from '../outcome.ts'
import { readTlv, readTlvs, writeTlv, type Tlv } from '../tlv.ts'

export interface SignedData {
  readonly version: number
  /** Object identifiers. */
  readonly digestAlgorithms: readonly string[]
  readonly contentType: string
  readonly content: Uint8Array
  /** Certificates in DER, as they stand in the file. */
  readonly certificates: readonly Uint8Array[]
  readonly signers: readonly SignerInfo[]
}

export interface SignerInfo {
  readonly version: number
  readonly identifier: SignerIdentifier
  readonly digestAlgorithm: string
  readonly signedAttributes: readonly SignedAttribute[]
  /** The signed attributes as the signature covers them: a SET OF (RFC 5652, 5.4). Null if there are none. */
  readonly signedBytes: Uint8Array | null
  readonly signatureAlgorithm: Algorithm
  readonly signature: Uint8Array
}

export type SignerIdentifier =
  | { readonly kind: 'issuer_and_serial'; readonly issuer: Uint8Array; readonly serial: Uint8Array }
  | { readonly kind: 'key_identifier'; readonly keyIdentifier: Uint8Array }

export interface SignedAttribute {
  readonly type: string
  readonly values: readonly Tlv[]
}

export interface Algorithm {
  readonly oid: string
  /** The encoded parameters, or null. */
  readonly parameters: Uint8Array | null
}

const SIGNED_DATA = '1.2.840.113549.1.7.2'
const CONTEXT_0 = 0xa0
const CONTEXT_1 = 0xa1
const KEY_IDENTIFIER = 0x80
const CONSTRUCTED_OCTET_STRING = 0x24
const BER = { indefinite: true } as const
const MAX_CERTIFICATES = 16
const MAX_SIGNERS = 4
const MAX_STRING_LEVELS = 4

/** @throws ChipFault malformed_data */
export function parseSignedData(bytes: Uint8Array): SignedData {
  const [type, wrapped, ...more] = readTlvs(readTlv(bytes, ASN1.sequence, BER).value, BER)
  if (toOid(type) !== SIGNED_DATA || wrapped?.tag !== CONTEXT_0 || more.length > 0)
    throw new ChipFault('malformed_data')
  const members = readTlvs(readTlv(wrapped.value, ASN1.sequence, BER).value, BER)
  const [version, digests, encapsulated, ...rest] = members
  const certificates = rest[0]?.tag === CONTEXT_0 ? rest.shift() : undefined
  if (rest[0]?.tag === CONTEXT_1) rest.shift() // revocation lists of the issuer are not used
  const [signers, ...after] = rest
  if (digests?.tag !== ASN1.set || encapsulated?.tag !== ASN1.sequence || signers?.tag !== ASN1.set)
    throw new ChipFault('malformed_data')
  const certificateList = certificates === undefined ? [] : readTlvs(certificates.value, BER)
  const signerList = readTlvs(signers.value, BER)
  if (after.length > 0 || certificateList.length > MAX_CERTIFICATES || signerList.length > MAX_SIGNERS)
    throw new ChipFault('malformed_data')
  return {
    version: toSmallNumber(version),
    digestAlgorithms: readTlvs(digests.value, BER).map((each) => parseAlgorithm(each).oid),
    ...parseContent(encapsulated),
    certificates: certificateList.map(({ raw }) => raw),
    signers: signerList.map(parseSigner),
  }
}

export function parseAlgorithm(object: Tlv | undefined): Algorithm {
  if (object?.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [oid, parameters, ...more] = readTlvs(object.value, BER)
  if (more.length > 0) throw new ChipFault('malformed_data')
  return { oid: toOid(oid), parameters: parameters?.raw ?? null }
}

function parseContent({ value }: Tlv): Pick<SignedData, 'contentType' | 'content'> {
  const [type, wrapped, ...more] = readTlvs(value, BER)
  if (wrapped?.tag !== CONTEXT_0 || more.length > 0) throw new ChipFault('malformed_data')
  const [octets, ...others] = readTlvs(wrapped.value, BER)
  if (others.length > 0) throw new ChipFault('malformed_data')
  return { contentType: toOid(type), content: joinOctets(octets, MAX_STRING_LEVELS) }
}

/** BER may cut an OCTET STRING in pieces (X.690, 8.7.3). */
function joinOctets(object: Tlv | undefined, levels: number): Uint8Array {
  if (object?.tag === ASN1.octetString) return object.value
  if (object?.tag !== CONSTRUCTED_OCTET_STRING || levels === 0) throw new ChipFault('malformed_data')
  return Buffer.concat(readTlvs(object.value, BER).map((piece) => joinOctets(piece, levels - 1)))
}

function parseSigner(signer: Tlv): SignerInfo {
  if (signer.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [version, identifier, digest, ...rest] = readTlvs(signer.value, BER)
  const attributes = rest[0]?.tag === CONTEXT_0 ? rest.shift() : undefined
  const [algorithm, signature, unsigned, ...more] = rest
  const isEnd = more.length === 0 && (unsigned === undefined || unsigned.tag === CONTEXT_1)
  if (identifier === undefined || !isEnd) throw new ChipFault('malformed_data')
  return {
    version: toSmallNumber(version),
    identifier: parseSignerIdentifier(identifier),
    digestAlgorithm: parseAlgorithm(digest).oid,
    signedAttributes: attributes === undefined ? [] : readTlvs(attributes.value, BER).map(parseAttribute),
    signedBytes: attributes === undefined ? null : writeTlv(ASN1.set, attributes.value),
    signatureAlgorithm: parseAlgorithm(algorithm),
    signature: joinOctets(signature, MAX_STRING_LEVELS),
  }
}

/** Issuer and serial number, or the key identifier (RFC 5652, 5.3). */
export function parseSignerIdentifier(object: Tlv): SignerIdentifier {
  if (object.tag === KEY_IDENTIFIER) return { kind: 'key_identifier', keyIdentifier: object.value }
  if (object.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [issuer, serial, ...more] = readTlvs(object.value, BER)
  if (issuer?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  return { kind: 'issuer_and_serial', issuer: issuer.raw, serial: toIntegerBytes(serial) }
}

function parseAttribute(attribute: Tlv): SignedAttribute {
  if (attribute.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [type, values, ...more] = readTlvs(attribute.value, BER)
  if (values?.tag !== ASN1.set || more.length > 0) throw new ChipFault('malformed_data')
  return { type: toOid(type), values: readTlvs(values.value, BER) }
}
