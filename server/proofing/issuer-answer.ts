/**
 * Judges what an issuing source answers about a document (spec "Scoring rules", issuer verification): the document and each
 * name. An exact match of a name that fails does not block if the similar one passes.
 */
import type { CheckOutcome, Finding } from './judge.ts'

/** Values that a source may be asked to compare. */
export const ISSUER_FIELDS = [
  'documentNumber',
  'cardNumber',
  'surname',
  'givenName',
  'middleNames',
  'dateOfBirth',
  'expiryDate',
  'medicareColour',
  'medicareReference',
] as const
export type IssuerField = (typeof ISSUER_FIELDS)[number]

/** No record can be compared without them. */
export const ALWAYS_SENT: readonly IssuerField[] = ['documentNumber', 'dateOfBirth', 'surname']

/** `SIMILAR`: only names; equal by the source's own fuzzy rule. `NOT_COMPARED`: not sent, or not in the record. */
export const FIELD_MATCHES = ['MATCH', 'SIMILAR', 'NO_MATCH', 'NOT_COMPARED'] as const
export type FieldMatch = (typeof FIELD_MATCHES)[number]

/** `NOT_COVERED`: the source keeps no records of such documents. */
export const RECORD_STATES = ['FOUND', 'NOT_FOUND', 'NOT_COVERED'] as const

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
 * The document's finding and one or two for each compared name. Middle names decide nothing: records often lack them or
 * shorten them.
 */
export function judgeIssuerAnswer(answer: IssuerAnswer): readonly Finding[] {
  const names = (Object.keys(NAMES) as NameField[]).flatMap((field) =>
    judgeName(field, answer.matches[field] ?? 'NOT_COMPARED'),
  )
  return [{ check: 'GIV_VERIFICATION', outcome: judgeRecord(answer) }, ...names]
}

function judgeRecord({ record, matches }: IssuerAnswer): CheckOutcome {
  if (record === 'NOT_COVERED') return 'inconclusive'
  if (record === 'NOT_FOUND') return 'failed'
  if (ISSUER_FIELDS.some((field) => field !== 'middleNames' && matches[field] === 'NO_MATCH')) return 'failed'
  const isNamed = matches.surname === 'MATCH' || matches.surname === 'SIMILAR'
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
      return field === 'surname' ? [{ check: exact, outcome: 'inconclusive' }] : []
  }
}
