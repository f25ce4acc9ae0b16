/** Issues CSCA and document signer certificates, and may leave out or change what the standard requires: for simulated chips and tests. */
import { constants, createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { ASN1, writeOid } from '../../../chip/der.ts'
import { writeTlv } from '../../../chip/tlv.ts'
import { hex } from './hex.ts'

const sequence = (...parts: Uint8Array[]): Buffer => writeTlv(ASN1.sequence, ...parts)
const octets = (...parts: Uint8Array[]): Buffer => writeTlv(ASN1.octetString, ...parts)

export type KeyKind = 'rsa' | 'ec'
export type HashName = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'

const HASH_OIDS: Readonly<Record<HashName, string>> = {
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
}
const HASH_ORDER = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const
const PKCS1_OIDS: Readonly<Record<HashName, string>> = {
  sha1: '1.2.840.113549.1.1.5',
  sha224: '1.2.840.113549.1.1.14',
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
}

export function writeHashAlgorithm(hash: HashName): Buffer {
  return sequence(writeOid(HASH_OIDS[hash]))
}

/** One way of signing: the AlgorithmIdentifier and the operation. */
export interface SignatureScheme {
  readonly algorithm: Buffer
  sign(key: KeyObject, data: Uint8Array): Buffer
}

export type SignatureForm = 'pkcs1' | 'rsa_encryption' | 'pss' | 'ecdsa' | 'ecdsa_plain' | 'dsa'

export function makeScheme(form: SignatureForm, hash: HashName): SignatureScheme {
  switch (form) {
    case 'pkcs1':
      return {
        algorithm: sequence(writeOid(PKCS1_OIDS[hash]), hex('0500')),
        sign: (key, data) => sign(hash, data, key),
      }
    case 'rsa_encryption':
      return {
        algorithm: sequence(writeOid('1.2.840.113549.1.1.1'), hex('0500')),
        sign: (key, data) => sign(hash, data, key),
      }
    case 'pss': {
      const saltLength = createHash(hash).digest().length
      const parameters = sequence(
        writeTlv(0xa0, writeHashAlgorithm(hash)),
        writeTlv(0xa1, sequence(writeOid('1.2.840.113549.1.1.8'), writeHashAlgorithm(hash))),
        writeTlv(0xa2, Buffer.of(ASN1.integer, 1, saltLength)),
      )
      return {
        algorithm: sequence(writeOid('1.2.840.113549.1.1.10'), parameters),
        sign: (key, data) => sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }),
      }
    }
    case 'ecdsa': {
      const number = HASH_ORDER.indexOf(hash)
      const oid = number === 0 ? '1.2.840.10045.4.1' : `1.2.840.10045.4.3.${number}`
      return { algorithm: sequence(writeOid(oid)), sign: (key, data) => sign(hash, data, key) }
    }
    case 'dsa': {
      const number = HASH_ORDER.indexOf(hash)
      const oid = number === 0 ? '1.2.840.10040.4.3' : `2.16.840.1.101.3.4.3.${number}`
      return { algorithm: sequence(writeOid(oid)), sign: (key, data) => sign(hash, data, key) }
    }
    case 'ecdsa_plain':
      return {
        algorithm: sequence(writeOid(`0.4.0.127.0.7.1.1.4.1.${HASH_ORDER.indexOf(hash) + 1}`)),
        sign: (key, data) => sign(hash, data, { key, dsaEncoding: 'ieee-p1363' }),
      }
  }
}

/** A name with a country and a common name; the string types of issuers differ. */
export function writeName(country: string, commonName: string, stringTag = 0x13): Buffer {
  const part = (oid: string, text: string) =>
    writeTlv(ASN1.set, sequence(writeOid(oid), writeTlv(stringTag, Buffer.from(text))))
  return sequence(part('2.5.4.6', country), part('2.5.4.3', commonName))
}

export interface CertificateOptions {
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly publicKey: KeyObject
  readonly issuerKey: KeyObject
  readonly scheme: SignatureScheme
  readonly subjectKeyIdentifier: Buffer
  readonly authorityKeyIdentifier: Buffer | null
  readonly isAuthority: boolean
  /** The first octet of the key usage; null leaves the extension out. */
  readonly keyUsage?: number | null
  readonly isUsageCritical?: boolean
  readonly version?: Buffer
  readonly outerAlgorithm?: Buffer
  /** Extensions beside those of keys, usage and constraints. */
  readonly moreExtensions?: readonly Uint8Array[]
  /** UTCTime. */
  readonly validFrom?: string
  readonly validTo?: string
  /** Changes the members of the signed part: version, serial, algorithm, issuer, validity, subject, key, extensions. */
  readonly changeMembers?: (members: readonly Buffer[]) => readonly Buffer[]
  /** Changes the three members around it: the signed part, the algorithm, the signature. */
  readonly changeOuter?: (members: readonly Buffer[]) => readonly Buffer[]
}

export function writeCertificate(options: CertificateOptions): Buffer {
  const { scheme, isAuthority, authorityKeyIdentifier } = options
  const {
    keyUsage = isAuthority ? 0x06 : 0x80,
    isUsageCritical = true,
    version = hex('A003020102'),
  } = options
  const critical = hex('0101FF')
  const usage = writeTlv(ASN1.bitString, Buffer.of(0, keyUsage ?? 0))
  const extensions = [
    sequence(writeOid('2.5.29.14'), octets(octets(options.subjectKeyIdentifier))),
    ...(authorityKeyIdentifier === null
      ? []
      : [sequence(writeOid('2.5.29.35'), octets(sequence(writeTlv(0x80, authorityKeyIdentifier))))]),
    ...(keyUsage === null
      ? []
      : [sequence(writeOid('2.5.29.15'), ...(isUsageCritical ? [critical] : []), octets(usage))]),
    ...(isAuthority ? [sequence(writeOid('2.5.29.19'), critical, octets(sequence(critical)))] : []),
    ...(options.moreExtensions ?? []),
  ]
  const time = (text: string) => writeTlv(0x17, Buffer.from(text))
  const members = [
    version,
    hex('020107'),
    scheme.algorithm,
    options.issuer,
    sequence(time(options.validFrom ?? '200101000000Z'), time(options.validTo ?? '401231235959Z')),
    options.subject,
    options.publicKey.export({ format: 'der', type: 'spki' }),
    writeTlv(0xa3, sequence(...extensions)),
  ]
  const tbs = sequence(...(options.changeMembers?.(members) ?? members))
  const signature = scheme.sign(options.issuerKey, tbs)
  const outer = [
    tbs,
    options.outerAlgorithm ?? scheme.algorithm,
    writeTlv(ASN1.bitString, Buffer.of(0), signature),
  ]
  return sequence(...(options.changeOuter?.(outer) ?? outer))
}

export interface RevocationListOptions {
  readonly issuer: Buffer
  readonly issuerKey: KeyObject
  readonly scheme: SignatureScheme
  /** UTCTime. */
  readonly issuedAt: string
  /** Serial numbers, two hexadecimal digits each. */
  readonly serials: readonly string[]
}

export function writeRevocationList(options: RevocationListOptions): Buffer {
  const { scheme, issuedAt } = options
  const time = writeTlv(0x17, Buffer.from(issuedAt))
  const revoked = options.serials.map((serial) => sequence(hex(`0201${serial}`), time))
  const tbs = sequence(
    hex('020101'),
    scheme.algorithm,
    options.issuer,
    time,
    ...(revoked.length === 0 ? [] : [sequence(...revoked)]),
  )
  const signature = scheme.sign(options.issuerKey, tbs)
  return sequence(tbs, scheme.algorithm, writeTlv(ASN1.bitString, Buffer.of(0), signature))
}

export interface IssuedSigner {
  readonly authority: Buffer
  readonly authorityName: Buffer
  readonly signer: Buffer
  readonly signerKey: KeyObject
}

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export interface IssueOptions {
  /** Two letters; default: UT. */
  readonly country?: string
  /** Replaces the keys of the kinds below. */
  readonly authorityPair?: KeyPair
  readonly signerPair?: KeyPair
  /** How the authority signs; the signer has a key of its own kind. */
  readonly authorityScheme?: SignatureScheme
  readonly authorityKind?: KeyKind
  readonly signerKind?: KeyKind
  readonly signerCurve?: string
  readonly signer?: Partial<CertificateOptions>
  readonly authority?: Partial<CertificateOptions>
}

/** A country signing authority and a document signer that it certified. */
export function issueSigner(options: IssueOptions = {}): IssuedSigner {
  const { authorityKind = 'ec', signerKind = 'ec', signerCurve = 'brainpoolP256r1', country = 'UT' } = options
  const scheme = options.authorityScheme ?? makeScheme('ecdsa', 'sha256')
  const authorityPair = options.authorityPair ?? makeKeyPair(authorityKind, 'brainpoolP384r1')
  const signerPair = options.signerPair ?? makeKeyPair(signerKind, signerCurve)
  const name = writeName(country, 'CSCA Utopia')
  const shared = { issuer: name, issuerKey: authorityPair.privateKey, scheme }
  const authority = writeCertificate({
    ...shared,
    subject: name,
    publicKey: authorityPair.publicKey,
    subjectKeyIdentifier: hex('0A0A'),
    authorityKeyIdentifier: hex('0A0A'),
    isAuthority: true,
    ...options.authority,
  })
  const signer = writeCertificate({
    ...shared,
    subject: writeName(country, 'Document signer'),
    publicKey: signerPair.publicKey,
    subjectKeyIdentifier: hex('0B0B'),
    authorityKeyIdentifier: hex('0A0A'),
    isAuthority: false,
    ...options.signer,
  })
  return { authority, authorityName: name, signer, signerKey: signerPair.privateKey }
}

function makeKeyPair(kind: KeyKind, namedCurve: string) {
  return kind === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve, paramEncoding: 'explicit' })
}
