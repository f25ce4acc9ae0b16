/** Issues authorities of invented states, and signs master lists and revocation lists with them. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { ASN1, writeOid } from '../../../chip/der.ts'
import { writeTlv } from '../../../chip/tlv.ts'
import {
  makeScheme,
  writeCertificate,
  writeName,
  writeRevocationList as writeChipRevocationList,
  type CertificateOptions,
} from './chip-issuer.ts'
import { hex } from './hex.ts'
import { writeSignedData } from './signed-files.ts'

const sequence = (...parts: Uint8Array[]): Buffer => writeTlv(ASN1.sequence, ...parts)
const scheme = makeScheme('ecdsa', 'sha256')

interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export interface State {
  readonly name: Buffer
  readonly keys: KeyPair
  readonly keyIdentifier: Buffer
  /** The self-signed certificate of its authority. */
  readonly certificate: Buffer
}

export function makeState(country: string, options: Partial<CertificateOptions> = {}): State {
  const keys = makeKeys()
  const name = writeName(country, `CSCA ${country}`)
  const keyIdentifier = identifyKey(keys.publicKey)
  const certificate = writeCertificate({
    subject: name,
    issuer: name,
    publicKey: keys.publicKey,
    issuerKey: keys.privateKey,
    scheme,
    subjectKeyIdentifier: keyIdentifier,
    authorityKeyIdentifier: keyIdentifier,
    isAuthority: true,
    ...options,
  })
  return { name, keys, keyIdentifier, certificate }
}

/** The certificate of the key of `to`, signed by the key of `from`. */
export function writeLink(from: State, to: State): Buffer {
  return writeCertificate({
    subject: to.name,
    issuer: from.name,
    publicKey: to.keys.publicKey,
    issuerKey: from.keys.privateKey,
    scheme,
    subjectKeyIdentifier: to.keyIdentifier,
    authorityKeyIdentifier: from.keyIdentifier,
    isAuthority: true,
  })
}

export interface MasterListOptions {
  readonly certificates?: readonly Uint8Array[]
  /** UTCTime; null leaves the attribute out. */
  readonly signedAt?: string | null
  /** Extended key usage of the signer; null leaves the extension out. */
  readonly purpose?: string | null
  readonly contentType?: string
  readonly changeSignature?: (signature: Buffer) => Buffer
}

export function writeMasterList(state: State, options: MasterListOptions = {}): Buffer {
  const { certificates = [state.certificate] } = options
  return writeSignedList(state, sequence(hex('020100'), writeTlv(ASN1.set, ...certificates)), options)
}

/** A defect list about the document signer with this issuer and the serial number 7, which `issueSigner` makes. */
export function writeDefectList(
  state: State,
  { issuer, types, ...options }: MasterListOptions & { issuer: Uint8Array; types: readonly string[] },
): Buffer {
  const known = types.map((type) => sequence(writeOid(`0.4.0.127.0.7.3.1.5.${type}`)))
  const defect = sequence(sequence(issuer, hex('020107')), writeTlv(ASN1.set, ...known))
  const content = sequence(hex('020100'), writeOid('2.16.840.1.101.3.4.2.1'), writeTlv(ASN1.set, defect))
  return writeSignedList(state, content, { contentType: '0.4.0.127.0.7.3.1.5', ...options })
}

function writeSignedList(state: State, content: Uint8Array, options: MasterListOptions): Buffer {
  const { signedAt = '260101120000Z' } = options
  const keys = makeKeys()
  const purposes = sequence(writeOid(options.purpose ?? '2.23.136.1.1.3'))
  const signer = writeCertificate({
    subject: state.name,
    issuer: state.name,
    publicKey: keys.publicKey,
    issuerKey: state.keys.privateKey,
    scheme,
    subjectKeyIdentifier: identifyKey(keys.publicKey),
    authorityKeyIdentifier: state.keyIdentifier,
    isAuthority: false,
    moreExtensions:
      options.purpose === null ? [] : [sequence(writeOid('2.5.29.37'), writeTlv(ASN1.octetString, purposes))],
  })
  const time = (text: string) =>
    sequence(writeOid('1.2.840.113549.1.9.5'), writeTlv(ASN1.set, writeTlv(0x17, Buffer.from(text))))
  const { changeSignature } = options
  return writeSignedData(options.contentType ?? '2.23.136.1.1.2', content, {
    privateKey: keys.privateKey,
    issuer: state.name,
    certificates: [signer],
    moreAttributes: signedAt === null ? [] : [time(signedAt)],
    ...(changeSignature ? { changeSignature } : {}),
  })
}

/** @param issuedAt UTCTime @param serials two hexadecimal digits each */
export function writeRevocationList(state: State, issuedAt: string, serials: readonly string[] = []): Buffer {
  return writeChipRevocationList({
    issuer: state.name,
    issuerKey: state.keys.privateKey,
    scheme,
    issuedAt,
    serials,
  })
}

function makeKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1', paramEncoding: 'explicit' })
}

function identifyKey(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest()
}
