/** Consistency checks of a card's barcode. The barcode is unsigned, so consistency proves nothing. */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { CheckOutcome } from '../judge.ts'

/** Born before or on the day of issue, expiring after it. ISO dates compare as text. */
export function checkBarcodeDates({
  birthDate,
  issueDate,
  expiryDate,
}: Pick<AamvaFacts, 'birthDate' | 'issueDate' | 'expiryDate'>): CheckOutcome {
  if (birthDate !== null && issueDate !== null && issueDate < birthDate) return 'failed'
  if (issueDate !== null && expiryDate !== null && expiryDate <= issueDate) return 'failed'
  if (birthDate !== null && expiryDate !== null && expiryDate <= birthDate) return 'failed'
  return birthDate === null || issueDate === null || expiryDate === null ? 'inconclusive' : 'passed'
}

/**
 * Compares the issuer in the number with the state in the address. Only a hint: the jurisdiction may print a mailing
 * address elsewhere (2020 edition, table 1).
 */
export function checkBarcodeIssuer({ deviations }: Pick<AamvaFacts, 'deviations'>): CheckOutcome {
  if (deviations.includes('ISSUER_UNKNOWN') || deviations.includes('HEADER_MISSING')) return 'inconclusive'
  return deviations.includes('ADDRESS_OUTSIDE_JURISDICTION') ? 'failed' : 'passed'
}
