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

/** In test mode specimen documents count, and no proof counts for a real person. */
export const TENANT_MODES = ['test', 'production'] as const
export type TenantMode = (typeof TENANT_MODES)[number]

/** Why an identity of a production tenant is a test all the same. */
export const TEST_CAUSES = [
  'SPECIMEN_DOCUMENT', // a specimen was shown, accepted or not
  'PRETENDED_CAMERA', // a picture came from something that only stands in for a camera
] as const
export type TestCause = (typeof TEST_CAUSES)[number]

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
export const EVIDENCE_TYPES = [
  ...DOCUMENT_TYPES,
  'VISA',
  'ID_DOCUMENT',
  'MEDICARE',
  'PORTRAIT',
  'ATTRIBUTES',
  'ADDRESS',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'MOBILE_OTP',
] as const
export type EvidenceType = (typeof EVIDENCE_TYPES)[number]

export const DOCUMENT_SIDES = ['FRONT', 'BACK'] as const
export type DocumentSide = (typeof DOCUMENT_SIDES)[number]

/** LIVENESS_HIGH, which callers may write, is an alias of LIVENESS_ACTIVE and is stored as that. */
export const LIVENESS_TYPES = [
  'LIVENESS_PASSIVE',
  'LIVENESS_PASSIVE_VIDEO',
  'LIVENESS_ACTIVE',
  'LIVENESS_MLC',
] as const
export type LivenessType = (typeof LIVENESS_TYPES)[number]

export const CAPTURE_MODES = ['webSDK', 'nativeSDK'] as const
export type CaptureMode = (typeof CAPTURE_MODES)[number]

export const SECURITY_LEVELS = ['LOW', 'MEDIUM', 'HIGH'] as const
export type SecurityLevel = (typeof SECURITY_LEVELS)[number]

/** Spec "Adjudication status". ACCEPTED, REJECTED, TIME_OUT and ERROR are final. */
export const ADJUDICATION_STATUSES = [
  'TO_PROCESS',
  'PROCESSING',
  'UNSURE',
  'ACCEPTED',
  'REJECTED',
  'ERROR',
  'TIME_OUT',
] as const
export type AdjudicationStatus = (typeof ADJUDICATION_STATUSES)[number]

/** The six checks that POST antifraud may ask for; their names are ours. */
export const FRAUD_CHECK_TYPES = [
  'DUPLICATE_DOCUMENT',
  'DUPLICATE_FACE',
  'VELOCITY',
  'WATCHLIST',
  'DOCUMENT_STATUS',
  'DEVICE_INTEGRITY',
] as const
export type FraudCheckType = (typeof FRAUD_CHECK_TYPES)[number]

/** Spec "Mobile OTP status" and "Other OTP element values". */
export const OTP_STATUSES = [
  'INITIATE',
  'NOT_INITIATED',
  'PROCESSING',
  'PENDING',
  'DONE',
  'TIMEOUT',
  'ERROR',
] as const
export type OtpStatus = (typeof OTP_STATUSES)[number]

export type CallerRole = 'RELYING_SERVICE' | 'USER_AGENT'

/**
 * How far a caller reaches. APPLICATION: the identities of his application and what the tenant shares with it. TENANT: those of
 * the whole tenant; the counter's staff alone, whose rights the counter decides by role. IDENTITY: this one alone, where his
 * application reaches it.
 */
export type CallerReach =
  | { readonly kind: 'APPLICATION' }
  | { readonly kind: 'TENANT' }
  | { readonly kind: 'IDENTITY'; readonly identityId: string }

/** Who calls, on whose behalf, and by which request: goes into the audit trail and the proof's processingDetails. */
export interface Caller {
  readonly tenantId: string
  readonly applicationId: string
  readonly role: CallerRole
  readonly reach: CallerReach
  /** The record of the key that the call came with; none where no key is asked for. */
  readonly keyId?: string
  readonly correlationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path with ids only, no query. */
  readonly uri: string
  readonly remoteAddress: string | null
  /** Who of the relying service's staff captures what is submitted, as it tells us. */
  readonly officer?: string
  /** Who is signed in at the counter: what is done then is put down to him. */
  readonly staffId?: string
  readonly startedAt: Date
  /** The reservation under which an Idempotency-Key was sent: marked done in the transaction that does the work. */
  readonly idempotencyId?: string
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
