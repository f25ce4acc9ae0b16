/** Writes EF.SOD and EF.CardSecurity for tests, also with the indefinite lengths of BER. */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { ASN1, writeOid } from '../../server/chip/der.ts'
import { writeTlv } from '../../server/chip/tlv.ts'
import { hex } from './hex.ts'

export const SHA_256 = '2.16.840.1.101.3.4.2.1'
const ECDSA_SHA_256 = '1.2.840.10045.4.3.2'
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

export interface SignedFileOptions {
  readonly privateKey?: KeyObject
  readonly issuer?: Uint8Array
  readonly certificates?: readonly Uint8Array[]
  readonly isBer?: boolean
}

/** The hashes of data groups, signed. */
export function writeSod(
  groups: Readonly<Record<number, Uint8Array>>,
  options: SignedFileOptions & { readonly version?: Buffer; readonly versionInfo?: readonly Buffer[] } = {},
): Buffer {
  const hashes = Object.entries(groups).map(([number, file]) =>
    sequence(small(Number(number)), writeTlv(ASN1.octetString, createHash('sha256').update(file).digest())),
  )
  const content = sequence(
    options.version ?? small(0),
    sequence(writeOid(SHA_256)),
    sequence(...hashes),
    ...(options.versionInfo ?? []),
  )
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
  const { issuer = sequence(), certificates = [], isBer = false } = options
  const digest = createHash('sha256').update(content).digest()
  const attributes = [
    sequence(writeOid('1.2.840.113549.1.9.3'), set(writeOid(contentType))),
    sequence(writeOid('1.2.840.113549.1.9.4'), set(writeTlv(ASN1.octetString, digest))),
  ]
  const signature = sign('sha256', set(...attributes), privateKey)
  const signer = sequence(
    small(1),
    sequence(issuer, small(7)),
    sequence(writeOid(SHA_256)),
    writeTlv(0xa0, ...attributes),
    sequence(writeOid(ECDSA_SHA_256)),
    writeTlv(ASN1.octetString, signature),
  )
  const half = Math.floor(content.length / 2)
  const octets = isBer
    ? writeIndefinite(
        0x24,
        writeTlv(ASN1.octetString, content.subarray(0, half)),
        writeTlv(ASN1.octetString, content.subarray(half)),
      )
    : writeTlv(ASN1.octetString, content)
  const write = isBer ? writeIndefinite : writeTlv
  const signedData = write(
    ASN1.sequence,
    small(3),
    set(sequence(writeOid(SHA_256))),
    write(ASN1.sequence, writeOid(contentType), write(0xa0, octets)),
    ...(certificates.length === 0 ? [] : [write(0xa0, ...certificates)]),
    set(signer),
  )
  return write(ASN1.sequence, writeOid(SIGNED_DATA), write(0xa0, signedData))
}
