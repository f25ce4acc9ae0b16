/**
 * Reads a revocation list of a country signing authority (ICAO Doc 9303-12, 7.2; RFC 5280, 5), verifies its signature, and finds
 * certificates in it. A list that is only a part (delta, distribution point) is refused: its silence would say nothing.
 */
import { ASN1, readMembers, toBitStringBytes, toIntegerBytes, toOid } from '../der.ts'
import { parseAlgorithm, type Algorithm } from '../files/cms.ts'
import { ChipFault } from '../outcome.ts'
import { findValue, readTlv, readTlvs, type Tlv } from '../tlv.ts'
import { parseTime, type ChipCertificate } from './certificate.ts'
import { isSameName } from './names.ts'
import { isSignedWith } from './signature.ts'

export interface RevocationList {
  readonly issuer: Uint8Array
  /** "This update". */
  readonly issuedAt: Date
  /** "Next update"; null if the list states none. */
  readonly nextAt: Date | null
  /** Serial numbers in hexadecimal without leading zeros. */
  readonly serials: ReadonlySet<string>
  readonly tbs: Uint8Array
  readonly algorithm: Algorithm
  readonly signature: Uint8Array
}

const TIME_TAGS: readonly (number | undefined)[] = [0x17, 0x18]
const BOOLEAN = 0x01
const EXTENSIONS_TAG = 0xa0
const MAX_EXTENSIONS = 32
/** Extensions that may be critical: the number of the list and the key of its authority change nothing in its meaning. */
const HARMLESS_EXTENSIONS: readonly string[] = ['2.5.29.20', '2.5.29.35']
const DELTA_INDICATOR = '2.5.29.27'

/** @throws ChipFault malformed_data */
export function parseRevocationList(der: Uint8Array): RevocationList {
  const [tbs, algorithm, signature, ...more] = readMembers(der)
  if (tbs?.tag !== ASN1.sequence || more.length > 0) throw new ChipFault('malformed_data')
  const members = readTlvs(tbs.value)
  if (members[0]?.tag === ASN1.integer) members.shift() // version 2
  const [inner, issuer, issuedAt, ...rest] = members
  const isSameAlgorithm =
    inner !== undefined && algorithm !== undefined && Buffer.compare(inner.raw, algorithm.raw) === 0
  if (!isSameAlgorithm || issuer?.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const nextAt = TIME_TAGS.includes(rest[0]?.tag) ? parseTime(rest.shift()) : null
  const revoked = rest[0]?.tag === ASN1.sequence ? readTlvs(rest[0].value) : []
  refuseParts(findValue(rest, EXTENSIONS_TAG))
  return {
    issuer: issuer.raw,
    issuedAt: parseTime(issuedAt),
    nextAt,
    serials: new Set(revoked.map(parseSerial)),
    tbs: tbs.raw,
    algorithm: parseAlgorithm(algorithm),
    signature: toBitStringBytes(signature),
  }
}

function parseSerial(entry: Tlv): string {
  if (entry.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  return formatSerial(toIntegerBytes(readTlvs(entry.value)[0]))
}

function formatSerial(serial: Uint8Array): string {
  return Buffer.from(serial)
    .toString('hex')
    .replace(/^(00)+(?=.)/, '')
}

function refuseParts(extensions: Uint8Array | null): void {
  const list = extensions === null ? [] : readTlvs(readTlv(extensions, ASN1.sequence).value)
  if (list.length > MAX_EXTENSIONS) throw new ChipFault('malformed_data')
  for (const extension of list) {
    const [oid, critical] = readTlvs(extension.value)
    const name = toOid(oid)
    const isCritical = critical?.tag === BOOLEAN && (critical.value[0] ?? 0) !== 0
    if (name === DELTA_INDICATOR || (isCritical && !HARMLESS_EXTENSIONS.includes(name)))
      throw new ChipFault('malformed_data')
  }
}

/** Tells whether the list names the certificate. The caller has checked that both have the same issuer. */
export function isRevoked(list: RevocationList, certificate: ChipCertificate): boolean {
  return list.serials.has(formatSerial(certificate.serial))
}

/** The authority that signed the list, or null. */
export function findListIssuer(
  { issuer, algorithm, tbs, signature }: RevocationList,
  authorities: readonly ChipCertificate[],
): ChipCertificate | null {
  const mayHaveSigned = authorities.filter(
    (each) => each.keyUsage?.revocationListSigning === true && isSameName(each.subject, issuer),
  )
  return mayHaveSigned.find(({ key }) => isSignedWith({ algorithm, data: tbs, signature }, key)) ?? null
}
