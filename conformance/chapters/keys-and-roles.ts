import { at, unless } from '../kit.ts'
import { OPERATIONS } from '../spec.ts'
import type { OperationName } from '../spec.ts'
import { EXAMPLES, NOWHERE, UNKNOWN_ID, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const KEYED = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => name.includes(' /v1/'))
export const OF_AN_IDENTITY = KEYED.filter((name) => name.includes('{id}'))

/** "identity creation, live document capture session creation, consent submission, and proof retrieval". */
const BACK_END_ONLY: readonly OperationName[] = [
  'POST /v1/identities',
  'POST /v1/identities/{id}/id-documents/live-capture-session',
  'POST /v1/identities/{id}/consents',
  'GET /v1/identities/{id}/proof',
]
/** "document status polling and identity read during a user-agent flow use the user-agent key". */
const FOR_USER_AGENTS: readonly OperationName[] = [
  'GET /v1/identities/{id}',
  'GET /v1/identities/{id}/status',
]

export const keysAndRoles: Chapter = async (kit) => {
  const id = await newIdentity(kit)
  const params = { id, ...NOWHERE }
  for (const operation of KEYED) {
    const call = { ...EXAMPLES[operation], params }
    const refused = { status: 403, spec: 'Errors' }
    const without = await kit.call(operation, 'without a key', { ...call, key: null }, refused)
    const unknown = { ...call, key: { of: 'unknown' } }
    const wrong = await kit.call(operation, 'with an unknown key', unknown, refused)
    kit.claim(
      operation,
      'the problem type tells a missing key from an unknown one',
      unless(at(without.json, 'type') !== at(wrong.json, 'type'), 'both have the same type'),
      { ours: true },
    )
  }
  for (const operation of BACK_END_ONLY) {
    const call = { ...EXAMPLES[operation], params, key: 'user-agent' as const }
    await kit.call(operation, 'with a user-agent key', call, { status: 403, spec: 'Authentication' })
  }
  for (const operation of FOR_USER_AGENTS)
    await kit.call(
      operation,
      'with a user-agent key',
      { params, key: 'user-agent' },
      { status: 200, spec: 'Authentication' },
    )

  const read = 'GET /v1/identities/{id}'
  await kit.call(
    read,
    'with an empty User-Agent',
    { params, headers: { 'user-agent': '' } },
    { status: 400, ours: true },
  )
  const odd = { 'x-forwarded-for': 'anything, 1.2.3.4', 'user-agent': 'python-requests/2.32.3' }
  await kit.call(
    read,
    'any X-Forwarded-For, any User-Agent',
    { params, headers: odd },
    { status: 200, spec: 'Endpoints' },
  )
}

/** "Operations may answer 403 when the caller's role or tenant configuration does not allow them". */
const BY_TENANT = /\/(resume|adjudications|antifraud|trusted-id-claim|claim|contact-details)/

export const unknownIds: Chapter = async (kit) => {
  const refusals = (operation: OperationName): readonly number[] =>
    !kit.target.own && BY_TENANT.test(operation) ? [403, 404] : [404]
  const params = { ...NOWHERE, id: UNKNOWN_ID }
  for (const operation of OF_AN_IDENTITY) {
    await kit.call(
      operation,
      'an identity that does not exist',
      { ...EXAMPLES[operation], params },
      {
        status: refusals(operation),
        spec: 'Endpoints: unknown ids give 404',
      },
    )
  }
  const id = await newIdentity(kit)
  for (const operation of OF_AN_IDENTITY.filter((name) => /\{(evidenceId|fileId|sessionId)\}/.test(name))) {
    await kit.call(
      operation,
      'of a known identity, an id that does not exist',
      { params: { ...NOWHERE, id } },
      {
        status: refusals(operation),
        spec: 'Endpoints: unknown ids give 404',
      },
    )
  }
}
