/** The 7-3-1 check digit of ICAO Doc 9303 part 3, section 4.9. */
const WEIGHTS = [7, 3, 1] as const

/** 0–9 count as themselves, A–Z as 10–35, the filler as 0. Throws TypeError for anything else. */
export function characterValue(character: string): number {
  const code = character.charCodeAt(0)
  if (character === '<') return 0
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 65 && code <= 90) return code - 55
  throw new TypeError('not a character of the machine-readable zone')
}

/** One digit, '0' to '9'. Throws TypeError when the text holds a character outside 0–9, A–Z, <. */
export function checkDigit(text: string): string {
  let sum = 0
  for (let i = 0; i < text.length; i += 1) sum += characterValue(text.charAt(i)) * (WEIGHTS[i % 3] ?? 0)
  return String(sum % 10)
}

/** Only the 37 characters that a machine-readable zone may hold. */
export function isMrzText(text: string): boolean {
  return /^[0-9A-Z<]*$/.test(text)
}
