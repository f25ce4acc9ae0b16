/**
 * Judges what an issuing source answers about a document (spec "Scoring rules", issuer verification): the document and each
 * name. An exact match of a name that fails does not block if the similar one passes.
 */
import type { CheckOutcome, Finding } from './judge.ts'
import type { SourceReason } from './source-reply.ts'

/** Values that a source may be asked to compare. */
export const ISSUER_FIELDS = [
  'documentNumber',
  'cardNumber',
  'surname',
  'givenName',
  'middleNames',
  /** The name of documents that do not print surname and given names apart. A line feed separates its printed lines. */
  'fullName',
  'dateOfBirth',
  'issueDate',
  'expiryDate',
  'sex',
  'height',
  'eyeColour',
  'streetLine1',
  'streetLine2',
  'city',
  'addressState',
  'postcode',
  'medicareColour',
  'medicareReference',
] as const
export type IssuerField = (typeof ISSUER_FIELDS)[number]

/** `SIMILAR`: only names; equal by the source's own fuzzy rule. `NOT_COMPARED`: not sent, or not in the record. */
export const FIELD_MATCHES = ['MATCH', 'SIMILAR', 'NO_MATCH', 'NOT_COMPARED'] as const
export type FieldMatch = (typeof FIELD_MATCHES)[number]

/** False: the answer tells of a value that was not sent. */
export function comparesOnlySent(
  matches: Readonly<Record<string, FieldMatch | undefined>>,
  sent: Readonly<Record<string, string | undefined>>,
): boolean {
  return Object.entries(matches).every(
    ([field, match]) => Object.hasOwn(sent, field) || match === 'NOT_COMPARED',
  )
}

/**
 * `UNMATCHED`: the values as a whole fit no record, and the source does not tell which one differs. `DOCUMENT_ERROR`: the source
 * could not compare this document. `NOT_COVERED`: it keeps no records of such documents.
 */
export const RECORD_STATES = ['FOUND', 'NOT_FOUND', 'UNMATCHED', 'DOCUMENT_ERROR', 'NOT_COVERED'] as const

export interface IssuerAnswer {
  readonly record: (typeof RECORD_STATES)[number]
  readonly matches: Readonly<Partial<Record<IssuerField, FieldMatch>>>
}

const NAMES = {
  surname: 'SURNAME',
  givenName: 'FIRSTNAME',
  middleNames: 'MIDDLENAME',
} as const satisfies Partial<Record<IssuerField, string>>
type NameField = keyof typeof NAMES

/**
 * They decide nothing: records lack or shorten middle names, and a description or an address is often out of date or written
 * in another way.
 */
const UNDECIDING: ReadonlySet<IssuerField> = new Set([
  'middleNames',
  'sex',
  'height',
  'eyeColour',
  'streetLine1',
  'streetLine2',
  'city',
  'addressState',
  'postcode',
])

/** The document's finding and one or two for each compared name. */
export function judgeIssuerAnswer(answer: IssuerAnswer): readonly Finding[] {
  const names = (Object.keys(NAMES) as NameField[]).flatMap((field) =>
    judgeName(field, matchName(answer, field)),
  )
  const outcome = judgeRecord(answer)
  const reason = outcome === 'inconclusive' ? { reason: findReason(answer) } : {}
  return [{ check: 'GIV_VERIFICATION', outcome, ...reason }, ...names]
}

function findReason({ record }: IssuerAnswer): SourceReason {
  if (record === 'NOT_COVERED') return 'COVERAGE'
  return record === 'DOCUMENT_ERROR' ? 'SUPPORT' : 'RECORD'
}

/** An equal full name agrees in surname and first name. */
function matchName({ matches }: IssuerAnswer, field: NameField): FieldMatch {
  const own = matches[field] ?? 'NOT_COMPARED'
  return own === 'NOT_COMPARED' && field !== 'middleNames' && matches.fullName === 'MATCH' ? 'MATCH' : own
}

/** Names of the sent fields by what the source said of each; never a value. */
export function listComparedFields({ matches }: IssuerAnswer, sent: readonly string[]) {
  const list = (...wanted: readonly FieldMatch[]): string =>
    ISSUER_FIELDS.filter((field) => sent.includes(field))
      .filter((field) => wanted.includes(matches[field] ?? 'NOT_COMPARED'))
      .join(' ')
  return { agreed: list('MATCH', 'SIMILAR'), differed: list('NO_MATCH'), notCompared: list('NOT_COMPARED') }
}

function judgeRecord({ record, matches }: IssuerAnswer): CheckOutcome {
  if (record === 'NOT_COVERED' || record === 'DOCUMENT_ERROR') return 'inconclusive'
  if (record !== 'FOUND') return 'failed'
  if (ISSUER_FIELDS.some((field) => !UNDECIDING.has(field) && matches[field] === 'NO_MATCH')) return 'failed'
  const agrees = (field: IssuerField) => matches[field] === 'MATCH' || matches[field] === 'SIMILAR'
  const isNamed = agrees('surname') || agrees('fullName')
  return isNamed && matches.dateOfBirth === 'MATCH' ? 'passed' : 'inconclusive'
}

function judgeName(field: NameField, match: FieldMatch): readonly Finding[] {
  const [exact, similar] = [`${NAMES[field]}_COMPARE`, `${NAMES[field]}_FUZZY_COMPARE`]
  switch (match) {
    case 'MATCH':
      return [{ check: exact, outcome: 'passed' }]
    case 'SIMILAR':
      return [
        { check: exact, outcome: 'failed' },
        { check: similar, outcome: 'passed' },
      ]
    case 'NO_MATCH':
      return [
        { check: exact, outcome: 'failed' },
        { check: similar, outcome: 'failed' },
      ]
    case 'NOT_COMPARED':
      return field === 'middleNames' ? [] : [{ check: exact, outcome: 'inconclusive', reason: 'RECORD' }]
  }
}
