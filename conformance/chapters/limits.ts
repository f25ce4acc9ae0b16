import { randomUUID } from 'node:crypto'
import { at, unless } from '../kit.ts'
import { NOWHERE, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

export const idempotency: Chapter = async (kit) => {
  const create = 'POST /v1/identities'
  const headers = { 'idempotency-key': randomUUID() }
  const context = (value: string) => ({ json: [{ key: 'PID', value }], headers })
  const ours = { ours: true } as const
  const first = await kit.call(create, 'with an Idempotency-Key', context('a'), { status: 200, ...ours })
  const second = await kit.call(create, 'the same again', context('a'), { status: 200, ...ours })
  const same = at(first.json, 'id') === at(second.json, 'id')
  kit.claim(create, 'the same Idempotency-Key makes one identity', unless(same, 'two were made'), ours)
  await kit.call(create, 'the same Idempotency-Key for another body', context('b'), { status: 422, ...ours })
}

/** Twice a second for a minute, without the wait. */
const POLLS = 120

/** A client that waits for its verdict is not rate-limited. */
export const polling: Chapter = async (kit) => {
  const poll = 'GET /v1/identities/{id}/status'
  const params = { id: await newIdentity(kit) }
  const statuses = new Set<number>()
  for (let polls = 0; polls < POLLS; polls += 1)
    statuses.add(await kit.fetchStatus(poll, { params, key: 'user-agent' }))
  kit.claim(
    poll,
    'twice a second for a minute is answered',
    unless(
      [...statuses].every((status) => status === 200),
      `came ${[...statuses].join(', ')}`,
    ),
    { ours: true },
  )
}

/** Counterproof's default limit of passcodes per minute. */
const OTP_PER_MINUTE = 10
const TOO_LARGE_BYTES = 1024 * 1024

export const limits: Chapter = async (kit) => {
  if (!kit.target.own) return
  const ours = { ours: true } as const
  const params = { ...NOWHERE, id: await newIdentity(kit) }
  const consents = 'POST /v1/identities/{id}/consents'
  const large = { body: `[${' '.repeat(TOO_LARGE_BYTES)}]`, headers: { 'content-type': 'application/json' } }
  await kit.call(consents, 'far too much', { params, ...large }, { status: 413, ...ours })

  const otp = 'POST /v1/identities/{id}/contact-details/mobile/otp'
  const call = { params, json: { value: '000000' }, key: 'user-agent' } as const
  const tries = await Promise.all(
    Array.from({ length: OTP_PER_MINUTE + 1 }, () =>
      kit.call(otp, 'one after the other', call, { status: [400, 403, 404, 429], spec: 'Errors' }),
    ),
  )
  const refused = tries.find(({ status }) => status === 429)
  kit.claim(
    otp,
    'too many in a minute are refused with 429',
    unless(refused !== undefined, 'none was refused'),
    { spec: 'Errors' },
  )
  const missing = ['retry-after', 'ratelimit', 'ratelimit-policy'].filter(
    (name) => refused && !refused.headers.has(name),
  )
  kit.claim(
    otp,
    '429 says when to come again',
    missing.map((name) => `the header ${name} is missing`),
    ours,
  )
}
