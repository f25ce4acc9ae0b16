/**
 * Verifies signatures of issuers with the algorithms of ICAO Doc 9303-12, table 4, and with DSA, which older documents have (BSI
 * TR-03105-5.1, LDS_H_97). MD5 is refused. The algorithm is that of the signature, never that of the certificate.
 */
import { constants, verify } from 'node:crypto'
import { ASN1, toSmallNumber } from '../der.ts'
import { parseAlgorithm, type Algorithm } from '../files/cms.ts'
import { ChipFault } from '../outcome.ts'
import type { SignatureKey } from '../signature-key.ts'
import { findValue, readTlv, readTlvs } from '../tlv.ts'

export type HashName = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'

const HASHES: Readonly<Record<string, HashName>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const RSA_ENCRYPTION = '1.2.840.113549.1.1.1'
const RSA_PSS = '1.2.840.113549.1.1.10'
const MGF1 = '1.2.840.113549.1.1.8'
const PSS_MEMBERS: readonly number[] = [0xa0, 0xa1, 0xa2, 0xa3]
/** Bytes of the longest hash; a longer salt adds nothing (RFC 8017, 9.1). */
const MAX_SALT = 64

const PKCS1: Readonly<Record<string, HashName>> = {
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.14': 'sha224',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
}
/** FIPS 186-4: r and s in DER. */
const DSA: Readonly<Record<string, HashName>> = {
  '1.2.840.10040.4.3': 'sha1',
  '2.16.840.1.101.3.4.3.1': 'sha224',
  '2.16.840.1.101.3.4.3.2': 'sha256',
  '2.16.840.1.101.3.4.3.3': 'sha384',
  '2.16.840.1.101.3.4.3.4': 'sha512',
}
/** ANSI X9.62: r and s in DER. */
const ECDSA_DER: Readonly<Record<string, HashName>> = {
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.1': 'sha224',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
}
/** BSI TR-03111, 5.2.1: r and s side by side. */
const ECDSA_PLAIN: Readonly<Record<string, HashName>> = {
  '0.4.0.127.0.7.1.1.4.1.1': 'sha1',
  '0.4.0.127.0.7.1.1.4.1.2': 'sha224',
  '0.4.0.127.0.7.1.1.4.1.3': 'sha256',
  '0.4.0.127.0.7.1.1.4.1.4': 'sha384',
  '0.4.0.127.0.7.1.1.4.1.5': 'sha512',
}

/** @throws ChipFault algorithm_unknown */
export function getHashName(oid: string): HashName {
  const name = HASHES[oid]
  if (name === undefined) throw new ChipFault('algorithm_unknown')
  return name
}

export interface SignedBytes {
  readonly algorithm: Algorithm
  /** Names the hash where the algorithm is only rsaEncryption (RFC 3370, 3.2). */
  readonly digestAlgorithm?: string
  readonly data: Uint8Array
  readonly signature: Uint8Array
}

/** @throws ChipFault algorithm_unknown, also if algorithm and key are of different kinds */
export function isSignatureValid(signed: SignedBytes, { kind, key }: SignatureKey): boolean {
  const { data, signature } = signed
  const scheme = parseScheme(signed)
  if (scheme.kind !== kind) throw new ChipFault('algorithm_unknown')
  try {
    return verify(scheme.hash, data, { key, ...scheme.options }, signature)
  } catch {
    // OpenSSL throws where a key for PSS restricts the algorithm and the signature has another one.
    return false
  }
}

/** False also for an algorithm that is unknown or of another kind: an issuer with such a key is another issuer of the same name. */
export function isSignedWith(signed: SignedBytes, key: SignatureKey): boolean {
  try {
    return isSignatureValid(signed, key)
  } catch (error) {
    if (error instanceof ChipFault) return false
    throw error
  }
}

export interface Scheme {
  readonly kind: SignatureKey['kind']
  readonly hash: HashName
  readonly options: {
    readonly padding?: number
    readonly saltLength?: number
    readonly dsaEncoding?: 'der' | 'ieee-p1363'
  }
}

export function parseScheme({ algorithm: { oid, parameters }, digestAlgorithm }: SignedBytes): Scheme {
  if (oid === RSA_PSS) return parsePss(parameters)
  const pkcs1 = oid === RSA_ENCRYPTION && digestAlgorithm !== undefined ? HASHES[digestAlgorithm] : PKCS1[oid]
  if (pkcs1 !== undefined)
    return { kind: 'rsa', hash: pkcs1, options: { padding: constants.RSA_PKCS1_PADDING } }
  const dsa = DSA[oid]
  if (dsa !== undefined) return { kind: 'dsa', hash: dsa, options: { dsaEncoding: 'der' } }
  const hash = ECDSA_DER[oid] ?? ECDSA_PLAIN[oid]
  if (hash === undefined) throw new ChipFault('algorithm_unknown')
  const dsaEncoding = ECDSA_DER[oid] === undefined ? 'ieee-p1363' : 'der'
  return { kind: 'ecdsa', hash, options: { dsaEncoding } }
}

/**
 * RFC 4055, 3.1: every member has a default, SHA-1 and a salt of twenty bytes. Both hashes must be the same, and the trailer is 1,
 * the only one that exists.
 */
function parsePss(parameters: Uint8Array | null): Scheme {
  const members = parameters === null ? [] : readTlvs(readTlv(parameters, ASN1.sequence).value)
  const hashValue = findValue(members, 0xa0)
  const maskValue = findValue(members, 0xa1)
  const saltValue = findValue(members, 0xa2)
  const trailer = findValue(members, 0xa3)
  const hash = hashValue === null ? 'sha1' : parseHash(hashValue)
  const maskHash = maskValue === null ? 'sha1' : parseMask(maskValue)
  const saltLength = saltValue === null ? 20 : toSmallNumber(readTlv(saltValue, ASN1.integer))
  const hasTrailer = trailer === null || toSmallNumber(readTlv(trailer, ASN1.integer)) === 1
  const isKnown = members.every(({ tag }) => PSS_MEMBERS.includes(tag))
  if (hash !== maskHash || !hasTrailer || !isKnown || saltLength > MAX_SALT)
    throw new ChipFault('algorithm_unknown')
  return { kind: 'rsa', hash, options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } }
}

function parseHash(value: Uint8Array): HashName {
  return getHashName(parseAlgorithm(readTlv(value, ASN1.sequence)).oid)
}

function parseMask(value: Uint8Array): HashName {
  const { oid, parameters } = parseAlgorithm(readTlv(value, ASN1.sequence))
  if (oid !== MGF1 || parameters === null) throw new ChipFault('algorithm_unknown')
  return parseHash(parameters)
}
