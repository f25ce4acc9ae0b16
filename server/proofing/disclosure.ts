/**
 * Closed lists of the connectors and of the values that may leave this machine in a call. Manifests, consents and audit events
 * use these names, never the values.
 */
import { ISSUER_FIELDS } from './issuer-answer.ts'

/** Names of the folders in server/connectors. */
export const CONNECTOR_IDS = [
  'adjudication',
  'biometrics',
  'camera',
  'document-status',
  'engines',
  'issuer',
  'oidc',
  'operator',
  'sms',
  'timestamp',
] as const
export type ConnectorId = (typeof CONNECTOR_IDS)[number]

export const VALUE_NAMES = [
  ...ISSUER_FIELDS,
  'documentType',
  'issuingCountry',
  'issuingState',
  'phoneNumber',
  /** The text of a message with its passcode. */
  'passcode',
  /** The name by which an identity provider knows the applicant. */
  'userIdentifier',
  /** A picture of the face alone, and numbers that an engine computed from one. */
  'facePicture',
  'faceTemplate',
  /** The first five digits of the document's hash. */
  'documentHashRange',
  /** The hash of a proof's signature. */
  'signatureHash',
] as const
export type ValueName = (typeof VALUE_NAMES)[number]
