/** The rules for the MRZ in DG1 (ICAO Doc 9303-3 to -6): alphabets, check digits, dates that exist, a name, an issuer that is known. */
import { checkMrz } from '../../proofing/mrz/checks.ts'
import { detectFormat } from '../../proofing/mrz/detect.ts'
import { alphabetGrid, ALPHABETS, fieldText } from '../../proofing/mrz/fields.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import { readNames } from '../../proofing/mrz/names.ts'

export type MrzFault =
  | 'mrz_layout_unknown'
  | 'mrz_letter_wrong'
  | 'mrz_check_digit_wrong'
  | 'mrz_date_impossible'
  | 'mrz_name_missing'
  | 'mrz_state_unknown'

/** The first rule that the lines break, or null. */
export function findMrzFault(lines: readonly string[]): MrzFault | null {
  const format = detectFormat(lines)
  if (format === null) return 'mrz_layout_unknown'
  const alphabets = alphabetGrid(format)
  const isLawful = lines.every((line, l) =>
    [...line].every((letter, i) => ALPHABETS[alphabets[l]?.[i] ?? 'any'].includes(letter)),
  )
  if (!isLawful) return 'mrz_letter_wrong'
  if (checkMrz(lines, format).some(({ outcome }) => outcome === 'failed')) return 'mrz_check_digit_wrong'
  const text = (name: Parameters<typeof fieldText>[2]): string => fieldText(format, lines, name) ?? ''
  if (![text('birthDate'), text('expiryDate')].every(isPossible)) return 'mrz_date_impossible'
  if (readNames(text('names')).surname === '') return 'mrz_name_missing'
  const states = [text('issuingState'), text('nationality')]
  return states.every((state) => issuerKind(state) !== 'unknown') ? null : 'mrz_state_unknown'
}

/** YYMMDD; each part may be unknown (Doc 9303-3, 4.8). */
function isPossible(date: string): boolean {
  const [year = '', month = '', day = ''] = [0, 2, 4].map((at) => date.slice(at, at + 2))
  const isPart = (part: string, max: number): boolean =>
    part === '<<' || (/^[0-9]{2}$/.test(part) && Number(part) >= 1 && Number(part) <= max)
  const isYear = year === '<<' || /^[0-9]{2}$/.test(year)
  return isYear && isPart(month, 12) && isPart(day, month === '<<' ? 31 : countDays(Number(month)))
}

/** Days of a month in the longest year. */
function countDays(month: number): number {
  return new Date(Date.UTC(2000, month, 0)).getUTCDate()
}
