/**
 * What the description of the API says about each operation beside its summary: which chapter it belongs to, what has
 * to be there before, what it may be refused for. Data for openapi.ts; nothing here decides anything.
 */
import type { ErrorCode } from '../errors.ts'
import type { EvidenceKind } from '../proofing/evidence.ts'
import type { Operation } from './routes.ts'

/** Chapters in the order in which a proofing goes. */
export const CHAPTERS = {
  Identity:
    'One identity is one proofing transaction: create it, submit evidence, read results, retrieve the proof.',
  Consents: 'What the person agrees to. Some evidence needs a consent first.',
  'Identity documents': 'Photographs, capture sessions and text.',
  Portrait: "The person's face: photographs and capture sessions with a liveness check.",
  'Attributes and addresses': 'What the person says about himself in single values.',
  Claims: 'Trusted claim through an identity provider (OpenID Connect), identity claim.',
  'Mobile phone': 'Verification of a number by a one-time passcode.',
  Adjudication: 'A person decides what the machine could not.',
  Antifraud: 'Checks across identities and with connected services.',
  'Additional files': 'Kept with the identity and attached to the proof, unchecked.',
  Retention: 'What is kept in spite of every deletion, and the receipt of what was deleted.',
  Webhooks:
    'Who is told of what happens, at least once and in order per identity (Standard Webhooks). Headers `webhook-id`, ' +
    '`webhook-timestamp`, `webhook-signature`; body `{type, timestamp, data}` with ids and states only. What is not answered ' +
    'with 2xx is tried again for a day, then parked.',
  Capture:
    "What a capture component on the person's device calls, with a session id and no key (server/capture/README.md). A page of " +
    'another origin needs `allowedOrigins`.',
  Callbacks:
    'What services outside call: a biometric server and an adjudication service. They sign (Standard Webhooks); an event of ' +
    'another type is taken and passed over.',
  'Supported evidence': 'What can be verified on this appliance.',
  Service: 'What the appliance says about itself, without a key.',
} as const

export interface OperationNote {
  readonly chapter: keyof typeof CHAPTERS
  readonly text?: string
  /** The answer acknowledges receipt; the result is read later. */
  readonly asynchronous?: true
  /** It is about evidence of this kind: its consents come first, and the transaction has to be open. */
  readonly kind?: EvidenceKind
  /** Has to be switched on for the tenant. */
  readonly feature?: string
  /** Takes photographs. */
  readonly image?: true
  /** A page that says more. */
  readonly seeAlso?: { readonly description: string; readonly url: string }
  /** Refusals beside those that follow from all this. */
  readonly codes?: readonly ErrorCode[]
}

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
  text: 'The portrait stays PROCESSING until the session is finished or its time is over (1609). A capture component carries the session out under `/capture/sessions/{sessionId}` (server/capture/README.md). NOT_VERIFIED without errors: live, and no reference yet. Any error of 1609 to 1611: not proven live.',
  codes: ['biometrics_unavailable', 'biometrics_credentials_refused'],
}

export const OPERATION_NOTES: Readonly<Record<Operation, OperationNote>> = {
  healthcheck: { chapter: 'Service', text: 'Goes on answering while the appliance shuts down.' },
  jwks: { chapter: 'Service', text: 'Holds earlier keys too: proofs are verified years later.' },
  openapi: { chapter: 'Service', text: 'The same as a page: `/docs`.' },
  proofSchema: {
    chapter: 'Service',
    text: 'What each file of the archive holds, member by member. Members of ours are in the object `counterproof` alone.',
  },
  createIdentity: {
    chapter: 'Identity',
    image: true,
    text: 'As a form with the parts `context` and `file`, as a JSON array (the context), or without a body.',
    codes: ['quota_reached'],
  },
  findIdentity: {
    chapter: 'Identity',
    text:
      'Your own identity of this correlation id, else the one that is shared with you. Where several applications that you may ' +
      'see have used it, 400 (`ambiguous`).',
    codes: ['not_found'],
  },
  issueUserAgentToken: {
    chapter: 'Identity',
    text:
      'The recommended way to let the application in the hand of the person call. The token is sent in the header `apikey`, is ' +
      'good for this identity alone (any other is 404), sees no verification details and has a rate limit of its own. It ends ' +
      'with its time, when the identity is sealed or erased, and with the key that asked for it. Of one identity five are good ' +
      'unless configured: the oldest beyond that ends. It is shown in this answer and never again; under a repeated ' +
      'Idempotency-Key it is not shown either.',
    codes: [...OPEN, 'identity_expired', 'validation_failed'],
  },
  getIdentity: {
    chapter: 'Identity',
    text: 'With a back-end key the answer equals `identityDetails.json` of the proof, byte for byte.',
  },
  eraseIdentity: {
    chapter: 'Identity',
    text:
      'At once, in the middle of anything: destroys the key under which everything of the identity is encrypted, backups ' +
      'included. `GET /v1/deletion-receipts/{id}` proves it. Refused under a legal hold.',
    codes: ['legal_hold'],
  },
  getIdentityStatus: { chapter: 'Identity' },
  resumeIdentity: {
    chapter: 'Identity',
    feature: 'pauseResume',
    text:
      'What a proof has closed is opened again as long as that proof is repeated; the next proof names it ' +
      '(`previousProofId`). An open identity is answered as it is.',
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
      'PORTRAIT precedes portraits, MOBILE_OTP phone numbers, ID_CLAIM claims; GIV precedes asking an issuer, which this release never does. ' +
      '`used` says whether anything depends on a consent of that type.',
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
    text: 'The document stays PROCESSING until the session is finished or its time is over (2401).',
  },
  getDocumentImage: { chapter: 'Identity documents' },
  getEvidenceStatus: {
    chapter: 'Identity',
    text: 'For documents and portraits, and every other evidence with an id.',
  },
  getPortrait: { chapter: 'Portrait' },
  deletePortrait: { chapter: 'Portrait', codes: OPEN },
  submitPortrait: {
    chapter: 'Portrait',
    asynchronous: true,
    kind: 'PORTRAIT',
    image: true,
    text: 'Verified when a reference portrait is available. Takes the place of an earlier portrait. A still picture proves no liveness.',
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
    text: 'Only where `isAdjudicable` of the evidence is true.',
    codes: [...OPEN, 'identity_expired', 'consent_missing', 'transition_refused'],
  },
  listDesk: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text:
      'Those of your own identities and of those that are shared with you; to the adjudication service of the tenant, all. ' +
      'Oldest first, nothing of the persons. What a proof has sealed is not listed.',
  },
  getDesk: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text: 'What others decided is shown once the request has ended: a second person looks for himself.',
    codes: ['not_found'],
  },
  claimAdjudication: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text:
      'Claimed again by the same adjudicator, it is his for another while. Who captured evidence of the person, and who has ' +
      'decided about the request before, is refused. A decision is possible during a pause.',
    codes: CLAIMING,
  },
  releaseAdjudication: { chapter: 'Adjudication', feature: 'adjudication', codes: CLAIMING },
  decideAdjudication: {
    chapter: 'Adjudication',
    feature: 'adjudication',
    text:
      'ACCEPTED verifies the evidence, as far as the policy lets a person; REJECTED makes it INVALID; UNSURE hands it on to ' +
      'a second person. Where the policy asks for two, the first acceptance leaves it UNSURE. A document that the machine could ' +
      'not read is accepted with `values` alone: what the adjudicator reads off the picture. The decision is signed and ' +
      'stands in the proof. An answer resumes a paused identity.',
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
    text: 'Called by browsers, not by applications: 302 to postAuthRedirectUri, or 201 without one.',
    codes: ['validation_failed', 'not_found'],
  },
  submitClaim: {
    chapter: 'Claims',
    asynchronous: true,
    kind: 'ID_CLAIM',
    feature: 'idClaim',
    text: 'A passcode is sent to a mobile number in the claim. A claim replaces the one before it; the proof then has the addition and the deletion of that one. At most `otp.perHour` passcodes are sent within an hour (3 unless configured), counted for the identity and for the number.',
    codes: ['otp_attempts_reached'],
  },
  getClaim: { chapter: 'Claims' },
  submitMobile: {
    chapter: 'Mobile phone',
    asynchronous: true,
    kind: 'CONTACT',
    feature: 'mobileOtp',
    text: 'A passcode is sent at most `otp.perHour` times within an hour (3 unless configured), counted for the identity and for the number.',
    codes: ['otp_attempts_reached'],
  },
  getMobile: { chapter: 'Mobile phone' },
  deleteMobile: {
    chapter: 'Mobile phone',
    text: 'Beyond the spec: without the number the proof can be requested at once, when no passcode will be typed.',
    codes: OPEN,
  },
  submitOtp: {
    chapter: 'Mobile phone',
    kind: 'CONTACT',
    feature: 'mobileOtp',
    text: 'A passcode that does not match leaves the status PENDING and answers 204 too.',
    codes: ['otp_session_gone', 'otp_no_longer_valid', 'otp_attempts_reached'],
  },
  listAdditionalFiles: { chapter: 'Additional files' },
  addAdditionalFile: { chapter: 'Additional files', codes: [...OPEN, 'quota_reached'] },
  getAdditionalFile: { chapter: 'Additional files' },
  deleteAdditionalFile: { chapter: 'Additional files', codes: OPEN },
  getLegalHold: { chapter: 'Retention' },
  placeLegalHold: {
    chapter: 'Retention',
    text: 'Takes the place of an earlier one. Without `until` it holds until it is lifted. Its end lets the deletion policy run.',
    codes: ['validation_failed'],
  },
  liftLegalHold: { chapter: 'Retention' },
  getDeletionReceipt: {
    chapter: 'Retention',
    text:
      'A compact JWS (RS256) by a key of `/.well-known/jwks.json`: what was destroyed, when, why, and where the audit log ' +
      'stood. Kept for good. 404 until the erasure has ended.',
  },
  registerWebhook: {
    chapter: 'Webhooks',
    text:
      'Told of what happens from now on to your own identities and those that are shared with you. The secret is shown in this answer and never again; under a repeated ' +
      'Idempotency-Key it is not shown either.',
    codes: ['validation_failed'],
  },
  listWebhooks: { chapter: 'Webhooks' },
  getWebhook: { chapter: 'Webhooks', codes: ['not_found'] },
  removeWebhook: {
    chapter: 'Webhooks',
    text: 'What still waits for it is dropped.',
    codes: ['not_found'],
  },
  rotateWebhookSecret: {
    chapter: 'Webhooks',
    text: 'Both secrets sign until the overlap is over: two signatures in one header. Two are valid at the most.',
    codes: ['not_found'],
  },
  enableWebhook: {
    chapter: 'Webhooks',
    text: 'After a 410 nothing is sent and nothing is lost: from here on it goes on where it stopped.',
    codes: ['not_found'],
  },
  testWebhook: {
    chapter: 'Webhooks',
    text: 'Sends one message of type `webhook.test`; how it went is in the list of deliveries.',
    codes: ['not_found'],
  },
  listWebhookDeliveries: { chapter: 'Webhooks', codes: ['not_found'] },
  resendWebhookDelivery: {
    chapter: 'Webhooks',
    text: 'Whatever became of it, under the same `webhook-id`. `data.sequence` tells the receiver what is newer.',
    codes: ['not_found'],
  },
  listSupportedCountries: { chapter: 'Supported evidence' },
  getSupportedCountry: { chapter: 'Supported evidence', codes: ['not_found'] },
}

/** How the result of an operation is read. */
export function describeReading({ asynchronous, kind }: OperationNote): string {
  if (!asynchronous) return 'Synchronous.'
  return kind ? `Asynchronous. ${READ_LATER}` : 'Asynchronous: read the result by GET of the same path.'
}
