import { at, unless } from '../kit.ts'
import { consent } from '../spec.ts'
import { listOf } from '../shapes.ts'
import { newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const TYPES = [
  ...['ATTRIBUTES', 'ID_DOCUMENT', 'PORTRAIT', 'ADDRESS', 'EMAIL', 'EMAIL_OTP', 'LANDLINE', 'MOBILE'],
  ...['MOBILE_OTP', 'VISA', 'GIV', 'ID_CLAIM'],
]
const REFUSED: readonly (readonly [string, unknown])[] = [
  ['an unknown type', [{ type: 'EVERYTHING', approved: true }]],
  ['without approved', [{ type: 'PORTRAIT' }]],
  ['approved is no boolean', [{ type: 'PORTRAIT', approved: 'perhaps' }]],
  ['no list', { type: 'PORTRAIT', approved: true }],
  ['a date that does not exist', [{ type: 'GIV', approved: true, validityPeriod: { to: '2030-02-30' } }]],
]

export const consents: Chapter = async (kit) => {
  const record = 'POST /v1/identities/{id}/consents'
  const params = { id: await newIdentity(kit) }
  const json = TYPES.map((type) => ({ type, approved: true, notOfTheSpecification: 'ignored' }))
  const all = await kit.call(
    record,
    'every type',
    { params, json },
    { status: 200, shape: listOf(consent, TYPES.length) },
  )
  const listed: readonly unknown[] = Array.isArray(all.json) ? all.json : []
  kit.claim(
    record,
    'has no empty period',
    unless(!listed.some((one) => JSON.stringify(at(one, 'validityPeriod')) === '{}'), 'a period is empty'),
    { spec: 'Consent' },
  )
  kit.claim(
    record,
    'says of each type whether anything uses it',
    unless(
      listed.every((one) => typeof at(one, 'used') === 'boolean'),
      '`used` is missing',
    ),
    { ours: true },
  )
  kit.claim(
    record,
    'unknown fields are not stored',
    unless(!Buffer.from(all.bytes).includes('ignored'), 'an unknown field came back'),
    { ours: true },
  )
  await kit.call(
    record,
    'not approved',
    { params, json: [{ type: 'PORTRAIT', approved: false }] },
    { status: 200 },
  )
  const validityPeriod = { from: '2026-01-01', to: '2039-12-31' }
  const limited = await kit.call(
    record,
    'with a period',
    { params, json: [{ type: 'GIV', approved: true, validityPeriod }] },
    {
      status: 200,
      shape: listOf(consent, 1),
    },
  )
  const given = Array.isArray(limited.json) ? at(limited.json.at(-1), 'validityPeriod', 'to') : undefined
  kit.claim(record, 'keeps the period', unless(given === '2039-12-31', 'the end date did not come back'), {
    spec: 'Consent',
  })
  for (const [title, body] of REFUSED)
    await kit.call(record, title, { params, json: body }, { status: 400, spec: 'Consent' })
  await kit.call(
    record,
    'JSON that does not parse',
    { params, body: '[{', headers: { 'content-type': 'application/json' } },
    { status: 400, spec: 'Errors' },
  )
}
