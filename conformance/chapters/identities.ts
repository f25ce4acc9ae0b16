import { randomUUID } from 'node:crypto'
import { at, field, unless } from '../kit.ts'
import type { Call } from '../kit.ts'
import { identity, identityStatus, identitySummary } from '../spec.ts'
import { PICTURES, UNKNOWN_ID } from './common.ts'
import type { Chapter } from './common.ts'

const CONTEXT = [
  { key: 'APPLICATION', value: 'kit' },
  { key: 'CHANNEL', value: 'counter' },
]
const TEXT = JSON.stringify(CONTEXT)
const asJson = new File([TEXT], 'context.json', { type: 'application/json' })
const withoutBoundary = (context: string) =>
  ['--kit', 'Content-Disposition: form-data; name="context"', '', context, '--kit--', ''].join('\r\n')
const AS_FORM = { headers: { 'content-type': 'multipart/form-data' } }

/**
 * Requests to create an identity, as clients of other servers write them; the first two are the
 * specification's.
 */
const WAYS: readonly (readonly [string, Call, 'spec' | 'ours'])[] = [
  ['a form with a context as text', { form: { context: TEXT } }, 'spec'],
  ['a form with a PNG', { form: { context: TEXT, file: PICTURES.png } }, 'spec'],
  ['a form with a PDF', { form: { context: TEXT, file: PICTURES.pdf } }, 'spec'],
  ['a form with a context as a file', { form: { context: asJson } }, 'ours'],
  ['a JSON array', { json: CONTEXT }, 'ours'],
  ['a form whose boundary parameter is missing', { body: withoutBoundary(TEXT), ...AS_FORM }, 'ours'],
  ['the same with a context of blanks', { body: withoutBoundary('  '), ...AS_FORM }, 'ours'],
  ['the same with a context of NUL bytes', { body: withoutBoundary('\0\0\0\0'), ...AS_FORM }, 'ours'],
  ['JSON that is called a form', { body: TEXT, headers: { 'content-type': 'multipart/form-data' } }, 'ours'],
  ['no body', {}, 'ours'],
  [
    'the header Tenant-Role of the key',
    { form: { context: TEXT }, headers: { 'tenant-role': 'RELYING_SERVICE' } },
    'ours',
  ],
]

export const identities: Chapter = async (kit) => {
  const create = 'POST /v1/identities'
  for (const [title, call, from] of WAYS) {
    const ours = from === 'ours' ? ({ ours: true } as const) : {}
    await kit.call(create, title, call, { status: 200, shape: identitySummary, ...ours })
  }
  await kit.call(
    create,
    'a context that is no list of pairs',
    { form: { context: '{"key"' } },
    { status: 400 },
  )
  await kit.call(
    create,
    'a file that is no picture',
    { form: { file: PICTURES.notAPicture } },
    { status: 400 },
  )

  const correlation = randomUUID()
  const headers = { 'correlation-id': correlation }
  const created = await kit.must(
    create,
    'with a correlation id',
    { form: { context: TEXT }, headers },
    { status: 200 },
  )
  kit.claim(
    create,
    'starts with EXPECTING_INPUT',
    unless(at(created.json, 'status') === 'EXPECTING_INPUT', 'another status came'),
    {
      spec: 'States and transitions',
    },
  )
  const id = field(created, 'id')
  const params = { id }

  const find = 'GET /v1/identities'
  const found = await kit.call(
    find,
    'by its correlation id',
    { query: { correlationID: correlation } },
    { status: 200, shape: identity },
  )
  kit.claim(
    find,
    'finds the identity',
    unless(at(found.json, 'globalStatus', 'id') === id, 'another identity came'),
  )
  await kit.call(
    find,
    'an unknown correlation id',
    { query: { correlationID: randomUUID() } },
    { status: 404 },
  )
  await kit.call(find, 'without a correlation id', {}, { status: 400, ours: true })

  const read = 'GET /v1/identities/{id}'
  const plain = await kit.call(read, 'with the back-end key', { params }, { status: 200, shape: identity })
  const context = JSON.stringify(at(plain.json, 'context') ?? null)
  kit.claim(
    read,
    'carries the context',
    unless(context === TEXT, 'the context of the creation is not there'),
    {
      spec: 'Identity creation context',
    },
  )
  await kit.call(read, 'detailed', { params, query: { detailed: 'true' } }, { status: 200, shape: identity })
  await kit.call(
    read,
    'detailed is no boolean',
    { params, query: { detailed: 'perhaps' } },
    { status: 400, ours: true },
  )
  await kit.call(
    read,
    'with the user-agent key',
    { params, key: 'user-agent' },
    { status: 200, shape: identity },
  )
  await kit.call(
    'GET /v1/identities/{id}/status',
    'status',
    { params },
    { status: 200, shape: identityStatus },
  )

  const resume = 'GET /v1/identities/{id}/resume'
  await kit.call(
    resume,
    'an identity that is not paused',
    { params },
    { status: kit.target.own ? 200 : [200, 400, 403] },
  )

  const erase = 'DELETE /v1/identities/{id}'
  await kit.call(erase, 'all its data', { params }, { status: 204 })
  await kit.call(read, 'an erased identity', { params }, { status: 404 })
  await kit.call(erase, 'an erased identity', { params }, { status: 404 })
  await kit.call(erase, 'an unknown identity', { params: { id: UNKNOWN_ID } }, { status: 404 })
}
