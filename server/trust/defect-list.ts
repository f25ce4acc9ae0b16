/**
 * Reads a defect list (BSI TR-03129-2, 7: signed data about documents with production faults) and verifies its signer. A defect list can
 * lower verdicts only, so that a state may publish one about documents of other states.
 */
import type { SignedData } from '../chip/files/cms.ts'
import type { ChipCertificate } from '../chip/passive/certificate.ts'
import { parseDefects, type Defect } from '../chip/passive/defect-list.ts'
import { TrustRefused } from './refused.ts'
import { findListAuthority, readSignedList, verifySignedList, type SignedList } from './signed-list.ts'

export interface DefectList extends SignedList {
  readonly defects: readonly Defect[]
}

/**
 * Verifies nothing.
 * @throws TrustRefused
 * @throws ChipFault
 */
export function parseDefectList(signedData: SignedData): DefectList {
  return { ...readSignedList(signedData), defects: parseDefects(signedData.content) }
}

/**
 * The signer has an extended key usage: a document signer has none (Doc 9303-12, table 4), so that its key signs no defect list.
 * @param anchors authorities of the publishing state that the appliance trusts
 * @returns the authority that certified the signer
 * @throws TrustRefused
 * @throws ChipFault if an algorithm of the signature is unknown
 */
export function verifyDefectList(list: DefectList, anchors: readonly ChipCertificate[]): ChipCertificate {
  verifySignedList(list, (purposes) => purposes.length > 0)
  const authority = findListAuthority(list, anchors)
  if (authority === null)
    throw new TrustRefused(
      `No authority of ${list.country} that the appliance trusts has signed the certificate of the signer. Import the master list of ${list.country} first.`,
    )
  return authority
}
