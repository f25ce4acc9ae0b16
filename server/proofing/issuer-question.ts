/** Chooses what an issuing source is asked about a document: only the values that the source needs. */
import { createHash } from 'node:crypto'
import type { IdDocumentData, StatedDetails } from './evidence.ts'
import { ISSUER_FIELDS, type IssuerAnswer, type IssuerField } from './issuer-answer.ts'
import { referenceNumberIn } from './medicare.ts'
import type { SourceReply, Unasked } from './source-reply.ts'

/** The document, and the values to compare that this source needs. `issuingCountry`: alpha-3. */
export interface IssuerQuestionContent {
  readonly documentType: IdDocumentData['idDocumentType']
  readonly issuingCountry: string
  readonly issuingState?: string
  readonly values: Readonly<Partial<Record<IssuerField, string>>>
}

/** Number, birth date, and the name as such documents print it: no person can be told by less. */
export function listNeededFields(documentType: IdDocumentData['idDocumentType']): readonly IssuerField[] {
  return ['documentNumber', 'dateOfBirth', documentType === 'MEDICARE' ? 'fullName' : 'surname']
}

/** Records that a source keeps of a kind of document, and the values that it compares. */
export interface IssuerCoverage {
  /** False: it keeps records of some such documents, so one without a record is not contradicted. */
  readonly isComplete: boolean
  /** Values without which it cannot compare: a document that lacks one is not asked about. */
  readonly needs: readonly IssuerField[]
  /** Further values that it compares if the document has them. */
  readonly takes: readonly IssuerField[]
  /** Writes a value as the source expects it; null: the source has no form for it. Absent: values are sent as they are. */
  readonly write?: (field: IssuerField, value: string) => string | null
}

/** `missing`: the values that each source needs and the document lacks. */
export type IssuerReply = SourceReply<IssuerAnswer> | (Unasked & { readonly missing: readonly IssuerField[] })

/** The document with what the applicant typed where nothing was read, for the question to an issuing source alone. */
export function withStated(document: IdDocumentData, stated: StatedDetails = {}): IdDocumentData {
  const cardNumber = document.cardNumber ?? stated.cardNumber
  return cardNumber === undefined ? document : { ...document, cardNumber }
}

/** Names of the values that the source needs and the document lacks. */
export function listMissingValues(
  document: IdDocumentData,
  { needs }: Pick<IssuerCoverage, 'needs'>,
): readonly IssuerField[] {
  const known = listValues(document)
  return needs.filter((field) => !known[field])
}

/** Null if the document lacks a value that the source needs. */
export function buildIssuerQuestion(
  document: IdDocumentData,
  { needs, takes, write = (_field, value) => value }: Omit<IssuerCoverage, 'isComplete'>,
): IssuerQuestionContent | null {
  const { idDocumentType: documentType, issuingCountry, issuingState } = document
  const known = listValues(document)
  const written = ISSUER_FIELDS.filter((field) => needs.includes(field) || takes.includes(field)).map(
    (field): [IssuerField, string | null] => [field, known[field] ? write(field, known[field]) : null],
  )
  const values = Object.fromEntries(written.filter(([, value]) => value !== null && value !== ''))
  if (issuingCountry === undefined || !needs.every((field) => field in values)) return null
  return { documentType, issuingCountry, ...(issuingState ? { issuingState } : {}), values }
}

function listValues(document: IdDocumentData): Readonly<Record<IssuerField, string | undefined>> {
  const { personalAttributes, address, medicare, idDocumentNumber } = document
  const [givenName, ...middleNames] = (personalAttributes.givenNames ?? []).map(({ value }) => value)
  const [streetLine1, streetLine2] = address?.streetDetails?.streetLines ?? []
  // The number of a Medicare card may end with the person's number on the card.
  const written = medicare && idDocumentNumber ? referenceNumberIn(idDocumentNumber) : null
  const reference = medicare?.individualReferenceNumber ?? written ?? undefined
  const fullName = personalAttributes.fullname?.value
  return {
    documentNumber: written === null ? idDocumentNumber : idDocumentNumber?.slice(0, -1),
    cardNumber: document.cardNumber,
    surname: personalAttributes.surname?.value,
    givenName,
    middleNames: middleNames.join(' '),
    fullName: fullName && [fullName, ...(medicare?.furtherNames ?? [])].join('\n'),
    dateOfBirth: personalAttributes.dateOfBirth?.value,
    issueDate: document.issuingDate,
    expiryDate: document.expiryDate,
    sex: personalAttributes.gender?.value,
    height: personalAttributes.height?.value,
    eyeColour: personalAttributes.eyeColor?.value,
    streetLine1,
    streetLine2,
    city: address?.city,
    addressState: address?.state,
    postcode: address?.postcode,
    medicareColour: medicare?.cardType,
    medicareReference: reference === undefined ? undefined : String(reference),
  }
}

/** The same evidence with the same values is one question, so a verification that a crash repeats is answered once (UUID). */
export function nameQuestion(evidenceId: string, question: object): string {
  const hex = createHash('sha256')
    .update(`${evidenceId}\n${JSON.stringify(question)}`)
    .digest('hex')
  // Version 8 (RFC 9562): a UUID of our own making.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
