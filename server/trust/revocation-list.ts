/** Reads a revocation list of a country signing authority (ICAO Doc 9303-12, 7.2; RFC 5280, 5) and verifies its signature. */
import { ASN1, readMembers, toBitStringBytes } from '../chip/der.ts'
import { parseAlgorithm, type Algorithm } from '../chip/files/cms.ts'
import { ChipFault } from '../chip/outcome.ts'
import { parseTime, type ChipCertificate } from '../chip/passive/certificate.ts'
import { isSameName } from '../chip/passive/names.ts'
import { isSignatureValid } from '../chip/passive/signature.ts'
import { readTlvs } from '../chip/tlv.ts'
import { maySignRevocationLists } from './certificate-facts.ts'

export interface RevocationList {
  readonly issuer: Uint8Array
  /** "This update". */
  readonly issuedAt: Date
  /** Number of revoked certificates. */
  readonly entries: number
  readonly tbs: Uint8Array
  readonly algorithm: Algorithm
  readonly signature: Uint8Array
}

const TIME_TAGS: readonly (number | undefined)[] = [0x17, 0x18]

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
  if (TIME_TAGS.includes(rest[0]?.tag)) rest.shift() // the next update is no promise of states
  const revoked = rest[0]?.tag === ASN1.sequence ? readTlvs(rest[0].value) : []
  return {
    issuer: issuer.raw,
    issuedAt: parseTime(issuedAt),
    entries: revoked.length,
    tbs: tbs.raw,
    algorithm: parseAlgorithm(algorithm),
    signature: toBitStringBytes(signature),
  }
}

/** The authority that signed the list, or null. */
export function findListIssuer(
  { issuer, algorithm, tbs, signature }: RevocationList,
  authorities: readonly ChipCertificate[],
): ChipCertificate | null {
  return (
    authorities.find((each) => {
      if (!maySignRevocationLists(each) || !isSameName(each.subject, issuer)) return false
      try {
        return isSignatureValid({ algorithm, data: tbs, signature }, each.key)
      } catch (error) {
        if (error instanceof ChipFault) return false
        throw error
      }
    }) ?? null
  )
}
