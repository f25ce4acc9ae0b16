import { describe, expect, test } from 'vitest'
import { IMAGE_FAULTS, PROBLEMS } from '../../../server/http/problems.ts'
import { AppError, ERROR_CODES } from '../../../server/errors.ts'
import type { ErrorCode } from '../../../server/errors.ts'
import { ImageFaultError } from '../../../server/vision/protocol.ts'
import type { ImageFault } from '../../../server/vision/protocol.ts'
import type { Identity } from '../../../server/api/contract/index.ts'
import { IDENTITY_ID, aFile, aForm, problemCode, problemErrors, startApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`

const STATUSES: Record<ErrorCode, number> = {
  validation_failed: 400,
  malformed_body: 400,
  unsupported_image: 400,
  unreadable_image: 400,
  upload_too_large: 413,
  key_missing: 403,
  key_unknown: 403,
  unauthorized: 401,
  user_agent_missing: 400,
  fresh_factor_needed: 403,
  forbidden: 403,
  shared_for_reading: 403,
  user_agent_keys_refused: 403,
  host_refused: 403,
  window_refused: 403,
  proxy_required: 403,
  feature_disabled: 403,
  consent_missing: 403,
  identity_processing: 403,
  identity_closed: 403,
  identity_paused: 403,
  sides_mismatch: 400,
  otp_session_gone: 400,
  otp_no_longer_valid: 400,
  otp_attempts_reached: 400,
  idempotency_key_reused: 422,
  idempotency_in_progress: 409,
  idempotency_answer_lost: 409,
  not_found: 404,
  method_not_allowed: 405,
  proof_not_found: 404,
  rate_limited: 429,
  too_many_open_jobs: 429,
  quota_reached: 403,
  upload_budget_exceeded: 429,
  transition_refused: 403,
  revision_conflict: 409,
  adjudicator_captured: 403,
  adjudicator_decided: 403,
  adjudication_claimed: 409,
  adjudication_not_claimed: 409,
  adjudication_ended: 409,
  decision_refused: 403,
  callback_repeated: 409,
  identity_expired: 403,
  authorization_server_unavailable: 503,
  biometrics_unavailable: 503,
  biometrics_credentials_refused: 503,
  callback_refused: 401,
  vision_unavailable: 503,
  key_unavailable: 500,
  configuration_invalid: 500,
  database_newer: 500,
  status_not_stored: 500,
  proof_not_stored: 500,
  storage_damaged: 500,
  request_timeout: 408,
  malformed_request: 400,
  headers_too_large: 431,
  address_too_long: 414,
  shutting_down: 503,
  visit_taken_over: 403,
  proofings_frozen: 503,
  legal_hold: 403,
  erasure_under_way: 503,
  statement_refused: 500,
  packet_refused: 500,
  nonce_required: 401,
  announcement_stale: 409,
  too_many_uploads: 429,
  verification_stopped: 422,
  centre_unavailable: 503,
  enrolment_refused: 403,
  backup_refused: 500,
  file_refused: 500,
  timestamp_unavailable: 503,
  internal: 500,
}

/** Errors besides 503 that tell when to come again. */
const COMES_BACK: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'too_many_open_jobs',
  'upload_budget_exceeded',
]

test.each(ERROR_CODES)(
  '%s reaches the caller with its status and words that say what to do',
  async (code) => {
    await using api = await startApi({
      workflows: {
        getIdentity: async () => {
          throw new AppError(code)
        },
      },
    })
    const reply = await api.send('GET', identity)
    expect([reply.status, problemCode(reply)]).toEqual([STATUSES[code], code])
    expect(reply.json).toMatchObject({ instance: identity })
    expect((reply.json as { detail: string }).detail.length).toBeGreaterThan(30)
    const comesBack = STATUSES[code] === 503 || COMES_BACK.includes(code)
    expect(reply.headers['retry-after'] !== undefined).toBe(comesBack)
  },
)

describe('an image at fault', () => {
  const FAULTS: Record<ImageFault, ErrorCode> = {
    not_an_image: 'unsupported_image',
    unsupported_format: 'unsupported_image',
    type_mismatch: 'unsupported_image',
    too_many_pixels: 'unsupported_image',
    too_complex: 'unsupported_image',
    damaged: 'unreadable_image',
  }
  test.each(Object.entries(FAULTS))('%s is 400 and named', async (fault, code) => {
    await using api = await startApi({
      workflows: {
        submitPortrait: async () => {
          throw new ImageFaultError(fault as ImageFault)
        },
      },
    })
    const form = aForm({ Portrait: aFile() })
    const reply = await api.send('POST', `${identity}/attributes/portrait/capture`, { form })
    expect([reply.status, problemCode(reply), problemErrors(reply)]).toEqual([400, code, [{ code: fault }]])
  })

  test('every fault the worker can report has its words', () => {
    expect(Object.keys(IMAGE_FAULTS).sort()).toEqual(Object.keys(FAULTS).sort())
  })
})

test('a proof no longer kept carries the number the spec gives it', async () => {
  await using api = await startApi({
    workflows: {
      sealProof: async () => {
        throw new AppError('proof_not_found')
      },
    },
  })
  expect(problemErrors(await api.send('GET', `${identity}/proof`))).toEqual([{ code: '1034' }])
})

test('a missing consent is named', async () => {
  await using api = await startApi({
    workflows: {
      submitDocument: async () => {
        throw new AppError('consent_missing', { consent: 'ID_DOCUMENT' })
      },
    },
  })
  const reply = await api.send('POST', `${identity}/id-documents/capture`, {
    form: aForm({ DocumentFront: aFile() }),
  })
  expect(reply.json).toMatchObject({ status: 403, detail: expect.stringContaining('ID_DOCUMENT') as string })
})

test('an unknown error becomes one fixed sentence, and its words are not even logged', async () => {
  await using api = await startApi({
    workflows: {
      getIdentity: async () => {
        throw new Error('ERIKSSON 1974-08-12', { cause: new TypeError('L898902C3') })
      },
    },
  })
  const reply = await api.send('GET', identity)
  expect(reply.json).toMatchObject({ status: 500, title: 'Internal error', detail: PROBLEMS.internal.detail })
  expect(reply.text + api.logged()).not.toMatch(/ERIKSSON|1974|L898902C3/)
  expect(api.logged()).toContain('error-response.test.ts')
})

test('an answer that breaks the contract is our fault, and what the contract does not list does not leave', async () => {
  const broken = { globalStatus: { id: IDENTITY_ID, status: 'DREAMING' } } as unknown as Identity
  await using api = await startApi({
    workflows: {
      getIdentity: async () => broken,
      jwks: async () => ({ keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', d: 'secret' } as { kty: string }] }),
    },
  })
  expect((await api.send('GET', identity)).status).toBe(500)
  expect(api.logged()).toContain('globalStatus.status')
  expect((await api.send('GET', '/.well-known/jwks.json')).json).toEqual({
    keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
  })
})
