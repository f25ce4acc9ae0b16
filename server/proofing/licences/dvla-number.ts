/**
 * Driver number of Great Britain (DVLA): five letters of the surname, birth date with the sex in its month, two initials,
 * and three characters with an unpublished scheme, which are ignored.
 */
import type { CheckOutcome } from '../judge.ts'
import { keepLetters, type LicenceHolder } from './holder.ts'

const LAYOUT = /^([A-Z]{1,5}9{0,4})(\d)(\d\d)(\d\d)(\d)([A-Z9]{2})[A-Z\d]{3}(?:\d\d)?$/
const SURNAME_WIDTH = 5

/** Inconclusive for a Northern Ireland number, which encodes nothing, and without a birth date. */
export function checkDvlaNumber(number: string, holder: LicenceHolder): CheckOutcome {
  const [, surname, decade, month, day, year, initials] = LAYOUT.exec(number) ?? []
  if (surname?.length !== SURNAME_WIDTH || holder.birthDate === null) return 'inconclusive'
  const [birthYear, birthMonth, birthDay] = holder.birthDate.split('-')
  const isDate =
    decade + year === birthYear.slice(2) &&
    day === birthDay &&
    listMonths(birthMonth, holder.sex).includes(month)
  const isName =
    listSurnames(holder.surname).includes(surname) && initials === encodeInitials(holder.givenNames)
  return isDate && isName ? 'passed' : 'failed'
}

/** Women have 5 added to the first month digit; for another or unknown sex both forms are accepted. */
function listMonths(month: string, sex: LicenceHolder['sex']): readonly string[] {
  const female = `${Number(month[0]) + 5}${month[1]}`
  if (sex === 'F') return [female]
  return sex === 'M' ? [month] : [month, female]
}

/** MAC is reportedly written MC; no source confirms it, so both are accepted. */
function listSurnames(surname: string): readonly string[] {
  const letters = keepLetters(surname)
  return [letters, letters.replace(/^MAC/, 'MC')].map((name) =>
    name.slice(0, SURNAME_WIDTH).padEnd(SURNAME_WIDTH, '9'),
  )
}

function encodeInitials(givenNames: readonly string[]): string {
  const letters = givenNames.map((name) => keepLetters(name).charAt(0)).join('')
  return letters.slice(0, 2).padEnd(2, '9')
}
