/**
 * Do two pieces of evidence speak of the same person? Names of attributes come out of here, never values. Every answer is
 * the same in both directions, and no evidence disagrees with itself.
 */
import type { Comparison } from '../consistency.ts'
import { resultError } from '../error-codes.ts'
import type { Evidence, IdDocumentData, NamedValue, PersonalAttributes } from '../evidence.ts'
import { detectFormat } from '../mrz/detect.ts'
import { parseMrz } from '../mrz/parse.ts'
import { compareStatedNames, type NameRules, type StatedName } from '../name-agreement.ts'
import type { Script } from '../name-spelling.ts'
import type { ResultError } from '../types.ts'
import { isReadingOf } from '../visual-zone/same-reading.ts'
import { judgeCorrections } from './corrections.ts'
import type { Disagreement } from './facts.ts'

/** What of an evidence is looked at: the same from the database and from an archive. */
export type Statement = Pick<Evidence, 'family' | 'type' | 'content'>

/** Each list sorted. */
export interface Agreement {
  /** Attributes of which the two say something different. */
  readonly disagreements: readonly string[]
  /** Attributes that both state and nobody can compare: names in scripts that have no common spelling. */
  readonly unclear: readonly string[]
  /**
   * Of the disagreements those that a person may clear up by other papers: another surname with the same given names and
   * birth date is what a marriage leaves.
   */
  readonly resolvable: readonly string[]
}

/** The attributes in which the two disagree, sorted; empty where they agree or cannot be compared. Symmetric. */
export function disagreeingAttributes(a: Statement, b: Statement): readonly string[] {
  return agreementOf(a, b).disagreements
}

export function agreementOf(a: Statement, b: Statement): Agreement {
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

/** Somebody vouches for the name in it, so it can be the name reference. */
export function statesName({ family, content }: Statement): boolean {
  const vouched =
    family === 'IDDOCUMENT'
      ? content.document?.personalAttributes
      : family === 'TRUSTED_ID_CLAIM'
        ? content.trustedClaim?.shared?.personalAttributes
        : undefined
  return [vouched?.surname, vouched?.fullname].some((name) => name !== undefined && /\p{L}/u.test(name.value))
}

/** For the relying service: 1151 for contact details, 1131 for all else, the attribute as field. By evidence. */
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

/** What else somebody should see of how an evidence agrees with the name reference. */
export function agreementIndicators({ unclear, resolvable }: Agreement): readonly string[] {
  return [
    ...(unclear.length > 0 ? ['NAME_AGREEMENT_UNVERIFIED'] : []),
    ...(resolvable.length > 0 ? ['NAME_CHANGE_UNVERIFIED'] : []),
  ]
}

/** As a claim and contact details name it. */
const CONTACT = 'mobile'

interface Said {
  readonly attributes: PersonalAttributes
  readonly namesMayBeCut: boolean
  readonly document: IdDocumentData | null
  /** Somebody has typed it in: it names a document, and shows none. */
  readonly isTyped: boolean
  /** Attributes by themselves correct what was read of a document. */
  readonly isCorrection: boolean
  /** A claim's number is compared with that of the contact details, and no two claims or contacts with each other. */
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

/** The zone of the document may have no room for all of the name. What has no layout of a zone says nothing. */
export function namesMayBeCut({ mrz = [] }: Pick<IdDocumentData, 'mrz'>): boolean {
  // The date decides about the century of birth alone.
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

/** What attributes by themselves correct of what was read of a document is no difference. */
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

/** Two readings of one document may differ as readers of print err; a name that was exchanged differs by more. */
function rulesFor(a: Said, b: Said): NameRules {
  const scripts: readonly Script[] = ['LATIN', ...SCRIPTS.filter((script) => isWritten(script, a, b))]
  if (isSameDocument(a.document, b.document)) return { scripts, alike: isReadingOf }
  return { scripts }
}

const SCRIPTS = ['CYRILLIC', 'ARABIC'] as const

/** States that keep names in another script and print them in Latin letters by changing rules. */
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

/** Year, month and day, each where it is known: 1974-08-12, 1974-08, 1974, 1974-00-00. */
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

/** Unspecified, stateless and refugee: what a travel document says of somebody who may have a nationality all the same. */
const NO_NATIONALITY = ['XXX', 'XXA', 'XXB', 'XXC']

/** Each state calls its own nationals so: who holds papers of two states has two nationalities, and both are right. */
function compareNationalities(a: Said, b: Said): Comparison | undefined {
  const ofItsOwn = ({ attributes, document }: Said) =>
    document?.issuingCountry !== undefined && document.issuingCountry === attributes.nationality?.value
  const compared = compareSpecified(a.attributes.nationality, b.attributes.nationality, NO_NATIONALITY)
  return compared === 'different' && ofItsOwn(a) && ofItsOwn(b) ? undefined : compared
}

/** Two that were seen with different numbers are two documents, and say nothing about each other: people hold a second one. */
function compareNumbers(a: Said, b: Said): Comparison | undefined {
  const compared = compareDocuments(a.document, b.document)
  return compared === 'different' && !a.isTyped && !b.isTyped ? undefined : compared
}

/** By number, of one kind and from one issuer. With other last days one was issued after the other. */
function compareDocuments(a: IdDocumentData | null, b: IdDocumentData | null): Comparison | undefined {
  if (!a?.idDocumentNumber || !b?.idDocumentNumber) return undefined
  if (a.idDocumentType !== b.idDocumentType) return undefined
  if (a.issuingCountry === undefined || a.issuingCountry !== b.issuingCountry) return undefined
  const differs = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && one !== other
  if (differs(a.issuingState, b.issuingState) || differs(a.expiryDate, b.expiryDate)) return undefined
  return plainNumber(a.idDocumentNumber) === plainNumber(b.idDocumentNumber) ? 'same' : 'different'
}

/** As people leave out what divides it, and as O and 0, I and 1 are taken for each other by people and readers. */
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
