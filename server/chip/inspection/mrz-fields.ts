/** Takes from the lines of an MRZ the three fields that open a chip (ICAO Doc 9303-11, 4.3.2), with their check digits. */
import { checkDigit } from '../../proofing/mrz/check-digit.ts'
import { detectFormat } from '../../proofing/mrz/detect.ts'
import { continuedNumber } from '../../proofing/mrz/document-number.ts'
import { fieldText } from '../../proofing/mrz/fields.ts'
import type { ReadField, ReadMrzFields } from './key-alternatives.ts'

/** Null for lines that are no MRZ of a travel document. */
export function readMrzFields(lines: readonly string[]): ReadMrzFields | null {
  const format = detectFormat(lines)
  if (format !== 'TD1' && format !== 'TD2' && format !== 'TD3') return null
  const find = (name: Parameters<typeof fieldText>[2]): string => fieldText(format, lines, name) ?? ''
  const field = (name: 'documentNumber' | 'birthDate' | 'expiryDate'): ReadField => ({
    text: find(name),
    digit: find(`${name}Check`),
  })
  return {
    documentNumber:
      format === 'TD3'
        ? trim(field('documentNumber'))
        : continueNumber(field('documentNumber'), find('optionalData')),
    dateOfBirth: field('birthDate'),
    dateOfExpiry: field('expiryDate'),
  }
}

function trim({ text, digit }: ReadField): ReadField {
  return { text: text.replace(/<+$/, ''), digit }
}

/** A number of more than nine characters has a filler for its digit, and continues in the optional data (Doc 9303-5, 4.2.2). */
function continueNumber(field: ReadField, optional: string): ReadField {
  if (field.digit !== '<') return trim(field)
  const { number } = continuedNumber(field.text, optional)
  return { text: number, digit: checkDigit(number) }
}
