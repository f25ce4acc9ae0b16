/** The receipt's reference: short enough to read aloud, without letters that look alike. */

// Crockford's alphabet: no I, L, O, U (ux: "2×4 of 0-9 A-Z without I L O U").
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const REFERENCE_BITS = 40n

/** The last 40 bits of a UUID (in version 7 these are random), as for example 7K4P-2M9X. */
export function referenceOf(uuid: string): string {
  const hex = uuid.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new TypeError('referenceOf needs a UUID')
  let bits = BigInt(`0x${hex}`) & ((1n << REFERENCE_BITS) - 1n)
  let text = ''
  for (let i = 0; i < 8; i += 1) {
    text = ALPHABET[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return `${text.slice(0, 4)}-${text.slice(4)}`
}
