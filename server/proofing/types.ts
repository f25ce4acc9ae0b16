/** The words of the domain: states, levels, evidence types. The spec's strings, one place. */
export const EVIDENCE_STATUSES = [
  'VERIFIED',
  'INVALID',
  'NOT_VERIFIED',
  'PROCESSING',
  'ADJUDICATION',
] as const
export type EvidenceStatus = (typeof EVIDENCE_STATUSES)[number]

/** CLOSED: the proof was retrieved (our addition, the spec names the first three). */
export const IDENTITY_STATUSES = ['EXPECTING_INPUT', 'PROCESSING', 'PAUSED', 'CLOSED'] as const
export type IdentityStatus = (typeof IDENTITY_STATUSES)[number]

export const LEVELS = ['LEVEL0', 'LEVEL1', 'LEVEL2', 'LEVEL3', 'LEVEL4', 'LEVEL5'] as const
export type Level = (typeof LEVELS)[number]

export const DOCUMENT_TYPES = [
  'PASSPORT',
  'DRIVING_LICENSE',
  'RESIDENT_CARD',
  'IDENTITY_CARD',
  'TAX_CARD',
  'VOTER_CARD',
] as const
export type DocumentType = (typeof DOCUMENT_TYPES)[number]

export const CONSENT_TYPES = [
  'ATTRIBUTES',
  'ID_DOCUMENT',
  'PORTRAIT',
  'ADDRESS',
  'EMAIL',
  'EMAIL_OTP',
  'LANDLINE',
  'MOBILE',
  'MOBILE_OTP',
  'VISA',
  'GIV',
  'ID_CLAIM',
] as const
export type ConsentType = (typeof CONSENT_TYPES)[number]

/** VISA and the generic ID_DOCUMENT (type not yet known) appear as evidence types beside the submittable ones. */
export type EvidenceType = DocumentType | 'VISA' | 'ID_DOCUMENT' | 'PORTRAIT'

export type CallerRole = 'RELYING_SERVICE' | 'USER_AGENT'

/** Who calls, on whose behalf, and by which request: goes into the audit trail and the proof's processingDetails. */
export interface Caller {
  readonly tenantId: string
  readonly applicationId: string
  readonly role: CallerRole
  readonly correlationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path with ids only, no query. */
  readonly uri: string
  readonly remoteAddress: string | null
  readonly startedAt: Date
}

/** An error object inside a result (spec "Error object inside results"). */
export interface ResultError {
  readonly code: string
  readonly message?: string
  readonly field?: string
}

/** A file as it arrived: already size-limited, its bytes not yet believed. */
export interface Upload {
  readonly bytes: Uint8Array
  readonly declaredType?: string
}

export interface KeyValue {
  readonly key: string
  readonly value: string
}
