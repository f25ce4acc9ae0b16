/** Number and validity of an Australian Medicare card (Services Australia; HL7 AU Base for the number's parts). */

/** Weights of the first eight digits; their sum modulo 10 is the ninth digit. */
const CHECK_WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9]

/** Eight digits beginning with 2 to 6, check digit, issue number, and optional individual reference number. */
const LAYOUT = /^([2-6]\d{7})(\d)[1-9](\d)?$/

/** Ten or eleven digits without spaces. */
export function isMedicareNumber(digits: string): boolean {
  const [, base = '', checkDigit = ''] = LAYOUT.exec(digits) ?? []
  const sum = CHECK_WEIGHTS.reduce((total, weight, index) => total + weight * Number(base[index]), 0)
  return base !== '' && sum % 10 === Number(checkDigit)
}

/** Individual reference number, if given as the eleventh digit; 1 to 9 on a real card. */
export function referenceNumberIn(digits: string): number | null {
  return digits.length === 11 ? Number(digits[10]) : null
}

/** A green card states month and year and ends with the month; blue and yellow ones state the day. */
export function lastDayOfCard(cardType: 'B' | 'G' | 'Y', expiryDate: string): string {
  if (cardType !== 'G') return expiryDate
  const [year, month] = expiryDate.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
}
