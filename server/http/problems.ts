/**
 * Error code → HTTP status and the words for it. No other place knows HTTP statuses, but for the few in which the central
 * service differs (central/problems.ts).
 * The words say what to do about it; they hold nothing of the request but what `details` carries (ids, limits, states).
 */
import type { ErrorCode, SafeDetails } from '../errors.ts'

export interface ProblemText {
  readonly status: number
  readonly title: string
  readonly detail: string | ((details: SafeDetails) => string)
  /** The spec's number for this error ("Error codes"). Our own code is the name. */
  readonly specCode?: string
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds?: number
}

/** Long enough for a worker restart, short enough for a waiting applicant. */
const RETRY_SOON_SECONDS = 5

/** Another server must recover first, or several checks must end. */
const RETRY_LATER_SECONDS = 30

/** The fixed sentence for every fault that is not the caller's. */
const OUR_FAULT =
  'The appliance could not do this because of a fault of its own. Try again; if it happens again, give the correlation id to the operator of the appliance.'

/** Counts of `quota_reached` (proofing/quotas.ts) → words. */
const QUOTA_COUNTS: Readonly<Record<string, string>> = {
  pieces: 'pieces of evidence, deleted ones included',
  bytes: 'bytes of pictures, videos, files and texts',
  identities: 'identities',
}

/** Reasons of `decision_refused` → words. */
const REFUSED_DECISIONS: Readonly<Record<string, string>> = {
  values_missing:
    'What the document is and whose is not known. Send kind, number, name and birth date in values, as they are printed.',
  values_differ:
    'Another adjudicator read other values. Look again at each value; where yours are right, decide UNSURE.',
  document_ended: 'The document has expired. Decide otherwise, or ask for another document.',
  date_to_come:
    'A date of birth or issue in values is still to come. Correct it and send the decision again.',
  nothing_supported:
    'The policy in force gives no score to this kind of document from this country. Decide otherwise, or ask for another document.',
  own_answers: 'The adjudicator answered one of the questions with no. Decide otherwise.',
}

export const PROBLEMS: Readonly<Record<ErrorCode, ProblemText>> = {
  validation_failed: {
    status: 400,
    title: 'Request not valid',
    detail: 'Correct the fields listed in errors and send the request again.',
  },
  malformed_body: {
    status: 400,
    title: 'Body not readable',
    detail:
      'The body is not what its content type says. Send well-formed JSON (UTF-8) or multipart/form-data.',
  },
  unsupported_image: {
    status: 400,
    title: 'Image not accepted',
    detail: ({ accepted }) =>
      Array.isArray(accepted)
        ? `Send a file of one of the types ${accepted.join(', ')} whose declared type is its real type; see errors for what was wrong.`
        : 'Send a JPEG, PNG, WebP or HEIC image of at most 80 megapixels, or a TIFF file or a PDF without a password, whose declared type is its real type; see errors for what was wrong.',
  },
  unreadable_image: {
    status: 400,
    title: 'Image not readable',
    detail: 'The image is damaged or incomplete. Take it again or send it again in full.',
  },
  upload_too_large: {
    status: 413,
    title: 'Too much data',
    detail: ({ fileLimitBytes, limitBytes }) => {
      if (typeof fileLimitBytes === 'number') return `Send files of at most ${fileLimitBytes} bytes each.`
      if (typeof limitBytes === 'number')
        return `Send a body of at most ${limitBytes} bytes to this operation.`
      return 'The body has more files or fields than this operation takes. Send only those that it names.'
    },
  },
  unauthorized: {
    status: 401,
    title: 'Not signed in',
    detail: 'There is no session, or it has ended. Sign in again.',
  },
  key_missing: {
    status: 403,
    title: 'Key missing',
    detail: 'Send a key of this appliance, or a user-agent token, in the header named apikey.',
  },
  key_unknown: {
    status: 403,
    title: 'Key not known',
    detail:
      'The key in the header named apikey is unknown, expired or revoked. Send one of this appliance, or a user-agent token.',
  },
  user_agent_missing: {
    status: 400,
    title: 'User-Agent missing',
    detail: 'Send the User-Agent header; for a back end: application id/version (language).',
  },
  fresh_factor_needed: {
    status: 403,
    title: 'Confirm your identity again',
    detail: 'Give a code of the app or use the passkey, then do it again.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    detail: 'This key is not allowed to do this. Use a key of the role that the operation asks for.',
  },
  shared_for_reading: {
    status: 403,
    title: 'Shared for reading',
    detail:
      'This identity belongs to another application, which shares it with yours for reading alone. Have that application do it, or have the operator set tenant.sharing to act.',
  },
  user_agent_keys_refused: {
    status: 403,
    title: 'User-agent keys switched off',
    detail:
      'This tenant does not take user-agent keys. Have the back end ask for a token of the identity (POST …/user-agent-token) and send that in the header named apikey.',
  },
  host_refused: {
    status: 403,
    title: 'Host or Origin refused',
    detail:
      'Call the appliance by its own address, or have the host name or origin added to its configuration.',
  },
  window_refused: {
    status: 403,
    title: "Not the kiosk's window",
    detail:
      'The kiosk answers the window that the appliance opened. Close this page; the appliance opens its window again. To use a browser of your own on this machine, start with --no-window or set kiosk.window to browser.',
  },
  proxy_required: {
    status: 403,
    title: 'Not through the reverse proxy',
    detail:
      'This address answers the reverse proxy of the configuration alone. Call the address of the proxy.',
  },
  feature_disabled: {
    status: 403,
    title: 'Not switched on',
    detail: 'The configuration of this tenant does not allow this operation. Have the operator switch it on.',
  },
  consent_missing: {
    status: 403,
    title: 'Consent missing',
    detail: ({ consent }) =>
      typeof consent === 'string'
        ? `Record the applicant's consent of type ${consent} first, approved and in its validity period.`
        : "Record the applicant's consent first, approved and in its validity period.",
  },
  identity_processing: {
    status: 403,
    title: 'Evidence still in verification',
    detail: 'Poll the status of the identity until it is no longer PROCESSING, then try again.',
  },
  identity_closed: {
    status: 403,
    title: 'Transaction closed',
    detail:
      'The proof of this identity was retrieved: nothing can be added or changed. Create a new identity.',
  },
  identity_paused: {
    status: 403,
    title: 'Transaction paused',
    detail: 'Resume the identity first (GET …/resume), then send the request again.',
  },
  sides_mismatch: {
    status: 400,
    title: 'Sides of the document differ',
    detail: ({ expected, repeated }) =>
      repeated === true
        ? 'The same file was sent as front and as back. Send a picture of each side.'
        : Array.isArray(expected)
          ? `Send exactly these sides of the document: ${expected.join(', ')}.`
          : 'Send every side of the document that is asked for, each once.',
    specCode: '1508',
  },
  otp_session_gone: {
    status: 400,
    title: 'No passcode under way',
    detail: 'Submit the phone number or e-mail address first, then the code that is sent to it.',
    specCode: '1101',
  },
  otp_no_longer_valid: {
    status: 400,
    title: 'One-time passcode no longer valid',
    detail:
      'The code was used already or its time is over. Submit the phone number or e-mail address again for a new one.',
    specCode: '1118',
  },
  otp_attempts_reached: {
    status: 400,
    title: 'Too many attempts',
    detail:
      'Submit the phone number or e-mail address again for a new code. If that is refused, too, wait for an hour: only a few codes are sent within one.',
    specCode: '1117',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key used before',
    detail: 'This key came with another request before. Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request still running',
    detail: 'The first request with this Idempotency-Key has not ended. Wait, then send it again.',
    retryAfterSeconds: RETRY_SOON_SECONDS,
  },
  idempotency_answer_lost: {
    status: 409,
    title: 'Done, but the answer is lost',
    detail:
      'The request with this Idempotency-Key was carried out before the appliance restarted, and its answer is gone. Read the identity.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'There is no entry of this kind at this address. Check the path and the ids in it.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path exists, but not with this method. The Allow header lists those it takes.',
  },
  proof_not_found: {
    status: 404,
    title: 'Proof not found',
    detail:
      'The proof is no longer kept here. Ask the system that retrieved it or the central relying service.',
    specCode: '1034',
  },
  rate_limited: {
    status: 429,
    title: 'Too many calls',
    detail:
      'Wait for the seconds given in Retry-After, then call less often; RateLimit-Policy states the limit.',
  },
  too_many_open_jobs: {
    status: 429,
    title: 'Too many checks under way',
    detail: ({ owner, limit }) =>
      `The checks of ${String(limit)} submissions of this ${String(owner)} have not ended, which is the limit. ` +
      'Wait for the seconds given in Retry-After, then send the same request again.',
    retryAfterSeconds: RETRY_LATER_SECONDS,
  },
  quota_reached: {
    status: 403,
    title: 'Limit of what is kept reached',
    detail: ({ owner, count, limit }) =>
      `This ${String(owner)} may have at most ${String(limit)} ${QUOTA_COUNTS[String(count)] ?? 'of this kind'}. ` +
      (owner === 'identity'
        ? 'Nothing more can be added to it: retrieve its proof, or create a new identity.'
        : 'Retrieve proofs or delete identities, or have the operator raise quotas.perApplication.'),
  },
  upload_budget_exceeded: {
    status: 429,
    title: 'Too many uploads under way',
    detail:
      'The bodies that the appliance, this application or this capture session is sending have no room for another one. Wait for the seconds given in Retry-After, then send it again; send one file after the other.',
    retryAfterSeconds: RETRY_SOON_SECONDS,
  },
  transition_refused: {
    status: 403,
    title: 'Not possible in this state',
    detail: 'The present state does not allow this. Read the status and decide by it.',
  },
  revision_conflict: {
    status: 409,
    title: 'Changed meanwhile',
    detail: 'Another request changed the same thing at the same time. Read the status and try again.',
  },
  adjudicator_captured: {
    status: 403,
    title: 'Adjudicator captured the evidence',
    detail: 'This officer captured evidence of the same person. Ask another officer to decide.',
  },
  adjudicator_decided: {
    status: 403,
    title: 'Adjudicator has decided before',
    detail: 'You have decided about this request already. Ask a second person to decide.',
  },
  adjudication_claimed: {
    status: 409,
    title: 'Claimed by another adjudicator',
    detail: 'Another officer is working on this request. Take the next one of the queue.',
  },
  adjudication_not_claimed: {
    status: 409,
    title: 'Not claimed',
    detail: 'Claim the request first; a claim ends when its time is over. Then send the decision again.',
  },
  adjudication_ended: {
    status: 409,
    title: 'Adjudication ended',
    detail: 'This request was decided, or its time is over. Read its status; nothing was changed.',
  },
  decision_refused: {
    status: 403,
    title: 'Decision not open',
    detail: ({ checks, reason }) =>
      Array.isArray(checks) && checks.length > 0
        ? `No person can accept evidence that failed ${checks.join(', ')}. Decide otherwise, or ask for a new capture.`
        : ((typeof reason === 'string' ? REFUSED_DECISIONS[reason] : undefined) ??
          'There is no verified document to compare this portrait with. Decide otherwise, or wait for the document.'),
  },
  callback_repeated: {
    status: 409,
    title: 'Callback repeated',
    detail: 'A callback of this id was carried out before. Nothing was changed.',
  },
  identity_expired: {
    status: 403,
    title: 'Transaction out of time',
    detail:
      'The lifetime of this transaction is over: nothing can be added. Retrieve its proof, or create a new identity.',
  },
  vision_unavailable: {
    status: 503,
    title: 'Image reader not available',
    detail: 'The part that reads images is starting again. Send the same request again in a few seconds.',
    retryAfterSeconds: RETRY_SOON_SECONDS,
  },
  authorization_server_unavailable: {
    status: 503,
    title: 'Identity provider not available',
    detail:
      'The identity provider cannot be reached now. Nothing was begun; send the same request again later.',
    specCode: '2302',
    retryAfterSeconds: RETRY_LATER_SECONDS,
  },
  biometrics_unavailable: {
    status: 503,
    title: 'Biometric server not available',
    detail:
      'The biometric server that carries out these sessions cannot be reached now. Nothing was begun; send the same request again later.',
    specCode: '1021',
    retryAfterSeconds: RETRY_LATER_SECONDS,
  },
  biometrics_credentials_refused: {
    status: 503,
    title: 'Biometric server refuses us',
    detail:
      'The biometric server refused the credentials of this appliance. Nothing was begun; have the operator check its configuration.',
    specCode: '1033',
    retryAfterSeconds: RETRY_LATER_SECONDS,
  },
  callback_refused: {
    status: 401,
    title: 'Callback not signed',
    detail:
      'The signature is missing, wrong or too old. Sign the message with the secret that both sides configured.',
  },
  request_timeout: {
    status: 408,
    title: 'Request too slow',
    detail: 'The request did not arrive in time. Send it again in full.',
  },
  malformed_request: {
    status: 400,
    title: 'Request not readable',
    detail: 'The request line, the path or a header is not well-formed. Correct it and send HTTP/1.1.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: 'Send at most 100 headers of together less than 16 KiB.',
  },
  address_too_long: {
    status: 414,
    title: 'Address too long',
    detail: 'Send a path and query of together at most 8000 characters.',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    detail: 'The appliance is being stopped or restarted. Send the same request again in a few seconds.',
    retryAfterSeconds: RETRY_SOON_SECONDS,
  },
  visit_taken_over: {
    status: 403,
    title: 'Visit taken over',
    detail: 'An officer continues this visit at the counter. Begin another one.',
  },
  proofings_frozen: {
    status: 503,
    title: 'No new proofings for now',
    detail:
      'The appliance accepts no new proofing until its backlog, disk and clock are in order, so that no proof is lost. Call the operator.',
    retryAfterSeconds: RETRY_LATER_SECONDS,
  },
  erasure_under_way: {
    status: 503,
    title: 'Erasure under way',
    detail:
      'The identity is erased and can no longer be read. Its key is not destroyed yet; the appliance keeps trying. Send the same request again, or ask for the deletion receipt.',
    retryAfterSeconds: RETRY_SOON_SECONDS,
  },
  legal_hold: {
    status: 403,
    title: 'Under a legal hold',
    detail: 'The identity must be kept. Lift the legal hold before it is erased.',
  },
  centre_unavailable: {
    status: 503,
    title: 'Central service unavailable',
    detail:
      'The central relying service cannot be reached. The appliance keeps the unsent data and sends it later.',
    retryAfterSeconds: RETRY_LATER_SECONDS,
  },
  enrolment_refused: {
    status: 403,
    title: 'Enrolment refused',
    detail:
      'The enrolment code is not valid for this kiosk or this central service. Ask the head office for a new one.',
  },
  timestamp_unavailable: {
    status: 503,
    title: 'Time stamp unavailable',
    detail:
      'The time-stamping authority did not answer, and no proof is sealed without its token. Try again later.',
    retryAfterSeconds: RETRY_SOON_SECONDS,
  },
  // The central service alone answers with these four.
  nonce_required: {
    status: 401,
    title: 'Nonce required',
    detail: 'Sign the request with the nonce of this answer and send it again.',
  },
  announcement_stale: {
    status: 409,
    title: 'Announcement too old',
    detail: 'A newer announcement of the same proof names another packet.',
  },
  too_many_uploads: {
    status: 429,
    title: 'Too many uploads under way',
    detail: 'Finish an upload that has begun, then send the next one.',
  },
  verification_stopped: {
    status: 422,
    title: 'Archive not verified',
    detail:
      'The verification ended without a result: it took more time or memory than it may, or its process ended twice. No sealed ' +
      'proof does that: the archive or the keys are not what they should be. The command `verify-proof` verifies it on your own machine.',
  },
  statement_refused: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  packet_refused: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  backup_refused: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  file_refused: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  key_unavailable: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  configuration_invalid: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  database_newer: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  status_not_stored: {
    status: 500,
    title: 'Could not be stored',
    detail:
      'The disk or the database did not take the change; nothing was changed. Have the operator check the disk.',
    specCode: '1081',
  },
  proof_not_stored: {
    status: 500,
    title: 'Proof could not be stored',
    detail:
      'The disk or the database did not take the proof; the transaction is still open. Have the operator check the disk.',
    specCode: '1082',
  },
  storage_damaged: { status: 500, title: 'Internal error', detail: OUR_FAULT },
  internal: { status: 500, title: 'Internal error', detail: OUR_FAULT },
}

/** Fault that the vision worker found in an upload (vision protocol, `ImageFault`) → code and words. */
export const IMAGE_FAULTS: Readonly<Record<string, { readonly code: ErrorCode; readonly message: string }>> =
  {
    not_an_image: { code: 'unsupported_image', message: 'the file is not an image' },
    unsupported_format: {
      code: 'unsupported_image',
      message: 'this image format is not read; send JPEG, PNG, WebP, HEIC, TIFF or PDF',
    },
    type_mismatch: {
      code: 'unsupported_image',
      message: 'the file is not of the type it was declared to be',
    },
    too_many_pixels: { code: 'unsupported_image', message: 'the image has more than 80 megapixels' },
    too_complex: {
      code: 'unsupported_image',
      message: 'the file takes more time or memory to draw than a scan does; send a photograph instead',
    },
    damaged: { code: 'unreadable_image', message: 'the image is damaged or cut off' },
  }
