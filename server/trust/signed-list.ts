/** Signed lists of states (master list, defect list): who signed, when, and whether the signature is genuine. */
import type { SignedData, SignerInfo } from '../chip/files/cms.ts'
import { parseChipCertificate, type ChipCertificate } from '../chip/passive/certificate.ts'
import { findCountry } from '../chip/passive/names.ts'
import { isIssuer } from '../chip/passive/path.ts'
import { findSigningTime, isIdentified, isSigned } from '../chip/passive/signed-file.ts'
import { TrustRefused } from './refused.ts'

export interface SignedList {
  readonly signedData: SignedData
  readonly signerInfo: SignerInfo
  readonly signer: ChipCertificate
  /** The state that published the list: the country of the signer. */
  readonly country: string
  /** Signing time, as the signature covers it. */
  readonly signedAt: Date
}

/**
 * Verifies nothing.
 * @throws TrustRefused
 * @throws ChipFault malformed_data
 */
export function readSignedList(signedData: SignedData): SignedList {
  const [signerInfo, ...more] = signedData.signers
  if (signerInfo === undefined || more.length > 0)
    throw new TrustRefused('The list must have exactly one signature. Get the file again from its publisher.')
  const signer = signedData.certificates
    .map(parseChipCertificate)
    .find((each) => isIdentified(signerInfo.identifier, each))
  const country = signer === undefined ? null : findCountry(signer.subject)
  if (signer === undefined || country === null)
    throw new TrustRefused(
      'The list contains no certificate of its signer with a country, so that its signature cannot be verified.',
    )
  const signedAt = findSigningTime(signerInfo)
  if (signedAt === null)
    throw new TrustRefused('The list states no signing time, so that its age is unknown. Ask its publisher.')
  return { signedData, signerInfo, signer, country, signedAt }
}

/**
 * @param isPurpose judges the extended key usage, which is empty if the certificate has none
 * @throws TrustRefused
 * @throws ChipFault if an algorithm of the signature is unknown
 */
export function verifySignedList(
  { signedData, signerInfo, signer, signedAt }: SignedList,
  isPurpose: (purposes: readonly string[]) => boolean,
): void {
  if (!isSigned(signedData, signerInfo, signer))
    throw new TrustRefused(
      'The signature does not belong to this file: it was changed or damaged. Get it again from its publisher.',
    )
  const mayUse = signer.keyUsage?.digitalSignature === true && !signer.hasUnknownCritical
  if (!mayUse || !isPurpose(signer.purposes ?? []))
    throw new TrustRefused(
      'The certificate of the signer is not for lists of this kind. Do not use this file.',
    )
  if (!isValidAt(signer, signedAt))
    throw new TrustRefused(
      'The certificate of the signer was not valid at the signing time. Do not use this file.',
    )
}

/** The authority that signed the certificate of the signer, valid at the signing time; null if it is not among these. */
export function findListAuthority(
  { signer, signedAt }: SignedList,
  authorities: readonly ChipCertificate[],
): ChipCertificate | null {
  return authorities.find((each) => isValidAt(each, signedAt) && isIssuer(each, signer)) ?? null
}

function isValidAt({ validFrom, validTo }: ChipCertificate, at: Date): boolean {
  return validFrom <= at && at <= validTo
}
