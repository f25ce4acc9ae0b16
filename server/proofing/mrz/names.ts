/** The name field: primary identifier, two fillers, secondary identifiers (Doc 9303 part 3, section 4.6). */
import { isMrzText } from './check-digit.ts'

export interface MrzNames {
  /** Components of the primary identifier separated by spaces. */
  readonly surname: string
  readonly givenNames: readonly string[]
  /**
   * True if the field ends in a letter, so the name may be truncated: a comparison may only require that each component
   * is a prefix of the printed one, and trailing components may be missing.
   */
  readonly mayBeTruncated: boolean
}

export function readNames(field: string): MrzNames {
  const [primary = '', ...rest] = field.replace(/<+$/, '').split('<<')
  return {
    surname: splitComponents(primary).join(' '),
    givenNames: rest.flatMap(splitComponents),
    mayBeTruncated: /[A-Z]$/.test(field),
  }
}

/**
 * Builds the name field padded to `width`. A longer name is cut at the end, one of the methods that the standard allows.
 * Throws TypeError for characters outside A–Z, space and filler: transliterate first.
 */
export function writeNames(surname: string, givenNames: readonly string[], width: number): string {
  const join = (text: string) => text.trim().replace(/[\s<]+/g, '<')
  const primary = join(surname)
  const secondary = givenNames.map(join).join('<')
  const text = secondary === '' ? primary : `${primary}<<${secondary}`
  if (!isMrzText(text) || /\d/.test(text))
    throw new TypeError('a name holds characters that the zone does not have')
  return text.slice(0, width).padEnd(width, '<')
}

function splitComponents(text: string): string[] {
  return text.split('<').filter((part) => part !== '')
}
