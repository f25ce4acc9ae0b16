/**
 * Notes on each operation for the description of the API: chapter, requirements and refusals. Data for openapi.ts; decides
 * nothing.
 */
import type { ErrorCode } from '../errors.ts'
import type { EvidenceKind } from '../proofing/evidence.ts'
import type { Operation } from './routes.ts'

/** Chapters in the order of a proofing. */
export const CHAPTERS = {
  Identity:
    'One identity is one proofing transaction: create it, submit evidence, read results, retrieve the proof.',
  Consents: 'The consents of the applicant. Some evidence needs a consent first.',
  'Identity documents': 'Photographs, capture sessions and text.',
  Portrait: "The person's face: photographs and capture sessions with a liveness check.",
  'Attributes and addresses': 'Single values that the applicant states.',
  Claims: 'Trusted claim through an identity provider (OpenID Connect), identity claim.',
  'Mobile phone': 'Verification of a number by a one-time passcode.',
  'E-mail':
    'Verification of an address by a one-time passcode. The routes extend the specification, which names the consents, the ' +
    'operations and the members of the answers.',
  Landline:
    'Verification of a number by a one-time passcode that a call tells. The routes extend the specification, as those of e-mail do.',
  Adjudication: 'An adjudicator decides what the rules could not.',
  Antifraud: 'Checks across identities and with connected services.',
  'Additional files': 'Files that are stored with the identity and added to the proof, unchecked.',
  Retention: 'Legal holds, and receipts of deletions.',
  Webhooks:
    'Endpoints that receive events, at least once and in order per identity (Standard Webhooks). Headers `webhook-id`, ' +
    '`webhook-timestamp`, `webhook-signature`; body `{type, timestamp, data}` with ids and states only. A delivery that ' +
    'is not answered with 2xx is tried again for a day and then parked.',
  Capture:
    "Calls of a capture component on the applicant's device, with a session id and no key (server/capture/README.md). A " +
    'page of another origin needs `allowedOrigins`.',
  Callbacks:
    'Signed calls (Standard Webhooks) of outside services: a biometric server and an adjudication service. An event of ' +
    'another type is accepted and ignored.',
  'Supported evidence': 'Documents that can be verified on this appliance.',
  Service: 'Information about the appliance, without a key.',
} as const

export interface OperationNote {
  readonly chapter: keyof typeof CHAPTERS
  readonly text?: string
  /** The answer acknowledges receipt; the result is read later. */
  readonly asynchronous?: true
  /** The operation submits this kind of evidence: it needs the consents of that kind and an open transaction. */
  readonly kind?: EvidenceKind
  /** Feature that must be switched on for the tenant. */
  readonly feature?: string
  /** The operation takes photographs. */
  readonly image?: true
  /** Page with more details. */
  readonly seeAlso?: { readonly description: string; readonly url: string }
  /** Refusals beside those that follow from the other members. */
  readonly codes?: readonly ErrorCode[]
}

const OURS = 'An extension of the specification.'
const OPEN: readonly ErrorCode[] = ['identity_closed', 'identity_paused']
const CLAIMING: readonly ErrorCode[] = [
  'not_found',
  'adjudicator_captured',
  'adjudicator_decided',
  'adjudication_claimed',
  'adjudication_not_claimed',
  'adjudication_ended',
  'identity_closed',
]
const READ_LATER = 'Poll `GET …/status/{evidenceId}` until the status is neither PROCESSING nor ADJUDICATION.'

const PORTRAIT_SESSION: OperationNote = {
  chapter: 'Portrait',
  kind: 'PORTRAIT',
  text:
    'The portrait is PROCESSING until the session is finished or its time is over (1609). A capture component carries ' +
    'the session out under `/capture/sessions/{sessionId}` (server/capture/README.md). NOT_VERIFIED without errors: ' +
    'live, and no reference yet. An error of 1609 to 1611: not proven live.',
  codes: ['biometrics_unavailable', 'biometrics_credentials_refused'],
}

export const OPERATION_NOTES: Readonly<Record<Operation, OperationNote>> = {
  healthcheck: { chapter: 'Service', text: 'Answers also while the appliance shuts down.' },
  jwks: {
    chapter: 'Service',
    text: 'Contains earlier keys too, so that proofs can be verified years later.',
  },
  openapi: { chapter: 'Service', text: '`/docs` shows it as a page.' },
  proofSchema: {
    chapter: 'Service',
    text: 'The members of each file of the archive. Our own members are only in the object `counterproof`.',
  },
  createIdentity: {
    chapter: 'Identity',
    image: true,
    text: 'The body is a form with the parts `context` and `file`, a JSON array (the context), or absent.',
    codes: ['quota_reached'],
  },
  findIdentity: {
    chapter: 'Identity',
    text:
      'Returns your own identity of this correlation id, or else one that is shared with you. If several applications ' +
      'that you may see used the id: 400 (`ambiguous`).',
    codes: ['not_found'],
  },
  issueUserAgentToken: {
    chapter: 'Identity',
    text:
      'The recommended key for the application of the applicant. It sends the token in the header `apikey`. The token is ' +
      'valid for this identity only (any other is 404), sees no verification details and has a rate limit of its own. It ' +
      'ends after its lifetime, when the identity is sealed or erased, and with the key that requested it. An identity ' +
      'has at most five valid tokens, unless configured; a further one ends the oldest. Only this answer contains the ' +
      'token, and not the answer to a repeated Idempotency-Key.',
    codes: [...OPEN, 'identity_expired', 'validation_failed'],
  },
  getIdentity: {
    chapter: 'Identity',
    text: 'With a back-end key the answer equals `identityDetails.json` of the proof, byte for byte.',
  },
  eraseIdentity: {
    chapter: 'Identity',
    text:
      'Destroys immediately, in every state, the key that encrypts all data of the identity, including backups. `GET ' +
      '/v1/deletion-receipts/{id}` proves it. Refused under a legal hold.',
    codes: ['legal_hold'],
  },
  getIdentityStatus: { chapter: 'Identity' },
  resumeIdentity: {
    chapter: 'Identity',
    feature: 'pauseResume',
    text:
      'Reopens an identity that a proof has closed, as long as that proof is repeated; the next proof names it ' +
      '(`previousProofId`). For an open identity, the answer is its present state.',
    codes: ['identity_closed'],
  },
  sealProof: {
    chapter: 'Identity',
    text:
      'The archive `<identity_id>_<yyyyMMddHHmmssSSS>.zip`: one part of type `application/zip` in a `multipart/mixed` envelope. ' +
      'Closes the transaction: nothing can be added afterwards. Repeats the same bytes within the retention window, then 404 ' +
      'with 1034. The zip holds one folder, named as itself: `proof.json` (SHA-256 of every other file, and the signature, a ' +
      'compact JWS with RS256 over the file without it), `identityDetails.json` (what GET identity answers), ' +
      '`verificationAndEvaluationDetails.json` (the steps), `images/`, `videos/`, `additionalFiles/`, and ' +
      '`longTermValidation.json` where there is a certificate chain or a time stamp. JSON is in the form of RFC 8785. Public ' +
      'keys: `/.well-known/jwks.json`.',
    seeAlso: {
      description: 'JSON Schema of each JSON file of the archive, under $defs',
      url: '/proof-schema',
    },
    codes: [
      'identity_processing',
      'identity_paused',
      'proof_not_found',
      'proof_not_stored',
      'revision_conflict',
      'timestamp_unavailable',
    ],
  },
  recordConsents: {
    chapter: 'Consents',
    text:
      'PORTRAIT is needed before portraits, MOBILE_OTP before phone numbers, EMAIL_OTP before ' +
      'e-mail addresses, LANDLINE before landlines, ID_CLAIM before claims; GIV before a ' +
      'question to an issuer, MOBILE before one to an operator, ADDRESS before one to a register of addresses. `used` ' +
      'says whether any feature requires a consent of that type.',
    codes: OPEN,
  },
  submitDocument: {
    chapter: 'Identity documents',
    asynchronous: true,
    kind: 'IDDOCUMENT',
    image: true,
    codes: ['sides_mismatch'],
  },
  submitTextDocument: { chapter: 'Identity documents', asynchronous: true, kind: 'IDDOCUMENT_TEXT' },
  submitMedicare: { chapter: 'Identity documents', asynchronous: true, kind: 'MEDICARE' },
  openDocumentSession: {
    chapter: 'Identity documents',
    kind: 'IDDOCUMENT',
    text: 'The document is PROCESSING until the session is finished or its time is over (2401).',
  },
  submitChip: {
    chapter: 'Identity documents',
    asynchronous: true,
    kind: 'IDDOCUMENT',
    text:
      'The document must have been photographed and must not be PROCESSING; it is verified again with the files. They confirm it ' +
      '(NFC_PASSIVE_AUTHENTICATION_OK) if the issuer signed them, the appliance has the certificate of the issuer, they state what the ' +
      'pictures show, and the portrait can be compared. Checks of the chip itself stay NFC_…_UNVERIFIED.',
  },
  getDocumentImage: { chapter: 'Identity documents' },
  getEvidenceStatus: {
    chapter: 'Identity',
    text: 'Works for every evidence with an id.',
  },
  getPortrait: { chapter: 'Portrait' },
  deletePortrait: { chapter: 'Portrait', codes: OPEN },
  submitPortrait: {
    chapter: 'Portrait',
    asynchronous: true,
    kind: 'PORTRAIT',
    image: true,
    text:
      'The portrait is verified when a reference portrait is available. It replaces an earlier portrait. A still picture ' +
      'proves no liveness.',
  },
  getPortraitImage: { chapter: 'Portrait' },
  openPortraitSession: PORTRAIT_SESSION,
  openPortraitSessionByOldName: PORTRAIT_SESSION,
  cancelPortraitSession: { chapter: 'Portrait', codes: OPEN },
  listAddresses: { chapter: 'Attributes and addresses' },
  submitAddress: {
    chapter: 'Attributes and addresses',
    asynchronous: true,
    kind: 'ADDRESS',
    text: 'For the USA the state is a two-letter abbreviation (USPS).',
  },
  getAddress: { chapter: 'Attributes and addresses' },
  listAttributes: { chapter: 'Attributes and addresses' },
  submitAttributes: { chapter: 'Attributes and addresses', asynchronous: true, kind: 'ATTRIBUTES' },
  listAdjudications: { chapter: 'Adjudication' },
  getAdjudication: { chapter: 'Adjudication' },
  requestAdjudication: {
    chapter: 'Adjudication',
    asynchronous: true,
    feature: 'adjudication',
    text: 'Allowed if `isAdjudicable` of the evidence is true.',
    codes: [...OPEN, 'identity_expired', 'consent_missing', 'transition_refused'],
  },
  listDesk: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text:
      'Lists the requests of your own identities and of those that are shared with you; for the adjudication service of ' +
      'the tenant, all requests. Oldest first, without personal data. Sealed identities are not listed.',
  },
  getDesk: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text: 'The decisions of others are shown once the request has ended, so that a second adjudicator decides independently.',
    codes: ['not_found'],
  },
  claimAdjudication: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text:
      'A repeated claim by the same adjudicator extends it. An adjudicator who captured evidence of the applicant, or has ' +
      'decided about the request before, is refused. A decision is possible during a pause.',
    codes: CLAIMING,
  },
  releaseAdjudication: { chapter: 'Adjudication', feature: 'adjudication', codes: CLAIMING },
  decideAdjudication: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text:
      'ACCEPTED verifies the evidence, as far as the policy allows it; REJECTED makes it INVALID; UNSURE passes it to a ' +
      'second adjudicator. If the policy requires two adjudicators, the request is UNSURE after the first acceptance. A ' +
      'document that the machine could not read is accepted only with `values`, which the adjudicator reads from the ' +
      'picture. The decision is signed and is in the proof. An answer resumes a paused identity.',
    codes: [...CLAIMING, 'decision_refused'],
  },
  getFraudChecks: { chapter: 'Antifraud', feature: 'antifraud' },
  requestFraudChecks: {
    chapter: 'Antifraud',
    text: 'A second request runs the check again. Until all are decided, the identity is PROCESSING.',
    asynchronous: true,
    feature: 'antifraud',
    codes: [...OPEN, 'too_many_open_jobs'],
  },
  requestTrustedClaim: {
    chapter: 'Claims',
    asynchronous: true,
    kind: 'TRUSTED_ID_CLAIM',
    feature: 'trustedIdClaim',
    codes: ['authorization_server_unavailable'],
  },
  getTrustedClaim: { chapter: 'Claims' },
  finishTrustedClaim: {
    chapter: 'Claims',
    text: 'Browsers call it, not applications: 302 to postAuthRedirectUri, or 201 without one.',
    codes: ['validation_failed', 'not_found'],
  },
  submitClaim: {
    chapter: 'Claims',
    asynchronous: true,
    kind: 'ID_CLAIM',
    feature: 'idClaim',
    text:
      'The appliance sends a passcode to a mobile number in the claim. A claim replaces the earlier one; the proof then ' +
      'has the addition and the deletion of the earlier one. At most `otp.perHour` passcodes are sent within an hour ' +
      '(default: 3), counted for the identity and for the number.',
    codes: ['otp_attempts_reached'],
  },
  getClaim: { chapter: 'Claims' },
  submitMobile: {
    chapter: 'Mobile phone',
    asynchronous: true,
    kind: 'CONTACT',
    feature: 'mobileOtp',
    text: 'At most `otp.perHour` passcodes are sent within an hour (default: 3), counted for the identity and for the number.',
    codes: ['otp_attempts_reached'],
  },
  getMobile: { chapter: 'Mobile phone' },
  deleteMobile: {
    chapter: 'Mobile phone',
    text:
      'An extension of the specification: if no passcode will be typed, the proof can be requested immediately after the ' +
      'number is removed.',
    codes: OPEN,
  },
  submitOtp: {
    chapter: 'Mobile phone',
    kind: 'CONTACT',
    feature: 'mobileOtp',
    text: 'After a wrong passcode the status is still PENDING, and the answer is also 204.',
    codes: ['otp_session_gone', 'otp_no_longer_valid', 'otp_attempts_reached'],
  },
  submitEmail: {
    chapter: 'E-mail',
    asynchronous: true,
    kind: 'EMAIL',
    feature: 'emailOtp',
    text: `${OURS} At most \`otp.perHour\` passcodes are sent within an hour (default: 3), counted for the identity and for the address.`,
    codes: ['otp_attempts_reached'],
  },
  getEmail: { chapter: 'E-mail', text: OURS },
  deleteEmail: {
    chapter: 'E-mail',
    text: `${OURS} If no passcode will be typed, the proof can be requested immediately after the address is removed.`,
    codes: OPEN,
  },
  submitEmailOtp: {
    chapter: 'E-mail',
    kind: 'EMAIL',
    feature: 'emailOtp',
    text: `${OURS} After a wrong passcode the status is still PENDING, and the answer is also 204.`,
    codes: ['otp_session_gone', 'otp_no_longer_valid', 'otp_attempts_reached'],
  },
  submitLandline: {
    chapter: 'Landline',
    asynchronous: true,
    kind: 'LANDLINE',
    feature: 'landlineOtp',
    text: `${OURS} At most \`otp.perHour\` passcodes are sent within an hour (default: 3), counted for the identity and for the number.`,
    codes: ['otp_attempts_reached'],
  },
  getLandline: { chapter: 'Landline', text: OURS },
  deleteLandline: {
    chapter: 'Landline',
    text: `${OURS} If no passcode will be typed, the proof can be requested immediately after the number is removed.`,
    codes: OPEN,
  },
  submitLandlineOtp: {
    chapter: 'Landline',
    kind: 'LANDLINE',
    feature: 'landlineOtp',
    text: `${OURS} After a wrong passcode the status is still PENDING, and the answer is also 204.`,
    codes: ['otp_session_gone', 'otp_no_longer_valid', 'otp_attempts_reached'],
  },
  listAdditionalFiles: { chapter: 'Additional files' },
  addAdditionalFile: { chapter: 'Additional files', codes: [...OPEN, 'quota_reached'] },
  getAdditionalFile: { chapter: 'Additional files' },
  deleteAdditionalFile: { chapter: 'Additional files', codes: OPEN },
  getLegalHold: { chapter: 'Retention' },
  placeLegalHold: {
    chapter: 'Retention',
    text: 'Replaces an earlier hold. Without `until`, it ends when it is lifted. After its end, the deletion policy applies.',
    codes: ['validation_failed'],
  },
  liftLegalHold: { chapter: 'Retention' },
  getDeletionReceipt: {
    chapter: 'Retention',
    text:
      'A compact JWS (RS256) by a key of `/.well-known/jwks.json`: the erased identity, time, reason, and the last event ' +
      'of the audit log. It is kept without end. 404 until the erasure is complete.',
  },
  registerWebhook: {
    chapter: 'Webhooks',
    text:
      'The endpoint receives the events from now on of your own identities and of those that are shared with you. Only ' +
      'this answer contains the secret, and not the answer to a repeated Idempotency-Key.',
    codes: ['validation_failed'],
  },
  listWebhooks: { chapter: 'Webhooks' },
  getWebhook: { chapter: 'Webhooks', codes: ['not_found'] },
  removeWebhook: {
    chapter: 'Webhooks',
    text: 'Its waiting deliveries are dropped.',
    codes: ['not_found'],
  },
  rotateWebhookSecret: {
    chapter: 'Webhooks',
    text: 'Both secrets sign until the overlap is over: two signatures in one header. At most two secrets are valid.',
    codes: ['not_found'],
  },
  enableWebhook: {
    chapter: 'Webhooks',
    text: 'After a 410 nothing is sent, and events wait. From this call on, delivery continues where it stopped.',
    codes: ['not_found'],
  },
  testWebhook: {
    chapter: 'Webhooks',
    text: 'Sends one message of type `webhook.test`; the list of deliveries contains the result.',
    codes: ['not_found'],
  },
  listWebhookDeliveries: { chapter: 'Webhooks', codes: ['not_found'] },
  resendWebhookDelivery: {
    chapter: 'Webhooks',
    text: 'Sends a delivery again in every state, under the same `webhook-id`. `data.sequence` shows which event is newer.',
    codes: ['not_found'],
  },
  listSupportedCountries: { chapter: 'Supported evidence' },
  getSupportedCountry: { chapter: 'Supported evidence', codes: ['not_found'] },
}

/** Describes how a client reads the result of an operation. */
export function describeReading({ asynchronous, kind }: OperationNote): string {
  if (!asynchronous) return 'Synchronous.'
  return kind ? `Asynchronous. ${READ_LATER}` : 'Asynchronous: read the result by GET of the same path.'
}
