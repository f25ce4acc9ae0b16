/**
 * Parses the barcode text of a North American card (AAMVA DL/ID, editions of 2000 to 2025 and earlier cards). Never
 * throws: returns facts or a problem for any text. Judges nothing.
 */
import { isNothing, prescribedOrder, readDate } from './dates.ts'
import { readElements, type AamvaElements } from './elements.ts'
import type { AamvaFacts } from './facts.ts'
import { readHeader, type AamvaHeader } from './header.ts'
import { countryOfState, findIssuer } from './issuers.ts'
import { parseMagnetic } from './magnetic.ts'
import { readNames } from './names.ts'

type AamvaProblem =
  /** Another kind of barcode. */
  | 'not-aamva'
  /** Binary form of annex I, not supported. */
  | 'compact-encoding'
  /** A card without name or number. */
  | 'elements-missing'

type AamvaReading =
  | { readonly facts: AamvaFacts; readonly problem: null }
  | { readonly facts: null; readonly problem: AamvaProblem }

/** Maximum capacity of a PDF417 symbol. */
const LONGEST = 4096
/** Minimum number of known elements that identify a card without a header. */
const FEWEST_ELEMENTS = 6

/** Returns null if the text is no card of this standard. */
export function parseAamva(text: string): AamvaFacts | null {
  return readAamva(text).facts
}

export function readAamva(raw: string): AamvaReading {
  const text = unescape(withoutInventions(raw.slice(0, LONGEST)))
  const magnetic = parseMagnetic(text)
  if (magnetic) return { facts: magnetic, problem: null }
  const header = readHeader(text)
  const elements = readElements(text, header)
  if (!header && (elements.size < FEWEST_ELEMENTS || elements.get('DBB') === null)) {
    return { facts: null, problem: isCompact(text) ? 'compact-encoding' : 'not-aamva' }
  }
  const facts = buildFacts(elements, header)
  return facts ? { facts, problem: null } : { facts: null, problem: 'elements-missing' }
}

/** Keyboard scanners emit bytes 0x80 to 0x9F for missing keys; none is a Latin-1 letter. */
function withoutInventions(text: string): string {
  return text.replace(/[\u0080-\u0084\u0086-\u009f]/g, '')
}

/** Restores control characters that were spelled out in text. */
function unescape(text: string): string {
  if (/[\n\r]/.test(text.trim())) return text
  return text
    .replace(/\\n|<LF>|\u240a/gi, '\n')
    .replace(/\\r|<CR>|\u240d/gi, '\r')
    .replace(/\\u001e|\\x1e|<RS>|\u241e/gi, '\u001e')
}

/**
 * Annex I of the 2020 edition (ISO/IEC 18013-2): no marker, no `@`, fields separated by characters of the upper half of
 * Latin-1.
 */
function isCompact(text: string): boolean {
  return (
    !text.startsWith('@') &&
    /^(?:%?DL|ID)/.test(text) &&
    (text.match(/[\u00d7\u00f7\u00b6]/g) ?? []).length >= 5
  )
}

function buildFacts(elements: AamvaElements, header: AamvaHeader | null): AamvaFacts | null {
  const version = header?.version ?? 0
  const deviations = new Set([...(header?.deviations ?? ['HEADER_MISSING']), ...elements.deviations])
  const value = (id: string): string | null => {
    const text = elements.get(id)
    return text === null || isNothing(text) ? null : text
  }
  const issuer = issuerFor(header?.iin ?? '', value, deviations)
  const names = readNames((id) => elements.get(id), issuer.jurisdiction)
  const documentNumber = value('DAQ')
  if (!names || documentNumber === null) return null
  for (const deviation of names.deviations) deviations.add(deviation)
  const date = (id: string): string | null => {
    const text = value(id)
    const read = text === null ? null : readDate(text)
    if (text !== null && !read) deviations.add('DATE_IMPOSSIBLE')
    if (read && read.order !== prescribedOrder(version, issuer.country)) deviations.add('DATE_ORDER')
    return read?.date ?? null
  }
  const facts = {
    version,
    iin: header?.iin ?? '',
    ...issuer,
    kind: deriveKind(header, elements),
    documentNumber: documentNumber.replace(/\s+/g, ' '),
    surname: names.surname,
    givenNames: names.givenNames,
    nameMayBeTruncated: isMaybeTruncated(value, names.fillsElement),
    suffix: names.suffix,
    birthDate: date('DBB'),
    issueDate: date('DBD'),
    expiryDate: date('DBA'),
    // 9 is a placeholder in every other element.
    sex: parseSex(elements.get('DBC')),
    address: readAddress(value, issuer.country),
    discriminator: value('DCF'),
  }
  return { ...facts, deviations: [...deviations] }
}

type Value = (id: string) => string | null

function issuerFor(
  iin: string,
  value: Value,
  deviations: Set<string>,
): Pick<AamvaFacts, 'country' | 'jurisdiction'> {
  const listed = findIssuer(iin)
  const state = (value('DAJ') ?? value('DAO'))?.toUpperCase() ?? null
  if (listed) {
    // The jurisdiction may print the mailing address (2020 edition, table 1), so this is only a deviation.
    if (state !== null && state !== listed.jurisdiction) deviations.add('ADDRESS_OUTSIDE_JURISDICTION')
    return listed
  }
  deviations.add('ISSUER_UNKNOWN')
  const country = state === null ? null : countryOfState(state)
  const isCanadian = country === 'CAN' || (country === null && /^C[AD]N$/.test(value('DCG') ?? ''))
  return { country: isCanadian ? 'CAN' : 'USA', jurisdiction: country === null ? null : state }
}

/** An enhanced licence has its own subfile type. A card without type and class grants no right to drive. */
function deriveKind(header: AamvaHeader | null, elements: AamvaElements): AamvaFacts['kind'] {
  const types = header?.subfileTypes ?? []
  if (types.includes('DL')) return 'DRIVING_LICENSE'
  if (types.includes('ID')) return 'IDENTITY_CARD'
  const drives = elements.get('DCA') !== null || elements.get('DAR') !== null
  return drives ? 'DRIVING_LICENSE' : 'IDENTITY_CARD'
}

function isMaybeTruncated(value: Value, fillsElement: boolean): boolean {
  const flags = ['DDE', 'DDF', 'DDG'].map((id) => value(id)?.charAt(0).toUpperCase() ?? null)
  if (flags.some((flag) => flag === 'T' || flag === 'U')) return true
  return flags.every((flag) => flag === null) && fillsElement
}

/** A digit since 2003, a letter before; X and 9 where a state uses them. */
function parseSex(value: string | null): AamvaFacts['sex'] {
  const sex = value?.charAt(0).toUpperCase() ?? ''
  return ({ 1: 'M', M: 'M', 2: 'F', F: 'F', 9: 'X', X: 'X' } as const)[sex] ?? null
}

/** Edition 1 distinguishes residence and mailing address, with different elements. */
function readAddress(value: Value, country: AamvaFacts['country']): AamvaFacts['address'] {
  const [street, street2, city, state, code] =
    value('DAG') !== null || value('DAI') !== null
      ? ['DAG', 'DAH', 'DAI', 'DAJ', 'DAK'].map(value)
      : ['DAL', 'DAM', 'DAN', 'DAO', 'DAP'].map(value)
  const streetLines = [street, street2]
    .filter((line) => line !== null)
    .map((line) => line.replace(/[\s,]+$/, '').replace(/\s+/g, ' '))
  if (streetLines.length === 0 && city === null) return null
  return { streetLines, city, state, postcode: code === null ? null : parsePostcode(code, country) }
}

/** Five or nine digits in the United States; the last four are zero if unknown. */
function parsePostcode(code: string, country: AamvaFacts['country']): string {
  if (country !== 'USA') return code.replace(/\s+/g, ' ')
  const [, five, four] = /^(\d{5})(?:[- ]*(\d{4})(?!\d)|0*(?!\d))/.exec(code) ?? []
  if (five === undefined) return code.replace(/\s+/g, ' ')
  return four === undefined || four === '0000' ? five : `${five}-${four}`
}
