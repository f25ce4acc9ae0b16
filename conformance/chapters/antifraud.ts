import { at, unless } from '../kit.ts'
import { FRAUD_CHECKS_OF_OURS, anyObject, fraudChecksOfOurs } from '../spec.ts'
import { newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

export const antifraud: Chapter = async (kit) => {
  const ask = 'POST /v1/identities/{id}/antifraud'
  const read = 'GET /v1/identities/{id}/antifraud'
  const params = { id: await newIdentity(kit) }
  const checks = FRAUD_CHECKS_OF_OURS.map((type) => ({ type }))
  // The specification shows no fraud check: the expected fields here are Counterproof's.
  const ofOurs = { status: 200, shape: fraudChecksOfOurs, ours: true } as const
  await kit.call(read, 'none yet', { params }, { status: 200, shape: anyObject })
  await kit.call(ask, 'one check', { params, json: checks.slice(0, 1) }, ofOurs)
  const six = await kit.call(ask, 'six checks', { params, json: checks }, ofOurs)
  const shown = at(six.json, 'checks')
  kit.claim(
    ask,
    'answers every check',
    unless(Array.isArray(shown) && shown.length === checks.length, 'a check is missing'),
    { ours: true },
  )
  await kit.call(ask, 'no check', { params, json: [] }, { status: 400, spec: 'Limits' })
  await kit.call(
    ask,
    'seven checks',
    { params, json: [...checks, ...checks.slice(0, 1)] },
    { status: 400, spec: 'Limits' },
  )
  await kit.call(
    ask,
    'a check that is none',
    { params, json: [{ type: 'HOROSCOPE' }] },
    { status: 400, spec: 'Antifraud' },
  )
  await kit.call(read, 'all', { params }, ofOurs)
}
