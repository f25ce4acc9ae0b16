/** The keys that open a chip: from the MRZ or from the card access number (ICAO Doc 9303-11, 4.3.2 and 9.7.3). */
import { createHash } from 'node:crypto'
import { checkDigit } from '../proofing/mrz/check-digit.ts'

export interface AccessKey {
  readonly kind: 'mrz' | 'can'
  /** K of the standard: the SHA-1 of the MRZ information, or the digits of the CAN. */
  readonly secret: Uint8Array
}

export interface MrzFields {
  /** The number without its check digit; one of more than nine characters is given whole. */
  readonly documentNumber: string
  /** YYMMDD; an unknown part is `<`. */
  readonly dateOfBirth: string
  readonly dateOfExpiry: string
}

const MIN_NUMBER_LENGTH = 9

/** Throws TypeError, which repeats no value, for a field that an MRZ cannot have. */
export function makeMrzKey({ documentNumber, dateOfBirth, dateOfExpiry }: MrzFields): AccessKey {
  const isMrz =
    /^[0-9A-Z<]{1,22}$/.test(documentNumber) &&
    /^[0-9<]{6}$/.test(dateOfBirth) &&
    /^[0-9<]{6}$/.test(dateOfExpiry)
  if (!isMrz) throw new TypeError('a document number or date that no MRZ has')
  const fields = [documentNumber.padEnd(MIN_NUMBER_LENGTH, '<'), dateOfBirth, dateOfExpiry]
  return makeKeyFromMrzInformation(fields.map((field) => field + checkDigit(field)).join(''))
}

/** @param information number, birth and expiry, each with its check digit */
export function makeKeyFromMrzInformation(information: string): AccessKey {
  if (!/^[0-9A-Z<]{10,23}[0-9<]{14}$/.test(information)) throw new TypeError('no MRZ information')
  return { kind: 'mrz', secret: createHash('sha1').update(information, 'latin1').digest() }
}

/** Throws TypeError, which repeats no digit, unless the CAN has six digits. */
export function makeCanKey(can: string): AccessKey {
  if (!/^[0-9]{6}$/.test(can)) throw new TypeError('a card access number has six digits')
  return { kind: 'can', secret: Buffer.from(can, 'latin1') }
}
