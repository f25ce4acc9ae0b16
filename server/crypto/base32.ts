/**
 * Encodes bytes as letters that people type: Crockford's base 32, which reads O as 0, and I and L as 1. Adds the
 * check of bech32 (BIP 173), which always finds up to four wrong letters among 89.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ALIASES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] // BIP 173

export const CHECK_CHARS = 6

/** Computes the check, as numbers, that follows these letters. */
export function computeCheck(values: readonly number[]): number[] {
  const rest = polymod([...values, ...Array<number>(CHECK_CHARS).fill(0)]) ^ 1
  return Array.from({ length: CHECK_CHARS }, (_, index) => (rest >>> (5 * (CHECK_CHARS - 1 - index))) & 31)
}

/** Tells whether the last numbers are the check of the numbers before them. */
export function checks(values: readonly number[]): boolean {
  return polymod(values) === 1
}

/** BIP 173, `bech32_polymod`. */
function polymod(values: readonly number[]): number {
  let rest = 1
  for (const value of values) {
    const top = rest >>> 25
    rest = ((rest & 0x1ffffff) << 5) ^ value
    for (const [bit, generator] of GENERATOR.entries()) if ((top >>> bit) & 1) rest ^= generator
  }
  return rest
}

/** Bytes as numbers of five bits; a multiple of five bytes. */
export function toBase32(bytes: Uint8Array): number[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => parseInt(five, 2))
}

export function fromBase32(values: readonly number[]): Buffer {
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => parseInt(eight, 2)))
}

export function toLetters(values: readonly number[]): string {
  return values.map((value) => ALPHABET[value]).join('')
}

/** A character that is not in the alphabet becomes -1. */
export function parseLetters(letters: string): number[] {
  return [...letters.toUpperCase()].map((letter) => ALPHABET.indexOf(ALIASES[letter] ?? letter))
}
