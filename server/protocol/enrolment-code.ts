/**
 * The one-time code with which a kiosk joins: a secret whose hash the central service stores, and the
 * fingerprint of the central service's CA, by which the kiosk recognises it.
 * `XXXX-XXXX-XXXX-XXXX-FFFF-FFFF-FFFF-FFFF`, 80 bits each, in letters that cannot be confused (Crockford's
 * base 32).
 */
import { createHash, randomBytes } from 'node:crypto'
import { toLetters, toBase32, parseLetters } from '../crypto/base32.ts'
import { AppError } from '../errors.ts'

const PART_BYTES = 10
const PART_CHARS = 16

export interface EnrolmentCode {
  readonly secret: string
  readonly fingerprint: string
}

/** @param caCertificate DER */
export function newEnrolmentCode(caCertificate: Uint8Array): string {
  const text = toLetters(toBase32(randomBytes(PART_BYTES))) + caFingerprint(caCertificate)
  return text.match(/.{4}/g)?.join('-') ?? text
}

/** Parses a typed code: case, spaces and dashes do not matter. Throws `validation_failed`. */
export function parseEnrolmentCode(typed: string): EnrolmentCode {
  const values = parseLetters(typed.replace(/[\s-]/g, ''))
  if (values.length !== 2 * PART_CHARS || values.includes(-1)) {
    throw new AppError(
      'validation_failed',
      {},
      {
        problems: [
          { code: 'code_malformed', field: 'code', message: 'an enrolment code has 32 letters and digits' },
        ],
      },
    )
  }
  const text = toLetters(values)
  return { secret: text.slice(0, PART_CHARS), fingerprint: text.slice(PART_CHARS) }
}

/** The hash that the central service stores. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(`counterproof-enrolment:${secret}`).digest('hex')
}

/** @param caCertificate DER */
export function caFingerprint(caCertificate: Uint8Array): string {
  return toLetters(toBase32(createHash('sha256').update(caCertificate).digest().subarray(0, PART_BYTES)))
}
