/**
 * Tests whether two pieces of evidence describe the same person. Returns names of attributes, never values. Symmetric; no
 * evidence disagrees with itself.
 */
import type { Comparison } from '../consistency.ts'
import { resultError } from '../error-codes.ts'
import type { Evidence, IdDocumentData, NamedValue, PersonalAttributes } from '../evidence.ts'
import { detectFormat } from '../mrz/detect.ts'
import { parseMrz } from '../mrz/parse.ts'
import { compareStatedNames, type NameRules, type StatedName } from '../name-agreement.ts'
import type { Script } from '../name-spelling.ts'
import type { ResultError } from '../types.ts'
import { isSameReading } from '../visual-zone/same-reading.ts'
import { judgeCorrections } from './corrections.ts'
import type { Disagreement } from './facts.ts'

/** The compared part of an evidence, available from the database and from an archive. */
export type Statement = Pick<Evidence, 'family' | 'type' | 'content'>

/** All lists are sorted. */
export interface Agreement {
  /** Attributes with different values. */
  readonly disagreements: readonly string[]
  /** Attributes that both state but that cannot be compared, such as names in scripts without a common spelling. */
  readonly unclear: readonly string[]
  /**
   * Disagreements that an officer may resolve with further documents: another surname with equal given names and birth
   * date may result from a marriage.
   */
  readonly resolvable: readonly string[]
}

/** Sorted attributes in which both disagree; empty if they agree or cannot be compared. Symmetric. */
export function disagreeingAttributes(a: Statement, b: Statement): readonly string[] {
  return compareStatements(a, b).disagreements
}

export function compareStatements(a: Statement, b: Statement): Agreement {
  const compared = comparedAttributes(saidIn(a), saidIn(b))
  const those = (wanted: Comparison): string[] =>
    [...compared].flatMap(([attribute, comparison]) => (comparison === wanted ? [attribute] : [])).sort()
  const disagreements = those('different')
  const isNameChange =
    disagreements.join() === 'surname' &&
    compared.get('givenNames') === 'same' &&
    compared.get('dateOfBirth') === 'same'
  return { disagreements, unclear: those('unclear'), resolvable: isNameChange ? disagreements : [] }
}

/** True if the evidence vouches for a name, so it can be the name reference. */
export function statesName({ family, content }: Statement): boolean {
  const vouched =
    family === 'IDDOCUMENT'
      ? content.document?.personalAttributes
      : family === 'TRUSTED_ID_CLAIM'
        ? content.trustedClaim?.shared?.personalAttributes
        : undefined
  return [vouched?.surname, vouched?.fullname].some((name) => name !== undefined && /\p{L}/u.test(name.value))
}

/** Errors for the relying service by evidence: 1151 for contact details, otherwise 1131, with the attribute as field. */
export function disagreementErrors(
  disagreements: readonly Disagreement[],
): ReadonlyMap<string, readonly ResultError[]> {
  return new Map(
    disagreements.map(({ evidenceId, attributes }) => [
      evidenceId,
      attributes.map((field) => resultError(field === CONTACT ? '1151' : '1131', { field })),
    ]),
  )
}

/** Further indicators about agreement with the name reference. */
export function agreementIndicators({ unclear, resolvable }: Agreement): readonly string[] {
  return [
    ...(unclear.length > 0 ? ['NAME_AGREEMENT_UNVERIFIED'] : []),
    ...(resolvable.length > 0 ? ['NAME_CHANGE_UNVERIFIED'] : []),
  ]
}

/** Name of the field in claims and contact details. */
const CONTACT = 'mobile'

interface Said {
  readonly attributes: PersonalAttributes
  readonly namesMayBeCut: boolean
  readonly document: IdDocumentData | null
  /** Typed data: it names a document but shows none. */
  readonly isTyped: boolean
  /** Separately submitted attributes that correct a reading. */
  readonly isCorrection: boolean
  /**
   * A claim's number is compared with that of the contact details; claims and contacts are not compared among themselves.
   */
  readonly claimedMobile?: string
  readonly mobile?: string
}

function saidIn({ content }: Statement): Said {
  const { document = null, trustedClaim, claim, attributes, mobile } = content
  return {
    attributes:
      document?.personalAttributes ??
      trustedClaim?.shared?.personalAttributes ??
      claim?.attributesData ??
      attributes ??
      {},
    namesMayBeCut: document !== null && namesMayBeCut(document),
    document,
    isTyped: content.submittedAsText === true,
    isCorrection: attributes !== undefined,
    claimedMobile: claim?.contactDetails?.mobile.value,
    mobile: mobile?.value,
  }
}

/** The MRZ may be too short for the whole name. Unknown if the layout is unknown. */
export function namesMayBeCut({ mrz = [] }: Pick<IdDocumentData, 'mrz'>): boolean {
  // The date only affects the century of birth.
  return detectFormat(mrz) !== null && parseMrz(mrz, new Date(0)).nameMayBeTruncated
}

function comparedAttributes(a: Said, b: Said): ReadonlyMap<string, Comparison> {
  const compared = new Map<string, Comparison>(compareStatedNames(nameIn(a), nameIn(b), rulesFor(a, b)))
  for (const attribute of [...correctedIn(a, b), ...correctedIn(b, a)]) compared.set(attribute, 'same')
  const others: readonly (readonly [string, Comparison | undefined])[] = [
    ['dateOfBirth', compareBirthDates(a, b)],
    ['gender', compareSpecified(a.attributes.gender, b.attributes.gender, ['X'])],
    ['nationality', compareNationalities(a, b)],
    ['idDocumentNumber', compareNumbers(a, b)],
    [CONTACT, compareContacts(a, b)],
  ]
  for (const [attribute, comparison] of others) if (comparison) compared.set(attribute, comparison)
  return compared
}

/** A correction of a reading is no difference. */
function correctedIn(correction: Said, { document }: Said): readonly string[] {
  if (!correction.isCorrection || document === null) return []
  const read = { attributes: document.personalAttributes, namesMayBeCut: namesMayBeCut(document) }
  const judged = judgeCorrections(correction.attributes, read)
  return [...judged].flatMap(([name, { standing }]) => (standing === 'corrected' ? [name] : []))
}

function nameIn({ attributes: { surname, givenNames, fullname }, namesMayBeCut }: Said): StatedName {
  const given = givenNames?.map(({ value }) => value).join(' ')
  return {
    ...(surname ? { surname: surname.value } : {}),
    ...(given ? { givenNames: given } : {}),
    ...(fullname ? { fullname: fullname.value } : {}),
    mayBeCut: namesMayBeCut,
  }
}

/** Two readings of one document may differ by reading errors; an exchanged name differs by more. */
function rulesFor(a: Said, b: Said): NameRules {
  const scripts: readonly Script[] = ['LATIN', ...SCRIPTS.filter((script) => isWritten(script, a, b))]
  if (isSameDocument(a.document, b.document)) return { scripts, alike: isSameReading }
  return { scripts }
}

const SCRIPTS = ['CYRILLIC', 'ARABIC'] as const

/** States with names in another script and changing transliteration rules. */
const STATES: Readonly<Record<(typeof SCRIPTS)[number], readonly string[]>> = {
  CYRILLIC: ['BGR', 'BIH', 'BLR', 'KAZ', 'KGZ', 'MKD', 'MNE', 'MNG', 'RUS', 'SRB', 'TJK', 'UKR'],
  ARABIC:
    'AFG ARE BHR COM DJI DZA EGY IRN IRQ JOR KWT LBN LBY MAR MRT OMN PAK PSE QAT SAU SDN SOM SYR TCD TUN YEM'.split(
      ' ',
    ),
}

function isWritten(script: (typeof SCRIPTS)[number], ...both: readonly Said[]): boolean {
  return both.some(({ attributes, document }) =>
    [attributes.nationality?.value, document?.issuingCountry].some(
      (state) => state !== undefined && STATES[script].includes(state),
    ),
  )
}

/** Year, month and day as far as known: 1974-08-12, 1974-08, 1974, 1974-00-00. */
function compareBirthDates(a: Said, b: Said): Comparison | undefined {
  const parts = ({ attributes }: Said) => attributes.dateOfBirth?.value.split('-')
  const [one, other] = [parts(a), parts(b)]
  if (!one || !other) return undefined
  const known = (part: string | undefined) => Number(part) > 0
  const differs = one.some((part, i) => known(part) && known(other[i]) && part !== other[i])
  return differs ? 'different' : 'same'
}

function compareSpecified(
  a: NamedValue | undefined,
  b: NamedValue | undefined,
  unspecified: readonly string[],
): Comparison | undefined {
  if (!a || !b || unspecified.includes(a.value) || unspecified.includes(b.value)) return undefined
  return a.value === b.value ? 'same' : 'different'
}

/** Unspecified, stateless and refugee codes: the person may have a nationality nevertheless. */
const NO_NATIONALITY = ['XXX', 'XXA', 'XXB', 'XXC']

/** Each state lists its own nationality: a person with documents of two states has two, and both are correct. */
function compareNationalities(a: Said, b: Said): Comparison | undefined {
  const ofItsOwn = ({ attributes, document }: Said) =>
    document?.issuingCountry !== undefined && document.issuingCountry === attributes.nationality?.value
  const compared = compareSpecified(a.attributes.nationality, b.attributes.nationality, NO_NATIONALITY)
  return compared === 'different' && ofItsOwn(a) && ofItsOwn(b) ? undefined : compared
}

/** Different numbers on two seen documents do not contradict: people may hold two documents. */
function compareNumbers(a: Said, b: Said): Comparison | undefined {
  const compared = compareDocuments(a.document, b.document)
  return compared === 'different' && !a.isTyped && !b.isTyped ? undefined : compared
}

/** Same number, kind and issuer. Different expiry dates mean successive documents. */
function compareDocuments(a: IdDocumentData | null, b: IdDocumentData | null): Comparison | undefined {
  if (!a?.idDocumentNumber || !b?.idDocumentNumber) return undefined
  if (a.idDocumentType !== b.idDocumentType) return undefined
  if (a.issuingCountry === undefined || a.issuingCountry !== b.issuingCountry) return undefined
  const differs = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && one !== other
  if (differs(a.issuingState, b.issuingState) || differs(a.expiryDate, b.expiryDate)) return undefined
  return plainNumber(a.idDocumentNumber) === plainNumber(b.idDocumentNumber) ? 'same' : 'different'
}

/** Removes separators and unifies O and 0, I and 1, which people and recognisers confuse. */
function plainNumber(number: string): string {
  return number
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replaceAll('O', '0')
    .replaceAll('I', '1')
}

function isSameDocument(a: IdDocumentData | null, b: IdDocumentData | null): boolean {
  return compareDocuments(a, b) === 'same'
}

function compareContacts(a: Said, b: Said): Comparison | undefined {
  const [claimed, known] = [a.claimedMobile ?? b.claimedMobile, a.mobile ?? b.mobile]
  if (claimed === undefined || known === undefined) return undefined
  return claimed === known ? 'same' : 'different'
}
