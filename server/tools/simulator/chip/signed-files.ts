/** Writes EF.SOD and EF.CardSecurity for simulated chips and tests, also with the indefinite lengths of BER. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { ASN1, writeOid } from '../../../chip/der.ts'
import { DATA_GROUP_TAGS } from '../../../chip/files/data-groups.ts'
import { writeTlv } from '../../../chip/tlv.ts'
import { makeScheme, writeHashAlgorithm, type HashName, type SignatureScheme } from './chip-issuer.ts'
import { hex } from './hex.ts'

export const SHA_256 = '2.16.840.1.101.3.4.2.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const LDS_SECURITY_OBJECT = '2.23.136.1.1.1'
const CARD_SECURITY_OBJECT = '0.4.0.127.0.7.3.2.1'

const sequence = (...parts: Uint8Array[]): Buffer => writeTlv(ASN1.sequence, ...parts)
const set = (...parts: Uint8Array[]): Buffer => writeTlv(ASN1.set, ...parts)
const small = (number: number): Buffer => writeTlv(ASN1.integer, Buffer.of(number))

/** An object of indefinite length. */
export function writeIndefinite(tag: number, ...parts: Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.of(tag, 0x80), ...parts, hex('0000')])
}

/** DG1 with the MRZ of a passport of this state; the text is that of the specimen in Doc 9303-4. */
export function writeDg1(state = 'UTO'): Buffer {
  const first = `P<${state.padEnd(3, '<')}ERIKSSON<<ANNA<MARIA`.padEnd(44, '<')
  const lines = `${first}L898902C36UTO7408122F1204159ZE184226B<<<<<10`
  return writeTlv(0x61, writeTlv(0x5f1f, Buffer.from(lines)))
}

/** EF.COM of LDS 1.7 with these data groups. */
export function writeEfCom(...groups: readonly number[]): Buffer {
  const tags = Buffer.from(groups.map((number) => DATA_GROUP_TAGS[number] ?? 0))
  const version = writeTlv(0x5f01, Buffer.from('0107'))
  return writeTlv(0x60, version, writeTlv(0x5f36, Buffer.from('040000')), writeTlv(0x5c, tags))
}

export interface SignedFileOptions {
  readonly privateKey?: KeyObject
  readonly scheme?: SignatureScheme
  readonly issuer?: Uint8Array
  readonly certificates?: readonly Uint8Array[]
  readonly isBer?: boolean
  /** Digest of the content and of the groups. */
  readonly hash?: HashName
  readonly version?: number
  readonly signerVersion?: number
  /** Replaces issuer and serial number. */
  readonly identifier?: Uint8Array
  /** Value of the attribute messageDigest; null leaves the attribute out. */
  readonly messageDigest?: Uint8Array | null
  /** Value of the attribute contentType. */
  readonly signedType?: string
  readonly digestAlgorithm?: Buffer
  readonly changeSignature?: (signature: Buffer) => Buffer
  readonly hasAttributes?: boolean
  /** Changes the members of SignerInfo: version, identifier, digest, attributes, algorithm, signature. */
  readonly changeSigner?: (members: readonly Buffer[]) => readonly Buffer[]
  /** Changes those of SignedData: version, digests, content, certificates, signers. */
  readonly changeSignedData?: (members: readonly Buffer[]) => readonly Buffer[]
  /** Signed attributes beside the content type and the digest. */
  readonly moreAttributes?: readonly Uint8Array[]
}

/** The hashes of data groups, signed. */
export function writeSod(
  groups: Readonly<Record<number, Uint8Array>>,
  options: SignedFileOptions & {
    readonly ldsVersion?: Buffer
    readonly versionInfo?: readonly Buffer[]
    /** Digest of the groups, where it is not that of the signature. */
    readonly groupHash?: HashName
    /** Changes the entries: one SEQUENCE for each group, in the order of their numbers. */
    readonly changeHashes?: (entries: readonly Buffer[]) => readonly Buffer[]
    /** Changes the members of the security object: version, digest, hashes. */
    readonly changeContent?: (members: readonly Buffer[]) => readonly Buffer[]
  } = {},
): Buffer {
  const hash = options.groupHash ?? options.hash ?? 'sha256'
  const hashes = Object.entries(groups).map(([number, file]) =>
    sequence(small(Number(number)), writeTlv(ASN1.octetString, createHash(hash).update(file).digest())),
  )
  const members = [
    options.ldsVersion ?? small(0),
    writeHashAlgorithm(hash),
    sequence(...(options.changeHashes?.(hashes) ?? hashes)),
    ...(options.versionInfo ?? []),
  ]
  const content = sequence(...(options.changeContent?.(members) ?? members))
  return writeTlv(0x77, writeSignedData(LDS_SECURITY_OBJECT, content, options))
}

export function writeCardSecurity(infos: Uint8Array, options: SignedFileOptions = {}): Buffer {
  return writeSignedData(CARD_SECURITY_OBJECT, infos, options)
}

export function writeSignedData(
  contentType: string,
  content: Uint8Array,
  options: SignedFileOptions,
): Buffer {
  const { privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey } = options
  const { issuer = sequence(), certificates = [], isBer = false, hash = 'sha256' } = options
  const { scheme = makeScheme('ecdsa', 'sha256'), digestAlgorithm = writeHashAlgorithm(hash) } = options
  const { messageDigest = createHash(hash).update(content).digest(), changeSignature } = options
  const attributes = [
    sequence(writeOid('1.2.840.113549.1.9.3'), set(writeOid(options.signedType ?? contentType))),
    ...(messageDigest === null
      ? []
      : [sequence(writeOid('1.2.840.113549.1.9.4'), set(writeTlv(ASN1.octetString, messageDigest)))]),
    ...(options.moreAttributes ?? []),
  ]
  const { hasAttributes = true } = options
  const signature = scheme.sign(privateKey, hasAttributes ? set(...attributes) : content)
  const signerMembers = [
    small(options.signerVersion ?? 1),
    Buffer.from(options.identifier ?? sequence(issuer, small(7))),
    digestAlgorithm,
    ...(hasAttributes ? [writeTlv(0xa0, ...attributes)] : []),
    scheme.algorithm,
    writeTlv(ASN1.octetString, changeSignature?.(signature) ?? signature),
  ]
  const signer = sequence(...(options.changeSigner?.(signerMembers) ?? signerMembers))
  const half = Math.floor(content.length / 2)
  const octets = isBer
    ? writeIndefinite(
        0x24,
        writeTlv(ASN1.octetString, content.subarray(0, half)),
        writeTlv(ASN1.octetString, content.subarray(half)),
      )
    : writeTlv(ASN1.octetString, content)
  const write = isBer ? writeIndefinite : writeTlv
  const members = [
    small(options.version ?? 3),
    set(digestAlgorithm),
    write(ASN1.sequence, writeOid(contentType), write(0xa0, octets)),
    ...(certificates.length === 0 ? [] : [write(0xa0, ...certificates)]),
    set(signer),
  ]
  const signedData = write(ASN1.sequence, ...(options.changeSignedData?.(members) ?? members))
  return write(ASN1.sequence, writeOid(SIGNED_DATA), write(0xa0, signedData))
}
