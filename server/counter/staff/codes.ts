/** One-time codes that people type: of the app (TOTP), for recovery, for setting up. Pure but for chance. */
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

/** RFC 6238 and what every app knows: SHA-1, six digits, 30 s. */
const TOTP_FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226, section 4: 160 bits recommended. */
const TOTP_SECRET_BYTES = 20
/** RFC 6238, section 5.2: one step, for a phone whose clock is off. */
const TOTP_DRIFT_STEPS = 1
/** Crockford's alphabet: nothing that looks alike, nothing that sounds alike but B and P. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ALIASES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }

export const RECOVERY_CODES = 10
/** 16 letters of 5 bits are 80 bits: no fewer than SP 800-63B-4 (4.2.1) asks of a saved recovery code (64). */
const CODE_LETTERS = 16

export function newTotpSecret(): Uint8Array {
  return new Uint8Array(randomBytes(TOTP_SECRET_BYTES))
}

const totpOf = (secret: Uint8Array, label: string): TOTP =>
  new TOTP({
    ...TOTP_FORM,
    issuer: 'Counterproof',
    label,
    // A copy: a Buffer may lie in memory that it shares with other things, and its own slice() does not copy.
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  })

/** What the app scans, and the secret for typing it. */
export function totpUri(
  secret: Uint8Array,
  login: string,
): { readonly uri: string; readonly secret: string } {
  const totp = totpOf(secret, login)
  return { uri: totp.toString(), secret: totp.secret.base32 }
}

/** The step of 30 s whose code this is; null: it is none of now. The caller sees to it that no step is taken twice. */
export function totpStep(secret: Uint8Array, code: string, at: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const timestamp = at.getTime()
  // Compared in constant time by otpauth.
  const delta = totpOf(secret, '').validate({ token: code, timestamp, window: TOTP_DRIFT_STEPS })
  return delta === null ? null : Math.floor(timestamp / 1000 / TOTP_FORM.period) + delta
}

/** Like 7K4P-2M9X-QF0T-9WZB. */
export function newCode(): string {
  const letters = [...randomBytes(CODE_LETTERS)].map((byte) => ALPHABET[byte & 31])
  return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** As it was made, however it was typed: spaces, hyphens, small letters, letters that look alike. */
export function codeAsMade(typed: string): string {
  const letters = [...typed.toUpperCase()].filter((letter) => /[0-9A-Z]/.test(letter))
  return letters
    .map((letter) => ALIASES[letter] ?? letter)
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Digits of any script as 0 to 9, without spaces and hyphens; null: other letters, so no code of an app. */
export function digitsOf(typed: string): string | null {
  const text = typed.replaceAll(/[\s-]/g, '')
  if (!/^\p{Nd}{6}$/u.test(text)) return null
  return [...text].map((digit) => valueOf(digit)).join('')
}

/** The digits of a script stand in a row of ten, from its zero on (Unicode, Nd). */
function valueOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0
  for (let value = 0; value < 10; value += 1) {
    const before = String.fromCodePoint(point - value - 1)
    if (!/^\p{Nd}$/u.test(before)) return value
  }
  return 0
}
