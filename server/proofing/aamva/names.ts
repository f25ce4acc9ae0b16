/** Extracts the holder's names: one element for all or one each, depending on the edition and on deviations of states. */
import { isNothing } from './dates.ts'

interface AamvaNames {
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly suffix: string | null
  readonly deviations: readonly string[]
  /** The name fills its element, so it may be truncated. */
  readonly fillsElement: boolean
}

const SUFFIX = /^(JR|SR|II|III|IV|VI{1,3}|IX|1ST|2ND|3RD|[4-9]TH)\.?$/i
/** Placeholders such as "no middle name". */
const NO_NAME = /^(NMN|NMI|NFN|NLN|NONE|UNAVL|UNAVAIL\w*|-+|N\/A)$/i

/** Element widths of the standard: the whole name; since 2003 surname and the others. */
const WIDTHS: Readonly<Record<string, number>> = { DAA: 35, DCS: 40, DCT: 80, DAC: 40, DAD: 40, DAB: 35 }

/**
 * States where a name without commas begins with the given name (seen on decoded cards); elsewhere the surname comes
 * first.
 */
const GIVEN_NAME_FIRST: ReadonlySet<string> = new Set(['PA'])

/** Returns null without a surname. `jurisdiction` determines how a name without commas is split. */
export function readNames(
  element: (id: string) => string | null,
  jurisdiction: string | null,
): AamvaNames | null {
  const apart = namesApart(element, jurisdiction)
  const names = apart ?? namesTogether(element('DAA'), jurisdiction)
  if (!names) return null
  const { surname, givenNames, deviations } = names
  const printed = clean(element('DCU')) ?? clean(element('DAE')) ?? names.suffix
  const [plain, found] = printed === null ? takeSuffix(surname) : [surname, null]
  const usedElements = Object.entries(WIDTHS).filter(([id]) => (apart ? id !== 'DAA' : id === 'DAA'))
  return {
    surname: plain,
    givenNames,
    suffix: printed ?? found,
    deviations: found === null ? deviations : [...deviations, 'SUFFIX_IN_SURNAME'],
    fillsElement: usedElements.some(([id, width]) => (element(id) ?? '').length >= width),
  }
}

type Parts = Omit<AamvaNames, 'fillsElement'>

function namesApart(element: (id: string) => string | null, jurisdiction: string | null): Parts | null {
  const surname = clean(element('DCS')) ?? clean(element('DAB'))
  if (surname === null) return null
  const single = [...words(element('DAC')), ...words(element('DAD'))]
  const given = single.length > 0 ? single : words(element('DCT'))
  const deviations: string[] = []
  // Pennsylvania has stored the whole name in the first name's element.
  const repeats = jurisdiction === 'PA' && given.length > 1 && given.at(-1) === surname
  if (repeats) deviations.push('SURNAME_AMONG_GIVEN_NAMES')
  return { surname, givenNames: repeats ? given.slice(0, -1) : given, suffix: null, deviations }
}

/** LAST,FIRST,MIDDLE[,SUFFIX]; some cards use other separators. */
function namesTogether(value: string | null, jurisdiction: string | null): Parts | null {
  if (value === null) return null
  const parts = value.split(/[,@$;]/).map((part) => part.trim())
  if (parts.length > 1) {
    const [surname, first = '', middle = '', ...rest] = parts
    if (surname === '') return null
    const suffix = clean(rest.join(' '))
    const isSuffix = suffix !== null && SUFFIX.test(suffix)
    const last = isSuffix || suffix === null ? [] : words(suffix)
    return {
      surname,
      givenNames: [...words(first), ...words(middle), ...last],
      suffix: isSuffix ? suffix : null,
      deviations: [],
    }
  }
  const all = words(value)
  const last = all.at(-1) ?? ''
  const suffix = all.length > 2 && SUFFIX.test(last) ? last : null
  const names = suffix === null ? all : all.slice(0, -1)
  if (names.length === 0) return null
  const givenFirst = jurisdiction !== null && GIVEN_NAME_FIRST.has(jurisdiction)
  return {
    surname: (givenFirst ? names.at(-1) : names[0]) ?? '',
    givenNames: givenFirst ? names.slice(0, -1) : names.slice(1),
    suffix,
    deviations: ['NAME_WITHOUT_COMMAS'],
  }
}

function takeSuffix(surname: string): readonly [string, string | null] {
  const parts = surname.split(' ')
  const last = parts.at(-1) ?? ''
  return parts.length > 1 && SUFFIX.test(last) ? [parts.slice(0, -1).join(' '), last] : [surname, null]
}

/** Removes trailing commas, which some states add. */
function clean(value: string | null): string | null {
  const text = (value ?? '')
    .replace(/[\s,]+$/, '')
    .replace(/^[\s,]+/, '')
    .replace(/\s+/g, ' ')
  return text === '' || isNothing(text) || NO_NAME.test(text) ? null : text
}

function words(value: string | null): readonly string[] {
  return (value ?? '').split(/[\s,]+/).filter((word) => word !== '' && clean(word) !== null)
}
