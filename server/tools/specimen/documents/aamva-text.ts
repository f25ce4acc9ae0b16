/** Barcode text of a North American style licence: AAMVA DL/ID version 10, with a fictitious jurisdiction. */
import type { CalendarDate } from '../passport/holder.ts'
import type { CardFacts } from './card-facts.ts'
import { plainSpelling, type BirthDate } from './person.ts'

/** Not assigned to any jurisdiction. */
const SPECIMEN_IIN = '999999'
const VERSION = '10'

const two = (n: number) => String(n).padStart(2, '0')
/** MMDDCCYY; an unknown day is 00. */
const americanDate = ({ year, month, day }: BirthDate | CalendarDate) =>
  `${two(month)}${two(day ?? 0)}${year}`

export function aamvaText(facts: CardFacts): string {
  const { holder } = facts
  const [first = '', ...middle] = holder.givenNames.map(plainSpelling)
  const elements: readonly (readonly [string, string])[] = [
    ['DAQ', facts.documentNumber],
    ['DCS', plainSpelling(holder.surname).slice(0, 40)],
    ['DDE', 'N'],
    ['DAC', first],
    ['DDF', 'N'],
    ['DAD', middle.join(',')],
    ['DDG', 'N'],
    ['DCA', 'D'],
    ['DCB', 'NONE'],
    ['DCD', 'NONE'],
    ['DBD', americanDate(facts.issueDate)],
    ['DBB', americanDate(holder.birthDate)],
    ['DBA', americanDate(facts.expiryDate)],
    ['DBC', holder.sex === 'M' ? '1' : '2'],
    ['DAU', '068 in'],
    ['DAY', 'BRO'],
    ['DAG', holder.address.street],
    ['DAI', plainSpelling(holder.address.city)],
    // User-assigned in ISO 3166; stands for the fictitious state.
    ['DAJ', 'ZZ'],
    ['DAK', `${holder.address.postcode}0000`.padEnd(11)],
    ['DCF', `SPECIMEN${facts.seed}`],
    // Determines the order of the dates; the standard knows no third country.
    ['DCG', 'USA'],
  ]
  const subfile = `DL${elements.map(([id, value]) => id + value).join('\n')}\r`
  const length = String(subfile.length).padStart(4, '0')
  return `@\n\u001e\rANSI ${SPECIMEN_IIN}${VERSION}0001DL0031${length}${subfile}`
}
