/**
 * Keeps facts about a claimed payment card, never its number: a stored number would have to be protected as PCI DSS demands,
 * and the checks need it only once.
 */
const SHOWN_DIGITS = 4

export interface ClaimedCard {
  /** Keyed hash of the number, by which the same card is recognised. */
  readonly numberHash: string
  readonly lastFour: string
  /** The number has the length of a card number, and its check digit is right. */
  readonly isWellFormed: boolean
  readonly verified: boolean
}

/** @param hash a keyed hash: a card number can be guessed from a plain one */
export function keepClaimedCard(cardNumber: string, hash: (digits: string) => string): ClaimedCard {
  const digits = cardNumber.replace(/[ -]/g, '')
  return {
    numberHash: hash(digits),
    lastFour: digits.slice(-SHOWN_DIGITS),
    isWellFormed: isPaymentCardNumber(digits),
    verified: false,
  }
}

/** 12 to 19 digits with optional spaces and hyphens; the last is the check digit of ISO/IEC 7812-1 annex B (Luhn). */
export function isPaymentCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, '')
  if (!/^[1-9]\d{11,18}$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
