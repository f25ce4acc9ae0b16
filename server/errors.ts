/**
 * The error type of the server and its closed list of codes. An `AppError` contains only facts that the caller may know: a
 * code and safe details (field names, ids, states, numbers), never a value of a document, face or form. http/problems.ts maps
 * the codes to HTTP statuses.
 */
export const ERROR_CODES = [
  'validation_failed', // a field is missing, of the wrong type or out of range
  'malformed_body', // the body is not what its content type says
  'unsupported_image', // the bytes are no image type that we accept, or not the type that was declared
  'unreadable_image', // the image is damaged or cut off
  'upload_too_large', // more bytes, pixels or parts than allowed
  'nonce_required', // the signed request must be repeated with a fresh nonce
  'key_missing', // a call of the API without a key
  'key_unknown', // unknown, expired or revoked
  'unauthorized', // a screen without a session, or a kiosk that the central service does not know
  'user_agent_missing',
  'fresh_factor_needed', // a sensitive act at the counter needs a second factor of the last minutes
  'forbidden', // the key's role or the tenant's features do not allow it
  'shared_for_reading', // the identity belongs to another application; this one may read it but not change it
  'user_agent_keys_refused', // the tenant accepts only tokens that are bound to an identity
  'host_refused', // Host or Origin header is not ours
  'window_refused', // the kiosk answers only the window that the appliance opened
  'proxy_required', // this listener answers only its reverse proxy
  'feature_disabled', // the tenant has not enabled this feature
  'consent_missing',
  'identity_processing', // the call is refused while evidence is being verified
  'identity_closed', // the proof was retrieved: nothing can be added
  'identity_paused', // the identity must be resumed first
  'sides_mismatch', // the sides of the document are not those that were requested
  'otp_session_gone', // no phone verification is in progress
  'otp_no_longer_valid', // the passcode was used, or its time is over
  'otp_attempts_reached',
  'idempotency_key_reused', // another request used the same key
  'idempotency_in_progress', // the first request with this key is still running
  'idempotency_answer_lost', // the operation was carried out, but a crash lost its answer
  'not_found',
  'method_not_allowed', // the path exists, but the method does not
  'proof_not_found',
  'rate_limited',
  'too_many_open_jobs', // too many open jobs of an identity or of an application (details name whose)
  'quota_reached', // more evidence, bytes or identities than allowed (details name which, and whose)
  'upload_budget_exceeded', // too many bytes of uploads in progress, or a second upload in one capture session
  'transition_refused', // a state change that the table does not list
  'revision_conflict', // another writer was faster
  'adjudicator_captured', // the adjudicator has captured evidence of this applicant
  'adjudicator_decided', // the adjudicator has already decided this case
  'adjudication_claimed', // another adjudicator has claimed the case
  'adjudication_not_claimed', // the case must be claimed first, or the time of the claim is over
  'adjudication_ended', // the case was decided, or its time is over
  'decision_refused', // this evidence cannot be decided in this way (details name why)
  'callback_repeated', // the callback was already carried out
  'identity_expired', // its lifetime is over: nothing can be added
  'authorization_server_unavailable', // an identity provider cannot be reached
  'biometrics_unavailable', // an external biometric server cannot be reached, or its answer is invalid
  'biometrics_credentials_refused', // the biometric server does not accept our credentials
  'callback_refused', // the service that the callback names did not sign it
  'vision_unavailable', // the vision worker is down or did not answer in time
  'key_unavailable', // the master key or the signing key cannot be used
  'configuration_invalid',
  'database_newer', // a newer version of this product wrote the database
  'status_not_stored', // the disk or the database refused a change
  'proof_not_stored',
  'storage_damaged', // a stored value or file does not decrypt or does not match its hash
  'request_timeout', // the caller sends too slowly
  'malformed_request', // the request is not readable HTTP
  'headers_too_large',
  'address_too_long', // path and query together
  'shutting_down',
  'proofings_frozen', // no new proofings until the backlog, the disk or the clock is in order (details name why)
  'visit_taken_over', // staff continue it at the counter
  'legal_hold', // the identity must not be erased
  'erasure_under_way', // the erasure is final, but the data key cannot be destroyed yet
  'statement_refused', // not signed by the central service this kiosk has joined
  'packet_refused', // no packet, or not for this central service
  'announcement_stale', // a newer announcement of the same proof has another packet
  'too_many_uploads', // a kiosk has begun more uploads than it may leave unfinished
  'verification_stopped', // an archive took more time or memory than its verification may take
  'centre_unavailable', // the central service cannot be reached or did not answer in time
  'enrolment_refused', // the code, the kiosk or the central service does not fit
  'backup_refused', // a backup that cannot be restored
  'file_refused', // an external folder or file is a link, a device, a pipe or a socket, or is too large
  'timestamp_unavailable', // the time-stamping authority did not answer, and the tenant requires its token
  'internal',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** Only names, ids, states and numbers. Never a personal value. */
export type SafeDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** One problem with one field of a request, as shown in `errors` of a problem document. */
export interface FieldProblem {
  readonly code: string
  readonly message: string
  readonly field?: string
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly details: SafeDetails
  readonly problems: readonly FieldProblem[]
  /** Says all that an operator needs to know, if the sentence of the code would name another cause. */
  readonly sentence: string | null

  constructor(
    code: ErrorCode,
    details: SafeDetails = {},
    options: ErrorOptions & { problems?: readonly FieldProblem[]; sentence?: string } = {},
  ) {
    super(code, options)
    this.code = code
    this.details = details
    this.problems = options.problems ?? []
    this.sentence = options.sentence ?? null
  }
}

/** Makes the error for a problem of one field of a request. */
export function fieldProblem(code: string, field: string, message: string): AppError {
  return new AppError('validation_failed', {}, { problems: [{ code, message, field }] })
}
