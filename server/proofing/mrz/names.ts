/** The name field: primary identifier, two fillers, secondary identifiers (Doc 9303 part 3, section 4.6). */
import { isMrzText } from './check-digit.ts'

export interface MrzNames {
  /** Components of the primary identifier joined by blanks. */
  readonly surname: string
  readonly givenNames: readonly string[]
  /**
   * The field ends in a letter, so the name may have been cut: a comparison may only ask that each component begins
   * the printed one, and that components may be missing at the end.
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
 * Whether a printed name may have given these components. Names that fit are never cut, so they must be equal; a name
 * that may have been cut (initials, shortened components, an end that is missing) begins the printed one component by
 * component. `printed` is in the zone's alphabet: transliterated, hyphens as blanks, apostrophes dropped.
 */
export function mayStandFor(
  zone: MrzNames,
  printed: { readonly surname: string; readonly givenNames: readonly string[] },
): boolean {
  const componentsOf = (texts: readonly string[]) =>
    texts.flatMap((text) => text.split(/[\s<]+/)).filter(Boolean)
  const surnames = [componentsOf([zone.surname]), componentsOf([printed.surname])] as const
  const given = [componentsOf(zone.givenNames), componentsOf(printed.givenNames)] as const
  if (!zone.mayBeTruncated)
    return [surnames, given].every(([read, whole]) => read.join(' ') === whole.join(' '))
  return beginsEach(...surnames) && beginsEach(...given)
}

/** Each component begins its partner; partners may be missing at the end. */
function beginsEach(read: readonly string[], whole: readonly string[]): boolean {
  return read.length <= whole.length && read.every((component, i) => whole[i].startsWith(component))
}

/**
 * The name field, filled to `width`. A name that is too long is cut at the field's end, one of the ways that the
 * standard allows. Throws TypeError when a name still holds characters outside A–Z, blank and filler: transliterate first.
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
