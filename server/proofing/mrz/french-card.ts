/** Validity of the French identity card of 1988–2021, whose MRZ states the date of issue instead of the expiry. */
import type { PartialDate } from './dates.ts'

/** Year and month; the century in which such cards were issued. */
export function readFrenchIssueDate(text: string): PartialDate {
  if (!/^\d{4}$/.test(text)) return {}
  const [yy, month] = [Number(text.slice(0, 2)), Number(text.slice(2))]
  const year = yy >= 88 ? 1900 + yy : 2000 + yy
  return month >= 1 && month <= 12 ? { year, month } : { year }
}

const PRINTED_YEARS = 10
const EXTENDED_YEARS = 15
/** Decree 2013-1188: adults' cards issued from 2004 to 2013 are valid five years longer than printed. */
const EXTENDED_ISSUES = { from: 2004, to: 2013 }
const FULL_AGE_YEARS = 18

export interface FrenchValidity {
  /** As printed on the card: not every state accepts the extension. */
  readonly printed: PartialDate
  readonly extended: PartialDate | null
}

/** Month and year of the expiry; null if the date of issue is unreadable. */
export function frenchValidity(issue: PartialDate, birth: PartialDate): FrenchValidity | null {
  const { year, month } = issue
  if (year === undefined || month === undefined) return null
  const after = (years: number): PartialDate => ({ year: year + years, month })
  const isExtended =
    year >= EXTENDED_ISSUES.from && year <= EXTENDED_ISSUES.to && wasOfFullAge(year, month, birth)
  return { printed: after(PRINTED_YEARS), extended: isExtended ? after(EXTENDED_YEARS) : null }
}

/** False in doubt: cards of minors were never extended. */
function wasOfFullAge(year: number, month: number, birth: PartialDate): boolean {
  if (birth.year === undefined) return false
  const age = year - birth.year
  return age > FULL_AGE_YEARS || (age === FULL_AGE_YEARS && birth.month !== undefined && birth.month < month)
}
