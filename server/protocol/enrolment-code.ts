/**
 * The one-time code with which a kiosk joins: a secret that the centre knows by its hash, and the fingerprint of the
 * centre's CA, by which the kiosk knows that it speaks with the right centre. `XXXX-XXXX-XXXX-XXXX-FFFF-FFFF-FFFF-FFFF`,
 * 80 bits each, in letters that are not mistaken for one another (Crockford's base 32).
 */
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const PART_BYTES = 10
const PART_CHARS = 16

export interface EnrolmentCode {
  readonly secret: string
  readonly fingerprint: string
}

/** @param caCertificate DER */
export function newEnrolmentCode(caCertificate: Uint8Array): string {
  const text = base32(randomBytes(PART_BYTES)) + caFingerprint(caCertificate)
  return text.match(/.{4}/g)?.join('-') ?? text
}

/** As typed by a person: case, spaces and dashes do not matter. Throws `validation_failed`. */
export function parseEnrolmentCode(typed: string): EnrolmentCode {
  const text = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  if (!new RegExp(`^[${ALPHABET}]{${2 * PART_CHARS}}$`).test(text)) {
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
  return { secret: text.slice(0, PART_CHARS), fingerprint: text.slice(PART_CHARS) }
}

/** What the centre keeps of a code. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(`counterproof-enrolment:${secret}`).digest('hex')
}

/** @param caCertificate DER */
export function caFingerprint(caCertificate: Uint8Array): string {
  return base32(createHash('sha256').update(caCertificate).digest().subarray(0, PART_BYTES))
}

function base32(bytes: Uint8Array): string {
  let bits = BigInt('0x' + Buffer.from(bytes).toString('hex'))
  let text = ''
  for (let index = 0; index < (bytes.length * 8) / 5; index++) {
    text = ALPHABET[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return text
}
