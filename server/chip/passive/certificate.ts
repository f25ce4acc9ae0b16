/**
 * Reads certificates of issuers (ICAO Doc 9303-12, 7.1; RFC 5280, 4.1), with the bytes that names and signatures are compared by.
 * OpenSSL's own reader is not used, because its chain check refuses explicit curve parameters, which most documents have.
 */
import { createHash } from 'node:crypto'
import { ASN1, readMembers, toBitStringBytes, toIntegerBytes, toOid, toSmallNumber } from '../der.ts'
import { parseAlgorithm, type Algorithm } from '../files/cms.ts'
import { ChipFault } from '../outcome.ts'
import { parseIssuerKey, type SignatureKey } from '../signature-key.ts'
import { findValue, readTlv, readTlvs, type Tlv } from '../tlv.ts'

export interface ChipCertificate {
  /** The certificate as a whole. */
  readonly der: Uint8Array
  /** The signed part. */
  readonly tbs: Uint8Array
  readonly serial: Uint8Array
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly validFrom: Date
  readonly validTo: Date
  readonly key: SignatureKey
  readonly algorithm: Algorithm
  readonly signature: Uint8Array
  readonly subjectKeyIdentifier: Uint8Array | null
  readonly authorityKeyIdentifier: Uint8Array | null
  /** Null if the extension is missing. */
  readonly keyUsage: KeyUsage | null
  /** Basic constraints: the certificate states that it may issue others. */
  readonly isAuthority: boolean
  /** Basic constraints: how many authorities of other names may stand between it and a signer; null if it states none. */
  readonly pathLength: number | null
  /** The extension of a link certificate to a new name of the same authority (Doc 9303-12, 7.1). */
  readonly isNameChange: boolean
  /** Object identifiers of the extended key usage; null if the extension is missing. */
  readonly purposes: readonly string[] | null
  /** Types of documents that a signer may sign, as the MRZ begins with them (Doc 9303-12, 7.1); null if it names none. */
  readonly documentTypes: readonly string[] | null
  /** A critical extension that this program does not know (RFC 5280, 4.2: such a certificate must be rejected). */
  readonly hasUnknownCritical: boolean
}

export interface KeyUsage {
  readonly isCritical: boolean
  readonly digitalSignature: boolean
  readonly certificateSigning: boolean
  readonly revocationListSigning: boolean
}

const VERSION_3 = 2
const MAX_EXTENSIONS = 32
const EXTENSIONS = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  nameChange: '2.23.136.1.1.6.1',
  documentTypes: '2.23.136.1.1.6.2',
} as const
/** Private key usage period, alternative names, distribution points and policies (Doc 9303-12, 7.1). */
const INFORMATION: readonly string[] = ['2.5.29.16', '2.5.29.17', '2.5.29.18', '2.5.29.31', '2.5.29.32']
const KNOWN_EXTENSIONS: readonly string[] = [...Object.values(EXTENSIONS), ...INFORMATION]

/** SHA-256 in hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** @throws ChipFault */
export function parseChipCertificate(der: Uint8Array): ChipCertificate {
  const [tbs, outer, signature, ...more] = readTlvs(readTlv(der, ASN1.sequence).value)
  if (tbs?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  const [version, serial, inner, issuer, validity, subject, spki, ...optional] = readTlvs(tbs.value)
  const isNamed = issuer?.tag === ASN1.sequence && subject?.tag === ASN1.sequence
  const isVersion3 =
    version?.tag === 0xa0 && toSmallNumber(readTlv(version.value, ASN1.integer)) === VERSION_3
  const isSameAlgorithm =
    inner !== undefined && outer !== undefined && Buffer.compare(inner.raw, outer.raw) === 0
  if (!isNamed || !isVersion3 || !isSameAlgorithm || spki === undefined || validity?.tag !== ASN1.sequence)
    throw new ChipFault('malformed_data')
  const [from, to, ...others] = readTlvs(validity.value)
  if (others.length > 0) throw new ChipFault('malformed_data')
  return {
    der,
    tbs: tbs.raw,
    serial: toIntegerBytes(serial),
    issuer: issuer.raw,
    subject: subject.raw,
    validFrom: parseTime(from),
    validTo: parseTime(to),
    key: parseIssuerKey(spki.raw),
    algorithm: parseAlgorithm(outer),
    signature: toBitStringBytes(signature),
    ...parseExtensions(findValue(optional, 0xa3)),
  }
}

type Extensions = Pick<
  ChipCertificate,
  | 'subjectKeyIdentifier'
  | 'authorityKeyIdentifier'
  | 'keyUsage'
  | 'isAuthority'
  | 'pathLength'
  | 'isNameChange'
  | 'purposes'
  | 'documentTypes'
  | 'hasUnknownCritical'
>

function parseExtensions(wrapped: Uint8Array | null): Extensions {
  const list = wrapped === null ? [] : readTlvs(readTlv(wrapped, ASN1.sequence).value)
  if (list.length > MAX_EXTENSIONS) throw new ChipFault('malformed_data')
  const extensions = new Map<string, { isCritical: boolean; value: Uint8Array }>()
  for (const extension of list) {
    const members = readTlvs(extension.value)
    const [oid, critical] = members
    const value = members.at(-1)
    const name = toOid(oid)
    if (value?.tag !== ASN1.octetString || extensions.has(name)) throw new ChipFault('malformed_data')
    const isCritical = members.length === 3 && isTrue(critical)
    extensions.set(name, { isCritical, value: value.value })
  }
  const usage = extensions.get(EXTENSIONS.keyUsage)
  const subjectKey = extensions.get(EXTENSIONS.subjectKeyIdentifier)
  const constraints = extensions.get(EXTENSIONS.basicConstraints)
  const authorityKey = extensions.get(EXTENSIONS.authorityKeyIdentifier)
  const purposes = extensions.get(EXTENSIONS.extendedKeyUsage)
  const types = extensions.get(EXTENSIONS.documentTypes)
  const constraintList = constraints ? readTlvs(readTlv(constraints.value, ASN1.sequence).value) : []
  const length = constraintList.find(({ tag }) => tag === ASN1.integer)
  return {
    subjectKeyIdentifier: subjectKey ? readTlv(subjectKey.value, ASN1.octetString).value : null,
    authorityKeyIdentifier: authorityKey
      ? findValue(readTlvs(readTlv(authorityKey.value, ASN1.sequence).value), 0x80)
      : null,
    keyUsage: usage ? parseKeyUsage(usage) : null,
    isAuthority: isTrue(constraintList[0]),
    pathLength: length === undefined ? null : toSmallNumber(length),
    isNameChange: extensions.has(EXTENSIONS.nameChange),
    purposes: purposes ? readMembers(purposes.value).map(toOid) : null,
    documentTypes: types ? parseDocumentTypes(types.value) : null,
    hasUnknownCritical: [...extensions].some(
      ([name, { isCritical }]) => isCritical && !KNOWN_EXTENSIONS.includes(name),
    ),
  }
}

/** SEQUENCE { version, SET OF PrintableString }. A list in another form names no type. */
function parseDocumentTypes(value: Uint8Array): readonly string[] {
  const list = readMembers(value).find(({ tag }) => tag === ASN1.set)
  const types = list === undefined ? [] : readTlvs(list.value)
  return types.map((type) => Buffer.from(type.value).toString('latin1').replaceAll('<', '').trim())
}

const BOOLEAN = 0x01

function parseKeyUsage({ isCritical, value }: { isCritical: boolean; value: Uint8Array }): KeyUsage {
  const [, bits = 0] = readTlv(value, ASN1.bitString).value
  return {
    isCritical,
    digitalSignature: (bits & 0x80) !== 0,
    certificateSigning: (bits & 0x04) !== 0,
    revocationListSigning: (bits & 0x02) !== 0,
  }
}

/** BER: every byte but zero is true; DER would be FF alone. */
function isTrue(object: Tlv | undefined): boolean {
  return object?.tag === BOOLEAN && (object.value[0] ?? 0) !== 0
}

const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18

/** RFC 5280, 4.1.2.5: UTCTime to 2049, GeneralizedTime from then; both in UTC with seconds. */
export function parseTime(object: Tlv | undefined): Date {
  const text = Buffer.from(object?.value ?? []).toString('latin1')
  const isUtc = object?.tag === UTC_TIME && /^[0-9]{12}Z$/.test(text)
  const isGeneral = object?.tag === GENERALIZED_TIME && /^[0-9]{14}Z$/.test(text)
  if (!isUtc && !isGeneral) throw new ChipFault('malformed_data')
  const digits = isGeneral ? text : `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}`
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)(..)(..)(..)/.exec(digits) ?? []
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(date.getTime())) throw new ChipFault('malformed_data')
  return date
}
