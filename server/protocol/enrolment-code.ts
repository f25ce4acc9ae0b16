/**
 * The one-time code with which a kiosk joins: a secret that the central service knows by its hash, and the fingerprint of the
 * centre's CA, by which the kiosk knows that it speaks with the right centre. `XXXX-XXXX-XXXX-XXXX-FFFF-FFFF-FFFF-FFFF`,
 * 80 bits each, in letters that are not mistaken for one another (Crockford's base 32).
 */
import { createHash, randomBytes } from 'node:crypto'
import { lettersOf, toBase32, valuesOf } from '../crypto/base32.ts'
import { AppError } from '../errors.ts'

const PART_BYTES = 10
const PART_CHARS = 16

export interface EnrolmentCode {
  readonly secret: string
  readonly fingerprint: string
}

/** @param caCertificate DER */
export function newEnrolmentCode(caCertificate: Uint8Array): string {
  const text = lettersOf(toBase32(randomBytes(PART_BYTES))) + caFingerprint(caCertificate)
  return text.match(/.{4}/g)?.join('-') ?? text
}

/** As typed by a person: case, spaces and dashes do not matter. Throws `validation_failed`. */
export function parseEnrolmentCode(typed: string): EnrolmentCode {
  const values = valuesOf(typed.replace(/[\s-]/g, ''))
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
  const text = lettersOf(values)
  return { secret: text.slice(0, PART_CHARS), fingerprint: text.slice(PART_CHARS) }
}

/** What the central service keeps of a code. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(`counterproof-enrolment:${secret}`).digest('hex')
}

/** @param caCertificate DER */
export function caFingerprint(caCertificate: Uint8Array): string {
  return lettersOf(toBase32(createHash('sha256').update(caCertificate).digest().subarray(0, PART_BYTES)))
}
