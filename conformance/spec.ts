/**
 * The specification as this kit understands it: every operation with its section, and the shape of every
 * answer. Written only from the text of the specification, independently of any server's own description.
 */
import { anything, both, flag, listOf, matching, object, oneOf, recordOf, text, whole } from './shapes.ts'
import type { Shape } from './shapes.ts'

interface OperationEntry {
  /** The section of the specification. */
  readonly section: string
  /** An extension of Counterproof: other servers need not offer it. */
  readonly ours?: true
}

const of = (section: string): OperationEntry => ({ section })
const ours = (section: string): OperationEntry => ({ section, ours: true })

export const OPERATIONS = {
  'GET /healthcheck': of('Monitoring'),
  'POST /v1/identities': of('Identity'),
  'GET /v1/identities': of('Identity'),
  'GET /v1/identities/{id}': of('Identity'),
  'DELETE /v1/identities/{id}': of('Identity'),
  'GET /v1/identities/{id}/status': of('Identity'),
  'GET /v1/identities/{id}/resume': of('Identity'),
  'GET /v1/identities/{id}/proof': of('Identity'),
  'GET /v1/identities/{id}/additional-files': of('Additional files'),
  'POST /v1/identities/{id}/additional-files': of('Additional files'),
  'GET /v1/identities/{id}/additional-files/{fileId}': of('Additional files'),
  'DELETE /v1/identities/{id}/additional-files/{fileId}': of('Additional files'),
  'GET /v1/identities/{id}/addresses': of('Addresses and attributes'),
  'POST /v1/identities/{id}/addresses': of('Addresses and attributes'),
  'GET /v1/identities/{id}/addresses/{evidenceId}': of('Addresses and attributes'),
  'GET /v1/identities/{id}/attributes': of('Addresses and attributes'),
  'POST /v1/identities/{id}/attributes': of('Addresses and attributes'),
  'GET /v1/identities/{id}/adjudications': of('Adjudication'),
  'GET /v1/identities/{id}/adjudications/{evidenceId}': of('Adjudication'),
  'POST /v1/identities/{id}/adjudications/{evidenceId}': of('Adjudication'),
  'GET /v1/identities/{id}/antifraud': of('Antifraud'),
  'POST /v1/identities/{id}/antifraud': of('Antifraud'),
  'GET /v1/identities/{id}/attributes/portrait': of('Portrait and liveness'),
  'DELETE /v1/identities/{id}/attributes/portrait': of('Portrait and liveness'),
  'GET /v1/identities/{id}/attributes/portrait/capture': of('Portrait and liveness'),
  'POST /v1/identities/{id}/attributes/portrait/capture': of('Portrait and liveness'),
  'POST /v1/identities/{id}/attributes/portrait/capture-session': of('Portrait and liveness'),
  'POST /v1/identities/{id}/attributes/portrait/live-capture-session': of('Portrait and liveness'),
  'DELETE /v1/identities/{id}/attributes/portrait/live-capture-session/{sessionId}':
    of('Portrait and liveness'),
  'POST /v1/identities/{id}/consents': of('Consents'),
  'POST /v1/identities/{id}/id-documents/capture': of('Identity documents'),
  'POST /v1/identities/{id}/id-documents/live-capture-session': of('Identity documents'),
  'POST /v1/identities/{id}/id-documents': of('Identity documents'),
  'POST /v1/identities/{id}/id-document/aus/medicare': of('Identity documents'),
  'GET /v1/identities/{id}/status/{evidenceId}': of('Identity documents'),
  'POST /v1/identities/{id}/trusted-id-claim/oidc': of('Trusted identity claim (OpenID Connect)'),
  'GET /v1/identities/{id}/trusted-id-claims': of('Trusted identity claim (OpenID Connect)'),
  'POST /v1/identities/{id}/claim': of('Identity claim'),
  'GET /v1/identities/{id}/claim': of('Identity claim'),
  'POST /v1/identities/{id}/contact-details/mobile': of('Mobile phone verification'),
  'POST /v1/identities/{id}/contact-details/mobile/otp': of('Mobile phone verification'),
  'GET /v1/identities/{id}/contact-details/mobile': of('Mobile phone verification'),
  'DELETE /v1/identities/{id}/contact-details/mobile': ours('Counterproof extensions'),
  'GET /v1/identities/{id}/id-documents/{evidenceId}/capture': ours('Counterproof extensions'),
  'POST /v1/identities/{id}/user-agent-token': ours('Counterproof extensions'),
  'GET /v1/identities/{id}/legal-hold': ours('Counterproof extensions'),
  'PUT /v1/identities/{id}/legal-hold': ours('Counterproof extensions'),
  'DELETE /v1/identities/{id}/legal-hold': ours('Counterproof extensions'),
  'GET /v1/deletion-receipts/{id}': ours('Counterproof extensions'),
  'POST /v1/webhooks': ours('Counterproof extensions'),
  'GET /v1/webhooks': ours('Counterproof extensions'),
  'GET /v1/webhooks/{webhookId}': ours('Counterproof extensions'),
  'DELETE /v1/webhooks/{webhookId}': ours('Counterproof extensions'),
  'POST /v1/webhooks/{webhookId}/secret': ours('Counterproof extensions'),
  'POST /v1/webhooks/{webhookId}/enable': ours('Counterproof extensions'),
  'POST /v1/webhooks/{webhookId}/test': ours('Counterproof extensions'),
  'GET /v1/webhooks/{webhookId}/deliveries': ours('Counterproof extensions'),
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend': ours('Counterproof extensions'),
  'GET /v1/supported-evidence/countries': ours('Counterproof extensions'),
  'GET /v1/supported-evidence/countries/{iso3}': ours('Counterproof extensions'),
  'GET /.well-known/jwks.json': ours('Counterproof extensions'),
  'GET /proof-schema': ours('Counterproof extensions'),
} as const satisfies Record<string, OperationEntry>

export type OperationName = keyof typeof OPERATIONS

export function findSection(operation: OperationName): string {
  return OPERATIONS[operation].section
}

/** "Date-times are ISO 8601 local date-times with 0 to 7 fractional-second digits". */
export const dateTime = matching(
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{0,7})?$/,
  'a local date-time with 0 to 7 fraction digits',
)
export const date = matching(/^\d{4}-\d{2}-\d{2}$/, 'a date yyyy-MM-dd')
export const country = matching(/^[A-Z]{3}$/, 'an ISO 3166-1 alpha-3 code')
const sha256 = matching(/^[0-9a-fA-F]{64}$/, 'a SHA-256 in hexadecimal digits')
const loa = matching(/^LOA\d$/, 'a level of assurance')

const evidenceStatusValue = oneOf('VERIFIED', 'INVALID', 'NOT_VERIFIED', 'PROCESSING', 'ADJUDICATION')
const strength = oneOf('LEVEL1', 'LEVEL2', 'LEVEL3', 'LEVEL4', 'LEVEL5')
const score = oneOf('LEVEL0', 'LEVEL1', 'LEVEL2', 'LEVEL3', 'LEVEL4', 'LEVEL5')

export const resultError = object({ code: text, 'message?': text, 'field?': text })
const errors = listOf(resultError)

const summaryFields = {
  id: text,
  status: text,
  levelOfAssurance: loa,
  creationDateTime: dateTime,
  'evaluationDateTime?': dateTime,
  'nameReferenceEvidenceId?': text,
  'portraitReferenceEvidenceId?': text,
  'upgradePaths?': recordOf(anything),
}
/** Section "Identity summary (globalStatus)". */
export const identitySummary = object(summaryFields)

const indicators = (ending: RegExp, words: string) => listOf(matching(ending, words))
/** Section "evidenceStatus". */
const evidenceStatus = object({
  'evaluationDateTime?': dateTime,
  status: evidenceStatusValue,
  'strength?': strength,
  'score?': score,
  'isAdjudicable?': flag,
  'errors?': errors,
  // Section "Scoring rules" names the passed issuer verification otherwise.
  'positiveIndicators?': indicators(/_OK$|^GIV_VERIFICATION_VERIFIED$/, 'a name ending in _OK'),
  'warningIndicators?': indicators(/_WARNING$/, 'a name ending in _WARNING'),
  'blockingIndicators?': listOf(text),
  'unverifiedIndicators?': indicators(/_UNVERIFIED$/, 'a name ending in _UNVERIFIED'),
})

const evidenceFields = { evidenceId: text, submitDateTime: dateTime, type: text, evidenceStatus }
const named = object({ value: text, 'verified?': flag })
const personalAttributes = object({
  'givenNames?': listOf(named),
  'surname?': named,
  'fullname?': named,
  'dateOfBirth?': object({ value: date, 'verified?': flag }),
  'gender?': object({ value: oneOf('M', 'F', 'X'), 'verified?': flag }),
  'nationality?': object({ value: country, 'verified?': flag }),
  'eyeColor?': named,
  'height?': named,
  'personalNumber?': object({ value: text, 'verified?': flag, issuingCountry: country }),
})
const address = object({
  'streetDetails?': object({ streetLines: listOf(text), 'verified?': flag }),
  'postcode?': text,
  'city?': text,
  'state?': text,
  'country?': country,
  'verified?': flag,
})

export const consent = object({
  consentId: text,
  approved: flag,
  type: oneOf(
    ...['ATTRIBUTES', 'ID_DOCUMENT', 'PORTRAIT', 'ADDRESS', 'EMAIL', 'EMAIL_OTP', 'LANDLINE', 'MOBILE'],
    ...['MOBILE_OTP', 'VISA', 'GIV', 'ID_CLAIM'],
  ),
  'validityPeriod?': object({ 'from?': date, 'to?': date }),
})

const attributeEvidence = object({
  ...evidenceFields,
  type: oneOf('ATTRIBUTES'),
  attributesData: personalAttributes,
})
const addressEvidence = object({
  ...evidenceFields,
  type: oneOf('ADDRESS'),
  'referenceIds?': listOf(text),
  addressData: address,
})
const documentEvidence = object({
  ...evidenceFields,
  'idDocumentData?': object({
    idDocumentType: text,
    'idDocumentNumber?': text,
    'issuingCountry?': text,
    'issuingState?': text,
    'issuingDate?': date,
    'expiryDate?': date,
    'personalAttributes?': anything,
    'address?': address,
    'mrz?': listOf(text),
  }),
})
const portraitEvidence = object({
  ...evidenceFields,
  type: oneOf('PORTRAIT'),
  'portraitQuality?': flag,
  'livenessDiagnostic?': text,
  'portraitData?': object({
    source: oneOf('LIVE_CAPTURE_IMAGE', 'LIVE_CAPTURE_VIDEO', 'SCAN', 'OTHER', 'DOCUMENT_CROP'),
    'channel?': oneOf('nativeSDK', 'webSDK'),
    'metadata?': listOf(object({ key: text, value: text })),
  }),
})
const trustedClaimEvidence = object({
  ...evidenceFields,
  type: oneOf('TRUSTED_ID_CLAIM'),
  idpIdentifier: text,
  oidcGrantType: text,
  'portraitReferenceId?': text,
  'trustedIdClaimData?': object({ 'personalAttributes?': personalAttributes, 'address?': address }),
})
const otp = object({
  status: oneOf('PROCESSING', 'PENDING', 'DONE', 'TIMEOUT', 'ERROR', 'INITIATE', 'NOT_INITIATED'),
  'creationTime?': dateTime,
  'timeout?': whole,
})
const mobile = object({
  value: matching(/^\+[1-9]\d{1,14}$/, 'a phone number in E.164 form'),
  verified: flag,
  otp,
  'errors?': errors,
})
const claimEvidence = object({
  evidenceId: text,
  submitDateTime: dateTime,
  type: oneOf('ID_CLAIM'),
  'evidenceStatus?': evidenceStatus,
  'claimData?': object({
    'attributesData?': personalAttributes,
    'addressesData?': address,
    'contactDetails?': object({ mobile: anything }),
    'creditCardDetails?': onlyVerified,
  }),
})

/** "creditCardDetails (only verified is returned)". */
function onlyVerified(value: unknown, at: string): readonly string[] {
  const fields = Object.keys(value ?? {})
  return fields.every((field) => field === 'verified') ? [] : [`${at} must hold nothing but verified`]
}

/** Section "Identity (response of GET identity)". */
export const identity = object({
  globalStatus: identitySummary,
  consents: listOf(consent),
  attributes: listOf(attributeEvidence),
  addresses: listOf(addressEvidence),
  idDocuments: listOf(documentEvidence),
  'portrait?': portraitEvidence,
  'trustedIdClaim?': trustedClaimEvidence,
  'contactDetails?': object({ 'mobile?': mobile }),
})
export const identityStatus = object({ globalStatus: identitySummary })
export const addresses = object({ globalStatus: identitySummary, addresses: listOf(addressEvidence) })
export const oneAddress = object({ globalStatus: identitySummary, address: addressEvidence })
export const attributes = object({ globalStatus: identitySummary, attributes: listOf(attributeEvidence) })
export const portrait = object({ globalStatus: identitySummary, portrait: portraitEvidence })
export const trustedClaim = object({ globalStatus: identitySummary, trustedIdClaim: trustedClaimEvidence })
export const claim = object({ globalStatus: object({ ...summaryFields, Claim: claimEvidence }) })
export const mobileContact = object({ globalStatus: identitySummary, contactDetails: object({ mobile }) })
export const additionalFile = object({ id: text, metadata: listOf(object({ key: text, value: text })) })

/** Section "Session and status responses". */
export function buildStatusShape(type: Shape = text, more: Readonly<Record<string, Shape>> = {}): Shape {
  return object({ status: evidenceStatusValue, type, id: text, ...more })
}
export const documentSession = buildStatusShape(text, {
  sessionId: text,
  sidesToCapture: listOf(oneOf('FRONT', 'BACK'), 1),
})
export const portraitSession = buildStatusShape(oneOf('PORTRAIT'), { sessionId: text })
export const trustedClaimRequest = buildStatusShape(oneOf('TRUSTED_ID_CLAIM'), { idpAuthorizeEndpoint: text })
export const mobileSubmission = object({ status: evidenceStatusValue, type: oneOf('MOBILE_OTP') })

/** Shapes that the specification leaves open: an object that names at least the evidence. */
const adjudicationStatus = oneOf(
  ...['TO_PROCESS', 'PROCESSING', 'UNSURE', 'ACCEPTED', 'REJECTED', 'ERROR', 'TIME_OUT'],
)
export const anyObject = object({})
export const adjudicationOfOurs = object({
  evidenceId: text,
  type: text,
  status: adjudicationStatus,
  requestDateTime: dateTime,
  'responseDateTime?': dateTime,
  'errors?': errors,
})
export const FRAUD_CHECKS_OF_OURS = [
  ...['DUPLICATE_DOCUMENT', 'DUPLICATE_FACE', 'VELOCITY', 'WATCHLIST', 'DOCUMENT_STATUS', 'DEVICE_INTEGRITY'],
]
export const fraudChecksOfOurs = object({
  globalStatus: identitySummary,
  checks: listOf(
    object({
      type: oneOf(...FRAUD_CHECKS_OF_OURS),
      status: evidenceStatusValue,
      indicators: listOf(text),
      'evaluationDateTime?': dateTime,
    }),
  ),
})
const health = oneOf('UP', 'DEGRADED', 'DOWN')
export const healthOfOurs = object({
  status: health,
  version: text,
  components: recordOf(object({ status: health, 'since?': dateTime, 'detail?': text })),
})
export const supportedCountryOfOurs = object({
  iso3CountryCode: country,
  documents: listOf(
    object({
      documentType: text,
      format: oneOf('TD1', 'TD2', 'TD3', 'ID1'),
      liveVideoCaptureSupported: flag,
    }),
  ),
})
export const keySetOfOurs = object({ keys: listOf(object({ kty: oneOf('RSA'), n: text, e: text }), 1) })

/** RFC 9457 with the error objects of section "Errors". */
export const problemOfOurs = object({
  type: text,
  title: text,
  status: whole,
  detail: text,
  'instance?': text,
  errors: listOf(object({ code: text, message: text, 'field?': text })),
  correlationId: text,
})

/** Only Counterproof's. */
export const legalHold = object({ reference: text, placedDateTime: dateTime, 'until?': dateTime })
export const deletionReceipt = object({
  identityId: text,
  erasedAt: dateTime,
  reason: oneOf('DELETE', 'RETENTION', 'ABANDONED', 'RESTORED', 'LOST'),
  receipt: matching(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'a compact JWS'),
})

export const webhook = object({
  webhookId: text,
  url: text,
  events: listOf(text, 1),
  creationDateTime: dateTime,
  pending: whole,
  parked: whole,
  'previousSecretValidUntil?': dateTime,
  'disabledBecause?': oneOf('GONE'),
})
export const webhookList = object({ webhooks: listOf(webhook) })
export const webhookDelivery = object({
  deliveryId: text,
  eventId: text,
  type: text,
  'identityId?': text,
  state: oneOf('PENDING', 'DELIVERED', 'PARKED'),
  attempts: whole,
  creationDateTime: dateTime,
  'lastTryDateTime?': dateTime,
  'lastStatus?': whole,
  'lastError?': text,
  'nextTryDateTime?': dateTime,
  'deliveryDateTime?': dateTime,
})
export const webhookPage = object({ deliveries: listOf(webhookDelivery), 'next?': text })

const media = object({ id: text, path: text, hash: sha256 })
/** Section "Proof archive", table of proof.json. */
export const proofFile = object({
  version: text,
  proofId: text,
  identityId: text,
  tenantId: text,
  tenantRole: oneOf('RELYING_SERVICE', 'USER_AGENT'),
  'tenantUsed?': text,
  'transactionId?': text,
  'previousProofId?': text,
  'ips?': listOf(text),
  startDateTime: dateTime,
  endDateTime: dateTime,
  componentVersion: text,
  hashes: object({
    identityDetails: sha256,
    verificationAndEvaluationDetails: sha256,
    'images?': listOf(media),
    'videos?': listOf(media),
    'additionalFiles?': listOf(media),
  }),
  signature: matching(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'a compact JWS'),
})

const proofEvidence = object({
  id: text,
  'errors?': errors,
  'raisedIndicators?': listOf(text),
  'statusAndScoring?': object({ status: text, score: text, strength: text }),
})
const OPERATION_NAMES = [
  ...['EMAIL_OTP', 'EMAIL_OTP_VERIFICATION', 'MOBILE_OTP', 'OTP_VERIFICATION', 'CONSENTS', 'ATTRIBUTES'],
  ...['PORTRAIT_CAPTURE', 'LIVENESS_VIDEO', 'ID_DOCUMENT', 'ID_DOCUMENT_CAPTURE', 'ID_DOCUMENT_LIVE_CAPTURE'],
  ...['EVIDENCE_NFC_VERIFICATION', 'ADJUDICATION', 'MEDICARE', 'CERTIFICATES', 'TRUSTED_ID_CLAIM'],
  ...['PORTRAIT_REFERENCE', 'ID_CLAIM', 'ADDITIONAL_FILE'],
]
const FAMILIES = [
  ...['IDDOCUMENT', 'ATTRIBUTES', 'ADDRESS', 'DOCUMENT', 'IDENTIFICATION', 'PORTRAIT_REFERENCE'],
  ...['TRUSTED_ID_CLAIM', 'ID_CLAIM', 'CONTACT', 'ADJ'],
]
/** Section "VerificationAndEvaluationDetails fields". */
export const detailsFile = listOf(
  object({
    identityOperation: object({
      'id?': text,
      name: oneOf(...OPERATION_NAMES),
      type: oneOf('ADD', 'DELETE'),
    }),
    participantContextId: text,
    progress: oneOf('STARTING', 'PROCESSING', 'DONE', 'BLOCKED', 'ERROR', 'PAUSE'),
    startDateTime: dateTime,
    'evaluationDetails?': object({ evaluationDateTime: dateTime, evidences: listOf(proofEvidence) }),
    'evidenceDetails?': object({ id: text, family: oneOf(...FAMILIES), type: text }),
    'processingDetails?': object({
      'startDateTime?': dateTime,
      'endDateTime?': dateTime,
      'httpCode?': whole,
      'method?': oneOf('POST', 'PUT', 'DELETE'),
      'uri?': text,
      'tokenRole?': oneOf('RELYING_SERVICE', 'USER_AGENT'),
    }),
    'verificationDetails?': listOf(
      object({ startDateTime: dateTime, endDateTime: dateTime, sessionCreationTime: dateTime }),
    ),
  }),
)
/** GET identity, as the archive's identityDetails.json must have it. */
export const identityDetailsFile = both(identity)
