/**
 * Reads a CSCA master list (ICAO Doc 9303-12, 8 and appendix A: signed data with certificates of many states) and verifies its
 * signer up to an authority of the state that published it.
 */
import { ASN1, readMembers, toSmallNumber } from '../chip/der.ts'
import type { SignedData } from '../chip/files/cms.ts'
import type { ChipCertificate } from '../chip/passive/certificate.ts'
import { isIssuer } from '../chip/passive/path.ts'
import { readTlvs, type Tlv } from '../chip/tlv.ts'
import { isAccepted, judgeCertificates, type Authority, type JudgedCertificate } from './authorities.ts'
import { TrustRefused } from './refused.ts'
import { findListAuthority, readSignedList, verifySignedList, type SignedList } from './signed-list.ts'

export interface MasterList extends SignedList {
  /** The listed certificates in DER, in the order of the list. */
  readonly certificates: readonly Uint8Array[]
}

/**
 * The way in which the authority of the signer is known. `known`: it is trusted already. `link`: a link certificate, signed by a trusted
 * authority of the same state, certifies its key. `list`: only the list itself contains it, so that it proves nothing.
 */
export type SignerPath = 'known' | 'link' | 'list'

export interface VerifiedList {
  readonly authority: ChipCertificate
  readonly path: SignerPath
  readonly judged: readonly JudgedCertificate[]
}

export const MASTER_LIST = '2.23.136.1.1.2'
const MASTER_LIST_SIGNING = '2.23.136.1.1.3'

/**
 * Verifies nothing.
 * @throws TrustRefused
 * @throws ChipFault malformed_data
 */
export function parseMasterList(signedData: SignedData): MasterList {
  return { ...readSignedList(signedData), certificates: readCertificates(signedData.content) }
}

/** CscaMasterList: SEQUENCE { version, SET OF Certificate }. */
function readCertificates(content: Uint8Array): Uint8Array[] {
  const [version, list, ...more] = readMembers(content)
  if (toSmallNumber(version) !== 0 || list?.tag !== ASN1.set || more.length > 0)
    throw new TrustRefused('The content of the master list has an unknown version. Update the appliance.')
  return readTlvs(list.value).map(({ raw }: Tlv) => raw)
}

/**
 * @param anchors authorities of the publishing state that the appliance trusts
 * @throws TrustRefused
 * @throws ChipFault if an algorithm of the signature is unknown
 */
export function verifyMasterList(list: MasterList, anchors: readonly ChipCertificate[]): VerifiedList {
  const { signedData, country } = list
  verifySignedList(list, (purposes) => purposes.includes(MASTER_LIST_SIGNING))
  const judged = judgeCertificates(list.certificates, anchors)
  const known = findListAuthority(list, anchors)
  if (known !== null) return { authority: known, path: 'known', judged }
  const carried = judgeCertificates(signedData.certificates, anchors)
  const own = [...judged, ...carried].filter(isAccepted).filter((each) => each.country === country)
  const authority = findListAuthority(
    list,
    own.map(({ certificate }) => certificate),
  )
  if (authority === null)
    throw new TrustRefused(
      `No authority of ${country} that the appliance trusts or that the list contains has signed the certificate of the signer. Do not use this file.`,
    )
  const path = isLinked(authority, own, anchors) ? 'link' : 'list'
  if (path === 'list' && anchors.length > 0)
    throw new TrustRefused(
      `Wrong signer: no authority of ${country} that the appliance trusts has signed this list. If ${country} has a new authority, two people import its certificate first.`,
    )
  return { authority, path, judged }
}

/** A trusted authority has signed a certificate of the same key and the same name. */
function isLinked(
  authority: ChipCertificate,
  own: readonly Authority[],
  anchors: readonly ChipCertificate[],
): boolean {
  const links = own.filter(({ certificate }) => certificate.key.key.equals(authority.key.key))
  return links.some(({ certificate }) => anchors.some((anchor) => isIssuer(anchor, certificate)))
}
