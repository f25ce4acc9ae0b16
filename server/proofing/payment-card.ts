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
