/**
 * Closed lists of the connectors and of the values that may leave this machine in a call. Manifests, consents and audit events
 * use these names, never the values.
 */
import { ISSUER_FIELDS } from './issuer-answer.ts'

/** Names of the folders in server/connectors. */
export const CONNECTOR_IDS = [
  'address-register',
  'adjudication',
  'biometrics',
  'bureau',
  'camera',
  'card-ownership',
  'document-status',
  'engines',
  'fraud-register',
  'issuer',
  'issuer-au',
  'issuer-us',
  'oidc',
  'operator',
  'sms',
  'smtp',
  'timestamp',
  'voice',
] as const
export type ConnectorId = (typeof CONNECTOR_IDS)[number]

export const VALUE_NAMES = [
  ...ISSUER_FIELDS,
  'givenNames',
  'address',
  'postcodeExtension',
  'personalNumber',
  'paymentCardNumber',
  /** The country of an address, or a nationality. */
  'country',
  'documentType',
  'issuingCountry',
  'issuingState',
  'phoneNumber',
  'emailAddress',
  /** The text of a message with its passcode. */
  'passcode',
  /** The name by which an identity provider knows the applicant. */
  'userIdentifier',
  /** A picture of the face alone, and numbers that an engine computed from one. */
  'facePicture',
  'faceTemplate',
  /** The first five digits of the document's hash. */
  'documentHashRange',
  /** The first five digits of a hash of name and birth date. */
  'personHashRange',
  /** The hash of a proof's signature. */
  'signatureHash',
] as const
export type ValueName = (typeof VALUE_NAMES)[number]

/** Every question to an issuing source says which document is meant. */
export const DOCUMENT_NAMES = ['documentType', 'issuingCountry', 'issuingState'] as const

/** A source outside by its name for people, with the values that it may receive. A consent states it. */
export interface Disclosure {
  /** Null: the configuration gives no name. */
  readonly name: string | null
  readonly values: readonly ValueName[]
}

/** The sources that each consent permits to ask. Absent: none. */
export type Disclosures = Readonly<Partial<Record<DisclosingConsent, readonly Disclosure[]>>>
export type DisclosingConsent = 'ADDRESS' | 'GIV' | 'MOBILE' | 'ID_CLAIM'

/** A service that did not answer usably. The first six come from the connection, the others from the answer. */
export const CALL_TROUBLES = [
  'timeout',
  'unreachable',
  /** The service's certificate is not valid for its address, or of another authority. */
  'certificate-refused',
  /** The authorization server issued no token to this appliance, or the service refused the credentials. */
  'credentials-refused',
  'too-large',
  /** The circuit breaker is open: the service failed too often to be called now. */
  'resting',
  'unexpected-answer',
  'malformed',
  'request-refused',
  /** The service asked for a pause that is longer than the call may last. */
  'throttled',
] as const
export type CallTrouble = (typeof CALL_TROUBLES)[number]

/** How a call went. */
export interface CallNote {
  /** Null: it was answered. */
  readonly trouble: CallTrouble | null
  /** Requests that were sent; 0 if the circuit breaker prevented the call. */
  readonly tries: number
  readonly durationMs: number
}

/** A call to a service outside as audit log and proof state it: names of values, never a value. */
export interface OutsideCall extends CallNote {
  readonly connector: ConnectorId
  /** Id of the source in the configuration, or of the API, if the connector has several. */
  readonly source?: string
  /** The same for all tries of one question. */
  readonly requestId?: string
  readonly values: readonly ValueName[]
}
