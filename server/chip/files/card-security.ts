/**
 * EF.CardSecurity: signed SecurityInfos with the key of chip authentication mapping (ICAO Doc 9303-11, 9.2.11). Reads them; the
 * signature is verified by passive authentication.
 */
import { ChipFault } from '../outcome.ts'
import { parseSecurityInfos, type SecurityInfos } from '../security-infos.ts'
import { parseSignedData, type SignedData } from './cms.ts'

export interface CardSecurity {
  readonly signedData: SignedData
  readonly infos: SecurityInfos
}

const SECURITY_OBJECT = '0.4.0.127.0.7.3.2.1'

/** @throws ChipFault malformed_data */
export function parseCardSecurity(file: Uint8Array): CardSecurity {
  const signedData = parseSignedData(file)
  if (signedData.contentType !== SECURITY_OBJECT) throw new ChipFault('malformed_data')
  return { signedData, infos: parseSecurityInfos(signedData.content) }
}
