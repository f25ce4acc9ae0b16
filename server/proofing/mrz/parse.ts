/**
 * Owns the reading of machine-readable lines into facts. Never decides whether they are true: that takes check digits
 * (checks.ts), the printed page and the portrait.
 */
import type { DocumentType } from '../types.ts'
import { AppError } from '../../errors.ts'
import { readBirthDate, readExpiryDate, type PartialDate } from './dates.ts'
import { detectFormat } from './detect.ts'
import { documentClass } from './document-class.ts'
import { continuedNumber } from './document-number.ts'
import { fieldText, type FieldName } from './fields.ts'
import type { MrzFormat } from './format.ts'
import { SPECIMEN_STATE, bareCode } from './issuers.ts'
import { readNames, type MrzNames } from './names.ts'

export interface MrzFacts {
  readonly format: MrzFormat
  readonly documentCode: string
  readonly documentClass: DocumentType | 'VISA' | null
  /** Without fillers: Germany is D. */
  readonly issuingState: string
  /** Whole, also where it overflows into the optional data (TD1, TD2). */
  readonly documentNumber: string
  readonly nationality: string
  readonly birthDate: PartialDate
  /** X where the zone prints a filler (or, against the standard, an X). */
  readonly sex: 'M' | 'F' | 'X'
  /** Null where the layout has none (FRA). For a visa: the last day of validity or of stay. */
  readonly expiryDate: PartialDate | null
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly nameMayBeTruncated: boolean
  /** What is left of the optional fields, fillers at the end removed. May hold a national number: personal data. */
  readonly optionalData: string
  readonly optionalData2: string
  /** Issued by or for Utopia: a specimen. */
  readonly isSpecimen: boolean
}

/** Throws `validation_failed` when the lines have no known layout. Check digits are NOT verified here. */
export function parseMrz(lines: readonly string[], now: Date): MrzFacts {
  const format = detectFormat(lines)
  if (format === null)
    throw new AppError('validation_failed', { reason: 'unknown_mrz_layout', lines: lines.length })
  const text = (name: FieldName) => fieldText(format, lines, name) ?? ''
  const documentCode = bareCode(text('documentCode'))
  const issuingState = bareCode(text('issuingState'))
  const nationality = format === 'FRA' ? 'FRA' : bareCode(text('nationality'))
  const number = documentNumber(format, lines)
  const sex = text('sex')
  const expiry = fieldText(format, lines, 'expiryDate')
  const names = namesOf(format, lines)
  return {
    format,
    documentCode,
    documentClass: documentClass(documentCode, issuingState, nationality),
    issuingState,
    documentNumber: number.number,
    nationality,
    birthDate: readBirthDate(text('birthDate'), now),
    sex: sex === 'M' || sex === 'F' ? sex : 'X',
    expiryDate: expiry === null ? null : readExpiryDate(expiry, now),
    surname: names.surname,
    givenNames: names.givenNames,
    nameMayBeTruncated: names.mayBeTruncated,
    optionalData: bareCode(number.rest),
    optionalData2: bareCode(text('optionalData2')),
    isSpecimen: issuingState === SPECIMEN_STATE || nationality === SPECIMEN_STATE,
  }
}

function documentNumber(format: MrzFormat, lines: readonly string[]): { number: string; rest: string } {
  const field = fieldText(format, lines, 'documentNumber') ?? ''
  const optional = fieldText(format, lines, 'optionalData') ?? ''
  // The number of the French card is its whole first group: year, month, office and serial.
  if (format === 'FRA') return { number: (fieldText(format, lines, 'issueDate') ?? '') + field, rest: '' }
  const overflows =
    (format === 'TD1' || format === 'TD2') && fieldText(format, lines, 'documentNumberCheck') === '<'
  return overflows ? continuedNumber(field, optional) : { number: bareCode(field), rest: optional }
}

function namesOf(format: MrzFormat, lines: readonly string[]): MrzNames {
  if (format !== 'FRA') return readNames(fieldText(format, lines, 'names') ?? '')
  const surname = readNames(fieldText(format, lines, 'surname') ?? '')
  const given = readNames(fieldText(format, lines, 'givenNames') ?? '')
  return {
    surname: surname.surname,
    givenNames: [...given.surname.split(' ').filter((part) => part !== ''), ...given.givenNames],
    mayBeTruncated: surname.mayBeTruncated || given.mayBeTruncated,
  }
}
