/** Kind of evidence for a document code, as far as the MRZ determines it. */
import type { DocumentType } from '../types.ts'

/**
 * Returns null if the code is no accepted kind. Doc 9303 fixes `P` and `V`. The second letter of a card is the state's
 * choice, so a residence card is recognised by usual codes (IR, AR, RP, RT, C1, C2 of the United States) or by a holder
 * who is no national of the issuer.
 */
export function documentClass(
  code: string,
  issuingState: string,
  nationality: string,
): DocumentType | 'VISA' | null {
  const bare = code.replace(/<+$/, '')
  if (bare === 'D1' && issuingState === 'FRA') return 'DRIVING_LICENSE'
  if (bare === 'FA' && (issuingState === 'CHE' || issuingState === 'LIE')) return 'DRIVING_LICENSE'
  if (bare.startsWith('P')) return 'PASSPORT'
  if (bare.startsWith('V')) return 'VISA'
  // A crew member's certificate (part 5) is not accepted as an identity document.
  if (bare === 'AC') return null
  if (/^[IACR]R$|^R[PT]$|^C[12]$/.test(bare)) return 'RESIDENT_CARD'
  if (!/^[IAC]/.test(bare)) return null
  const isForeigner = nationality !== '' && nationality !== issuingState
  return isForeigner ? 'RESIDENT_CARD' : 'IDENTITY_CARD'
}
