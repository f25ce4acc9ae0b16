/**
 * One-time codes that people type: of the app (TOTP), for recovery, for setting up. Pure except for
 * randomness.
 */
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

/** RFC 6238, with the values that every app supports: SHA-1, six digits, 30 s. */
const TOTP_FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226, section 4: 160 bits recommended. */
const TOTP_SECRET_BYTES = 20
/** RFC 6238, section 5.2: one step, for a phone with a wrong clock. */
const TOTP_DRIFT_STEPS = 1
/** Crockford's alphabet: no letters that look alike, and only B and P sound alike. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ALIASES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }

export const RECOVERY_CODES = 10
/** 16 letters of 5 bits are 80 bits; SP 800-63B-4 (4.2.1) requires 64 for a saved recovery code. */
const CODE_LETTERS = 16

export function createTotpSecret(): Uint8Array {
  return new Uint8Array(randomBytes(TOTP_SECRET_BYTES))
}

const createTotp = (secret: Uint8Array, label: string): TOTP =>
  new TOTP({
    ...TOTP_FORM,
    issuer: 'Counterproof',
    label,
    // Copy it: a Buffer may share its memory, and its own slice() does not copy.
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  })

/** Returns the URI that the app scans, and its secret for typing. */
export function totpUri(
  secret: Uint8Array,
  login: string,
): { readonly uri: string; readonly secret: string } {
  const totp = createTotp(secret, login)
  return { uri: totp.toString(), secret: totp.secret.base32 }
}

/**
 * Returns the 30 s step of this code; null: it is not valid now. The caller must refuse a step that was used
 * before.
 */
export function totpStep(secret: Uint8Array, code: string, at: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const timestamp = at.getTime()
  // otpauth compares in constant time.
  const delta = createTotp(secret, '').validate({ token: code, timestamp, window: TOTP_DRIFT_STEPS })
  return delta === null ? null : Math.floor(timestamp / 1000 / TOTP_FORM.period) + delta
}

/** Such as 7K4P-2M9X-QF0T-9WZB. */
export function createCode(): string {
  const letters = [...randomBytes(CODE_LETTERS)].map((byte) => ALPHABET[byte & 31])
  return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Normalises a typed code: spaces, hyphens, small letters, letters that look alike. */
export function normaliseCode(typed: string): string {
  const letters = [...typed.toUpperCase()].filter((letter) => /[0-9A-Z]/.test(letter))
  return letters
    .map((letter) => ALIASES[letter] ?? letter)
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-')
}

/**
 * Converts digits of any script to 0 to 9 and drops spaces and hyphens; null: it has other letters, so it is
 * no code of an app.
 */
export function toDigits(typed: string): string | null {
  const text = typed.replaceAll(/[\s-]/g, '')
  if (!/^\p{Nd}{6}$/u.test(text)) return null
  return [...text].map((digit) => readDigit(digit)).join('')
}

/** The ten digits of a script are consecutive from its zero on (Unicode, Nd). */
function readDigit(digit: string): number {
  const point = digit.codePointAt(0) ?? 0
  for (let value = 0; value < 10; value += 1) {
    const before = String.fromCodePoint(point - value - 1)
    if (!/^\p{Nd}$/u.test(before)) return value
  }
  return 0
}
