/**
 * Reads a CSCA master list (ICAO Doc 9303-12, 8 and appendix A: signed data with certificates of many states) and verifies its
 * signer up to an authority of the state that published it.
 */
import { ASN1, readMembers, toSmallNumber } from '../chip/der.ts'
import { parseSignedData, type SignedData, type SignerInfo } from '../chip/files/cms.ts'
import { parseChipCertificate, type ChipCertificate } from '../chip/passive/certificate.ts'
import { findCountry } from '../chip/passive/names.ts'
import { isIssuer } from '../chip/passive/path.ts'
import { findSigningTime, isIdentified, isSigned } from '../chip/passive/signed-file.ts'
import { readTlvs, type Tlv } from '../chip/tlv.ts'
import { isAccepted, judgeCertificates, type Authority, type JudgedCertificate } from './authorities.ts'
import { TrustRefused } from './refused.ts'

export interface MasterList {
  readonly signedData: SignedData
  readonly signerInfo: SignerInfo
  readonly signer: ChipCertificate
  /** The state that published the list: the country of the signer. */
  readonly country: string
  /** Signing time, as the signature covers it. */
  readonly signedAt: Date
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

const MASTER_LIST = '2.23.136.1.1.2'
const MASTER_LIST_SIGNING = '2.23.136.1.1.3'

/**
 * Verifies nothing.
 * @throws TrustRefused
 * @throws ChipFault malformed_data
 */
export function parseMasterList(bytes: Uint8Array): MasterList {
  const signedData = parseSignedData(bytes)
  if (signedData.contentType !== MASTER_LIST)
    throw new TrustRefused(
      'The file is signed, but it is no CSCA master list. Get the file that ends in .ml from its publisher.',
    )
  const [signerInfo, ...more] = signedData.signers
  if (signerInfo === undefined || more.length > 0)
    throw new TrustRefused(
      'The master list must have exactly one signature. Get the file again from its publisher.',
    )
  const signer = signedData.certificates
    .map(parseChipCertificate)
    .find((each) => isIdentified(signerInfo.identifier, each))
  const country = signer === undefined ? null : findCountry(signer.subject)
  if (signer === undefined || country === null)
    throw new TrustRefused(
      'The master list contains no certificate of its signer with a country, so that its signature cannot be verified.',
    )
  return {
    signedData,
    signerInfo,
    signer,
    country,
    signedAt: readSigningTime(signerInfo),
    certificates: readCertificates(signedData.content),
  }
}

function readSigningTime(signerInfo: SignerInfo): Date {
  const signedAt = findSigningTime(signerInfo)
  if (signedAt === null)
    throw new TrustRefused(
      'The master list states no signing time, so that its age is unknown. Ask its publisher.',
    )
  return signedAt
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
  const { signedData, signerInfo, signer, signedAt, country } = list
  if (!isSigned(signedData, signerInfo, signer))
    throw new TrustRefused(
      'The signature does not belong to this file: it was changed or damaged. Get it again from its publisher.',
    )
  if (signer.keyUsage?.digitalSignature !== true || signer.purposes?.includes(MASTER_LIST_SIGNING) !== true)
    throw new TrustRefused('The certificate of the signer is not for master lists. Do not use this file.')
  if (!isValidAt(signer, signedAt))
    throw new TrustRefused(
      'The certificate of the signer was not valid at the signing time. Do not use this file.',
    )
  const judged = judgeCertificates(list.certificates, anchors)
  const known = findIssuer(signer, anchors, signedAt)
  if (known !== null) return { authority: known, path: 'known', judged }
  const carried = judgeCertificates(signedData.certificates, anchors)
  const own = [...judged, ...carried].filter(isAccepted).filter((each) => each.country === country)
  const authority = findIssuer(
    signer,
    own.map(({ certificate }) => certificate),
    signedAt,
  )
  if (authority === null)
    throw new TrustRefused(
      `No authority of ${country} that the appliance trusts or that the list contains has signed the certificate of the signer. Do not use this file.`,
    )
  return { authority, path: isLinked(authority, own, anchors) ? 'link' : 'list', judged }
}

function findIssuer(
  signer: ChipCertificate,
  authorities: readonly ChipCertificate[],
  at: Date,
): ChipCertificate | null {
  return authorities.find((each) => isValidAt(each, at) && isIssuer(each, signer)) ?? null
}

function isValidAt({ validFrom, validTo }: ChipCertificate, at: Date): boolean {
  return validFrom <= at && at <= validTo
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
