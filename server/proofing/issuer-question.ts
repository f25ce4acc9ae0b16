/** Chooses what an issuing source is asked about a document: only the values that the source needs. */
import { createHash } from 'node:crypto'
import type { IdDocumentData } from './evidence.ts'
import { ALWAYS_SENT, type IssuerField } from './issuer-answer.ts'

/** The document, and the values to compare that this source needs. `issuingCountry`: alpha-3. */
export interface IssuerQuestionContent {
  readonly documentType: IdDocumentData['idDocumentType']
  readonly issuingCountry: string
  readonly issuingState?: string
  readonly values: Readonly<Partial<Record<IssuerField, string>>>
}

/** Null if the document lacks a value without which no record can be compared. */
export function buildIssuerQuestion(
  document: IdDocumentData,
  sends: readonly IssuerField[],
): IssuerQuestionContent | null {
  const { idDocumentType: documentType, issuingCountry, issuingState } = document
  const known = listValues(document)
  const values = Object.fromEntries(
    Object.entries(known).filter(
      ([field, value]) => value !== undefined && value !== '' && sends.includes(field as IssuerField),
    ),
  )
  if (issuingCountry === undefined || !ALWAYS_SENT.every((field) => field in values)) return null
  return { documentType, issuingCountry, ...(issuingState ? { issuingState } : {}), values }
}

function listValues(document: IdDocumentData): Readonly<Record<IssuerField, string | undefined>> {
  const { personalAttributes, medicare } = document
  const [givenName, ...middleNames] = (personalAttributes.givenNames ?? []).map(({ value }) => value)
  const reference = medicare?.individualReferenceNumber
  return {
    documentNumber: document.idDocumentNumber,
    cardNumber: document.cardNumber,
    surname: personalAttributes.surname?.value,
    givenName,
    middleNames: middleNames.join(' '),
    dateOfBirth: personalAttributes.dateOfBirth?.value,
    expiryDate: document.expiryDate,
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
