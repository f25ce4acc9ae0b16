/**
 * Lists every operation of the API as data: roles, input, output. Express, the guard and the OpenAPI description are built from
 * this table.
 */
import { ADJUDICATION_STATUSES, CAPTURE_MODES, EVIDENCE_TYPES } from '../proofing/types.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { ContractName } from './contract/index.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** `public`: needs no key, and the answer contains no data of a tenant. */
export type Access = 'public' | readonly CallerRole[]

export interface Part {
  readonly name: string
  readonly content: 'image' | 'frame' | 'video' | 'file' | 'text' | ContractName
  readonly required: boolean
  /** Maximum number of such parts; default: one. */
  readonly most?: number
}

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'header'
  readonly required: boolean
  readonly type: 'string' | 'boolean'
  readonly values?: readonly string[]
  readonly description: string
}

export type RequestBody =
  | { readonly kind: 'json'; readonly schema: ContractName; readonly optional?: true }
  | { readonly kind: 'multipart'; readonly parts: readonly Part[]; readonly orJson?: ContractName }

export type Answer =
  | {
      readonly kind: 'json'
      readonly schema: ContractName
      /** The caller may request a redirect (302) in place of this answer. */
      readonly orRedirect?: true
    }
  /** 302 to the address that the caller named, otherwise 201 without content. */
  | { readonly kind: 'callback' }
  | { readonly kind: 'multipart'; readonly mediaType: string; readonly parts: readonly string[] }
  /** A description that is written at start. */
  | { readonly kind: 'description'; readonly of: string }
  /** A file of the product. */
  | { readonly kind: 'file'; readonly mediaType: string }
  | { readonly kind: 'none' }

export interface Route {
  readonly method: Method
  /** OpenAPI template: `{id}` for a path parameter. */
  readonly path: string
  readonly access: Access
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly body?: RequestBody
  readonly answer: Answer
  /** False if GET changes data (spec: "Getting the proof closes the transaction"), because HEAD must not. */
  readonly head?: false
  /** Failures beside those of every call with a key (400, 403, 429, 500, 503). */
  readonly failures?: readonly number[]
  /** Answers contain `Deprecation` and a `Link` to the successor. */
  readonly deprecated?: { readonly since: string; readonly successor: string }
  /** The answer contains a secret: it is never kept, not even for an Idempotency-Key. */
  readonly secretAnswer?: true
  /** Has a separate limit beside that of the key or address. */
  readonly rate?: 'otp' | 'callback' | 'poll'
}

const BACK_END: Access = ['RELYING_SERVICE']
const BOTH: Access = ['RELYING_SERVICE', 'USER_AGENT']

const DETAILED: Parameter = {
  name: 'detailed',
  in: 'query',
  required: false,
  type: 'boolean',
  description: 'Adds verification details to each evidence. Ignored for a user-agent key.',
}
const CORRELATION_QUERY: Parameter = {
  name: 'correlationID',
  in: 'query',
  required: true,
  type: 'string',
  description: 'The correlation id that was submitted when the identity was created.',
}
const CORRELATION_HEADER: Parameter = {
  name: 'correlation-id',
  in: 'header',
  required: false,
  type: 'string',
  description:
    'An id of your own, unique among the identities of your application, to find the identity by later.',
}

const SESSION_MODE: Parameter = {
  name: 'mode',
  in: 'query',
  required: false,
  type: 'string',
  values: CAPTURE_MODES,
  description: 'Kind of the capture component (default: webSDK).',
}

const filterByStatus = (description: string): Parameter => ({
  name: 'status',
  in: 'query',
  required: false,
  type: 'string',
  values: ADJUDICATION_STATUSES,
  description,
})

const DESK_FILTERS: readonly Parameter[] = [
  filterByStatus('Only requests in this status; without it those that are awaited.'),
  {
    name: 'type',
    in: 'query',
    required: false,
    type: 'string',
    values: EVIDENCE_TYPES,
    description: 'Only requests about this kind of evidence.',
  },
  {
    name: 'after',
    in: 'query',
    required: false,
    type: 'string',
    description: '`next` of the previous page.',
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    type: 'string',
    description: 'Number of requests on a page, 1 to 200 (default: 50).',
  },
]

const OFFICER: Parameter = {
  name: 'officer-id',
  in: 'header',
  required: false,
  type: 'string',
  description:
    'Who of your staff captures this: 1 to 64 of A-Z, a-z, 0-9, dot, hyphen and underscore. Kept sealed; this person never ' +
    'adjudicates evidence of the same identity. Ignored with a user-agent key.',
}

const DELIVERY_STATE: Parameter = {
  name: 'state',
  in: 'query',
  required: false,
  type: 'string',
  values: ['PENDING', 'DELIVERED', 'PARKED'],
  description: 'Only deliveries in this state.',
}
const DELIVERIES_AFTER: Parameter = {
  name: 'after',
  in: 'query',
  required: false,
  type: 'string',
  description: '`next` of the previous page.',
}
const DELIVERIES_LIMIT: Parameter = {
  name: 'limit',
  in: 'query',
  required: false,
  type: 'string',
  description: 'Number of deliveries on a page, 1 to 200 (default: 50).',
}

export const ROUTES = {
  healthcheck: {
    method: 'get',
    path: '/healthcheck',
    access: 'public',
    summary: 'State of the appliance and its parts',
    answer: { kind: 'json', schema: 'HealthcheckReport' },
  },
  jwks: {
    method: 'get',
    path: '/.well-known/jwks.json',
    access: 'public',
    summary: 'Public keys that verify proofs',
    answer: { kind: 'json', schema: 'PublicKeySet' },
  },
  openapi: {
    method: 'get',
    path: '/openapi.json',
    access: 'public',
    summary: 'This description',
    answer: { kind: 'description', of: 'OpenAPI 3.1' },
  },
  proofSchema: {
    method: 'get',
    path: '/proof-schema',
    access: 'public',
    summary: 'The form of a proof archive',
    answer: { kind: 'description', of: 'JSON Schema 2020-12 of every JSON file of the archive, under $defs' },
  },
  createIdentity: {
    method: 'post',
    path: '/v1/identities',
    access: BACK_END,
    summary: 'Open a proofing transaction',
    parameters: [CORRELATION_HEADER],
    body: {
      kind: 'multipart',
      parts: [
        { name: 'context', content: 'CreationContext', required: false },
        { name: 'file', content: 'image', required: false },
      ],
      orJson: 'CreationContext',
    },
    answer: { kind: 'json', schema: 'GlobalStatus' },
    failures: [413],
  },
  findIdentity: {
    method: 'get',
    path: '/v1/identities',
    access: BACK_END,
    summary: 'Find an identity by your own correlation id',
    parameters: [CORRELATION_QUERY, DETAILED],
    answer: { kind: 'json', schema: 'Identity' },
    failures: [404],
  },
  getIdentity: {
    method: 'get',
    path: '/v1/identities/{id}',
    access: BOTH,
    summary: 'The identity with all its evidence',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'Identity' },
    failures: [404],
  },
  eraseIdentity: {
    method: 'delete',
    path: '/v1/identities/{id}',
    access: BACK_END,
    summary: 'Erase all data of the identity',
    answer: { kind: 'none' },
    failures: [404],
  },
  getIdentityStatus: {
    method: 'get',
    path: '/v1/identities/{id}/status',
    access: BOTH,
    summary: 'Status and level of assurance',
    answer: { kind: 'json', schema: 'IdentityStatusAnswer' },
    failures: [404],
    rate: 'poll',
  },
  getEvidenceStatus: {
    method: 'get',
    path: '/v1/identities/{id}/status/{evidenceId}',
    access: BOTH,
    summary: 'Status of one evidence, for polling',
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404],
    rate: 'poll',
  },
  recordConsents: {
    method: 'post',
    path: '/v1/identities/{id}/consents',
    access: BACK_END,
    summary: 'Record consents of the applicant',
    body: { kind: 'json', schema: 'ConsentsRequest' },
    answer: { kind: 'json', schema: 'ConsentList' },
    failures: [404, 413],
  },
  issueUserAgentToken: {
    method: 'post',
    path: '/v1/identities/{id}/user-agent-token',
    access: BACK_END,
    summary: 'Create a user-agent token',
    body: { kind: 'json', schema: 'UserAgentTokenRequest', optional: true },
    answer: { kind: 'json', schema: 'UserAgentToken' },
    secretAnswer: true,
    failures: [404, 413],
  },
  submitDocument: {
    method: 'post',
    path: '/v1/identities/{id}/id-documents/capture',
    access: BOTH,
    summary: 'Submit photographs of an identity document',
    parameters: [OFFICER],
    body: {
      kind: 'multipart',
      parts: [
        { name: 'DocumentFront', content: 'image', required: true },
        { name: 'DocumentBack', content: 'image', required: false },
        { name: 'DocumentCaptureDetails', content: 'DocumentCaptureDetails', required: false },
      ],
    },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  getDocumentImage: {
    method: 'get',
    path: '/v1/identities/{id}/id-documents/{evidenceId}/capture',
    access: BACK_END,
    summary: 'The photographs of a submitted document',
    answer: { kind: 'multipart', mediaType: 'multipart/form-data', parts: ['DocumentFront', 'DocumentBack'] },
    failures: [404],
  },
  getPortrait: {
    method: 'get',
    path: '/v1/identities/{id}/attributes/portrait',
    access: BOTH,
    summary: 'The portrait evidence',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'PortraitAnswer' },
    failures: [404],
  },
  deletePortrait: {
    method: 'delete',
    path: '/v1/identities/{id}/attributes/portrait',
    access: BACK_END,
    summary: 'Delete the portrait image and its results',
    answer: { kind: 'none' },
    failures: [404],
  },
  submitPortrait: {
    method: 'post',
    path: '/v1/identities/{id}/attributes/portrait/capture',
    access: BOTH,
    summary: 'Submit a photograph of the person',
    parameters: [OFFICER],
    body: { kind: 'multipart', parts: [{ name: 'Portrait', content: 'image', required: true }] },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  getPortraitImage: {
    method: 'get',
    path: '/v1/identities/{id}/attributes/portrait/capture',
    access: BACK_END,
    summary: 'The portrait image',
    answer: { kind: 'multipart', mediaType: 'multipart/form-data', parts: ['Portrait'] },
    failures: [404],
  },
  resumeIdentity: {
    method: 'get',
    path: '/v1/identities/{id}/resume',
    head: false,
    access: BACK_END,
    summary: 'Resume a paused transaction, or one that a proof has closed',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'Identity' },
    failures: [404],
  },
  listAdditionalFiles: {
    method: 'get',
    path: '/v1/identities/{id}/additional-files',
    access: BACK_END,
    summary: 'The additional files of the identity',
    answer: { kind: 'json', schema: 'AdditionalFileList' },
    failures: [404],
  },
  addAdditionalFile: {
    method: 'post',
    path: '/v1/identities/{id}/additional-files',
    access: BOTH,
    summary: 'Attach a file to the identity and its proof; it is not checked',
    body: {
      kind: 'multipart',
      parts: [
        { name: 'File', content: 'file', required: true },
        { name: 'Metadata', content: 'FileMetadata', required: false },
      ],
    },
    answer: { kind: 'json', schema: 'AdditionalFileStatus' },
    failures: [404, 413],
  },
  getAdditionalFile: {
    method: 'get',
    path: '/v1/identities/{id}/additional-files/{fileId}',
    access: BACK_END,
    summary: 'One additional file with its metadata',
    answer: { kind: 'multipart', mediaType: 'multipart/form-data', parts: ['File', 'Metadata'] },
    failures: [404],
  },
  deleteAdditionalFile: {
    method: 'delete',
    path: '/v1/identities/{id}/additional-files/{fileId}',
    access: BACK_END,
    summary: 'Delete an additional file',
    answer: { kind: 'none' },
    failures: [404],
  },
  listAddresses: {
    method: 'get',
    path: '/v1/identities/{id}/addresses',
    access: BOTH,
    summary: 'The addresses of the person',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'AddressesAnswer' },
    failures: [404],
  },
  submitAddress: {
    method: 'post',
    path: '/v1/identities/{id}/addresses',
    access: BOTH,
    summary: 'Submit an address',
    body: { kind: 'json', schema: 'AddressRequest' },
    answer: { kind: 'json', schema: 'AddressesAnswer' },
    failures: [404, 413],
  },
  getAddress: {
    method: 'get',
    path: '/v1/identities/{id}/addresses/{evidenceId}',
    access: BOTH,
    summary: 'One address',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'AddressAnswer' },
    failures: [404],
  },
  listAttributes: {
    method: 'get',
    path: '/v1/identities/{id}/attributes',
    access: BOTH,
    summary: 'The submitted attributes',
    parameters: [DETAILED],
    answer: { kind: 'json', schema: 'AttributesAnswer' },
    failures: [404],
  },
  submitAttributes: {
    method: 'post',
    path: '/v1/identities/{id}/attributes',
    access: BOTH,
    summary: 'Submit attributes, to correct the reading of a document',
    body: { kind: 'json', schema: 'AttributesRequest' },
    answer: { kind: 'json', schema: 'AttributesAnswer' },
    failures: [404, 413],
  },
  listAdjudications: {
    method: 'get',
    path: '/v1/identities/{id}/adjudications',
    access: BACK_END,
    summary: 'The adjudication requests of the identity',
    parameters: [filterByStatus('Only requests in this status; another value answers 404.')],
    answer: { kind: 'json', schema: 'AdjudicationList' },
    failures: [404],
  },
  getAdjudication: {
    method: 'get',
    path: '/v1/identities/{id}/adjudications/{evidenceId}',
    access: BACK_END,
    summary: 'The adjudication request of one evidence',
    answer: { kind: 'json', schema: 'AdjudicationAnswer' },
    failures: [404],
  },
  requestAdjudication: {
    method: 'post',
    path: '/v1/identities/{id}/adjudications/{evidenceId}',
    access: BACK_END,
    summary: 'Request adjudication of a document or a portrait',
    answer: { kind: 'json', schema: 'AdjudicationAnswer' },
    failures: [404],
  },
  listDesk: {
    method: 'get',
    path: '/v1/adjudications',
    access: BACK_END,
    summary: 'The queue of adjudicators',
    parameters: DESK_FILTERS,
    answer: { kind: 'json', schema: 'DeskList' },
  },
  getDesk: {
    method: 'get',
    path: '/v1/adjudications/{adjudicationId}',
    access: BACK_END,
    summary: 'One adjudication request with all data for its adjudicator',
    answer: { kind: 'json', schema: 'DeskCase' },
    failures: [404],
  },
  claimAdjudication: {
    method: 'post',
    path: '/v1/adjudications/{adjudicationId}/claim',
    access: BACK_END,
    summary: 'Claim an adjudication request for a limited time',
    body: { kind: 'json', schema: 'ClaimRequestByAdjudicator' },
    answer: { kind: 'json', schema: 'DeskCase' },
    failures: [404, 409, 413],
  },
  releaseAdjudication: {
    method: 'post',
    path: '/v1/adjudications/{adjudicationId}/release',
    access: BACK_END,
    summary: 'Release a claimed adjudication request',
    body: { kind: 'json', schema: 'ClaimRequestByAdjudicator' },
    answer: { kind: 'json', schema: 'DeskCase' },
    failures: [404, 409, 413],
  },
  decideAdjudication: {
    method: 'post',
    path: '/v1/adjudications/{adjudicationId}/decision',
    access: BACK_END,
    summary: 'Decide about a claimed adjudication request',
    body: { kind: 'json', schema: 'DecisionRequest' },
    answer: { kind: 'json', schema: 'DecisionAnswer' },
    failures: [404, 409, 413],
  },
  getFraudChecks: {
    method: 'get',
    path: '/v1/identities/{id}/antifraud',
    access: BACK_END,
    summary: 'The antifraud checks of the identity',
    answer: { kind: 'json', schema: 'FraudCheckAnswer' },
    failures: [404],
  },
  requestFraudChecks: {
    method: 'post',
    path: '/v1/identities/{id}/antifraud',
    access: BACK_END,
    summary: 'Request antifraud checks',
    body: { kind: 'json', schema: 'FraudChecksRequest' },
    answer: { kind: 'json', schema: 'FraudCheckAnswer' },
    failures: [404, 413],
  },
  submitTextDocument: {
    method: 'post',
    path: '/v1/identities/{id}/id-documents',
    access: BOTH,
    summary: 'Submit an identity document as text, for issuer verification',
    parameters: [OFFICER],
    body: { kind: 'json', schema: 'TextDocumentRequest' },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  submitMedicare: {
    method: 'post',
    path: '/v1/identities/{id}/id-document/aus/medicare',
    access: BOTH,
    summary: 'Submit an Australian Medicare card as text',
    parameters: [OFFICER],
    body: { kind: 'json', schema: 'MedicareRequest' },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  openDocumentSession: {
    method: 'post',
    path: '/v1/identities/{id}/id-documents/live-capture-session',
    access: BACK_END,
    summary: 'Open a capture session for a document',
    parameters: [OFFICER],
    body: { kind: 'json', schema: 'DocumentSessionRequest', optional: true },
    answer: { kind: 'json', schema: 'DocumentSessionAnswer' },
    failures: [404, 413],
  },
  openPortraitSession: {
    method: 'post',
    path: '/v1/identities/{id}/attributes/portrait/capture-session',
    access: BOTH,
    summary: 'Open a capture session for a portrait',
    parameters: [SESSION_MODE, OFFICER],
    body: { kind: 'json', schema: 'LivenessRequest', optional: true },
    answer: { kind: 'json', schema: 'PortraitSessionAnswer' },
    failures: [404, 413],
  },
  openPortraitSessionByOldName: {
    method: 'post',
    path: '/v1/identities/{id}/attributes/portrait/live-capture-session',
    access: BOTH,
    summary: 'Open a portrait capture session (deprecated: use capture-session)',
    parameters: [SESSION_MODE, OFFICER],
    body: { kind: 'json', schema: 'LivenessRequest', optional: true },
    answer: { kind: 'json', schema: 'PortraitSessionAnswer' },
    failures: [404, 413],
    deprecated: {
      since: '2026-01-01T00:00:00Z',
      successor: '/v1/identities/{id}/attributes/portrait/capture-session',
    },
  },
  cancelPortraitSession: {
    method: 'delete',
    path: '/v1/identities/{id}/attributes/portrait/live-capture-session/{sessionId}',
    access: BOTH,
    summary: 'End a portrait capture session that is not finished',
    answer: { kind: 'none' },
    failures: [404],
  },
  requestTrustedClaim: {
    method: 'post',
    path: '/v1/identities/{id}/trusted-id-claim/oidc',
    access: BOTH,
    summary: 'Request a login at an identity provider (OpenID Connect) that shares attributes',
    body: { kind: 'json', schema: 'TrustedClaimRequest' },
    answer: { kind: 'json', schema: 'TrustedClaimAnswer', orRedirect: true },
    failures: [404, 413],
  },
  getTrustedClaim: {
    method: 'get',
    path: '/v1/identities/{id}/trusted-id-claims',
    access: BOTH,
    summary: 'The trusted identity claim',
    answer: { kind: 'json', schema: 'TrustedIdClaimsAnswer' },
    failures: [404],
  },
  finishTrustedClaim: {
    method: 'get',
    path: '/oidc/callback',
    access: 'public',
    rate: 'callback',
    head: false,
    summary: 'Redirect address of the identity provider, with the authorization code',
    parameters: [
      {
        name: 'state',
        in: 'query',
        required: true,
        type: 'string',
        description: 'The state that was sent to the provider.',
      },
      { name: 'code', in: 'query', required: false, type: 'string', description: 'The authorization code.' },
      { name: 'iss', in: 'query', required: false, type: 'string', description: 'Issuer (RFC 9207).' },
      {
        name: 'error',
        in: 'query',
        required: false,
        type: 'string',
        description: 'Reason why there is no code (RFC 6749 section 4.1.2.1).',
      },
    ],
    answer: { kind: 'callback' },
    failures: [400],
  },
  submitClaim: {
    method: 'post',
    path: '/v1/identities/{id}/claim',
    access: BOTH,
    summary: 'Submit an identity claim',
    body: { kind: 'json', schema: 'ClaimRequest' },
    answer: { kind: 'json', schema: 'SingleStatus' },
    failures: [404, 413],
  },
  getClaim: {
    method: 'get',
    path: '/v1/identities/{id}/claim',
    access: BOTH,
    summary: 'The identity claim',
    answer: { kind: 'json', schema: 'ClaimAnswer' },
    failures: [404],
  },
  submitMobile: {
    method: 'post',
    path: '/v1/identities/{id}/contact-details/mobile',
    access: BOTH,
    summary: 'Submit a mobile phone number; a one-time passcode is sent to it',
    body: { kind: 'json', schema: 'MobileRequest' },
    answer: { kind: 'json', schema: 'MobileSubmitAnswer' },
    failures: [404, 413],
  },
  getMobile: {
    method: 'get',
    path: '/v1/identities/{id}/contact-details/mobile',
    access: BOTH,
    summary: 'The mobile phone number and the state of its verification',
    answer: { kind: 'json', schema: 'MobileAnswer' },
    failures: [404],
    rate: 'poll',
  },
  deleteMobile: {
    method: 'delete',
    path: '/v1/identities/{id}/contact-details/mobile',
    access: BOTH,
    summary: 'Remove the number and its passcode; a verified number stays',
    answer: { kind: 'none' },
    failures: [404],
  },
  submitOtp: {
    method: 'post',
    path: '/v1/identities/{id}/contact-details/mobile/otp',
    access: BOTH,
    rate: 'otp',
    summary: 'Submit the received passcode; GET the number for the outcome',
    body: { kind: 'json', schema: 'OtpRequest' },
    answer: { kind: 'none' },
    failures: [404, 413],
  },
  getLegalHold: {
    method: 'get',
    path: '/v1/identities/{id}/legal-hold',
    access: BACK_END,
    summary: 'The legal hold of the identity',
    answer: { kind: 'json', schema: 'LegalHold' },
    failures: [404],
  },
  placeLegalHold: {
    method: 'put',
    path: '/v1/identities/{id}/legal-hold',
    access: BACK_END,
    summary: 'Place a legal hold: neither a call nor the deletion policy erases the identity',
    body: { kind: 'json', schema: 'LegalHoldRequest' },
    answer: { kind: 'none' },
    failures: [404, 413],
  },
  liftLegalHold: {
    method: 'delete',
    path: '/v1/identities/{id}/legal-hold',
    access: BACK_END,
    summary: 'End the legal hold',
    answer: { kind: 'none' },
    failures: [404],
  },
  getDeletionReceipt: {
    method: 'get',
    path: '/v1/deletion-receipts/{id}',
    access: BACK_END,
    summary: 'The signed receipt of an erased identity',
    answer: { kind: 'json', schema: 'DeletionReceipt' },
    failures: [404],
  },
  registerWebhook: {
    method: 'post',
    path: '/v1/webhooks',
    access: BACK_END,
    summary: 'Register an endpoint for events',
    body: { kind: 'json', schema: 'WebhookRequest' },
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [413],
  },
  listWebhooks: {
    method: 'get',
    path: '/v1/webhooks',
    access: BACK_END,
    summary: 'The endpoints of your application',
    answer: { kind: 'json', schema: 'WebhookList' },
  },
  getWebhook: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}',
    access: BACK_END,
    summary: 'One endpoint with the state of its deliveries',
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [404],
  },
  removeWebhook: {
    method: 'delete',
    path: '/v1/webhooks/{webhookId}',
    access: BACK_END,
    summary: 'Remove an endpoint',
    answer: { kind: 'none' },
    failures: [404],
  },
  rotateWebhookSecret: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/secret',
    access: BACK_END,
    summary: 'Replace the secret of an endpoint; both secrets are valid for a limited time',
    body: { kind: 'json', schema: 'WebhookRotation' },
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [404, 413],
  },
  enableWebhook: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/enable',
    access: BACK_END,
    summary: 'Enable an endpoint that was disabled',
    answer: { kind: 'json', schema: 'Webhook' },
    failures: [404],
  },
  testWebhook: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/test',
    access: BACK_END,
    summary: 'Send a test message to an endpoint',
    answer: { kind: 'json', schema: 'WebhookDelivery' },
    failures: [404],
  },
  listWebhookDeliveries: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries',
    access: BACK_END,
    summary: 'The deliveries to an endpoint with their tries and outcomes',
    parameters: [DELIVERY_STATE, DELIVERIES_AFTER, DELIVERIES_LIMIT],
    answer: { kind: 'json', schema: 'WebhookDeliveryList' },
    failures: [404],
  },
  resendWebhookDelivery: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend',
    access: BACK_END,
    summary: 'Send one delivery again, with all retries',
    answer: { kind: 'json', schema: 'WebhookDelivery' },
    failures: [404],
  },
  listSupportedCountries: {
    method: 'get',
    path: '/v1/supported-evidence/countries',
    access: BOTH,
    summary: 'Documents that can be verified here, by country',
    answer: { kind: 'json', schema: 'SupportedCountryList' },
  },
  getSupportedCountry: {
    method: 'get',
    path: '/v1/supported-evidence/countries/{iso3}',
    access: BOTH,
    summary: 'Documents of one country that can be verified here',
    answer: { kind: 'json', schema: 'SupportedCountry' },
    failures: [404],
  },
  sealProof: {
    method: 'get',
    path: '/v1/identities/{id}/proof',
    head: false,
    access: BACK_END,
    summary: 'Close the transaction and retrieve its signed proof',
    answer: { kind: 'multipart', mediaType: 'multipart/mixed', parts: ['proof archive (application/zip)'] },
    failures: [404],
  },
} as const satisfies Record<string, Route>

export type Operation = keyof typeof ROUTES

/** All routes with their operation names, in the order of the table. */
export const ROUTE_LIST: readonly (Route & { readonly operation: Operation })[] = (
  Object.keys(ROUTES) as Operation[]
).map((operation) => ({ operation, ...ROUTES[operation] }))
