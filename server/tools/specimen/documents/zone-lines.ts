/** Builds the MRZs of specimen documents from their facts. The issuer is Utopia unless the format prescribes another. */
import { checkDigit } from '../../../proofing/mrz/check-digit.ts'
import { buildMrz } from '../../../proofing/mrz/build.ts'
import { formatMrzDate, type CardFacts } from './card-facts.ts'
import { plainSpelling } from './person.ts'

export function buildMrzLines(
  facts: CardFacts,
  format: 'TD1' | 'TD2' | 'TD3' | 'MRVA' | 'MRVB',
  documentCode: string,
): readonly string[] {
  const { holder } = facts
  return buildMrz(
    {
      documentCode,
      issuingState: 'UTO',
      documentNumber: facts.documentNumber,
      nationality: 'UTO',
      birthDate: formatMrzDate(holder.birthDate),
      sex: holder.sex,
      expiryDate: formatMrzDate(facts.expiryDate),
      surname: plainSpelling(holder.surname),
      givenNames: holder.givenNames.map(plainSpelling),
    },
    format,
  )
}

const NAME_WIDTH = { surname: 25, given: 14 }

/**
 * Two lines of 36 in the style of the French identity card issued until 2021. The first five characters belong to that
 * format, so they cannot be Utopia's. The card around the lines says SPECIMEN and shows Utopia's name.
 */
export function frenchStyleLines({ holder, documentNumber, issueDate }: CardFacts): readonly string[] {
  const fill = (text: string, width: number) => text.replaceAll(' ', '<').slice(0, width).padEnd(width, '<')
  const first = `IDFRA${fill(plainSpelling(holder.surname), NAME_WIDTH.surname)}${fill('', 6)}`
  const number = frenchStyleNumber(documentNumber, issueDate)
  const given = fill(holder.givenNames.map(plainSpelling).join('<<'), NAME_WIDTH.given)
  const birth = formatMrzDate(holder.birthDate)
  const second = `${number}${checkDigit(number)}${given}${birth}${checkDigit(birth)}${holder.sex}`
  return [first, second + checkDigit(first + second)]
}

/** Year and month of issue, an office, a serial number: twelve digits. */
export function frenchStyleNumber(documentNumber: string, { year, month }: CardFacts['issueDate']): string {
  const digits = documentNumber.replace(/\D/g, '').padEnd(8, '0').slice(0, 8)
  return `${String(year % 100).padStart(2, '0')}${String(month).padStart(2, '0')}${digits}`
}
