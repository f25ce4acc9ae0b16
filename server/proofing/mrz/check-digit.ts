/** The 7-3-1 check digit of ICAO Doc 9303 part 3, section 4.9. */
const WEIGHTS = [7, 3, 1] as const

/** Value of 0–9 is the digit, of A–Z 10–35, of the filler 0. Throws TypeError for any other character. */
export function characterValue(character: string): number {
  const code = character.charCodeAt(0)
  if (character === '<') return 0
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 65 && code <= 90) return code - 55
  throw new TypeError('not a character of the machine-readable zone')
}

/** Returns one digit, '0' to '9'. Throws TypeError for a character outside 0–9, A–Z, <. */
export function checkDigit(text: string): string {
  let sum = 0
  for (let i = 0; i < text.length; i += 1) sum += characterValue(text.charAt(i)) * (WEIGHTS[i % 3] ?? 0)
  return String(sum % 10)
}

/** True if the text contains only the 37 MRZ characters. */
export function isMrzText(text: string): boolean {
  return /^[0-9A-Z<]*$/.test(text)
}
