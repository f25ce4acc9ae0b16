/**
 * Parses machine-readable lines to facts. Does not decide whether they are true: that needs check digits (checks.ts), the
 * VIZ and the portrait.
 */
import type { DocumentType } from '../types.ts'
import { AppError } from '../../errors.ts'
import { possibleBirthYears, readBirthDate, readExpiryDate, type PartialDate } from './dates.ts'
import { detectFormat } from './detect.ts'
import { documentClass } from './document-class.ts'
import { continuedNumber } from './document-number.ts'
import { fieldText, type FieldName } from './fields.ts'
import { frenchValidity, readFrenchIssueDate, type FrenchValidity } from './french-card.ts'
import type { MrzFormat } from './format.ts'
import { SPECIMEN_STATE, bareCode } from './issuers.ts'
import { readNames, type MrzNames } from './names.ts'
import { listNotes, type MrzNote } from './notes.ts'
import { passportKind, type PassportKind } from './passport-kinds.ts'

export interface MrzFacts {
  readonly format: MrzFormat
  readonly documentCode: string
  readonly documentClass: DocumentType | 'VISA' | null
  /** Meaning of the harmonised second letter of a passport; null if it has none. */
  readonly passportKind: PassportKind | null
  /** Has no fillers: Germany is D. */
  readonly issuingState: string
  /** Complete, even if it overflows into the optional data. */
  readonly documentNumber: string
  /** Empty if the layout has none (driving licences), or if the field has a digit, which no code has. */
  readonly nationality: string
  /** Empty if the layout has none (FRA_DL). The most likely year; see `possibleBirthYears`. */
  readonly birthDate: PartialDate
  /** X for a filler (or a non-standard X); empty if the layout has none. */
  readonly sex: 'M' | 'F' | 'X' | ''
  /** Null if the layout has none (FRA, CHE_DL). For a visa: the last day of validity or of stay. */
  readonly expiryDate: PartialDate | null
  /** Only for FRA: date of issue, and legal validity. */
  readonly issueDate: PartialDate | null
  readonly validity: FrenchValidity | null
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly nameMayBeTruncated: boolean
  /** Remainder of the optional fields without trailing fillers. May contain a national number: personal data. */
  readonly optionalData: string
  readonly optionalData2: string
  /** Issued by or for Utopia: a specimen. */
  readonly isSpecimen: boolean
  readonly notes: readonly MrzNote[]
}

/** Throws `validation_failed` if the lines have no known layout. Does NOT verify check digits. */
export function parseMrz(lines: readonly string[], now: Date): MrzFacts {
  const format = detectFormat(lines)
  if (format === null)
    throw new AppError('validation_failed', { reason: 'unknown_mrz_layout', lines: lines.length })
  const text = (name: FieldName) => fieldText(format, lines, name) ?? ''
  const documentCode = bareCode(text('documentCode'))
  const issuingState = bareCode(text('issuingState'))
  const printedNationality = format === 'FRA' ? 'FRA' : bareCode(text('nationality'))
  // No code has a digit, so such a field states no nationality and must not be returned as one.
  const nationality = /^[A-Z]*$/.test(printedNationality) ? printedNationality : ''
  const number = documentNumber(format, lines)
  const sexText = fieldText(format, lines, 'sex')
  const birthText = fieldText(format, lines, 'birthDate')
  const expiry = fieldText(format, lines, 'expiryDate')
  const names = readNameFields(format, lines)
  const birthDate = readBirthDate(birthText ?? '', now)
  const issueDate = format === 'FRA' ? readFrenchIssueDate(text('issueDate')) : null
  return {
    format,
    documentCode,
    documentClass: documentClass(documentCode, issuingState, nationality),
    passportKind: passportKind(documentCode),
    issuingState,
    documentNumber: number.number,
    nationality,
    birthDate,
    sex: sexText === null ? '' : sexText === 'M' || sexText === 'F' ? sexText : 'X',
    expiryDate: expiry === null ? null : readExpiryDate(expiry, now),
    issueDate,
    validity: issueDate && frenchValidity(issueDate, birthDate),
    surname: names.surname,
    givenNames: names.givenNames,
    nameMayBeTruncated: names.mayBeTruncated,
    optionalData: bareCode(number.rest),
    optionalData2: bareCode(text('optionalData2')),
    isSpecimen: issuingState === SPECIMEN_STATE || nationality === SPECIMEN_STATE,
    notes: listNotes({
      format,
      documentCode,
      issuingState,
      nationality: printedNationality,
      sexText,
      hasLongNumber: number.isContinued,
      birth:
        birthText === null
          ? null
          : { isComplete: /^\d{6}$/.test(birthText), possibleYears: possibleBirthYears(birthText, now) },
      nameMayBeTruncated: names.mayBeTruncated,
    }),
  }
}

interface NumberFields {
  readonly number: string
  /** Remainder of the optional data. */
  readonly rest: string
  readonly isContinued: boolean
}

function documentNumber(format: MrzFormat, lines: readonly string[]): NumberFields {
  const field = fieldText(format, lines, 'documentNumber') ?? ''
  const optional = fieldText(format, lines, 'optionalData') ?? ''
  const plain = { number: withoutFillers(field), rest: optional, isContinued: false }
  // The French card's number is its whole first group: year, month, office and serial number.
  if (format === 'FRA') return { ...plain, number: (fieldText(format, lines, 'issueDate') ?? '') + field }
  const mayOverflow = (['TD1', 'TD2', 'TD3'] as readonly MrzFormat[]).includes(format)
  if (!mayOverflow || fieldText(format, lines, 'documentNumberCheck') !== '<') return plain
  const { number, rest, check } = continuedNumber(field, optional)
  return { number, rest, isContinued: check === 'passed' }
}

/** Some issuers align a short number to the right, so fillers may precede it. */
const withoutFillers = (number: string): string => number.replace(/^<+|<+$/g, '')

function readNameFields(format: MrzFormat, lines: readonly string[]): MrzNames {
  // The French licence has room for eight letters of the surname and no other names.
  if (format === 'FRA_DL') return readNames(fieldText(format, lines, 'surname') ?? '')
  if (format !== 'FRA') return readNames(fieldText(format, lines, 'names') ?? '')
  const surname = readNames(fieldText(format, lines, 'surname') ?? '')
  const given = readNames(fieldText(format, lines, 'givenNames') ?? '')
  return {
    surname: surname.surname,
    givenNames: [...given.surname.split(' ').filter((part) => part !== ''), ...given.givenNames],
    mayBeTruncated: surname.mayBeTruncated || given.mayBeTruncated,
  }
}
