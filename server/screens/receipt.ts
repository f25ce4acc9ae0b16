/**
 * The content of a receipt: a reference that names the case and opens nothing, and a code that lets the visit continue elsewhere.
 * Makes them; keeps neither (the store holds a keyed hash of the code).
 */
import { randomInt } from 'node:crypto'
import QRCode from 'qrcode'

/** Crockford's alphabet: no I, L, O, U (ux: "2×4 of 0-9 A-Z without I L O U"). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const REFERENCE_BITS = 40n
/** 75 random bits: ux requires 64, and groups of five are easy to read aloud without a mistake. */
const CODE_GROUPS = 3
const GROUP_CHARACTERS = 5

/** Makes a reference from the last 40 bits of a UUID (random in version 7), for example 7K4P-2M9X. */
export function toReference(uuid: string): string {
  const hex = uuid.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new TypeError('toReference needs a UUID')
  let bits = BigInt(`0x${hex}`) & ((1n << REFERENCE_BITS) - 1n)
  let text = ''
  for (let i = 0; i < 8; i += 1) {
    text = ALPHABET[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** How a UUID ends that `toReference` gives this reference; null for text that is no reference. */
export function endOfIdBy(reference: string): string | null {
  const letters = reference.replaceAll('-', '')
  if (!/^[0-9A-HJKMNP-TV-Z]{8}$/.test(letters)) return null
  const bits = [...letters].reduce((sum, letter) => (sum << 5n) | BigInt(ALPHABET.indexOf(letter)), 0n)
  return bits.toString(16).padStart(Number(REFERENCE_BITS) / 4, '0')
}

/** As for example 4T7NC-Q0HWZ-3M8KD. */
export function createReceiptCode(): string {
  const character = (): string => ALPHABET[randomInt(ALPHABET.length)] ?? ''
  const group = (): string => Array.from({ length: GROUP_CHARACTERS }, character).join('')
  return Array.from({ length: CODE_GROUPS }, group).join('-')
}

/**
 * Makes the text of the QR code on a receipt. It has only capitals, digits, `-` and ` `, which keeps the code small.
 */
export function receiptText(receipt: { readonly reference: string; readonly code: string }): string {
  return `${receipt.reference} ${receipt.code}`
}

/**
 * Reads the reference and the code that a scanner read from a receipt, however the scanner writes hyphens and blanks.
 * Null for any other text.
 */
export function readReceiptText(text: string): { reference: string; code: string } | null {
  const signs = text.toUpperCase().replaceAll(/[\s-]/g, '')
  const found = /^(.{4})(.{4})(.{5})(.{5})(.{5})$/.exec(/^[0-9A-Z]+$/.test(signs) ? signs : '')
  return found ? { reference: found.slice(1, 3).join('-'), code: found.slice(3).join('-') } : null
}

/** Tells whether a text is as long as a reference. A reference names a case but gives no access. */
export const isReference = (text: string): boolean => text.replaceAll(/[^0-9A-Za-z]/g, '').length === 8

/**
 * Rows from the top, one character per module; '1' is dark. Level M restores about 15 % of a worn or folded code
 * (ISO/IEC 18004).
 */
export function qrCode(
  text: string,
  errorCorrectionLevel: 'L' | 'M' = 'M',
): { readonly rows: readonly string[] } {
  const { data, size } = QRCode.create(text, { errorCorrectionLevel }).modules
  return {
    rows: Array.from({ length: size }, (_, row) =>
      Array.from(data.subarray(row * size, (row + 1) * size), (module) => (module ? '1' : '0')).join(''),
    ),
  }
}
