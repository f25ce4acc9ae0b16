/** Vocabulary of the domain with the spec's strings: states, levels, evidence types. */
export const EVIDENCE_STATUSES = [
  'VERIFIED',
  'INVALID',
  'NOT_VERIFIED',
  'PROCESSING',
  'ADJUDICATION',
] as const
export type EvidenceStatus = (typeof EVIDENCE_STATUSES)[number]

/** CLOSED: the proof was retrieved (our extension; the spec names the first three). */
export const IDENTITY_STATUSES = ['EXPECTING_INPUT', 'PROCESSING', 'PAUSED', 'CLOSED'] as const
export type IdentityStatus = (typeof IDENTITY_STATUSES)[number]

/** The test mode accepts specimen documents; its proofs are not valid for a real person. */
export const TENANT_MODES = ['test', 'production'] as const
export type TenantMode = (typeof TENANT_MODES)[number]

/** Why an identity of a production tenant is a test. */
export const TEST_CAUSES = [
  'SPECIMEN_DOCUMENT', // a specimen was presented, whether or not it was accepted
  'PRETENDED_CAMERA', // a substitute of a camera supplied a picture
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

/** The kinds of evidence beside documents that may count for a level, in the order of every list of families. */
export const OTHER_FAMILIES = [
  'PORTRAIT',
  'ATTRIBUTES',
  'ADDRESS',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
] as const

/** Contact details that say nothing about who the applicant is: they count for no level (ours; a proof writes CONTACT). */
export const UNCOUNTED_FAMILIES = ['EMAIL', 'LANDLINE'] as const

/** Evidence types include VISA and the generic ID_DOCUMENT (type not known yet) besides the submittable ones. */
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
  'EMAIL_OTP',
  'LANDLINE_OTP',
] as const
export type EvidenceType = (typeof EVIDENCE_TYPES)[number]

export const DOCUMENT_SIDES = ['FRONT', 'BACK'] as const
export type DocumentSide = (typeof DOCUMENT_SIDES)[number]

/** LIVENESS_HIGH, which callers may use, is an alias of LIVENESS_ACTIVE and stored as such. */
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

/** The checks of POST antifraud; their names are our extension. */
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
 * Access scope of a caller. APPLICATION: identities of its application and those shared with it. TENANT: all identities
 * of the tenant, only for officers at the counter, which restricts them by role. IDENTITY: this identity only, if its
 * application may access it.
 */
export type CallerReach =
  | { readonly kind: 'APPLICATION' }
  | { readonly kind: 'TENANT' }
  | { readonly kind: 'IDENTITY'; readonly identityId: string }

/** The caller and request, for the audit trail and the proof's processingDetails. */
export interface Caller {
  readonly tenantId: string
  readonly applicationId: string
  readonly role: CallerRole
  readonly reach: CallerReach
  /** Record of the key used; absent where none is required. */
  readonly keyId?: string
  readonly correlationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path with ids only, without query. */
  readonly uri: string
  readonly remoteAddress: string | null
  /** Officer of the relying service who captures the submission, as reported by it. */
  readonly officer?: string
  /** Officer signed in at the counter, to whom the action is attributed. */
  readonly staffId?: string
  readonly startedAt: Date
  /** Reservation of the Idempotency-Key, marked done in the transaction that does the work. */
  readonly idempotencyId?: string
}

/** Spec "Error object inside results". */
export interface ResultError {
  readonly code: string
  readonly message?: string
  readonly field?: string
}

/** A received file: size-limited, contents unchecked. */
export interface Upload {
  readonly bytes: Uint8Array
  readonly declaredType?: string
}

export interface KeyValue {
  readonly key: string
  readonly value: string
}
