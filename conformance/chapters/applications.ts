/** The boundary between two applications, and the operations that a user-agent key or token must not have. */
import { field } from '../kit.ts'
import type { OperationName } from '../spec.ts'
import { EXAMPLES, NOWHERE, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'
import { OF_AN_IDENTITY } from './keys-and-roles.ts'

/** Only back ends may search, list and read pictures. */
const NOT_FOR_USER_AGENTS: readonly OperationName[] = [
  'GET /v1/identities',
  'GET /v1/webhooks',
  'GET /v1/identities/{id}/attributes/portrait/capture',
  'GET /v1/identities/{id}/id-documents/{evidenceId}/capture',
  'GET /v1/identities/{id}/additional-files/{fileId}',
  'POST /v1/identities/{id}/user-agent-token',
]

export const applications: Chapter = async (kit) => {
  const id = await newIdentity(kit)
  const params = { ...NOWHERE, id }
  const { otherKeys } = kit.target
  if (otherKeys !== null) {
    for (const operation of OF_AN_IDENTITY) {
      const call = { ...EXAMPLES[operation], params }
      const [backEnd, userAgent] = [{ of: otherKeys.backEnd }, { of: otherKeys.userAgent }]
      const title = 'with the back-end key of another application'
      await kit.call(operation, title, { ...call, key: backEnd }, { status: 404, ours: true })
      await kit.call(
        operation,
        'with the user-agent key of another application',
        { ...call, key: userAgent },
        { status: [403, 404], ours: true },
      )
    }
  }
  for (const operation of NOT_FOR_USER_AGENTS) {
    const call = { ...EXAMPLES[operation], params, key: 'user-agent' as const }
    await kit.call(operation, 'with a user-agent key', call, { status: 403, ours: true })
  }

  const issue = 'POST /v1/identities/{id}/user-agent-token'
  const issued = await kit.must(
    issue,
    'for one identity',
    { params, json: { lifetimeSeconds: 60 } },
    { status: 200 },
  )
  const token = { of: field(issued, 'token') }
  const status = 'GET /v1/identities/{id}/status'
  await kit.call(status, 'with a token of this identity', { params, key: token }, { status: 200, ours: true })
  const another = { ...params, id: await newIdentity(kit) }
  await kit.call(
    status,
    'with a token of another identity',
    { params: another, key: token },
    { status: 404, ours: true },
  )
  for (const operation of NOT_FOR_USER_AGENTS) {
    const call = { ...EXAMPLES[operation], params, key: token }
    await kit.call(operation, 'with a token of this identity', call, { status: 403, ours: true })
  }
}
