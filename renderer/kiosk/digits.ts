/** Digits as people type them: what a number, a date or a code is compared and sent with is always 0-9. */

// Arabic-Indic, Extended Arabic-Indic (Persian, Urdu), Devanagari: the ones on keyboards and keypads here.
const ZEROS = [0x0660, 0x06f0, 0x0966]

/** Other scripts' digits become 0-9; everything else stays. */
export function plainDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹०-९]/g, (digit) => {
    const code = digit.charCodeAt(0)
    const zero = ZEROS.find((first) => code >= first && code < first + 10) ?? code
    return String(code - zero)
  })
}

/** The digits alone: what stands in a code or a phone number between spaces, brackets and dashes. */
export function digitsOnly(text: string): string {
  return plainDigits(text).replace(/[^0-9]/g, '')
}
