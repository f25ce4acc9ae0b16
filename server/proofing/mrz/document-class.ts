/** What kind of evidence a document code stands for, as far as the zone alone can tell. */
import type { DocumentType } from '../types.ts'

/**
 * Null when the code names no kind that we take. `P` and `V` are fixed by Doc 9303; the second letter of a card is the
 * state's own choice, so a residence card is known by its usual codes (IR, AR, RP, RT, C1, C2 of the United States) or
 * by a holder who is no national of the issuer.
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
  // A crew member's certificate (part 5) is no identity document in our sense.
  if (bare === 'AC') return null
  if (/^[IACR]R$|^R[PT]$|^C[12]$/.test(bare)) return 'RESIDENT_CARD'
  if (!/^[IAC]/.test(bare)) return null
  const isForeigner = nationality !== '' && nationality !== issuingState
  return isForeigner ? 'RESIDENT_CARD' : 'IDENTITY_CARD'
}
