/** Digits of other scripts: numbers, dates and codes are compared and sent as 0-9. */

// Arabic-Indic, Extended Arabic-Indic (Persian, Urdu) and Devanagari: the digits on the supported keyboards.
const ZEROS = [0x0660, 0x06f0, 0x0966]

/** Replaces digits of other scripts by 0-9; other characters stay. */
export function plainDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹०-९]/g, (digit) => {
    const code = digit.charCodeAt(0)
    const zero = ZEROS.find((first) => code >= first && code < first + 10) ?? code
    return String(code - zero)
  })
}

/** Returns only the digits: removes the spaces, brackets and dashes of a code or phone number. */
export function digitsOnly(text: string): string {
  return plainDigits(text).replace(/[^0-9]/g, '')
}
