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
 * True if the printed name can yield these components. Names that fit are never truncated, so they must be equal; a
 * truncated name (initials, shortened or missing components) must be a component-wise prefix. `printed` is in the MRZ
 * alphabet: transliterated, hyphens as spaces, apostrophes dropped.
 */
export function mayStandFor(
  zone: MrzNames,
  printed: { readonly surname: string; readonly givenNames: readonly string[] },
): boolean {
  const splitAllComponents = (texts: readonly string[]) =>
    texts.flatMap((text) => text.split(/[\s<]+/)).filter(Boolean)
  const surnames = [splitAllComponents([zone.surname]), splitAllComponents([printed.surname])] as const
  const given = [splitAllComponents(zone.givenNames), splitAllComponents(printed.givenNames)] as const
  if (!zone.mayBeTruncated)
    return [surnames, given].every(([read, whole]) => read.join(' ') === whole.join(' '))
  return beginsEach(...surnames) && beginsEach(...given)
}

/** Each component is a prefix of its partner; trailing partners may be missing. */
function beginsEach(read: readonly string[], whole: readonly string[]): boolean {
  return read.length <= whole.length && read.every((component, i) => whole[i].startsWith(component))
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
