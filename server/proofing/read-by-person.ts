/**
 * Values that an adjudicator read from a document's picture because the recognisers could not. They are marked as read by
 * a person, and an acceptance confirms them. Pure.
 */
import { AppError, fieldProblem } from '../errors.ts'
import type { Evidence, IdDocumentData, PersonalAttributes } from './evidence.ts'
import { unverifiedAttributes, type Submitted } from './submitted.ts'
import type { DocumentType, EvidenceType } from './types.ts'
import { markVerified, VERIFIABLE_VALUES, type VerifiableValue } from './verified-values.ts'

/** The readable part of spec "idDocumentData". */
export interface PersonRead {
  readonly idDocumentType?: DocumentType | undefined
  readonly idDocumentNumber?: string | undefined
  readonly issuingCountry?: string | undefined
  readonly issuingState?: string | undefined
  readonly issuingDate?: string | undefined
  readonly expiryDate?: string | undefined
  readonly personalAttributes?: Submitted<PersonalAttributes> | undefined
}

/** Replaces the recognisers' values with the person's. Does not verify them. */
export function withPersonRead(evidence: Evidence, read: PersonRead | null): Evidence {
  if (read === null) return evidence
  const { personalAttributes = {}, ...fields } = read
  const known = evidence.content.document
  const stated = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const attributes = unverifiedAttributes<PersonalAttributes>(personalAttributes)
  const document: IdDocumentData = {
    idDocumentType: 'ID_DOCUMENT',
    ...known,
    ...stated,
    personalAttributes: { ...known?.personalAttributes, ...attributes },
  }
  const type: EvidenceType = document.idDocumentType
  const readByPerson = [
    ...new Set([...(known?.readByPerson ?? []), ...Object.keys(stated), ...Object.keys(attributes)]),
  ]
  return { ...evidence, type, content: { ...evidence.content, document: { ...document, readByPerson } } }
}

/** Also verifies the values read by the person, because the decision confirms them. */
export function confirmPersonRead(
  document: IdDocumentData,
  grounded: readonly VerifiableValue[],
): IdDocumentData {
  const read = VERIFIABLE_VALUES.filter((value) => document.readByPerson?.includes(value))
  return markVerified(document, [...new Set([...grounded, ...read])])
}

/** Two accepting adjudicators must have read the same; one without values relies on the first one's. */
export function requireSameReading(earlier: readonly PersonRead[], read: PersonRead | null): void {
  const [first] = earlier
  if (!first || read === null) return
  if (JSON.stringify(canonical(first)) !== JSON.stringify(canonical(read)))
    throw new AppError('decision_refused', { reason: 'values_differ' })
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? plain(value) : value
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)).map(([k, v]) => [k, canonical(v)]))
}

const plain = (text: string): string => text.normalize('NFC').toUpperCase().replace(/\s+/g, ' ').trim()

/**
 * Throws `decision_refused` if kind or holder of the document is unknown, because an acceptance confirms the document's
 * contents. Also for an expired document, or one with a future date of birth or issue.
 */
export function requireReadable(
  { family, content }: Pick<Evidence, 'family' | 'content'>,
  today: string,
): void {
  if (family !== 'IDDOCUMENT') return
  const { document } = content
  if (!isKnown({ content })) throw new AppError('decision_refused', { reason: 'values_missing' })
  const readByPerson = document?.readByPerson ?? []
  const isEnded = readByPerson.includes('expiryDate') && (document?.expiryDate ?? today) < today
  if (isEnded) throw new AppError('decision_refused', { reason: 'document_ended' })
  const isUnborn =
    readByPerson.includes('dateOfBirth') && (document?.personalAttributes.dateOfBirth?.value ?? '') > today
  const isNotIssued = readByPerson.includes('issuingDate') && (document?.issuingDate ?? '') > today
  if (isUnborn || isNotIssued) throw new AppError('decision_refused', { reason: 'date_to_come' })
}

/** True if kind and holder of the document are known. */
export function isKnown({ content: { document } }: Pick<Evidence, 'content'>): boolean {
  const person = document?.personalAttributes
  return (
    document !== undefined &&
    document.idDocumentType !== 'ID_DOCUMENT' &&
    document.idDocumentNumber !== undefined &&
    person?.dateOfBirth !== undefined &&
    (person.surname ?? person.fullname) !== undefined
  )
}

/** Throws `validation_failed` if values accompany anything but the acceptance of a document. */
export function requireValuesFit(family: Evidence['family'], isAccepted: boolean): void {
  if (family === 'IDDOCUMENT' && isAccepted) return
  throw fieldProblem('not_allowed', 'values', 'are allowed only with the acceptance of a document')
}
